// SPDX-License-Identifier: Apache-2.0
// Inner header of route(): the state of one plan while it is made. See docs/routing.md for the order of
// rules.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/ingest.h"

namespace sluice::ingest {

// What has become of a commit so far. `open`: it waits in a chain of an earlier run. `blocked`: it needs an
// open one. `urgent`: a revert of something that has landed, ahead of the bundles.
enum class Fate { undecided, settled, waits, urgent, bundle, chain, blocked, pin, open };

struct Link {
  std::size_t to = 0;
  const std::string* path = nullptr;  // textual; null = by symbol
  std::string_view symbol;
};

struct Node {
  const model::UpstreamCommit* facts = nullptr;
  std::optional<std::size_t> input;  // index in RouteInput::commits
  Fate fate = Fate::undecided;
  bool held = false;                       // waits because it is too young
  std::string open_unit;                   // open only
  std::vector<Link> links;                 // to earlier nodes, ascending
  std::vector<std::string> chain_because;  // found before any pick: always a chain
  std::string urgent_because;
  model::Routing routing;
};

class Planner {
 public:
  Planner(const RouteInput& input, const PickFn& pick,
          const std::function<Result<void>(std::int64_t, std::int64_t)>& progress)
      : input_(input), pick_(pick), progress_(progress) {}

  Result<RoutePlan> plan();
  // Commits that will be picked onto the trunk tree whatever the picks say.
  std::vector<Oid> undecided();

 private:
  void build();         // nodes of the window and of open chains, by position
  void link();          // textual and symbol dependencies
  void settle_facts();  // hold-back, empty commits, what is offered again
  Result<void> settle_reverts();
  Result<void> decide_all();
  Result<void> prove_ranges();  // chains whose end is in the fork already
  Result<void> fold_chains();
  RoutePlan output();

  // reverts
  void revert_one(std::size_t revert);
  void revert_pending(std::size_t original, std::size_t revert);
  void revert_landed(const model::LedgerRow& row, std::size_t revert);
  void revert_never_landed(const model::LedgerRow& row, std::size_t revert);
  void revert_series(std::size_t revert, const std::vector<std::size_t>& members);
  bool relanded(std::size_t revert);
  std::vector<std::size_t> stranded(const std::vector<std::size_t>& originals, std::size_t revert) const;

  // folds
  void decide(std::size_t index);
  void decide_urgent(std::size_t index);
  void take_into_bundle(Node& node, Fate fate, model::Pick&& pick);
  bool policy_keeps_everything(const model::UpstreamCommit& commit) const;
  void chain_causes(Node& node) const;
  bool wait_for_links(Node& node);
  bool join_chains(Node& node);
  std::vector<std::vector<std::size_t>> chains() const;  // connected, ascending, by first member

  model::Pick picked(const Oid& upstream, const Oid& onto) const;
  void wait(Node& node, std::string reason);
  void settle(Node& node, model::Disposition disposition, std::string evidence, std::string reason,
              const Oid& by = {});
  bool pending(std::size_t index) const { return nodes_[index].fate == Fate::undecided; }
  std::string state_words(const Node& node) const;
  void reason(Node& node, std::string words) { node.routing.reasons.push_back(std::move(words)); }
  Result<void> step();

  const RouteInput& input_;
  const PickFn& pick_;
  const std::function<Result<void>(std::int64_t, std::int64_t)>& progress_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string_view, std::size_t> by_oid_;
  std::vector<model::LedgerRow> settled_;
  Oid folded_;  // tree after the bundles so far
  std::int64_t done_ = 0, total_ = 0;
};

}  // namespace sluice::ingest
