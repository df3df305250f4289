// SPDX-License-Identifier: Apache-2.0
// G02: a clean pick is the machine merge, tree id for tree id. Nearly free (92 % of accepted clean
// picks are) and the strongest rule there is.
#include <fmt/format.h>

#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

Result<Items> g02_machine_merge(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  if (view.pick().renames_skipped) {
    items.push_back(make_item("", "RENAMES_SKIPPED",
                              "git skipped the search for renames: the machine merge may be another one",
                              model::Judgement::escalate));
  }
  if (view.conflicted() || view.tree(Tree::merge) == view.tree(Tree::proposed)) return items;
  const model::Judgement judgement =
      scope.lane == model::UnitKind::bundle ? model::Judgement::block : model::Judgement::escalate;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    const char* what = delta.before.oid.empty()  ? "is not in it"
                       : delta.after.oid.empty() ? "is missing"
                                                 : "differs from it";
    items.push_back(
        make_item(delta.path, "", fmt::format("the merge is clean, and this path {}", what), judgement));
  }
  return items;
}

}  // namespace sluice::guardrails
