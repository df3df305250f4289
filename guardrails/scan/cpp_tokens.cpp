// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/cpp_tokens.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || is_digit(c) ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source.substr(0, max_source_bytes)) {}

  CppTokens run() {
    while (at_ < source_.size()) step();
    return std::move(out_);
  }

 private:
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = here();
    if (c == '\n') {
      ++at_;
      ++line_;
      fresh_ = true;
      return;
    }
    if (c == ' ' || (c >= '\t' && c <= '\r') || c == '\0' || c == '\\') {
      ++at_;
      return;
    }
    if (c == '/' && (here(1) == '/' || here(1) == '*')) {
      comment();
      return;
    }
    const bool directive = fresh_ && c == '#';
    fresh_ = false;
    if (directive) {
      preprocessor();
    } else if (c == '"') {
      literal(at_, '"');
    } else if (c == '\'') {
      literal(at_, '\'');
    } else if (is_digit(c) || (c == '.' && is_digit(here(1)))) {
      number();
    } else if (in_name(c)) {
      word();
    } else {
      op();
    }
  }

  void comment() {
    if (here(1) == '/') {
      // A backslash before the line's end goes on with the comment: what stands there is no code.
      const std::size_t from = at_;
      for (at_ = std::min(source_.find('\n', at_), source_.size()); at_ < source_.size(); at_ = std::min(source_.find('\n', at_ + 1), source_.size())) {
        const std::size_t last = source_[at_ - 1] == '\r' ? at_ - 1 : at_;
        if (last <= from || source_[last - 1] != '\\') break;
        ++line_;
      }
      return;
    }
    const std::size_t close = source_.find("*/", at_ + 2);
    const std::size_t end = close == std::string_view::npos ? source_.size() : close + 2;
    count_lines(at_, end);
    at_ = end;
  }

  void count_lines(std::size_t from, std::size_t to) {
    line_ += static_cast<std::uint32_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(from),
                                                   source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
  }

  void push(TokenKind kind, std::size_t from, std::uint32_t line) {
    out_.tokens.push_back({kind, source_.substr(from, at_ - from), line});
  }

  void preprocessor() {
    const std::size_t from = at_;
    const std::uint32_t line = line_;
    for (;;) {
      at_ = std::min(source_.find('\n', at_), source_.size());
      std::size_t last = at_;
      while (last > from && (source_[last - 1] == '\r' || source_[last - 1] == ' ')) --last;
      if (at_ >= source_.size() || last <= from || source_[last - 1] != '\\') break;
      ++at_;
      ++line_;
    }
    out_.directives.push_back({TokenKind::op, source_.substr(from, at_ - from), line});
    constant(source_.substr(from + 1, at_ - from - 1), line);
  }

  void constant(std::string_view rest, std::uint32_t line) {
    rest = core::trim(rest);
    if (!rest.starts_with("define ")) return;
    rest = core::trim(rest.substr(7));
    std::size_t end = 0;
    while (end < rest.size() && in_name(rest[end])) ++end;
    const std::string_view name = rest.substr(0, end);
    std::string_view value = core::trim(rest.substr(end));
    value = value.substr(0, value.find_first_of(" \t/"));
    while (value.starts_with('(')) value.remove_prefix(1);
    while (value.ends_with(')')) value.remove_suffix(1);
    double number = 0;
    if (name.empty() || !number_of(value, number)) return;
    out_.tokens.push_back({TokenKind::name, name, line});
    out_.tokens.push_back({TokenKind::op, "=", line});
    out_.tokens.push_back({TokenKind::number, value, line});
    out_.tokens.push_back({TokenKind::op, ";", line});
  }

  // The quote stands at at_, an encoding prefix begins at `from`. A line end closes it.
  void literal(std::size_t from, char quote) {
    const std::uint32_t line = line_;
    for (++at_; at_ < source_.size(); ++at_) {
      const char c = here();
      if (c == '\\') {
        const bool crlf = here(1) == '\r' && here(2) == '\n';
        if (here(1) == '\n' || crlf) ++line_;
        at_ += crlf ? 2 : 1;
      } else if (c == quote) {
        ++at_;
        break;
      } else if (c == '\n' || (c == '\r' && here(1) == '\n')) {
        break;
      }
    }
    at_ = std::min(at_, source_.size());
    push(TokenKind::text, from, line);
  }

  void raw_literal(std::size_t from) {
    const std::uint32_t line = line_;
    const std::size_t open = source_.substr(at_, 18).find_first_of("(\n");
    if (open == std::string_view::npos || source_[at_ + open] == '\n') return literal(from, '"');
    std::string close(1, ')');
    close += source_.substr(at_ + 1, open - 1);
    close += '"';
    const std::size_t found = source_.find(close, at_ + open);
    const std::size_t end = found == std::string_view::npos ? source_.size() : found + close.size();
    count_lines(at_, end);
    at_ = end;
    push(TokenKind::text, from, line);
  }

  void word() {
    const std::size_t from = at_;
    while (at_ < source_.size() && in_name(here())) ++at_;
    const std::string_view name = source_.substr(from, at_ - from);
    const bool prefix = name == "R" || name == "u8" || name == "u" || name == "U" || name == "L" ||
                        name == "u8R" || name == "LR";
    if (prefix && here() == '"') {
      if (name.ends_with('R'))
        raw_literal(from);
      else
        literal(from, '"');
    } else {
      push(TokenKind::name, from, line_);
    }
  }

  void number() {
    const std::size_t from = at_;
    const bool hex = here() == '0' && (here(1) == 'x' || here(1) == 'X');
    while (at_ < source_.size() &&
           (in_name(here()) || here() == '.' || (here() == '\'' && in_name(here(1))))) {
      const char c = here();
      const bool exponent = ((!hex && (c == 'e' || c == 'E')) || (hex && (c == 'p' || c == 'P'))) &&
                            (here(1) == '-' || here(1) == '+');
      at_ += exponent ? 2 : 1;
    }
    push(TokenKind::number, from, line_);
  }

  void op() {
    static constexpr std::array<std::string_view, 23> longer = {
        "...", "<=>", "<<=", ">>=", "->*", "::", "->", "++", "--", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "|=", "&=", "^="};
    const std::size_t from = at_;
    const std::string_view rest = source_.substr(at_, 3);
    const auto found =
        std::find_if(longer.begin(), longer.end(), [&](std::string_view o) { return rest.starts_with(o); });
    at_ += found == longer.end() ? 1 : found->size();
    push(TokenKind::op, from, line_);
  }

  std::string_view source_;
  CppTokens out_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool fresh_ = true;  // nothing but blanks on this line so far
};

}  // namespace

CppTokens tokenize_cpp(std::string_view source) { return Tokenizer(source).run(); }

}  // namespace sluice::guardrails
