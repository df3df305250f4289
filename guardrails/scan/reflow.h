// SPDX-License-Identifier: Apache-2.0
// What a formatter leaves behind, and what a comment takes out of the code. Pure text functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "guardrails/scan/line_set.h"

namespace sluice::guardrails {

// Equal for two texts that differ in whitespace, line breaks, quotes and trailing commas only, and in how often a
// comment over several lines says that it is one: `// a b` is also `// a` and `// b`, but never `a b`.
std::string reflow_form(std::string_view text, std::string_view path);
// The words stand on other lines: more than blanks within lines and blank lines differ.
bool breaks_differ(std::string_view a, std::string_view b);
// A formatter is known that people run over such a file on purpose (C family, Python).
bool has_formatter(std::string_view path);

// The lines of a text by what they are, keyed without whitespace.
struct CodeLines {
  LineCounts code;
  LineCounts comments;  // by what they say: `// f(x);` counts as `f(x);`, and so does `f(x);` in a block comment
  std::vector<std::pair<std::uint32_t, std::string>> comment_lines;  // 1-based, in order, with that key
};
// Empty for a path whose comments are not known.
CodeLines code_lines(std::string_view text, std::string_view path);

}  // namespace sluice::guardrails
