// SPDX-License-Identifier: Apache-2.0
// Which upstream commits a commit on the fork's trunk brings whose message does not say so: the trees prove it.
// For the import of people's own picks. (What a message says is read by trailers.h and place.h.)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/oid.h"
#include "core/model/upstream_commit.h"
#include "core/result.h"
#include "git/read.h"
#include "ingest/ingest.h"

namespace sluice::ingest {

// What comparing trees may cost, over as many calls as the caller likes.
struct MatchBudget {
  std::int64_t picks = 256;   // left
  std::int64_t picked = 0;    // made
  std::int64_t untried = 0;   // commits that were not compared, or not to the end, for want of picks
};

// A fold that sluice has stored: with these members the tree `base_tree` became `tree`, also where a conflict was
// answered. Without trees: members that were planned as one, folded again for the comparison.
struct KnownFold {
  std::vector<Oid> members;  // upstream order
  Oid base_tree, tree;       // both or none
};

// The open upstream commits that a landing may bring, indexed once for many calls.
class Candidates {
 public:
  // `open`: facts in upstream order; what a landing must not be taken for (settled commits) is left out.
  // `folds`: tried first for a squash; may be empty.
  static Candidates make(std::vector<model::UpstreamCommit> open, std::vector<KnownFold> folds = {});
  Candidates(Candidates&&) noexcept;
  Candidates& operator=(Candidates&&) noexcept;
  ~Candidates();

  // Matched by an earlier landing: no candidate any more.
  void settle(const Oid& upstream);

  bool empty() const;  // nothing is left

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Candidates(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The members of `landed`, in upstream order: sluice's own machine picks of them, one on the other, give exactly its
// tree on its parent's tree. Empty: none do, or that was not tried to the end (MatchBudget::untried grew then); a
// merge or a root commit has none. Compared only with candidates that touch exactly the paths of `landed` (paths
// that the fork does not have aside), and for a squash with known folds and with runs of candidates inside its
// paths. `pick` as for route(): the machine pick of one upstream commit onto one tree.
// Errors: object_missing and other failures of reading; a pick that fails matches nothing.
Result<std::vector<Oid>> match_trees(const git::Reader& reader, const git::Commit& landed, const Candidates& candidates,
                                     const PickFn& pick, MatchBudget& budget);

}  // namespace sluice::ingest
