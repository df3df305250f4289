// SPDX-License-Identifier: Apache-2.0
// What sluice would have landed in the place of one landing of the team, and what the rules say of both.
// Everything is written into a scratch repository and forgotten.
#pragma once

#include <memory>

#include "git/git.h"
#include "service/app.h"
#include "service/observe.h"
#include "service/observe_match.h"

namespace sluice::service {

class Scorer {
 public:
  static Result<Scorer> open(App& app);
  // Fills the score of `landed`, whose match is `upstream`, and the verdict on its tree. Several upstream
  // commits are folded; the landed tree is then judged as the last one of them, on the fold of the others: a
  // change that the team made for an earlier one counts there. Errors: only of the machine (scratch repository, store).
  Result<void> score(const git::Commit& commit, Landed& landed);
  model::Pick pick(const Oid& upstream, const Oid& onto) { return picker_->pick(upstream, onto); }
  // Everything that an answer depends on besides the landing and its match.
  const std::string& recipe() const { return recipe_; }

 private:
  explicit Scorer(App& app) : app_(&app) {}
  Result<void> renew();  // a fresh scratch repository

  App* app_;
  std::unique_ptr<git::Repo> scratch_;
  std::unique_ptr<git::Picker> picker_;  // after scratch_: it ends first
  std::string recipe_;
  int scored_ = 0;
};

}  // namespace sluice::service
