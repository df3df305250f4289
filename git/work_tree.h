// SPDX-License-Identifier: Apache-2.0
// Another door of git/: directories in which people work. They use any git there; sluice makes the directory,
// looks at it, and fetches from it as from any other repository, checked in quarantine.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "git/git.h"

namespace sluice::git {

struct WorkTreeSpec {
  std::string dir;     // absent or empty
  std::string branch;  // short name; checked out
  Oid head;
  std::string origin;  // URL of the remote `origin`
  std::string trunk;   // branch of it that is known already ...
  Oid trunk_tip;       // ... at this commit
};

// Errors: conflict when `dir` is there and not an empty directory.
Result<void> check_work_tree_place(const std::string& dir);

// An ordinary clone. Objects of `store` are read in place (alternates), so a big history costs nothing.
// Errors: conflict (the directory is not empty), denied, internal (git's words).
Result<void> make_work_tree(const Repo& store, const WorkTreeSpec& spec);

struct WorkTree {
  Oid head;
  std::vector<std::string> changed;  // uncommitted, untracked files included: "M path"
};
// `rev` empty = HEAD. The person's own ignore rules hold. Errors: not_found (no repository, no such name).
Result<WorkTree> look_at_work_tree(const std::string& dir, const std::string& rev);

// `commit` of the repository at `dir` into `local_ref`: as Repo::fetch, but from that directory alone, and never
// by sharing its objects. Errors: not_found, invalid (checks, caps), transient.
Result<void> fetch_from_work_tree(Repo& store, const std::string& dir, const Oid& commit, const std::string& local_ref,
                                  const FetchLimits& limits, const std::atomic<bool>* cancel);

// Checks out `branch` at `head`. What HEAD was stays reachable as branch `keep` (empty: `head` stands on it).
// REQUIRES: nothing is uncommitted. Errors: conflict, internal (git's words).
Result<void> move_work_tree(const std::string& dir, const std::string& branch, const Oid& head, const std::string& keep);

}  // namespace sluice::git
