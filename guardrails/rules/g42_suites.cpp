// SPDX-License-Identifier: Apache-2.0
// G42: every suite that the route requires reported, each kind of silence with its own reason.
#include "guardrails/rules/rule.h"
#include "guardrails/suites.h"

namespace sluice::guardrails {
static Result<Items> g42_suites(const UnitScope& scope) {
  Items items;
  bool observed = false;
  for (const std::string& suite : required_suites(scope.context, scope.lane)) {
    const model::Evidence* found = evidence_for(scope.evidence, suite, scope.proposal.tree);
    const SignalTrouble trouble = signal_trouble(found, suite, scope.context);
    if (!trouble.reason.empty()) {
      items.push_back(make_item("", suite, trouble.reason,
                                trouble.unresolved ? model::Judgement::unresolved : model::Judgement::block));
    } else if (found->kind != "build" && found->grade == "observed") {
      observed = true;
    }
  }
  // A test whose own process writes the result can be told by the code under test to say "passed".
  if (!observed && written_by_a_model(scope.proposal)) {
    items.push_back(make_item(
        "", "", "lines of a model or of a candidate rule need at least one required suite of grade observed",
        model::Judgement::block));
  }
  return items;
}

constinit const Rule g42{
    .id = "G42",
    .title = "expected suites",
    .fail = "BLOCK; lost runner, sandbox or disk: unresolved",
    .passes = "each required suite reported: else `missing`, `late`, `neutral`, `skipped`, `cancelled` or `unknown runner`; lines of "
               "a model or candidate rule have a suite of grade `observed`",
    .lift = "a run that reports",
    .example = "the fork of a GPU compiler found its first-tier suites silently left out of a pipeline that was green",
    .unit = g42_suites,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
