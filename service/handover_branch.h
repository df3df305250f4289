// SPDX-License-Identifier: Apache-2.0
// The branch that a person is given: the picks of a unit as commits on trunk, up to the first conflict.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/model/unit.h"
#include "service/app.h"
#include "service/folding.h"

namespace sluice::service {

struct GivenBranch {
  Oid base, head;                  // `base` = the commit that it begins on
  std::size_t picks = 0;           // that stand on it clean, or as the rungs answered them
  Oid conflicted;                  // upstream commit with the open conflict; empty = none
  std::string subject;             // of it
  std::vector<std::string> open;   // one line a path, why no rung answered
  std::vector<std::string> paths;  // to resolve
  bool drafts = false;             // a second commit holds what the rungs did answer
  bool answered = false;           // the drafts answer all of it: to look at, not to resolve
  std::string suggested;           // run of the model whose fix stands beside a pick, as a commit; empty = none
  std::size_t waiting = 0;         // commits of the unit after the conflict, not on the branch
};

// Commits for unit.commits[from ..] on top of commit `parent`: a pick each, with its trailer; the first one that
// nobody answers as a commit with the raw conflict (markers 31 wide), and the drafts as a second. Nothing after
// it. Errors: conflict when a commit changes nothing on this base.
Result<GivenBranch> write_branch(App& app, Folder& folder, const model::Unit& unit, std::size_t from, const Oid& parent);

}  // namespace sluice::service
