// SPDX-License-Identifier: Apache-2.0
// G02: a clean pick is the machine merge, tree id for tree id. Nearly free (92 % of accepted clean
// picks are) and the strongest rule there is.
#include <fmt/format.h>

#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g02_machine_merge(PickScope& scope) {
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

constinit const Rule g02{
    .id = "G02",
    .title = "clean pick equals the machine merge",
    .fail = "BLOCK in a bundle, else ESCALATE",
    .passes = "C is empty and P is M, tree for tree; git did not skip the search for renames",
    .lift = "the extra change as a companion commit of its own (`sluice take`, `sluice submit`); a person's review",
    .example = "facebookexperimental/triton ba165ee2f: a pick that merges without a conflict, and four more files changed beside it",
    .pick = g02_machine_merge,
};

}  // namespace sluice::guardrails
