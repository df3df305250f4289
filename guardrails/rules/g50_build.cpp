// SPDX-License-Identifier: Apache-2.0
// G50: every required build succeeds, with no more warnings than the base has.
#include <fmt/format.h>

#include "guardrails/rules/rule.h"
#include "guardrails/suites.h"

namespace sluice::guardrails {

static Result<Items> g50_build(const UnitScope& scope) {
  Items items;
  const double more = scope.threshold();
  for (const std::string& suite : required_suites(scope.context, scope.lane)) {
    const model::SuiteConfig* config = suite_of(scope.context.policy, suite);
    const model::Evidence* now = evidence_for(scope.evidence, suite, scope.proposal.tree);
    if ((config == nullptr || config->kind != "build") && (now == nullptr || now->kind != "build")) continue;
    const auto add = [&](std::string detail, model::Judgement judgement) {
      items.push_back(make_item("", suite, std::move(detail), judgement));
    };
    if (now == nullptr) {
      add("this tree was not built", model::Judgement::block);
      continue;
    }
    if (is_infrastructure(*now)) continue;  // G42 says which
    if (now->exit_code != 0 || !now->trouble.empty()) {
      if (now->exit_code != 0)
        add(fmt::format("the build ended with exit status {}", now->exit_code), model::Judgement::block);
      continue;
    }
    const auto base = scope.context.base_evidence.find(suite);
    if (base == scope.context.base_evidence.end()) {
      add("no build of the base tree: warnings were not compared", model::Judgement::pass);
    } else if (now->warnings > base->second.warnings + more) {
      add(fmt::format("{} compiler warnings, the base has {} (limit: {:g} more)", now->warnings,
                      base->second.warnings, more),
          model::Judgement::block);
    }
  }
  return items;
}

constexpr Threshold g50_thresholds[] = {{"threshold", 0, "more warnings than the base has"}};
constinit const Rule g50{
    .id = "G50",
    .title = "clean build",
    .fail = "BLOCK",
    .passes = "every required build succeeds with no more warnings than the base plus `threshold`",
    .lift = "a build that succeeds",
    .example = "a release build of an overload that the fork still calls: the default build does not compile that file",
    .thresholds = g50_thresholds,
    .unit = g50_build,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
