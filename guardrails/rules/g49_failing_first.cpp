// SPDX-License-Identifier: Apache-2.0
// G49: a test that U adds and that passes on D as well proves nothing about what U changes. Only a note, and only when
// the policy asks for the run that it costs ([rules.G49] mode).
#include <fmt/format.h>

#include <algorithm>

#include "guardrails/rules/rule.h"
#include "guardrails/suites.h"

namespace sluice::guardrails {

static Result<Items> g49_failing_first(const UnitScope& scope) {
  using model::Judgement;
  using model::TestState;
  Items items;
  for (const std::string& suite : required_suites(scope.context, scope.lane)) {
    const model::Evidence* now = evidence_for(scope.evidence, suite, scope.proposal.tree);
    if (now == nullptr || now->kind == "build") continue;
    const auto found = scope.context.failing_first.find(suite);
    if (found == scope.context.failing_first.end()) continue;
    const model::Evidence& first = found->second;
    const auto base = scope.context.base_evidence.find(suite);
    if (base == scope.context.base_evidence.end()) continue;
    const auto state_in = [](const model::Evidence& e, const std::string& id) -> std::optional<TestState> {
      const auto test = std::find_if(e.tests.begin(), e.tests.end(), [&](const auto& t) { return t.id == id; });
      return test == e.tests.end() ? std::nullopt : std::optional(test->state);
    };
    for (const model::TestRecord& test : now->tests) {
      if (test.state != TestState::pass || state_in(base->second, test.id)) continue;  // new here, and passes
      const auto before = state_in(first, test.id);
      if (before == TestState::pass)
        items.push_back(make_item(suite, test.id, "this test proves nothing here: it passes on the base as well", Judgement::pass));
    }
  }
  cap(items);
  return items;
}

constinit const Rule g49{
    .id = "G49",
    .title = "new tests fail first",
    .fail = "recorded",
    .passes = "tests that U adds fail, or do not compile, on D and pass on P; judged only where the policy sets a mode for it, because "
              "it costs one more run of the suites",
    .lift = "nothing: it is a note for the reviewer",
    .example = "a test that passes with and without its fix proves nothing about the fix on this fork",
    .unit = g49_failing_first,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
