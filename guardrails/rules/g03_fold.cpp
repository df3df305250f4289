// SPDX-License-Identifier: Apache-2.0
// G03: the unit is a fold: each member stands on the tree of the one before it, in upstream order (a revert
// takes the newest commit of trunk back first), and a member that changes nothing says why.
#include <fmt/format.h>

#include <algorithm>

#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g03_fold(const UnitScope& scope) {
  Items items;
  const model::Proposal& proposal = scope.proposal;
  const auto fail = [&](std::string detail, const Oid& member) {
    model::VerdictItem item = make_item("", "", std::move(detail), model::Judgement::block);
    item.member = member;
    items.push_back(std::move(item));
  };
  if (proposal.members.empty()) {
    fail("the unit has no member", "");
    return items;
  }
  TRY_ASSIGN(const Oid base_tree, scope.reader.tree_of(proposal.base));
  if (base_tree != proposal.base_tree)
    fail(fmt::format("tree {} is not the tree of base {}", proposal.base_tree, proposal.base), "");
  Oid before = base_tree;
  std::int64_t position = 0;
  Oid newer;  // lane revert: what the member before takes back
  for (const model::ProposalMember& member : proposal.members) {
    const Oid& upstream = member.upstream.oid;
    if (member.onto != before)
      fail(fmt::format("stands on tree {}, the member before it ends with {}", member.onto, before),
           upstream);
    const Oid& merged = member.reverts.empty() ? upstream : member.reverts;
    if (member.pick.upstream != merged || member.pick.onto != member.onto) {
      fail("its machine merge was made of another commit or onto another tree", upstream);
    }
    if (!scope.reader.has(member.tree))
      fail(fmt::format("its tree {} is not in the store", member.tree), upstream);
    if (member.tree == member.onto) {
      const bool said =
          std::any_of(member.account.begin(), member.account.end(),
                      [](const model::AccountEntry& entry) { return entry.code == "ALREADY_PRESENT"; });
      if (!said) fail("changes nothing, and no entry ALREADY_PRESENT says why", upstream);
    }
    if (!member.reverts.empty()) {
      // Newest first: what stands on a commit goes before it.
      if (!newer.empty()) {
        TRY_ASSIGN(const bool on_top, scope.reader.is_ancestor(newer, member.reverts));
        if (on_top) fail(fmt::format("takes back {}, which stands on {} before it in this unit", member.reverts, newer), upstream);
      }
      newer = member.reverts;
    } else if (member.upstream.position > 0) {
      if (member.upstream.position <= position) fail("not in upstream order", upstream);
      position = member.upstream.position;
    }
    if (member.companion) {
      const Oid& added = member.companion->tree;
      if (!scope.reader.has(added)) fail(fmt::format("the tree {} of its companion is not in the store", added), upstream);
      if (added == member.tree) fail("its companion changes nothing", upstream);
    }
    before = member.end_tree();
  }
  if (before != proposal.tree)
    fail(fmt::format("the last member ends with tree {}, the unit claims {}", before, proposal.tree), "");
  return items;
}

constinit const Rule g03{
    .id = "G03",
    .title = "bundle fold",
    .fail = "BLOCK",
    .passes = "each member stands on the tree of the one before, in upstream order, from the base's tree to the unit's; a member "
               "without effect has an entry `ALREADY_PRESENT`",
    .lift = "nothing: the unit is folded again",
    .example = "a merge queue squashed groups of more than one pull request and reverted what had landed before, with every check "
               "green (April 2026)",
    .unit = g03_fold,
};

}  // namespace sluice::guardrails
