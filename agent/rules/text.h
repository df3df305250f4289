// SPDX-License-Identifier: Apache-2.0
// What the rules ask of the bytes of a side.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::agent::rules {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
// Of words: bytes above 0x7F are parts of letters.
inline bool in_word(char c) { return starts_name(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::size_t line_count(std::string_view text);  // a last line without its line end counts
bool is_blank(std::string_view text);           // whitespace only, or nothing
// Every line that is not blank includes or imports something. True for no lines.
bool all_imports(std::string_view text);

}  // namespace sluice::agent::rules
