// SPDX-License-Identifier: Apache-2.0
// G10: what the proposal changes against the machine merge stands in conflicted or declared paths.
#include <fmt/format.h>

#include <algorithm>

#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g10_paths(PickScope& scope) {
  Items items;
  const double limit = scope.threshold();
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, scope.view.changes(Tree::merge, Tree::proposed));
  std::size_t outside = 0;
  for (const git::TreeDelta& delta : *deltas) {
    if (scope.view.in_conflict(delta.path)) continue;
    model::VerdictItem item =
        explainable_item(delta.path, "", "adapt", "changed outside the conflicted paths", model::Judgement::explain);
    TRY_ASSIGN(const Lift lift, scope.account.take_adapted(delta.path));
    apply(lift, item);
    if (!lift.found) ++outside;
    items.push_back(std::move(item));
  }
  if (static_cast<double>(outside) > limit) {
    for (model::VerdictItem& item : items) {
      if (item.judgement != model::Judgement::explain) continue;
      item.judgement = model::Judgement::escalate;
      item.detail =
          fmt::format("changed outside the conflicted paths, one of {} files (limit {:g})", outside, limit);
    }
  }
  return items;
}

constexpr Threshold g10_thresholds[] = {{"threshold", 3, "files outside the conflict, above which a person is asked (p90 of accepted picks)"}};
constinit const Rule g10{
    .id = "G10",
    .title = "paths outside the conflict",
    .fail = "EXPLAIN, above the threshold ESCALATE",
    .passes = "every path of `diff(M,P)` is in C or declared by an entry `adapt`",
    .lift = "an entry `adapt` for the path; above the threshold a person",
    .example = "facebookexperimental/triton ba165ee2f changes four files that upstream's commit does not touch",
    .thresholds = g10_thresholds,
    .pick = g10_paths,
};

}  // namespace sluice::guardrails
