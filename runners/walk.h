// SPDX-License-Identifier: Apache-2.0
// Walking a directory that an untrusted process writes, perhaps while we walk: no link is followed, what
// vanishes in between is skipped, depth is bounded.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>

#include "core/result.h"

namespace sluice::runners {

// Each level holds one descriptor open while it is walked.
inline constexpr int max_walk_depth = 128;

struct Entry {
  const std::string& path;  // relative to the root of the walk
  int parent_fd;            // open directory that holds it
  const char* name;         // last component of `path`
  const struct stat& info;  // of the entry itself, never of a link's target
};

enum class Walk { go_on, skip, stop };  // skip: do not enter this directory

// Calls `visit` for every entry below `root` (not for root itself), in no particular order.
// Returns false when some directory was nested deeper than max_walk_depth and was not entered.
// Errors: not_found, denied (root cannot be opened).
Result<bool> walk_tree(const std::string& root, const std::function<Walk(const Entry&)>& visit);

}  // namespace sluice::runners
