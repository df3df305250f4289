// SPDX-License-Identifier: Apache-2.0
// Python: indentation and line ends mean something outside of brackets, nothing inside.
#include <algorithm>
#include <array>

#include "core/format_lex.h"

namespace sluice::core {
namespace {

using Kind = FormToken::Kind;

// A parenthesis after one of these begins a tuple or a group, never a call.
constexpr std::array<std::string_view, 37> keywords = {
    "False",    "None",   "True",  "and",  "as",     "assert",   "async",   "await", "break", "class",
    "continue", "def",    "del",   "elif", "else",   "except",   "finally", "for",   "from",  "global",
    "if",       "import", "in",    "is",   "lambda", "nonlocal", "not",     "or",    "pass",  "raise",
    "return",   "try",    "while", "with", "yield",  "match",    "case"};

bool is_keyword(std::string_view word) {
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

bool is_prefix(std::string_view word) {
  return word.size() <= 2 && word.find_first_not_of("rRbBuUfF") == std::string_view::npos;
}

class PythonLexer {
 public:
  explicit PythonLexer(std::string_view text) : s_(text) {}

  std::optional<std::vector<FormToken>> run() {
    while (i_ < s_.size()) {
      if (at_line_start_ && open_.empty()) {
        if (!indentation()) continue;
      }
      if (!token()) return std::nullopt;
    }
    end_line();
    return std::move(out_);
  }

 private:
  struct Open {
    char bracket;
    bool keeps_only_comma;
    int commas = 0;
  };

  // Length of a line break at i_: LF or CR LF; 0 when there is none.
  std::size_t line_break(std::size_t at) const {
    if (char_at(s_, at) == '\n') return 1;
    return char_at(s_, at) == '\r' && char_at(s_, at + 1) == '\n' ? 2 : 0;
  }

  void add(Kind kind, std::string text) {
    out_.push_back({kind, std::move(text)});
    line_has_tokens_ = true;
  }
  void end_line() {
    if (line_has_tokens_) out_.push_back({Kind::layout, "\n"});
    line_has_tokens_ = false;
    at_line_start_ = true;
  }

  // Reads the blanks at the start of a logical line; false for a blank line, which vanishes.
  bool indentation() {
    std::size_t column = 0;
    while (i_ < s_.size() && is_blank(s_[i_])) {
      column = s_[i_] == '\t' ? (column / 8 + 1) * 8 : column + 1;
      ++i_;
    }
    if (i_ >= s_.size()) return false;
    if (const std::size_t n = line_break(i_)) {
      i_ += n;
      return false;
    }
    out_.push_back({Kind::layout, std::to_string(column)});
    at_line_start_ = false;
    return true;
  }

  bool token() {
    const char c = s_[i_];
    if (is_blank(c)) {
      ++i_;
      return true;
    }
    if (const std::size_t n = line_break(i_)) {
      i_ += n;
      if (open_.empty()) end_line();
      return true;
    }
    if (c == '\r') return false;  // alone it ends a line for Python and hardly for anybody else
    if (c == '\\' && line_break(i_ + 1) != 0) {
      i_ += 1 + line_break(i_ + 1);
      return true;
    }
    if (c == '#') {
      comment();
      return true;
    }
    if (c == '"' || c == '\'') return string(i_);
    if (starts_word(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(char_at(s_, i_ + 1)))) {
      number();
      return true;
    }
    return mark(c);
  }

  void comment() {
    std::size_t end = s_.find('\n', i_);
    end = end == std::string_view::npos ? s_.size() : end;
    std::size_t last = end;
    while (last > i_ && (is_blank(s_[last - 1]) || s_[last - 1] == '\r')) --last;
    add(Kind::comment, std::string(s_.substr(i_, last - i_)));
    i_ = end;
  }

  bool word() {
    std::size_t end = i_;
    while (end < s_.size() && in_word(s_[end])) ++end;
    const char next = char_at(s_, end);
    if ((next == '"' || next == '\'') && is_prefix(s_.substr(i_, end - i_))) return string(end);
    add(Kind::word, std::string(s_.substr(i_, end - i_)));
    i_ = end;
    return true;
  }

  void number() {
    std::size_t end = i_;
    while (end < s_.size()) {
      const bool exponent_sign = (s_[end] == '+' || s_[end] == '-') &&
                                 (s_[end - 1] == 'e' || s_[end - 1] == 'E') && s_.substr(i_, 2) != "0x" &&
                                 s_.substr(i_, 2) != "0X";
      if (!in_word(s_[end]) && s_[end] != '.' && !(end > i_ && exponent_sign)) break;
      ++end;
    }
    add(Kind::word, std::string(s_.substr(i_, end - i_)));
    i_ = end;
  }

  // A literal from i_ (its prefix) with its first quote at `quote`.
  bool string(std::size_t quote) {
    const char q = s_[quote];
    const bool triple = char_at(s_, quote + 1) == q && char_at(s_, quote + 2) == q;
    const std::size_t body = quote + (triple ? 3 : 1);
    std::size_t k = body;
    while (true) {
      if (k >= s_.size()) return false;
      if (s_[k] == '\\') {
        k += 1 + std::max<std::size_t>(1, line_break(k + 1));
        continue;
      }
      if (!triple && line_break(k) != 0) return false;
      if (s_[k] == q && (!triple || (char_at(s_, k + 1) == q && char_at(s_, k + 2) == q))) break;
      ++k;
    }
    const std::size_t end = k + (triple ? 3 : 1);
    std::string text(s_.substr(i_, end - i_));
    const std::string_view inside = s_.substr(body, k - body);
    if (!triple && q == '\'' && inside.find_first_of("'\"\\") == std::string_view::npos) {
      text[quote - i_] = '"';
      text.back() = '"';
    }
    add(Kind::string, std::move(text));
    i_ = end;
    return true;
  }

  bool after_operand() const {
    if (out_.empty()) return false;
    const FormToken& t = out_.back();
    if (t.kind == Kind::word) return !is_keyword(t.text);
    return t.kind == Kind::string ||
           (t.kind == Kind::mark && (t.text == ")" || t.text == "]" || t.text == "}"));
  }

  bool mark(char c) {
    if (c == '(' || c == '[' || c == '{') {
      // (x,) is a tuple and a[x,] is indexed by one: there the only comma has a meaning.
      const bool keeps = (c == '(' && !after_operand()) || (c == '[' && after_operand());
      add(Kind::mark, std::string(1, c));
      open_.push_back({c, keeps});
    } else if (c == ')' || c == ']' || c == '}') {
      if (!close(c)) return false;
    } else {
      if (c == ',' && !open_.empty()) ++open_.back().commas;
      add(Kind::mark, std::string(1, c));
    }
    ++i_;
    return true;
  }

  bool close(char c) {
    if (!open_.empty()) {  // otherwise it was opened before the fragment: nothing is known about it
      const Open open = open_.back();
      if ((c == ')') != (open.bracket == '(') || (c == ']') != (open.bracket == '[')) return false;
      open_.pop_back();
      auto last = out_.rbegin();
      while (last != out_.rend() && last->kind == Kind::comment) ++last;
      const bool trailing = last != out_.rend() && last->kind == Kind::mark && last->text == ",";
      if (trailing && !(open.keeps_only_comma && open.commas == 1)) last->dropped = true;
    }
    add(Kind::mark, std::string(1, c));
    return true;
  }

  std::string_view s_;
  std::size_t i_ = 0;
  std::vector<FormToken> out_;
  std::vector<Open> open_;
  bool at_line_start_ = true;
  bool line_has_tokens_ = false;
};

}  // namespace

std::optional<std::vector<FormToken>> lex_python(std::string_view text) { return PythonLexer(text).run(); }

}  // namespace sluice::core
