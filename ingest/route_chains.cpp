// SPDX-License-Identifier: Apache-2.0
// Chains: which commits hang together, whether the fork has the end of one already, and their folds.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ingest/planner.h"
#include "ingest/words.h"

namespace sluice::ingest {
namespace {

using model::Disposition;
using model::PickStatus;

// Of one chain. What could be refuted without a merge does not count.
constexpr int most_range_merges = 16;

std::size_t root_of(std::vector<std::size_t>& up, std::size_t k) {
  while (up[k] != k) k = up[k] = up[up[k]];
  return k;
}

}  // namespace

std::vector<std::vector<std::size_t>> Planner::chains() const {
  std::vector<std::size_t> up(nodes_.size());
  std::iota(up.begin(), up.end(), std::size_t{0});
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].fate != Fate::chain) continue;
    for (const Link& link : nodes_[k].links)
      if (nodes_[link.to].fate == Fate::chain) {
        const std::size_t a = root_of(up, k), b = root_of(up, link.to);
        up[std::max(a, b)] = std::min(a, b);
      }
  }
  std::map<std::size_t, std::vector<std::size_t>> by_first;
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (nodes_[k].fate == Fate::chain) by_first[root_of(up, k)].push_back(k);
  std::vector<std::vector<std::size_t>> out;
  for (auto& [first, members] : by_first) out.push_back(std::move(members));
  return out;
}

// S8b: the fork has the end state of several commits, none of which it has on its own.
Result<void> Planner::prove_ranges() {
  if (!input_.range) return {};
  for (const auto& members : chains()) {
    std::vector<Oid> range;
    for (const std::size_t member : members) range.push_back(nodes_[member].facts->oid);
    int merges = 0;
    for (std::size_t end = members.size(); end-- > 1 && merges < most_range_merges; range.pop_back()) {
      if (nodes_[members[end]].routing.pick_trunk != PickStatus::empty) continue;
      const model::Pick pick = input_.range(range, input_.trunk_tree);
      merges += pick.status == PickStatus::unknown ? 0 : 1;
      if (pick.status != PickStatus::empty || pick.tree != input_.trunk_tree) continue;
      const Oid last = range.back();
      for (std::size_t k = 0; k <= end; ++k) {
        Node& node = nodes_[members[k]];
        node.routing.unit.clear();
        settle(node, Disposition::already, "tree",
               fmt::format("the change from {} to {}, picked as a whole onto trunk, gives trunk's own tree",
                           model::short_oid(range.front()), model::short_oid(last)),
               node.facts->oid == last ? Oid{} : last);
      }
      break;
    }
  }
  return {};
}

Result<void> Planner::fold_chains() {
  const auto fold = [&](std::size_t index, Oid& tree) {
    Node& node = nodes_[index];
    node.routing.pick = picked(node.facts->oid, tree);
    const model::Pick& pick = node.routing.pick;
    if (pick.status == PickStatus::clean) tree = pick.tree;
    if (pick.status == PickStatus::conflict)
      for (const auto& conflict : pick.conflicts) reason(node, conflict_words(conflict));
    if (pick.status == PickStatus::error)
      reason(node, fmt::format("the pick could not be tried ({}): {}", pick.cause, pick.detail));
    if (!pick.dropped.empty())
      reason(node, "policy takes paths out of the pick: " + dropped_words(pick.dropped));
    if (node.routing.reasons.empty()) reason(node, "conflicts after the other commits of the window");
  };
  const auto all = chains();
  if (input_.fold_ahead) {
    std::vector<std::vector<Oid>> folds;
    for (const auto& members : all) {
      folds.emplace_back();
      for (const std::size_t member : members) folds.back().push_back(nodes_[member].facts->oid);
    }
    for (const Node& node : nodes_)
      if (node.fate == Fate::blocked || node.fate == Fate::pin) folds.push_back({node.facts->oid});
    TRY(input_.fold_ahead(folds, folded_));
  }
  for (const auto& members : all) {
    Oid tree = folded_;
    for (const std::size_t member : members) {
      fold(member, tree);
      if (progress_) TRY(progress_(done_, total_));
    }
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].fate != Fate::blocked && nodes_[k].fate != Fate::pin) continue;
    Oid tree = folded_;
    fold(k, tree);
    if (progress_) TRY(progress_(done_, total_));
  }
  return {};
}

}  // namespace sluice::ingest
