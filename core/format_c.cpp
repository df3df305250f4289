// SPDX-License-Identifier: Apache-2.0
// C, C++, CUDA, HIP and TableGen: blanks and line ends mean nothing, except in preprocessor lines.
#include <algorithm>
#include <array>

#include "core/format_lex.h"

namespace sluice::core {
namespace {

using Kind = FormToken::Kind;

// Operators whose halves are operators too: `a - -b` and `a --b` are both C and differ.
constexpr std::array<std::string_view, 4> pairs = {"++", "--", "&&", "::"};
constexpr std::array<std::string_view, 9> literal_prefixes = {"L",  "u",  "U",  "u8", "R",
                                                              "LR", "uR", "UR", "u8R"};

class CLexer {
 public:
  explicit CLexer(std::string_view text) : s_(text) {}

  std::optional<std::vector<FormToken>> run() {
    while (i_ < s_.size()) {
      if (!token()) return std::nullopt;
    }
    end_directive();
    return std::move(out_);
  }

 private:
  std::size_t line_break(std::size_t at) const {
    if (char_at(s_, at) == '\n') return 1;
    return char_at(s_, at) == '\r' && char_at(s_, at + 1) == '\n' ? 2 : 0;
  }

  void add(Kind kind, std::string text) {
    if (in_directive_ && blank_pending_) out_.push_back({Kind::layout, " "});  // `f (x)` is not `f(x)` there
    blank_pending_ = false;
    at_line_start_ = false;
    if (kind == Kind::mark && text == "}" && !out_.empty() && out_.back().kind == Kind::mark &&
        out_.back().text == ",") {
      out_.back().dropped = true;
    }
    out_.push_back({kind, std::move(text)});
  }
  void end_directive() {
    if (in_directive_) out_.push_back({Kind::layout, "\n"});
    in_directive_ = false;
    blank_pending_ = false;
  }

  bool token() {
    const char c = s_[i_];
    if (const std::size_t n = line_break(i_)) {
      i_ += n;
      end_directive();
      at_line_start_ = true;
      return true;
    }
    if (is_blank(c) || c == '\r') {
      blank_pending_ = true;
      ++i_;
      return true;
    }
    if (c == '\\' && line_break(i_ + 1) != 0) {
      i_ += 1 + line_break(i_ + 1);
      blank_pending_ = false;
      if (in_directive_) out_.push_back({Kind::layout, "\\"});
      return true;
    }
    if (c == '/' && char_at(s_, i_ + 1) == '/') return line_comment();
    if (c == '/' && char_at(s_, i_ + 1) == '*') return block_comment();
    if (c == '*' && char_at(s_, i_ + 1) == '/' && char_at(s_, i_ + 2) != '*')
      return false;  // began in a comment
    if (c == '"' || c == '\'') return literal(i_);
    if (starts_word(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(char_at(s_, i_ + 1)))) return number();
    if (c == '#' && at_line_start_) {
      in_directive_ = true;
      blank_pending_ = false;
      out_.push_back({Kind::layout, "directive"});
    }
    std::size_t length = 1;
    if (std::find(pairs.begin(), pairs.end(), s_.substr(i_, 2)) != pairs.end()) length = 2;
    return take(Kind::mark, i_ + length);
  }

  bool take(Kind kind, std::size_t end) {
    add(kind, std::string(s_.substr(i_, end - i_)));
    i_ = end;
    return true;
  }

  bool line_comment() {
    std::size_t end = i_;
    while (end < s_.size() && line_break(end) == 0) {
      // A backslash at its end carries the comment on to the next line.
      end += s_[end] == '\\' ? 1 + line_break(end + 1) : 1;
    }
    return take(Kind::comment, std::min(end, s_.size()));
  }

  bool block_comment() {
    const std::size_t close = s_.find("*/", i_ + 2);
    if (close == std::string_view::npos) return false;
    std::string text;
    for (const char c : s_.substr(i_, close + 2 - i_)) {
      const bool blank = is_blank(c) || c == '\n' || c == '\r';
      if (!blank) {
        text += c;
      } else if (text.back() != ' ') {
        text += ' ';
      }
    }
    const bool line_start = at_line_start_;
    add(Kind::comment, std::move(text));
    at_line_start_ = line_start;  // a directive may follow a comment
    i_ = close + 2;
    return true;
  }

  bool word() {
    std::size_t end = i_;
    while (end < s_.size() && in_word(s_[end])) ++end;
    const char next = char_at(s_, end);
    const std::string_view text = s_.substr(i_, end - i_);
    if ((next == '"' || next == '\'') &&
        std::find(literal_prefixes.begin(), literal_prefixes.end(), text) != literal_prefixes.end()) {
      return text.back() == 'R' && next == '"' ? raw_string(end) : literal(end);
    }
    return take(Kind::word, end);
  }

  bool number() {
    std::size_t end = i_ + 1;
    while (end < s_.size()) {
      const char c = s_[end];
      const char before = s_[end - 1];
      const bool sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && in_word(char_at(s_, end + 1));
      if (!in_word(c) && c != '.' && !sign && !separator) break;
      ++end;
    }
    return take(Kind::word, end);
  }

  // From i_ (the prefix) with its first quote at `quote`; a suffix without a blank belongs to it.
  bool literal(std::size_t quote) {
    std::size_t k = quote + 1;
    while (k < s_.size() && s_[k] != s_[quote]) {
      if (line_break(k) != 0) return false;
      k += s_[k] == '\\' ? 1 + std::max<std::size_t>(1, line_break(k + 1)) : 1;
    }
    return k < s_.size() && take(Kind::string, with_suffix(k + 1));
  }

  bool raw_string(std::size_t quote) {
    const std::size_t open = s_.find('(', quote);
    if (open == std::string_view::npos || open - quote > 17) return false;  // a delimiter has at most 16
    const std::string end_mark = ")" + std::string(s_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t close = s_.find(end_mark, open);
    return close != std::string_view::npos && take(Kind::string, with_suffix(close + end_mark.size()));
  }

  std::size_t with_suffix(std::size_t end) const {
    while (end < s_.size() && in_word(s_[end])) ++end;
    return end;
  }

  std::string_view s_;
  std::size_t i_ = 0;
  std::vector<FormToken> out_;
  bool at_line_start_ = true;
  bool in_directive_ = false;
  bool blank_pending_ = false;
};

}  // namespace

std::optional<std::vector<FormToken>> lex_c(std::string_view text) { return CLexer(text).run(); }

}  // namespace sluice::core
