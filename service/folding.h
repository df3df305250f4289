// SPDX-License-Identifier: Apache-2.0
// Stages 2 and 3: a unit becomes a Proposal. Its commits are picked one on top of the other, in the
// real store; conflicts go to the resolver ladder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "service/app.h"
#include "service/model/resolver.h"
#include "service/submission.h"

namespace sluice::service {

// A member that could not take part, and why.
struct LeftOut {
  Oid upstream;
  model::Pick pick;
  // empty: the pick changes nothing on this base (tree proof). conflict: unanswered. error: no verdict.
  model::PickStatus status = model::PickStatus::unknown;
  std::vector<std::string> open;  // conflict: one line a path, why no rung answered
  std::vector<model::Resolution> drafts;  // what the rungs did answer
  std::string later = {};  // conflict: the model could not be asked now; the commit stays pending
};

struct Fold {
  model::Proposal proposal;      // members that were picked; may be empty
  std::vector<LeftOut> left_out;
  // A person's answer was folded. `refused`: why it does not fit on this base, and what to do; then the proposal
  // is not whole.
  std::optional<Submission> submission;
  std::string refused;
};

class Folder {
 public:
  static Result<Folder> open(App& app);
  // Picks `unit.commits` onto trunk `base` in order. A member that is empty, conflicted (after the
  // ladder) or in error is left out, and the fold goes on without it; for a chain it stops there, as
  // the rest builds on it. A revert unit folds the reverse picks of what landed (revert_unit.h). Lane bundle never asks the ladder: a bundle holds machine merges only.
  // Where a person's answer waits to be judged (open_submission), it takes the place of the ladder.
  Result<Fold> fold(const model::Unit& unit, const Oid& base);
  Result<Fold> fold(const model::Unit& unit, const Oid& base, std::optional<Submission> submission);
  // Writes the commits of the members, with the trailer that names the verdict, and keeps every member
  // under refs/sluice/units/<id>/<k>; of shape merge also the one that joins them, as refs/sluice/units/<id>/merge.
  Result<void> write_commits(model::Proposal& proposal, const model::Unit& unit, const std::string& verdict_digest);

  // The same pick that fold() makes, for one commit.
  model::Pick pick(const Oid& upstream, const Oid& onto) { return picker_.pick(upstream, onto); }
  Resolver& resolver() { return *resolver_; }

 private:
  Folder(App& app, git::Picker picker) : app_(&app), picker_(std::move(picker)), resolver_(std::make_unique<Resolver>(app)) {}
  App* app_;
  git::Picker picker_;
  std::unique_ptr<Resolver> resolver_;  // its parts point to each other, so it stays where it is
};

// [landing] shape = "merge": a unit of more than one commit lands as one two-parent commit.
// REQUIRES: the members have their messages.
void set_shape(const App& app, model::Proposal& proposal);

// The committer of every commit that sluice writes for `unit`: its time is the time at which the
// unit's fold was first stored, so that a repeated run gives equal ids (G05).
model::Person committer_of(const App& app, const model::Unit& unit);

}  // namespace sluice::service
