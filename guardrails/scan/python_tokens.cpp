// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/python_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool in_name(char c) { return starts_name(c) || is_digit(c); }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source.substr(0, max_source_bytes)) {}

  PythonTokens run() {
    while (at_ < source_.size()) step();
    end_line();
    return std::move(out_);
  }

 private:
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void step() {
    if (fresh_) indentation();
    const char c = here();
    if (at_ >= source_.size()) return;
    if (c == '\n') {
      newline();
    } else if (c == '#') {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else if (c == '\\' && (here(1) == '\n' || (here(1) == '\r' && here(2) == '\n'))) {
      at_ += here(1) == '\n' ? 2 : 3;
      ++line_;
    } else if (c == '\'' || c == '"') {
      literal(at_);
    } else if (starts_name(c)) {
      word();
    } else if (is_digit(c) || (c == '.' && is_digit(here(1)))) {
      number();
    } else if (c == ' ' || (c >= '\t' && c <= '\r') || c == '\0') {
      ++at_;
    } else {
      op();
    }
  }

  void indentation() {
    fresh_ = false;
    indent_ = 0;
    for (; here() == ' ' || here() == '\t' || here() == '\f'; ++at_) {
      indent_ = here() == '\t' ? (indent_ / 8 + 1) * 8 : indent_ + (here() == ' ' ? 1 : 0);
    }
    // A bracket that nobody closed must not swallow the functions behind it.
    const std::string_view rest = source_.substr(at_);
    if (depth_ > 0 &&
        (rest.starts_with("def ") || rest.starts_with("class ") || rest.starts_with("async def ")))
      end_line();
  }

  void newline() {
    ++at_;
    ++line_;
    fresh_ = true;
    if (depth_ == 0) end_line();
  }

  void end_line() {
    depth_ = 0;
    if (out_.tokens.size() > begin_) {
      out_.lines.push_back({begin_, out_.tokens.size(), line_indent_});
      begin_ = out_.tokens.size();
    }
  }

  void push(TokenKind kind, std::size_t from, std::uint32_t line) {
    if (out_.tokens.size() == begin_) line_indent_ = indent_;
    out_.tokens.push_back({kind, source_.substr(from, at_ - from), line});
  }

  // The quote stands at at_, its prefix begins at `from`.
  void literal(std::size_t from) {
    const char quote = here();
    const std::uint32_t line = line_;
    const bool triple = here(1) == quote && here(2) == quote;
    at_ += triple ? 3 : 1;
    while (at_ < source_.size()) {
      const char c = here();
      if (c == '\\') {
        const bool crlf = here(1) == '\r' && here(2) == '\n';
        if (here(1) == '\n' || crlf) ++line_;
        at_ += crlf ? 3 : 2;
      } else if (!triple && (c == '\n' || (c == '\r' && here(1) == '\n'))) {
        break;  // a lone quote ends with its line
      } else if (c == quote && (!triple || (here(1) == quote && here(2) == quote))) {
        at_ += triple ? 3 : 1;
        break;
      } else {
        if (c == '\n') ++line_;
        ++at_;
      }
    }
    at_ = std::min(at_, source_.size());
    push(TokenKind::text, from, line);
  }

  void word() {
    const std::size_t from = at_;
    while (in_name(here()) && at_ < source_.size()) ++at_;
    const std::string_view name = source_.substr(from, at_ - from);
    if ((here() == '\'' || here() == '"') && name.size() <= 2 &&
        name.find_first_not_of("rRbBuUfFtT") == std::string_view::npos) {
      literal(from);
    } else {
      push(TokenKind::name, from, line_);
    }
  }

  void number() {
    const std::size_t from = at_;
    while (at_ < source_.size() && (in_name(here()) || here() == '.')) {
      const bool exponent = (here() == 'e' || here() == 'E') && (here(1) == '-' || here(1) == '+') &&
                            source_.substr(from, 2) != "0x" && source_.substr(from, 2) != "0X";
      at_ += exponent ? 2 : 1;
    }
    push(TokenKind::number, from, line_);
  }

  void op() {
    static constexpr std::array<std::string_view, 23> longer = {
        "**=", "//=", ">>=", "<<=", "...", "==", "!=", "<=", ">=", "->", ":=", "**",
        "//",  "<<",  ">>",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^="};
    const std::size_t from = at_;
    const std::string_view rest = source_.substr(at_, 3);
    const auto found =
        std::find_if(longer.begin(), longer.end(), [&](std::string_view o) { return rest.starts_with(o); });
    const char c = here();
    at_ += found == longer.end() ? 1 : found->size();
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    push(TokenKind::op, from, line_);
  }

  std::string_view source_;
  PythonTokens out_;
  std::size_t at_ = 0, begin_ = 0;
  std::uint32_t line_ = 1, indent_ = 0, line_indent_ = 0;
  int depth_ = 0;
  bool fresh_ = true;  // at the begin of a physical line
};

}  // namespace

PythonTokens tokenize_python(std::string_view source) { return Tokenizer(source).run(); }

std::string_view inner_text(std::string_view literal) {
  const std::size_t open = literal.find_first_of("'\"");
  if (open == std::string_view::npos) return {};
  const std::string_view quoted = literal.substr(open);
  const bool triple = quoted.size() >= 3 && quoted[1] == quoted[0] && quoted[2] == quoted[0];
  const std::string quotes(triple ? 3 : 1, quoted[0]);
  std::string_view inner = quoted.substr(quotes.size());
  if (inner.ends_with(quotes)) inner.remove_suffix(quotes.size());  // otherwise nobody closed it
  return inner;
}

namespace {

// 1e+10, 1E10 and 10000000000.0 are one number. Integers and numbers with a suffix stay as they are written.
std::string plain_number(std::string_view token) {
  double value = 0;
  const bool real = token.find_first_of(".eE") != std::string_view::npos;
  const bool bare = token.find_first_not_of("0123456789.eE+-_") == std::string_view::npos;
  return real && bare && number_of(token, value) ? fmt::format("{:.17g}", value) : std::string(token);
}

// `( a ** b )` where the brackets change nothing: some formatters set them.
bool is_power(const std::vector<Token>& tokens, std::size_t at, std::size_t end) {
  if (at + 4 >= end || tokens[at].text != "(" || tokens[at + 2].text != "**" || tokens[at + 4].text != ")")
    return false;
  const Token* before = at > 0 ? &tokens[at - 1] : nullptr;
  const bool called = before != nullptr && (before->kind != TokenKind::op || before->text == ")" ||
                                            before->text == "]" || before->text == "**");
  const std::string_view after = at + 5 < end ? tokens[at + 5].text : std::string_view();
  return !called && after != "**" && after != "." && after != "[" && after != "(";
}

}  // namespace

std::string plain_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string out;
  std::size_t closing = end;  // of brackets that are left out
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = tokens[i];
    if (i == closing) continue;
    if (is_power(tokens, i, end)) {
      closing = i + 4;
      continue;
    }
    if (token.text == "," && i + 1 < end &&
        (tokens[i + 1].text == ")" || tokens[i + 1].text == "]" || tokens[i + 1].text == "}"))
      continue;
    if (!out.empty()) out += ' ';
    if (token.kind == TokenKind::text) {
      const std::size_t open = token.text.find_first_of("'\"");
      out += token.text.substr(0, open);
      out += '"';
      out += inner_text(token.text);
      out += '"';
    } else if (token.kind == TokenKind::number) {
      out += plain_number(token.text);
    } else {
      out += token.text;
    }
  }
  return out;
}

}  // namespace sluice::guardrails
