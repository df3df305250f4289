// SPDX-License-Identifier: Apache-2.0
// G12: CI, test configuration, tolerances, baselines and agent instructions are not the proposal's to
// touch. What upstream does there is listed, and passes unless the policy says otherwise.
#include <fmt/format.h>

#include "guardrails/own_lines.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g12_protected(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (!is_protected(view.policy(), delta.path)) continue;
    std::string why = "the proposal changes a protected path";
    if (view.in_conflict(delta.path)) {
      // Somebody had to answer the conflict: with what one of the sides says there, and no more.
      TRY_ASSIGN(const bool side, takes_a_side(view, delta.path));
      if (side) continue;
      TRY_ASSIGN(const std::string own, own_change(view, delta.path));
      if (own.empty()) continue;
      why = "a protected path was resolved with something that is neither the fork's nor upstream's: " + own;
    }
    items.push_back(make_item(delta.path, "", std::move(why), model::Judgement::block));
  }
  TRY_ASSIGN(const std::vector<git::TreeDelta>* upstream, view.changes(Tree::base, Tree::upstream));
  for (const git::TreeDelta& delta : *upstream) {
    const model::Judgement judgement = upstream_judgement(view.policy(), delta.path);
    if (judgement == model::Judgement::pass && !is_protected(view.policy(), delta.path)) continue;
    TRY_ASSIGN(const std::optional<git::TreeEntry> onto, view.entry(Tree::onto, delta.path));
    TRY_ASSIGN(const std::optional<git::TreeEntry> proposed, view.entry(Tree::proposed, delta.path));
    const bool untouched = onto.has_value() == proposed.has_value() &&
                           (!onto || (onto->oid == proposed->oid && onto->mode == proposed->mode));
    if (untouched) continue;  // dropped by policy, or already there: nothing of it arrives
    model::VerdictItem item = make_item(delta.path, "", "changed by the upstream commit itself", judgement);
    item.origin = "upstream";
    items.push_back(std::move(item));
  }
  cap(items);
  return items;
}

constinit const Rule g12{
    .id = "G12",
    .title = "protected paths",
    .fail = "BLOCK",
    .passes = "`diff(M,P)` touches no protected path; a conflicted one holds lines of the two sides only",
    .lift = "a change by the people who own the path, outside of a pick",
    .example = "agents that could not make a test pass edited the Makefile to run a list of \"safe\" tests only (claude-code issue "
               "319)",
    .pick = g12_protected,
    .companion = true,
};

}  // namespace sluice::guardrails
