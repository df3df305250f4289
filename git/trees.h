// SPDX-License-Identifier: Apache-2.0
// Walks, differences and edits of trees over raw objects: no blob is ever read, so a store that lacks
// one is no obstacle. Inner header of git/.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "git/git.h"
#include "git/objects.h"

namespace sluice::git {

// Deeper trees are refused: recursion must end on hostile input.
inline constexpr int max_tree_depth = 512;

Result<void> walk_tree(const Objects& objects, const Oid& tree,
                       const std::function<bool(const std::string& path, const TreeEntry&)>& visit);
Result<std::vector<TreeDelta>> diff_tree(const Objects& objects, const Oid& before, const Oid& after);
Result<std::optional<TreeEntry>> tree_entry(const Objects& objects, const Oid& tree, std::string_view path);
// Adds, replaces and removes paths; directories left empty vanish. Removing an absent path is no error.
// Errors: invalid for a path that no work tree may hold (absolute, `..`, `.git`, empty component).
Result<Oid> edit_tree(const Objects& objects, const Oid& base, std::vector<TreeUpdate> updates);

// May a file of this name stand in a work tree? Not empty, `.`, `..`, any spelling of `.git`, no '/'.
bool safe_component(std::string_view name);
bool safe_path(std::string_view path);

}  // namespace sluice::git
