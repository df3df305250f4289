// SPDX-License-Identifier: Apache-2.0
// The pass in upstream order: each commit is tried for real, and what cannot be bundled goes to a chain.
#include <fmt/format.h>

#include <algorithm>

#include "ingest/path_class.h"
#include "ingest/planner.h"
#include "ingest/words.h"

namespace sluice::ingest {
namespace {

using model::Disposition;
using model::PickStatus;

std::string trouble_words(const model::Pick& pick) {
  return fmt::format("the pick could not be tried ({}): {}", pick.cause.empty() ? "unknown" : pick.cause,
                     pick.detail);
}

bool failed(const model::Pick& pick) {
  return pick.status == PickStatus::error || pick.status == PickStatus::unknown;
}

}  // namespace

// Every path is one that the fork deleted or that policy keeps as the fork has it.
bool Planner::policy_keeps_everything(const model::UpstreamCommit& commit) const {
  return std::all_of(commit.files.begin(), commit.files.end(), [&](const model::FileChange& file) {
    return class_of(input_.policy, file.path) == model::PathClass::deleted ||
           upstream_say(input_.policy, file.path) == model::UpstreamSay::ours;
  });
}

void Planner::chain_causes(Node& node) const {
  const auto& facts = *node.facts;
  if (facts.evil_merge)
    node.chain_because.push_back("the merge commit's tree is not git's own merge of its parents");
  std::vector<std::string> risky;
  for (const auto& file : facts.files)
    if (class_of(input_.policy, file.path) == model::PathClass::risk ||
        class_of(input_.policy, file.old_path) == model::PathClass::risk)
      risky.push_back(file.path);
  if (!risky.empty())
    node.chain_because.push_back("touches paths that policy calls risky: " + list_words(risky));
  // The policy itself, its registers, and what an operator calls protected: what judges must not change unseen.
  std::vector<std::string> protect;
  for (const auto& file : facts.files)
    if (class_of(input_.policy, file.path) == model::PathClass::protected_ ||
        class_of(input_.policy, file.old_path) == model::PathClass::protected_)
      protect.push_back(file.path);
  if (!protect.empty())
    node.chain_because.push_back("touches paths that policy protects: " + list_words(protect));
  if (!input_.files_naming) return;
  std::set<std::string> touched;
  for (const auto& file : facts.files) touched.insert({file.path, file.old_path});
  for (const std::string& symbol : facts.symbols_removed) {
    std::vector<std::string> callers = input_.files_naming(symbol);
    std::erase_if(callers, [&](const std::string& path) { return touched.contains(path); });
    if (callers.empty()) continue;
    std::sort(callers.begin(), callers.end());
    node.chain_because.push_back(fmt::format("removes or re-signs `{}`, which the fork's own files name: {}",
                                             symbol, list_words(callers)));
  }
}

// Something it builds on stays pending, so it has to stay as well.
bool Planner::wait_for_links(Node& node) {
  for (const Link& link : node.links) {
    const Node& to = nodes_[link.to];
    if (to.fate != Fate::waits || (link.path == nullptr && !to.held)) continue;
    wait(node, fmt::format("needs {}, which stays pending", name_of(*to.facts)));
    return true;
  }
  return false;
}

bool Planner::join_chains(Node& node) {
  bool joins = false;
  for (const Link& link : node.links) {
    const Node& to = nodes_[link.to];
    if (to.fate != Fate::chain && to.fate != Fate::open && to.fate != Fate::blocked && to.fate != Fate::pin)
      continue;
    if (to.fate == Fate::open || to.fate == Fate::blocked) {
      node.fate = Fate::blocked;
      const std::string& unit = to.fate == Fate::open ? to.open_unit : to.routing.unit;
      if (node.routing.unit.empty()) node.routing.unit = unit;
    } else if (node.fate != Fate::blocked) {
      node.fate = Fate::chain;
    }
    joins = true;
    if (link.path != nullptr)
      reason(node, fmt::format("needs {} ({}), which last wrote lines of {}", name_of(*to.facts),
                               state_words(to), *link.path));
    else
      reason(node, fmt::format("names `{}`, which {} ({}) introduces, changes or removes", link.symbol,
                               name_of(*to.facts), state_words(to)));
  }
  return joins;
}

void Planner::take_into_bundle(Node& node, Fate fate, model::Pick&& pick) {
  folded_ = pick.tree;
  node.fate = fate;
  node.routing.route = model::Route::bundle;
  if (!pick.dropped.empty())
    reason(node, "policy takes paths out of the pick: " + dropped_words(pick.dropped));
  if (node.routing.reasons.empty()) reason(node, "picks cleanly and needs nothing that waits");
  node.routing.pick = std::move(pick);
}

// A revert of what has landed goes first, when nothing that is pending stands between.
void Planner::decide_urgent(std::size_t index) {
  Node& node = nodes_[index];
  const bool free = std::none_of(node.links.begin(), node.links.end(),
                                 [&](const Link& link) { return nodes_[link.to].fate != Fate::settled; });
  if (!free || !node.chain_because.empty()) return;
  const auto moves = [&](const model::FileChange& file) { return moves_pin(input_.policy, file); };
  if (std::any_of(node.facts->files.begin(), node.facts->files.end(), moves)) return;
  chain_causes(node);
  if (!node.chain_because.empty()) return;
  model::Pick pick = picked(node.facts->oid, folded_);
  if (pick.status != PickStatus::clean || pick.renames_skipped)
    return;  // decided in its place, with the others
  node.routing.pick_trunk =
      folded_ == input_.trunk_tree ? pick.status : picked(node.facts->oid, input_.trunk_tree).status;
  reason(node, node.urgent_because);
  take_into_bundle(node, Fate::urgent, std::move(pick));
}

void Planner::decide(std::size_t index) {
  Node& node = nodes_[index];
  const Oid& oid = node.facts->oid;
  model::Pick trunk = picked(oid, input_.trunk_tree);
  node.routing.pick_trunk = trunk.status;
  if (failed(trunk)) {
    node.routing.pick = std::move(trunk);
    return wait(node, trouble_words(node.routing.pick));
  }
  if (trunk.status == PickStatus::empty && policy_keeps_everything(*node.facts)) {
    node.routing.pick = std::move(trunk);
    std::vector<std::string> paths;
    for (const auto& file : node.facts->files) paths.push_back(file.path);
    return settle(node, Disposition::wont_port, "policy",
                  "every path is kept as the fork has it, by policy: " + list_words(paths));
  }
  if (wait_for_links(node)) return;
  std::vector<std::string> pins;
  for (const auto& file : node.facts->files)
    if (moves_pin(input_.policy, file)) pins.push_back(file.path);
  if (!pins.empty()) {
    node.fate = Fate::pin;
    node.routing.route = model::Route::pin;
    reason(node, "moves a pin: " + list_words(pins));
    if (pins.size() < node.facts->files.size()) reason(node, "changes other files together with the pin");
    return;
  }
  if (node.chain_because.empty()) chain_causes(node);
  if (!node.urgent_because.empty()) reason(node, node.urgent_because);
  for (std::string& because : node.chain_because) reason(node, std::move(because));
  const bool joined = join_chains(node);
  if (joined || !node.chain_because.empty()) {
    if (!joined) node.fate = Fate::chain;
    node.routing.route = model::Route::chain;
    return;
  }
  model::Pick pick = folded_ == input_.trunk_tree ? std::move(trunk) : picked(oid, folded_);
  if (failed(pick)) {
    node.routing.pick = std::move(pick);
    return wait(node, trouble_words(node.routing.pick));
  }
  if (pick.status == PickStatus::empty) {
    const std::string dropped =
        pick.dropped.empty() ? "" : "; policy takes out " + dropped_words(pick.dropped);
    node.routing.pick = std::move(pick);
    if (node.routing.pick_trunk == PickStatus::empty)
      return settle(node, Disposition::already, "tree",
                    "picked onto trunk it gives trunk's own tree" + dropped);
    return wait(node,
                "brings nothing on top of the bundle before it; decided once that has landed" + dropped);
  }
  if (pick.status == PickStatus::clean && !pick.renames_skipped)
    return take_into_bundle(node, Fate::bundle, std::move(pick));
  node.fate = Fate::chain;
  node.routing.route = model::Route::chain;
  if (pick.renames_skipped)
    reason(node, "git skipped the search for renames: too many candidates for a sure answer");
  node.routing.pick = std::move(pick);  // its words are added when the chain is folded
}

Result<void> Planner::decide_all() {
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (pending(k) && !nodes_[k].urgent_because.empty()) {
      decide_urgent(k);
      if (!pending(k)) TRY(step());
    }
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (!pending(k)) continue;
    decide(k);
    TRY(step());
  }
  return {};
}

}  // namespace sluice::ingest
