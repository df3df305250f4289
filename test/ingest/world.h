// SPDX-License-Identifier: Apache-2.0
// A store, a bare repository and a pipeline of ingest's own calls over a history in verbs: repositories
// `up` and `down`, branch main.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ingest/ingest.h"
#include "test/support/history.h"

namespace sluice::ingest::testing {

using model::Disposition;
using model::PickStatus;
using model::Route;
using model::UnitKind;
using test_support::History;

inline constexpr std::int64_t now = 1'800'000'000;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}
inline void must(Result<void> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
}

class World {
 public:
  explicit World(History& of_history)
      : history(of_history),
        dir_(must(core::TempDir::create("ingest-test"))),
        repo(must(git::Repo::open(dir_.path() + "/repo.git"))),
        store(must(store::Store::open(dir_.path()))) {}

  void fetch() {
    upstream_tip =
        must(repo.fetch(history.path("up"), upstream_branch, "refs/remotes/upstream/main", {}, nullptr)).tip;
    fork_tip = must(repo.fetch(history.path("down"), "main", "refs/remotes/fork/main", {}, nullptr)).tip;
  }
  Result<ReadOutcome> try_read() { return read(repo, store, config, fork_tip, upstream_tip, nullptr); }
  void read_all() {
    fetch();
    line = must(try_read());
  }
  ImportOutcome import() { return must(import_fork(repo, store, config, line, fork_tip, now)); }

  std::map<Oid, model::LedgerRow> ledger() {
    std::map<Oid, model::LedgerRow> out;
    for (auto& row : must(store.ledger_all())) out.emplace(row.upstream, row);
    return out;
  }
  Disposition disposition(const std::string& name) {
    const auto row = must(store.ledger(history.id(name)));
    return row ? row->disposition : Disposition::pending;
  }
  model::UpstreamCommit facts(const std::string& name) {
    auto found = must(store.facts(history.id(name)));
    if (!found) throw std::runtime_error("no facts of " + name);
    return *found;
  }
  void put(const std::string& name, Disposition disposition, const std::string& unit = {},
           const std::string& downstream = {}) {
    model::LedgerRow row;
    row.upstream = history.id(name);
    row.position = facts(name).position;
    row.disposition = disposition;
    row.unit = unit;
    row.downstream = downstream.empty() ? Oid{} : history.id(downstream);
    row.who = "test";
    must(store.put_ledger(row));
  }

  // What service does, in short.
  RouteInput input() {
    RouteInput in;
    in.ledger = ledger();
    in.commits = must(store.facts_many());
    for (const auto& commit : in.commits) {
      const auto row = in.ledger.find(commit.oid);
      if (row == in.ledger.end() || row->second.disposition != Disposition::deferred ||
          row->second.unit.empty())
        continue;
      in.open_chain.emplace(commit.oid, commit);
      in.open_chain_unit.emplace(commit.oid, row->second.unit);
    }
    in.trunk = fork_tip;
    in.trunk_tree = must(repo.reader().tree_of(fork_tip));
    in.policy = config.policy;
    return in;
  }
  RoutePlan route_with(const RouteInput& in) {
    auto scratch = must(repo.scratch());
    auto picker = must(git::Picker::open(scratch, config.policy.paths));
    RouteInput with_range = in;
    RangePicks ranges(scratch, picker, config.policy, with_range.commits);
    with_range.range = [&](const std::vector<Oid>& members, const Oid& onto) {
      return ranges.pick(members, onto);
    };
    return must(route(
        with_range, [&](const Oid& oid, const Oid& onto) { return picker.pick(oid, onto); }, nullptr));
  }
  // read, import, route.
  RoutePlan plan() {
    read_all();
    import();
    return route_with(input());
  }
  const model::Routing& of(const RoutePlan& plan, const std::string& name) const {
    for (const auto& routing : plan.commits)
      if (routing.oid == history.id(name)) return routing;
    throw std::runtime_error("the plan has no " + name);
  }
  std::optional<model::LedgerRow> settled(const RoutePlan& plan, const std::string& name) const {
    for (const auto& row : plan.settled)
      if (row.upstream == history.id(name)) return row;
    return std::nullopt;
  }
  std::vector<Oid> ids(std::initializer_list<const char*> names) const {
    std::vector<Oid> out;
    for (const char* name : names) out.push_back(history.id(name));
    return out;
  }

  History& history;

 private:
  core::TempDir dir_;

 public:
  git::Repo repo;
  store::Store store;
  model::Config config;
  std::string upstream_branch = "main";
  Oid upstream_tip, fork_tip;
  ReadOutcome line;
};

inline std::string joined(const std::vector<std::string>& reasons) {
  std::string out;
  for (const auto& reason : reasons) out += reason + "\n";
  return out;
}

}  // namespace sluice::ingest::testing
