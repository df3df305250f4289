// SPDX-License-Identifier: Apache-2.0
// G04: what was tested is what lands: this tree, in an accepted environment, not too long ago. The
// swap itself, and the look at the ref after it, are landing's.
#include <fmt/format.h>

#include <algorithm>

#include "guardrails/rules/rule.h"
#include "guardrails/suites.h"

namespace sluice::guardrails {

static Result<Items> g04_tested_is_landed(const UnitScope& scope) {
  Items items;
  const model::JudgeContext& context = scope.context;
  for (const std::string& suite : required_suites(context, scope.lane)) {
    const auto fail = [&](std::string detail) {
      items.push_back(make_item("", suite, std::move(detail), model::Judgement::block));
    };
    const model::Evidence* found = evidence_for(scope.evidence, suite, scope.proposal.tree);
    if (found == nullptr) {
      const auto other = std::find_if(scope.evidence.begin(), scope.evidence.end(),
                                      [&](const model::Evidence& e) { return e.suite == suite; });
      if (other != scope.evidence.end())
        fail(fmt::format("the result is for tree {}, this is {}", other->tree, scope.proposal.tree));
      continue;  // none at all: G42
    }
    if (!context.accepted_environments.contains(found->environment)) {
      fail(fmt::format("environment {} is not accepted",
                       found->environment.empty() ? "(none)" : found->environment));
    }
    const std::int64_t age = context.now - found->started_at;
    if (age > context.max_evidence_age_s)
      fail(fmt::format("the result is {} s old (limit {})", age, context.max_evidence_age_s));
    if (age < 0) {
      // The clock went back meanwhile: nobody's commit. Blocks all the same, and is run again.
      items.push_back(make_item("", suite, fmt::format("the result was started {} s in the future", -age), model::Judgement::unresolved));
    }
    const bool known =
        std::find(context.nonces.begin(), context.nonces.end(), found->nonce) != context.nonces.end();
    if (!context.nonces.empty() && !known)
      fail("the result answers no run of this judgement (unknown nonce)");
  }
  return items;
}

constinit const Rule g04{
    .id = "G04",
    .title = "tested is landed",
    .fail = "BLOCK",
    .passes = "each required result is for this very tree, from an accepted environment, at most 7 days old, and answers a nonce of "
               "this judgement where nonces are given",
    .lift = "a run on this tree",
    .example = "bors-ng issue 1519: a force push between test and merge landed a commit that nobody had tested",
    .unit = g04_tested_is_landed,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
