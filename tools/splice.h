// SPDX-License-Identifier: Apache-2.0
// What may stand in the place of a conflict region, and what it then is. Inner header of tools/.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "git/read.h"

namespace sluice::tools {

// How the fork's file ends its lines: what is put into it does the same.
struct LineStyle {
  bool crlf = false;           // more lines end in CR LF than in LF
  bool mixed = false;          // both occur
  bool final_newline = true;   // also of an empty file
};
LineStyle style_of(std::string_view ours);

std::string without_cr(std::string_view text);  // right before LF
std::string with_cr(std::string_view text);     // REQUIRES: without_cr

// One sentence on what is wrong with text from outside: NUL, not UTF-8; empty = nothing.
std::string unfit(std::string_view text);
// The first line of `text` that is a conflict marker and stands in none of `known` (texts); empty = none.
std::string new_marker(std::string_view text, std::initializer_list<std::string_view> known);

// The action that `text` bears out, as resolve_region names it (G27).
std::string action_of(const git::Region& region, std::string_view text);
// `claim` is true of `text`. Where both sides say the same, either may be named.
bool bears_out(const git::Region& region, std::string_view text, std::string_view claim);

// `text` as it will stand in the file: its last line ends in a newline, its lines end as the file's do; the fork's own side
// stands there as the fork has it. Errors: invalid, one sentence: NUL, not UTF-8, a marker line, too long.
Result<std::string> spliced(const git::Region& region, std::string_view text, const LineStyle& style);

}  // namespace sluice::tools
