// SPDX-License-Identifier: Apache-2.0
// The ladder as this process may climb it: rungs of the configuration, checks of guardrails, merge drivers, a model.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "service/app.h"
#include "service/model/model_office.h"
#include "service/validating.h"

namespace sluice::service {

class PickChecks;

class Resolver {
 public:
  explicit Resolver(App& app) : app_(app) {}

  // Compiles go through `validator` (not owned) and the model may be asked. Without it answers of earlier runs are
  // taken up, and nothing is sent.
  void ask(Validator& validator) { validator_ = &validator; }
  void know(std::map<Oid, std::vector<Oid>> depends_on) { depends_on_ = std::move(depends_on); }
  // The first `--model` or configuration error is an error of the first conflict that gets so far.
  Result<agent::Answer> answer(const std::string& unit, const model::UpstreamCommit& upstream, const model::Pick& pick, const Oid& onto_commit);
  // The model of this process; null = there is none. Errors: as answer().
  Result<ModelOffice*> office();
  std::function<std::string(std::string_view path)> protected_why() const;  // tools::World
  // The bytes of the first request that answer() would make; nothing is sent. Errors: not_found when no model would be
  // asked, with the reason.
  Result<std::string> preview(const std::string& unit, const model::UpstreamCommit& upstream, const model::Pick& pick, const Oid& onto_commit);

 private:
  Result<void> open_office();
  std::unique_ptr<PickChecks> checks_for(const model::UpstreamCommit& upstream, const model::Pick& pick, const Oid& onto_commit);
  Result<agent::Ladder> ladder(const std::string& unit, PickChecks& checks, const Oid& onto_commit);

  App& app_;
  Validator* validator_ = nullptr;
  std::unique_ptr<ModelOffice> office_;
  bool office_tried_ = false;
  std::string office_error_;  // why there is none although one is configured
  std::unique_ptr<runners::Runner> driver_runner_;
  std::map<Oid, std::vector<Oid>> depends_on_;
  model::LadderConfig rungs_;
};

// [ladder] with `land` taken back from rules that no backtest of this fork has proven (docs/backtest.md).
Result<model::LadderConfig> effective_rungs(store::Store& store, const model::LadderConfig& configured);
// What a backtest of the fork's history says of a rule; kept for effective_rungs().
struct RuleProof {
  std::int64_t answers = 0;
  double low = 0;  // lower bound of the 95 % interval of its precision
};
Result<void> put_rule_proofs(store::Store& store, const std::map<std::string, RuleProof>& proofs, std::int64_t at);

}  // namespace sluice::service
