// SPDX-License-Identifier: Apache-2.0
// G15: pin files, submodule links and lockfiles are the machine merge's; where the merge conflicts on
// one, the answer is one of the sides' own values, never a third.
#include "guardrails/own_lines.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g15_pins(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    const bool link = delta.before.mode == 0160000 || delta.after.mode == 0160000;
    if (!link && !is_pin(view.policy(), delta.path)) continue;
    if (view.in_conflict(delta.path)) {
      TRY_ASSIGN(const bool side, takes_a_side(view, delta.path));
      if (side) continue;
    }
    items.push_back(make_item(delta.path, "",
                              link ? "a submodule link that is not the machine merge's"
                                   : "a pin that is not the machine merge's; pins move in the pin lane",
                              model::Judgement::block));
  }
  return items;
}

constinit const Rule g15{
    .id = "G15",
    .title = "pins",
    .fail = "BLOCK",
    .passes = "pins, submodule links and lockfiles are M's; where they conflict, one side's own value",
    .lift = "the pin lane",
    .example = "`cmake/llvm-hash.txt` set to a value that neither side has: a compiler that nobody built",
    .pick = g15_pins,
    .companion = true,
};

}  // namespace sluice::guardrails
