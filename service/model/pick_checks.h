// SPDX-License-Identifier: Apache-2.0
// What tools::Checks asks of trusted code, for the draft of one pick: guardrails, a compile, a merge driver in the sandbox.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "git/git.h"
#include "guardrails/guardrails.h"
#include "runners/runners.h"
#include "tools/tools.h"

namespace sluice::service {

class PickChecks : public tools::Checks {
 public:
  // Evidence of the build suites on a tree; null where nothing may be built.
  using Compile = std::function<Result<std::vector<model::Evidence>>(const model::Oid& tree)>;
  // For drivers; opened when the first one is asked. Null: drivers cannot be run.
  using OpenRunner = std::function<Result<runners::Runner*>()>;

  // Not owned: repo, policy. `onto_commit` may be empty.
  PickChecks(git::Repo& repo, const model::PolicyConfig& policy, const model::UpstreamCommit& upstream, const model::Pick& pick,
             const model::Oid& onto_commit, Compile compile, OpenRunner open_runner);

  // The same for what is added to a pick that merged: judged as a companion on `pick_tree`, and it has to build.
  void judge_companion(const model::Oid& pick_tree);

  Result<std::vector<tools::Finding>> findings(tools::Level level, const tools::Draft& draft) override;
  Result<std::string> verify(const model::AccountEntry& entry, const tools::Draft& draft) override;
  Result<std::optional<std::string>> run_driver(const model::ResolverConfig& driver, const tools::DriverFiles& files) override;

 private:
  Result<void> add_compile(const tools::Draft& draft, std::vector<tools::Finding>& out);
  Result<model::Verdict> judge(const tools::Draft& draft, const model::AccountEntry* more);

  git::Repo& repo_;
  const model::PolicyConfig& policy_;
  guardrails::PickFacts facts_;
  guardrails::Judged judged_ = guardrails::Judged::pick;
  Compile compile_;
  OpenRunner open_runner_;
  guardrails::JudgeMemory memory_;
};

// One file through a merge driver, in the sandbox: the merged text, or nothing where it leaves a conflict. Errors: it cannot
// be run, or failed.
Result<std::optional<std::string>> run_driver_in(runners::Runner& runner, const model::ResolverConfig& driver, const tools::DriverFiles& files);

// Of a build log: the errors of compilers and linkers, with file and line below the source directory. At most `max`.
std::vector<tools::Finding> compile_findings(const model::Evidence& evidence, std::size_t max = 20);

}  // namespace sluice::service
