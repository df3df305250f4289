// SPDX-License-Identifier: Apache-2.0
// G48: a failure that trunk shows as well is subtracted, as a loan: with an entry that has an owner and ends within 7
// days, when it is the very same failure, and never in what the unit touches.
#include <fmt/format.h>

#include "core/text.h"
#include "guardrails/red_tests.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g48_red_base(const UnitScope& scope) {
  using model::Judgement;
  Items items;
  for (const std::string& suite : required_suites(scope.context, scope.lane)) {
    TRY_ASSIGN(const std::vector<RedTest> reds, red_tests({scope.reader, scope.proposal, scope.evidence, scope.context}, suite));
    for (const RedTest& red : reds) {
      if (red.answer == RedTest::Answer::known_failure) {
        items.push_back(make_item(suite, red.test->id, "fails as the base does: subtracted", Judgement::pass));
        items.back().lifted_by = red.answered_by;
      } else if (red.answer == RedTest::Answer::none && !red.no_known_failure.empty()) {
        items.push_back(make_item(suite, red.test->id, red.no_known_failure, Judgement::block));
      }
    }
  }
  cap(items);
  return items;
}

constinit const Rule g48{
    .id = "G48",
    .title = "red base",
    .fail = "BLOCK",
    .passes = "a failure is subtracted only with the same fingerprint on D, outside the touched files, and with an entry in the "
              "register of known failures that has an owner and expires within 7 days",
    .lift = "an entry in the register of known failures; or a green trunk",
    .example = "a quarantine service that answered \"green\" when it could not be reached turned the gates off (PostHog 68290)",
    .unit = g48_red_base,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
