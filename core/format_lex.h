// SPDX-License-Identifier: Apache-2.0
// Inner header of the lexical forms behind core/format.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::core {

// `word` covers names and numbers, `mark` one character (or one operator that a blank would change),
// `layout` what the language reads from lines: line end, indentation, blanks of a preprocessor line.
struct FormToken {
  enum class Kind { word, string, comment, mark, layout } kind = Kind::mark;
  std::string text;
  bool dropped = false;
};

// nullopt: the fragment begins or ends inside a string or a comment, or its brackets do not match.
std::optional<std::vector<FormToken>> lex_python(std::string_view text);
std::optional<std::vector<FormToken>> lex_c(std::string_view text);

// Every byte above 0x7F may belong to a name; none of them is a blank or an operator.
inline bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool in_word(char c) { return starts_word(c) || is_digit(c); }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }
inline char char_at(std::string_view s, std::size_t i) { return i < s.size() ? s[i] : '\0'; }

}  // namespace sluice::core
