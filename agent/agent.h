// SPDX-License-Identifier: Apache-2.0
// Front door of agent/: proposals for conflicts. It proposes; it has no way to judge or to land.
#pragma once

#include <string>
#include <vector>

#include "core/model/config.h"
#include "core/model/proposal.h"
#include "core/result.h"
#include "git/git.h"
#include "store/store.h"

namespace sluice::agent {

// What the ladder did with one conflicted pick.
struct Answer {
  bool complete = false;  // every conflicted path has an answer
  model::Oid tree;        // P when complete: M with the regions filled in; empty otherwise
  model::Oid draft;       // M with what was answered filled in, the rest with its markers; M itself when nothing was
  std::vector<model::Resolution> resolutions;  // those that were found, also when incomplete
  std::vector<model::AccountEntry> account;
  std::vector<std::string> open;  // "path: kind, N regions: why no rung answered", for the person
};

// The rungs `remembered` and `proven` (MERGE 9.3, 9.4) on the conflicts of `pick`. Writes the result
// tree into `repo`. Errors: object_missing, store errors.
Result<Answer> propose(git::Repo& repo, store::Store& store, const model::PolicyConfig& policy,
                       const model::UpstreamCommit& upstream, const model::Pick& pick);

// The rung `person`: how `tree`, made by a person, answers each conflict of `pick`. Where it says what a former
// rung says, that rung's record and its accounting entries stand. Always complete. Errors: as propose().
Result<Answer> by_person(git::Repo& repo, store::Store& store, const model::PolicyConfig& policy,
                         const model::UpstreamCommit& upstream, const model::Pick& pick, const model::Oid& tree);

// After landing: keep what was answered, keyed by its normalised preimages.
Result<void> remember(git::Repo& repo, store::Store& store, const std::string& unit,
                      const model::ProposalMember& member, std::int64_t now);

// MERGE 9.1 and 9.2: also used by the check of FORMAT_EQUAL, so that rule and check cannot drift.
// Those live in core/format.h.

}  // namespace sluice::agent
