// SPDX-License-Identifier: Apache-2.0
// G10: what the proposal changes against the machine merge stands in conflicted or declared paths.
#include <fmt/format.h>

#include <algorithm>

#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

Result<Items> g10_paths(PickScope& scope) {
  Items items;
  const double limit = scope.threshold < 0 ? 3 : scope.threshold;  // p90 of accepted picks
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, scope.view.changes(Tree::merge, Tree::proposed));
  std::size_t outside = 0;
  for (const git::TreeDelta& delta : *deltas) {
    if (scope.view.in_conflict(delta.path)) continue;
    model::VerdictItem item =
        make_item(delta.path, "", "changed outside the conflicted paths", model::Judgement::explain);
    item.account = "adapt";
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

}  // namespace sluice::guardrails
