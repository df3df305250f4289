// SPDX-License-Identifier: Apache-2.0
// One landed commit, picked again by machine and judged as it landed. One object a thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "git/git.h"
#include "guardrails/guardrails.h"
#include "service/calibrate/sample.h"

namespace sluice::service::calibrate {

class RowJudge {
 public:
  // `scratch_dir`: a scratch repository that sees both histories; machine merges are written there.
  static Result<RowJudge> open(const std::string& scratch_dir, const model::PolicyConfig& policy, const guardrails::RuleFilter& filter);

  // Never fails for one commit: trouble is a sample `unresolved`. A bundle is folded member by member; a member counts
  // where its fold is clean and what it changes landed just so.
  RowResult judge(const Row& row);

 private:
  RowJudge(git::Repo repo, git::Picker picker, const model::PolicyConfig& policy, const guardrails::RuleFilter& filter);
  Sample judge_pick(const Row& row, const Oid& upstream, const Oid& onto, const Oid& result, bool member);
  void judge_bundle(const Row& row, RowResult& out);
  void judge_folded(const Row& row, const Oid& landed, std::size_t k, Oid& fold, RowResult& out);
  Result<bool> landed_so(const Oid& before, const Oid& after, const Oid& landed) const;

  git::Repo repo_;
  git::Picker picker_;
  const model::PolicyConfig& policy_;
  const guardrails::RuleFilter& filter_;
  std::unique_ptr<guardrails::JudgeMemory> memory_ = std::make_unique<guardrails::JudgeMemory>();
  int judged_ = 0;  // with this memory
};

}  // namespace sluice::service::calibrate
