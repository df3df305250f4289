// SPDX-License-Identifier: Apache-2.0
// What a backtest of the fork's own history proves of single rules, for [ladder] land.
#include "service/backtest.h"
#include "service/model/resolver.h"

namespace sluice::service {

Result<void> keep_rule_proofs(const std::string& config, const BacktestReport& report) {
  TRY_ASSIGN(App app, open_app(config, Access::write));
  std::map<std::string, RuleProof> proofs;
  for (const auto& [rule, group] : report.figures.by_rule) proofs[rule] = {group.tally.answered(), group.tally.ci95().low};
  return put_rule_proofs(app.store, proofs, app.clock.now());
}

}  // namespace sluice::service
