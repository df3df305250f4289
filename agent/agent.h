// SPDX-License-Identifier: Apache-2.0
// Front door of agent/: proposals for conflicts. It proposes; it has no way to judge or to land.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/model/config.h"
#include "core/model/proposal.h"
#include "core/result.h"
#include "git/git.h"
#include "store/store.h"
#include "tools/tools.h"

namespace sluice::agent {

class ModelRung;  // model_rung.h

// Which rungs may answer, and with what. `remembered` and `proven` always may.
struct Ladder {
  const model::PolicyConfig* policy = nullptr;   // not owned
  const model::LadderConfig* rungs = nullptr;    // not owned; null: no rung after `proven`
  tools::Checks* checks = nullptr;               // not owned; null: no candidates, drivers or model
  ModelRung* model = nullptr;                    // not owned; null: no model
  model::Oid onto_commit;                        // D as a commit, for history; may be empty
  std::function<std::string(std::string_view path)> protected_why;  // tools::World
};

// `remembered` and `proven` alone.
inline Ladder sure_rungs(const model::PolicyConfig& policy) {
  Ladder out;
  out.policy = &policy;
  return out;
}

// What the ladder did with one conflicted pick.
struct Answer {
  bool complete = false;  // every conflicted path has an answer
  model::Oid tree;        // P when complete: M with the regions filled in; empty otherwise
  model::Oid draft;       // M with what was answered filled in, the rest with its markers; M itself when nothing was
  std::vector<model::Resolution> resolutions;  // those that were found, also when incomplete
  std::vector<model::AccountEntry> account;
  std::vector<std::string> open;  // "path: kind, N regions: why no rung answered", for the person
  // Complete, but a rung that may only propose had a part in it: a person looks at the draft. `open` says which.
  bool for_person = false;
  // The model could not be asked now (its endpoint is busy or its breaker open): why. The same pick may succeed later.
  std::string later;
};

// Climbs the rungs in order (MERGE 11) on the conflicts of `pick`. Writes the result tree into `repo`.
// Errors: object_missing, store errors, and what Checks and transcripts may fail with.
Result<Answer> propose(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                       const model::Pick& pick);

// The exact bytes of the first request to the model that propose() would make, masked; nothing is sent. Errors: not_found,
// when none would be made: why; denied, when it may not leave.
Result<std::string> preview(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                            const model::Pick& pick);

// The rung `person`: how `tree`, made by a person, answers each conflict of `pick`. Where it says what a former
// rung says, that rung's record and its accounting entries stand. Always complete. Errors: as propose().
Result<Answer> by_person(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                         const model::Pick& pick, const model::Oid& tree);

// The tree that a draft amounts to, written into `repo`.
Result<model::Oid> write_draft(git::Repo& repo, const tools::Draft& draft);

// After landing: keep what was answered, keyed by its normalised preimages.
Result<void> remember(git::Repo& repo, store::Store& store, const std::string& unit,
                      const model::ProposalMember& member, std::int64_t now);

// MERGE 9.1 and 9.2: also used by the check of FORMAT_EQUAL, so that rule and check cannot drift.
// Those live in core/format.h.

}  // namespace sluice::agent
