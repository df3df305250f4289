// SPDX-License-Identifier: Apache-2.0
// Second door of ingest/: which upstream commits a commit on the fork's trunk brings, whoever landed it.
// For the import of people's own picks, and for scoring what a team lands against what sluice would have done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/oid.h"
#include "core/model/upstream_commit.h"
#include "core/result.h"
#include "git/read.h"
#include "ingest/ingest.h"

namespace sluice::ingest {

// trailer: the commit says so (Upstream-Commit, `cherry picked from commit`). pattern: a pattern of
// [trailers] import. subject: an equal subject that no other open commit has; a hint, never a proof.
// tree: nothing says so, and the trees prove it.
enum class MatchHow { none, trailer, pattern, subject, tree };
std::string_view to_string(MatchHow how);

struct LandingMatch {
  std::vector<Oid> upstream;  // in upstream order; empty with `none`
  MatchHow how = MatchHow::none;
  // The commit's tree is exactly what sluice's own machine picks of `upstream`, one on the other in upstream
  // order, give on its parent's tree. False also when that was not tried: MatchBudget::untried grew then.
  bool exact = false;
};

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
  // `patterns`: [trailers] import. `folds`: tried first for a squash; may be empty.
  // Errors: invalid, naming a bad pattern.
  static Result<Candidates> make(std::vector<model::UpstreamCommit> open, const std::vector<std::string>& patterns,
                                 std::vector<KnownFold> folds = {});
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

// What `landed` (one parent; a merge or a root commit matches nothing) brings. The strongest answer: trailers
// that name candidates, then configured patterns, then the trees, then the subject. Trees are compared only
// with candidates that touch exactly the paths of `landed` (paths that the fork does not have aside), and for
// a squash with known folds and with runs of candidates inside its paths. `pick` as for route(): the machine
// pick of one upstream commit onto one tree.
// Errors: object_missing and other failures of reading; a pick that fails matches nothing.
Result<LandingMatch> match_landing(const git::Reader& reader, const git::Commit& landed, const Candidates& candidates,
                                   const PickFn& pick, MatchBudget& budget);

}  // namespace sluice::ingest
