// SPDX-License-Identifier: Apache-2.0
// G47: a pass after a fail on the same tree is a flake, and is accepted only from a test that is known to waver. The
// flip is recorded whatever comes of it. Repetitions have a budget, or "until green" lands every race.
#include <fmt/format.h>

#include "guardrails/red_tests.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g47_flakes(const UnitScope& scope) {
  using model::Judgement;
  Items items;
  const SuiteFacts facts{scope.reader, scope.proposal, scope.evidence, scope.context};
  const std::vector<std::string> suites = required_suites(scope.context, scope.lane);
  for (const std::string& suite : suites) {
    TRY_ASSIGN(const std::vector<RedTest> reds, red_tests(facts, suite));
    for (const RedTest& red : reds) {
      if (!red.flipped) continue;
      const bool accepted = red.answer == RedTest::Answer::flake;
      model::VerdictItem item = make_item(suite, red.test->id, accepted ? "FLAKY: failed, then passed, on the same tree" : "FLAKY: " + red.no_flake,
                                          accepted ? Judgement::pass : Judgement::block);
      if (accepted) item.lifted_by = red.answered_by;
      items.push_back(std::move(item));
    }
  }
  const double cost = spent(facts, suites), quota = scope.threshold("single_quota");
  if (cost > quota)
    items.push_back(make_item("", "", fmt::format("repetitions cost {:g} points, the quota of a unit is {:g}", cost, quota), Judgement::block));
  cap(items);
  return items;
}

constexpr Threshold g47_thresholds[] = {{"failure", 100, "points of a repetition after a failure"},
                                        {"timeout", 100, "points of a repetition after a time-out"},
                                        {"infrastructure", 1, "points of a repetition after a fault outside"},
                                        {"single_quota", 200, "points that a unit may spend"},
                                        {"most_tests", 20, "failing tests of a suite above which none is repeated"}};
constinit const Rule g47{
    .id = "G47",
    .title = "flakes",
    .fail = "BLOCK",
    .passes = "a test that passes after it failed on the same tree is in the flake register or wavers on D too; repetitions stay "
              "within the budget; a test in the touched area gets none",
    .lift = "an entry in the flake register, with owner and expiry",
    .example = "a queue that repeats until green lands every race condition",
    .thresholds = g47_thresholds,
    .unit = g47_flakes,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
