// SPDX-License-Identifier: Apache-2.0
// Stage 4, first half: suites run on a tree, and what came back is stored. Judges nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/model/evidence.h"
#include "core/model/unit.h"
#include "runners/runners.h"
#include "service/app.h"

namespace sluice::service {

// Ids of the L1 suites that a unit of this kind must pass.
std::set<std::string> required_suites(const model::PolicyConfig& policy, model::UnitKind kind);

class Validator {
 public:
  // Errors: denied when nothing can contain the suites and policy does not allow to run without.
  static Result<Validator> open(App& app);

  // Evidence of `suites` on `tree`: from the store when the same tree, suite and environment were run
  // before, else run now (build suites first, each followed by the suites that need it; a suite whose
  // build is red is not run and has no evidence). Stored as it comes. `again_when_red`: a stored red of an
  // earlier process is run once more: for trunk, where it would stop everything until somebody lands.
  // Errors: transient when a run was cut short from outside (sandbox lost, disk full, cancelled); a red
  // suite is no error.
  Result<std::vector<model::Evidence>> run(const Oid& tree, const std::set<std::string>& suites,
                                           const std::string& label, bool again_when_red = false);
  // Evidence of tests that run again, beside what `run` gives: of each group of `tests` in a run of its own, after one
  // fresh build; of the whole suite where its kind cannot select. From the store when the same was repeated before,
  // by whatever process. `label` as above. Errors: as run.
  Result<std::vector<model::Evidence>> repeat(const Oid& tree, const std::string& suite, const std::vector<std::vector<std::string>>& tests,
                                              const std::string& label);
  // Every suite required for `kind`.
  std::set<std::string> required(model::UnitKind kind) const;
  // Digest by environment name.
  const std::map<std::string, std::string>& environments() const { return digests_; }
  int runs() const { return runs_; }  // suites really executed so far

 private:
  explicit Validator(App& app) : app_(&app) {}
  App* app_;
  std::unique_ptr<runners::Runner> runner_;
  std::string key_of(const model::SuiteConfig& suite);
  // Runs of a suite in one build directory: which tests of it alone; one empty list = all of them.
  using Runs = std::vector<std::vector<std::string>>;
  // Runs `todo` on `tree` and gives each result to `keep`, together with the build suites that they need.
  Result<void> execute(const Oid& tree, const std::map<std::string, Runs>& todo, const std::string& label,
                       const std::function<Result<void>(const model::SuiteConfig&, model::Evidence)>& keep);
  Result<model::Evidence> execute_one(const model::RunRequest& request);
  std::map<std::string, std::string> digests_;
  std::vector<std::string> held_;  // secrets of the process: masked in what a suite printed
  std::set<std::pair<Oid, std::string>> ran_;  // (tree, suite) of this process
  int runs_ = 0;
};

// What runs of killed processes left unpacked.
void remove_left_over_runs(const std::string& store_path);

// Outside trouble: says nothing about the tree.
bool is_outside_trouble(const model::Evidence& evidence);

// Why a result is no pass, in words; empty for a pass. An exit status of 0 beside a failed test is none.
std::string what_is_red(const model::Evidence& evidence);

}  // namespace sluice::service
