// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ingest/path_class.h"
#include "ingest/planner.h"
#include "ingest/words.h"

namespace sluice::ingest {
namespace {

using model::Disposition;

// Decided, but not in trunk: whoever needs it cannot go ahead of it.
bool waits_unlanded(Disposition d) {
  return d == Disposition::deferred || d == Disposition::skip_for_current_base ||
         d == Disposition::backed_out;
}

}  // namespace

void Planner::build() {
  for (const auto& commit : input_.commits) by_oid_.emplace(commit.oid, 0);
  nodes_.reserve(input_.commits.size() + input_.open_chain.size());
  for (std::size_t k = 0; k < input_.commits.size(); ++k) {
    Node node;
    node.facts = &input_.commits[k];
    node.input = k;
    nodes_.push_back(std::move(node));
  }
  for (const auto& [oid, facts] : input_.open_chain) {
    if (by_oid_.contains(oid)) continue;
    Node node;
    node.facts = &facts;
    nodes_.push_back(std::move(node));
  }
  std::stable_sort(nodes_.begin(), nodes_.end(),
                   [](const Node& a, const Node& b) { return a.facts->position < b.facts->position; });
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& node = nodes_[k];
    const Oid& oid = node.facts->oid;
    by_oid_[oid] = k;
    node.routing.oid = oid;
    const auto unit = input_.open_chain_unit.find(oid);
    if (unit != input_.open_chain_unit.end()) node.open_unit = unit->second;
    const auto row = input_.ledger.find(oid);
    if (input_.open_chain.contains(oid)) {
      node.fate = Fate::open;
    } else if (row != input_.ledger.end() && model::is_dispositioned(row->second.disposition)) {
      node.fate = waits_unlanded(row->second.disposition) ? Fate::open : Fate::settled;
      if (node.open_unit.empty()) node.open_unit = row->second.unit;
    }
    if (node.fate == Fate::undecided) continue;
    const std::string word(row == input_.ledger.end() ? "deferred"
                                                      : model::to_string(row->second.disposition));
    reason(node, row == input_.ledger.end() || row->second.reason.empty()
                     ? "already " + word
                     : fmt::format("already {}: {}", word, row->second.reason));
  }
}

void Planner::settle_facts() {
  for (Node& node : nodes_) {
    if (node.fate != Fate::undecided) continue;
    const auto& facts = *node.facts;
    if (const auto again = input_.offered_again.find(facts.oid); again != input_.offered_again.end())
      node.chain_because.push_back(again->second);
    if (input_.hold_back_before != 0 && facts.committer.time > input_.hold_back_before) {
      node.held = true;
      wait(node, "held back: younger than the window; half of upstream's reverts come within days");
    } else if (facts.files.empty()) {
      settle(node, Disposition::picked_empty, "tree", "upstream's commit changes no file");
    }
  }
}

std::vector<Oid> Planner::undecided() {
  build();
  settle_facts();
  std::vector<Oid> out;
  for (const Node& node : nodes_)
    if (node.fate == Fate::undecided) out.push_back(node.facts->oid);
  return out;
}

void Planner::wait(Node& node, std::string words) {
  node.fate = Fate::waits;
  node.routing.route = model::Route::none;
  reason(node, std::move(words));
}

void Planner::settle(Node& node, Disposition disposition, std::string evidence, std::string words,
                     const Oid& by) {
  model::LedgerRow row;
  row.upstream = node.facts->oid;
  row.position = node.facts->position;
  row.disposition = disposition;
  row.evidence = std::move(evidence);
  row.reason = words;
  row.by = by;
  row.who = "sluice";
  settled_.push_back(std::move(row));
  node.fate = Fate::settled;
  node.routing.route = model::Route::none;
  reason(node, std::move(words));
}

model::Pick Planner::picked(const Oid& upstream, const Oid& onto) const {
  model::Pick pick = pick_(upstream, onto);
  // "empty" is a proof only together with the tree it was picked onto.
  if (pick.status == model::PickStatus::clean && pick.tree == onto) pick.status = model::PickStatus::empty;
  return pick;
}

std::string Planner::state_words(const Node& node) const {
  switch (node.fate) {
    case Fate::open:
      return node.open_unit.empty() ? "deferred" : "deferred in " + node.open_unit;
    case Fate::pin:
      return "in the pin lane";
    case Fate::chain:
      return "in a chain";
    case Fate::blocked:
      return "blocked itself";
    case Fate::waits:
      return "pending, not tried";
    default:
      return "pending";
  }
}

Result<void> Planner::step() {
  ++done_;
  return progress_ ? progress_(done_, total_) : Result<void>{};
}

