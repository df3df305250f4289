// SPDX-License-Identifier: Apache-2.0
// What a forge makes a link of.
#pragma once

#include <string_view>

namespace sluice::fuzz {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

// `#12` begins at text[i], by itself: not owner/name#12, #12ab or the entity &#12;.
inline bool is_reference(std::string_view text, std::size_t i) {
  if (text[i] != '#' || (i > 0 && is_word(text[i - 1]))) return false;
  std::size_t end = i + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  const bool entity = i > 0 && text[i - 1] == '&' && end < text.size() && text[end] == ';';
  return end > i + 1 && !entity && (end == text.size() || !is_word(text[end]));
}

}  // namespace sluice::fuzz
