// SPDX-License-Identifier: Apache-2.0
// How the answer of a conflict region stands to its two sides. Pure text functions, shared by those who write
// the accounting entry SIDE (agent) and its check (guardrails), which may not include each other.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/format.h"

namespace sluice::core {

// Lines compared without whitespace, blank lines left out: a side that was indented anew is still that side.
enum class Relation {
  ours,    // the fork's side; also when both sides are equal
  theirs,  // upstream's side
  both,    // every line of both sides, each side in its order, and nothing else
  mix,     // lines of base, ours and theirs only; also no line at all
  fresh,   // a line that stands in none of the three
};
std::string_view to_string(Relation);  // OURS THEIRS BOTH MIX NEW
std::optional<Relation> parse_relation(std::string_view);

Relation relation_of(std::string_view base, std::string_view ours, std::string_view theirs,
                     std::string_view answer);
// The relation takes one side while the other has a change of its own against base, more than formatting.
bool leaves_a_change(Relation relation, std::string_view base, std::string_view ours, std::string_view theirs,
                     Language language);

// A line that is a conflict marker of git's size 7 or of the recipe's 31 (G20); its CR or LF may be there.
bool is_conflict_marker(std::string_view line);

}  // namespace sluice::core
