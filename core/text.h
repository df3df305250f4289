// SPDX-License-Identifier: Apache-2.0
// Small helpers on text as bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::core {

// Lines without their LF; a last line without LF counts, an empty rest does not. CR stays.
std::vector<std::string_view> split_lines(std::string_view text);
// As split_lines, each line with its LF (the last may lack it).
std::vector<std::string_view> split_lines_keep(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string to_lower(std::string_view text);
bool is_utf8(std::string_view bytes);
// Invalid sequences replaced by U+FFFD.
std::string to_utf8(std::string_view bytes);
// For one line on a terminal: to_utf8, control characters as \xNN, capped with an ellipsis.
std::string printable(std::string_view bytes, std::size_t max_bytes = 200);
bool is_hex(std::string_view text, std::size_t digits);  // lower-case hex of exactly that length
// The line with all whitespace removed: `norm(line)` of the guardrails (conservation rules).
std::string strip_space(std::string_view line);
// Identifiers `[A-Za-z_][A-Za-z0-9_]*` of at least min_length bytes, in order, with repeats.
std::vector<std::string_view> identifiers(std::string_view text, std::size_t min_length = 1);

}  // namespace sluice::core
