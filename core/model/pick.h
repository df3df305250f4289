// SPDX-License-Identifier: Apache-2.0
// The result of picking one upstream commit onto one tree: git's merge-ort is the only judge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/oid.h"

namespace sluice::model {

// empty: clean *and* the result tree equals the tree picked onto. error: git, missing object, limits;
// never a verdict, never "empty". unknown: not tried.
enum class PickStatus { clean, conflict, empty, error, unknown };
std::string_view to_string(PickStatus);

// One unmerged entry (stage 1 base, 2 ours = the fork, 3 theirs = upstream).
struct Stage {
  int stage = 0;
  std::uint32_t mode = 0;
  Oid oid;
  std::string path;
};

// One conflicted path. `kind` is git's message type without the word CONFLICT and parentheses:
// contents, modify/delete, rename/delete, rename/rename, add/add, file/directory, distinct modes,
// directory rename suggested, binary, submodule, ...
struct Conflict {
  std::string path;
  std::string kind;
  std::vector<Stage> stages;
  int regions = 0;  // diff3 regions in the merged file; 0 when the file has none (binary, delete)
};

// A path taken out of the trees, or kept as the fork has it, before or after the merge.
struct DroppedPath {
  std::string path;
  std::string policy;  // the [[path]] glob that said so
  std::string why;     // missing | deleted | ours
};

struct Pick {
  Oid upstream;
  Oid onto;  // tree D
  PickStatus status = PickStatus::unknown;
  // The machine merge M. clean / empty: the result. conflict: the tree with diff3 markers (31 wide).
  Oid tree;
  std::string cause;  // error only: object_missing, git, limits
  std::string detail; // error only: git's words, with the object or path named
  std::vector<Conflict> conflicts;
  bool renames_skipped = false;  // finding RENAMES_SKIPPED: chain, never bundle
  std::vector<DroppedPath> dropped;
};

}  // namespace sluice::model