Result<RoutePlan> Planner::plan() {
  build();
  link();
  settle_facts();
  folded_ = input_.trunk_tree;
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (pending(k)) open.push_back(k);
  total_ += static_cast<std::int64_t>(open.size());
  TRY(settle_reverts());
  for (const std::size_t k : open)  // not needed to route them: what a plan says of each commit is whole
    if (!pending(k)) nodes_[k].routing.pick_trunk = picked(nodes_[k].facts->oid, input_.trunk_tree).status;
  TRY(decide_all());
  TRY(prove_ranges());
  TRY(fold_chains());
  return output();
}

namespace {

void add_unit(RoutePlan& plan, model::UnitKind kind, const std::vector<Node*>& members) {
  model::Unit unit;
  unit.kind = kind;
  for (const Node* node : members) unit.commits.push_back(node->facts->oid);
  unit.id = model::unit_id(kind, unit.commits);
  for (Node* node : members) node->routing.unit = unit.id;
  if (kind != model::UnitKind::bundle && !members.front()->routing.reasons.empty())
    unit.reason = members.front()->routing.reasons.front();
  plan.units.push_back(std::move(unit));
}

void add_bundles(RoutePlan& plan, const std::vector<Node*>& members, std::int64_t most) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(most, 1));
  for (std::size_t k = 0; k < members.size(); k += size)
    add_unit(plan, model::UnitKind::bundle,
             {members.begin() + static_cast<std::ptrdiff_t>(k),
              members.begin() + static_cast<std::ptrdiff_t>(std::min(k + size, members.size()))});
}

model::Handling handling_of(const Node& node) {
  if (node.fate == Fate::pin) return model::Handling::toolchain;
  if (node.facts->kind == model::CommitKind::ci) return model::Handling::workflow_provenance;
  if (node.routing.pick.status == model::PickStatus::conflict) return model::Handling::semantic_adapt;
  return model::Handling::code;
}

}  // namespace

RoutePlan Planner::output() {
  RoutePlan plan;
  std::vector<Node*> urgent, bundle;
  for (Node& node : nodes_) {
    node.routing.handling = handling_of(node);
    for (const Link& link : node.links)
      if (nodes_[link.to].fate != Fate::settled && node.fate != Fate::settled)
        node.routing.depends_on.push_back(nodes_[link.to].facts->oid);
    if (node.fate == Fate::urgent) urgent.push_back(&node);
    if (node.fate == Fate::bundle) bundle.push_back(&node);
  }
  add_bundles(plan, urgent, input_.bundle_max);
  add_bundles(plan, bundle, input_.bundle_max);
  for (const auto& members : chains()) {
    std::vector<Node*> chain;
    for (const std::size_t member : members) chain.push_back(&nodes_[member]);
    add_unit(plan, model::UnitKind::chain, chain);
  }
  for (Node& node : nodes_)
    if (node.fate == Fate::pin) add_unit(plan, model::UnitKind::pin, {&node});

  for (const Node& node : nodes_) {
    if (node.fate != Fate::blocked) continue;
    model::LedgerRow row;
    row.upstream = node.facts->oid;
    row.position = node.facts->position;
    row.disposition = Disposition::deferred;
    std::string needs;
    for (const Link& link : node.links) {
      const Node& to = nodes_[link.to];
      if (to.fate != Fate::open && to.fate != Fate::blocked) continue;
      needs += (needs.empty() ? "" : ",") + to.facts->oid;
      if (row.by.empty()) row.by = to.facts->oid;
    }
    row.evidence = "dep-blocked(" + needs + ")";
    row.reason = node.routing.reasons.empty() ? "" : node.routing.reasons.front();
    row.unit = row.task = node.routing.unit;
    row.who = "sluice";
    plan.joined.push_back(std::move(row));
  }
  plan.settled = std::move(settled_);
  std::sort(plan.settled.begin(), plan.settled.end(),
            [](const auto& a, const auto& b) { return a.position < b.position; });
  plan.commits.resize(input_.commits.size());
  for (Node& node : nodes_)
    if (node.input) plan.commits[*node.input] = std::move(node.routing);
  return plan;
}

std::vector<Oid> trunk_picks(const RouteInput& input) {
  const PickFn none;
  const std::function<Result<void>(std::int64_t, std::int64_t)> silent;
  return Planner(input, none, silent).undecided();
}

Result<RoutePlan> route(const RouteInput& input, const PickFn& pick,
                        const std::function<Result<void>(std::int64_t, std::int64_t)>& on_progress) {
  return Planner(input, pick, on_progress).plan();
}

}  // namespace sluice::ingest
