// SPDX-License-Identifier: Apache-2.0
// What stands in a finished file where the machine merge has its conflict regions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/accounting.h"
#include "git/git.h"

namespace sluice::agent {

// The answers that, filled into `merged`, give `text`; nullopt when none do, because something outside the
// regions differs. `only_way`: also nullopt when the text between two regions stands in several places.
enum class Cut { any, only_way };
std::optional<std::vector<std::string>> answers_in(const git::MergedFile& merged, std::string_view text,
                                                   Cut cut);

// What an answer did with a region: ours, theirs, both or mixed.
std::string action_of(const git::Region& region, std::string_view answer);
// Where indentation has a meaning (Python, YAML, Makefiles): a line of a side that the answer indents as no side does. Rules
// compare lines without whitespace.
bool reindents(const std::string& path, const git::Region& region, std::string_view answer);
// The entry SIDE of an answer that takes one side while the other has a change of its own; nullopt for any other.
std::optional<model::AccountEntry> side_entry(const std::string& path, const git::Region& region, std::string_view answer,
                                              const std::string& because);

}  // namespace sluice::agent
