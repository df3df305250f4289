// SPDX-License-Identifier: Apache-2.0
// G06, the part that can be judged before anything moves: the ref is the configured trunk, and the
// commits, where they are written already, stand one on the other on the base. That only the lander
// moves refs is how landing/ is built.
#include <fmt/format.h>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g06_refs(const UnitScope& scope) {
  Items items;
  const model::Proposal& proposal = scope.proposal;
  const auto fail = [&](std::string detail, const Oid& member) {
    model::VerdictItem item =
        make_item("", core::printable(proposal.branch, 100), std::move(detail), model::Judgement::block);
    item.member = member;
    items.push_back(std::move(item));
  };
  if (!proposal.branch.starts_with("refs/heads/") || proposal.branch.size() == 11)
    fail("no branch of the fork", "");
  if (proposal.branch != scope.context.trunk_ref)
    fail(fmt::format("the configured trunk is '{}'", scope.context.trunk_ref), "");
  if (!model::is_oid(proposal.base)) {
    fail("the base is no full commit id", "");
    return items;
  }
  Oid before = proposal.base;
  for (const model::ProposalMember& member : proposal.members) {
    if (member.commit.empty()) break;  // none is written before the verdict
    TRY_ASSIGN(const git::Commit commit, scope.reader.commit(member.commit));
    if (commit.parents != std::vector<Oid>{before})
      fail(fmt::format("commit {} does not stand on {} alone", member.commit, before), member.upstream.oid);
    if (commit.tree != member.tree)
      fail(fmt::format("commit {} has tree {}, judged was {}", member.commit, commit.tree, member.tree),
           member.upstream.oid);
    before = member.commit;
    if (!member.companion || member.companion->commit.empty()) continue;
    const model::Companion& companion = *member.companion;
    TRY_ASSIGN(const git::Commit added, scope.reader.commit(companion.commit));
    if (added.parents != std::vector<Oid>{before} || added.tree != companion.tree)
      fail(fmt::format("companion {} is not tree {} on {} alone", companion.commit, companion.tree, before), member.upstream.oid);
    before = companion.commit;
  }
  if (proposal.merge_message.empty() || proposal.merge_commit.empty()) return items;
  TRY_ASSIGN(const git::Commit merge, scope.reader.commit(proposal.merge_commit));
  if (merge.parents != std::vector<Oid>{proposal.base, before})
    fail(fmt::format("merge commit {} does not join {} and {}", merge.oid, proposal.base, before), "");
  if (merge.tree != proposal.tree)
    fail(fmt::format("merge commit {} has tree {}, judged was {}", merge.oid, merge.tree, proposal.tree), "");
  return items;
}

constinit const Rule g06{
    .id = "G06",
    .title = "refs",
    .fail = "BLOCK",
    .passes = "the ref is the configured trunk; written commits stand one on the other on the base",
    .lift = "nothing",
    .example = "an agent whose push was refused by its lease pushed again with force, over main",
    .unit = g06_refs,
};

}  // namespace sluice::guardrails
