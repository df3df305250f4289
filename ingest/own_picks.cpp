// SPDX-License-Identifier: Apache-2.0
#include "ingest/own_picks.h"

#include <fmt/format.h>

#include <utility>

#include "ingest/trailers.h"

namespace sluice::ingest {

// Units that have not landed, with the trees of their folds where those were kept.
Result<std::vector<KnownFold>> OwnPicks::known_folds() {
  std::vector<KnownFold> out;
  TRY_ASSIGN(const TrailerRules own, TrailerRules::compile({}));
  TRY_ASSIGN(const auto units, store_.units());
  for (const model::Unit& unit : units) {
    if (unit.state == model::UnitState::landed) continue;
    KnownFold fold;
    for (int k = 1;; ++k) {
      TRY_ASSIGN(const auto at, repo_.ref(fmt::format("refs/sluice/units/{}/{}", unit.id, k)));
      if (!at || !repo_.reader().has(*at)) break;
      TRY_ASSIGN(const git::Commit member, repo_.reader().commit(*at));
      const BodyTrailers says = own.scan(member.message);
      if (says.carried.empty() || member.parents.size() != 1) break;
      if (k == 1) {
        TRY_ASSIGN(fold.base_tree, repo_.reader().tree_of(member.parents.front()));
      }
      fold.members.emplace_back(says.carried.front().sha);
      fold.tree = member.tree;
      out.push_back(fold);
    }
    if (unit.commits.size() > 1) out.push_back({unit.commits, {}, {}});
  }
  return out;
}

Result<void> OwnPicks::open(const std::function<bool(const Oid&)>& settled) {
  TRY_ASSIGN(auto facts, store_.facts_many());
  std::erase_if(facts, [&](const model::UpstreamCommit& commit) { return settled(commit.oid); });
  TRY_ASSIGN(auto folds, known_folds());
  candidates_.emplace(Candidates::make(std::move(facts), std::move(folds)));
  return {};
}

Result<std::vector<Oid>> OwnPicks::match(const git::Commit& landed, const std::function<bool(const Oid&)>& settled) {
  if (!candidates_) TRY(open(settled));
  std::optional<Error> failed;
  const PickFn pick = [&](const Oid& upstream, const Oid& onto) {
    if (!picker_ && !failed) {
      auto scratch = repo_.scratch();
      if (scratch.ok()) scratch_.emplace(std::move(*scratch));
      auto picker = scratch_ ? git::Picker::open(*scratch_, config_.policy.paths) : Result<git::Picker>(scratch.error());
      if (picker.ok()) {
        picker_.emplace(std::move(*picker));
      } else {
        failed = picker.error();
      }
    }
    if (picker_) return picker_->pick(upstream, onto);
    model::Pick none;
    none.status = model::PickStatus::error;
    return none;
  };
  TRY_ASSIGN(std::vector<Oid> found, match_trees(repo_.reader(), landed, *candidates_, pick, budget_));
  if (failed) return *failed;
  for (const Oid& oid : found) candidates_->settle(oid);
  return found;
}

void OwnPicks::settle(const Oid& upstream) {
  if (candidates_) candidates_->settle(upstream);
}

}  // namespace sluice::ingest
