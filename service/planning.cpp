// SPDX-License-Identifier: Apache-2.0
#include "service/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "core/hash.h"
#include "core/log.h"
#include "service/fork_files.h"
#include "service/ledger_ops.h"
#include "service/pick_cache.h"
#include "service/retry.h"

namespace sluice::service {

namespace {

// Facts of deferred commits whose units are open: what a new commit may depend on.
Result<void> add_open_chains(App& app, Plan& plan, ingest::RouteInput& input) {
  std::set<std::string> open;
  for (const model::Unit& unit : plan.stored_units) {
    if (unit.state == model::UnitState::parked || unit.state == model::UnitState::taken) open.insert(unit.id);
  }
  for (const auto& [oid, row] : plan.ledger) {
    if (row.disposition != model::Disposition::deferred || !open.contains(row.unit)) continue;
    TRY_ASSIGN(auto facts, app.store.facts(oid));
    if (!facts) continue;
    input.open_chain_unit[oid] = row.unit;
    input.open_chain.emplace(oid, std::move(*facts));
  }
  return {};
}

// From the first commit that is not settled to the tip, without gaps: settled commits in between shift lines.
Result<std::vector<model::UpstreamCommit>> window_of(App& app, const Plan& plan) {
  const std::set<Oid> on_line(plan.line.line.begin(), plan.line.line.end());
  TRY_ASSIGN(auto all, app.store.facts_many());
  std::vector<model::UpstreamCommit> window;
  for (auto& commit : all) {
    if (!on_line.contains(commit.oid)) continue;
    if (window.empty()) {
      const auto row = plan.ledger.find(commit.oid);
      if (row != plan.ledger.end() && model::is_settled(row->second.disposition)) continue;
    }
    window.push_back(std::move(commit));
  }
  return window;
}

std::string ledger_digest(const std::map<Oid, model::LedgerRow>& ledger, const std::vector<model::Unit>& units) {
  core::Sha256 sha;
  for (const auto& [oid, row] : ledger) {
    sha.add(fmt::format("{} {} {} {} {}\n", oid, model::to_string(row.disposition), row.unit, row.by, row.downstream));
  }
  for (const model::Unit& unit : units) sha.add(fmt::format("{} {}\n", unit.id, model::to_string(unit.state)));
  return sha.hex();
}

Result<std::string> inputs_digest(App& app, const Remotes& remotes) {
  std::map<Oid, model::LedgerRow> ledger;
  TRY_ASSIGN(auto rows, app.store.ledger_all());
  for (auto& row : rows) ledger.emplace(row.upstream, row);
  TRY_ASSIGN(const auto units, app.store.units());
  // A window that holds young commits back lets them go with time: the hour is an input then.
  const std::int64_t hour = app.config.window_days > 0 ? app.clock.now() / 3600 : 0;
  std::string trailers;
  for (const std::string& pattern : app.config.trailer_patterns) trailers += pattern + "\n";
  return core::sha256_hex(fmt::format("plan/2 {} {} {} {} {} {} {} {} {}", remotes.upstream_tip, remotes.fork_tip,
                                      app.config.policy.sha256, app.config.policy.blob, ledger_digest(ledger, units), git::pick_recipe_version(),
                                      app.config.bundle_max, hour, core::sha256_hex(trailers)));
}

}  // namespace

Result<Plan> look(App& app, const Remotes& remotes) {
  Plan plan;
  plan.remotes = remotes;
  TRY_ASSIGN(plan.trunk_tree, app.repo.reader().tree_of(remotes.fork_tip));
  auto line = ingest::read(app.repo, app.store, app.config, remotes.fork_tip, remotes.upstream_tip,
                           [&](std::int64_t done, std::int64_t total) { app.progress("reading upstream commits", done, total); });
  if (!line.ok()) {
    TRY(note_upstream(app, remotes.upstream_tip, line.error().message));
    return line.error();
  }
  plan.line = std::move(*line);
  TRY(note_upstream(app, remotes.upstream_tip, remotes.upstream_error));
  app.progress("reading the fork's own picks", 0, 0);
  TRY_ASSIGN(plan.imported,
             ingest::import_fork(app.repo, app.store, app.config, plan.line, remotes.fork_tip, app.clock.now()));
  if (plan.imported.untried > 0) {
    core::log_warning(fmt::format("{} trunk commits without trailers were not compared with the open upstream commits: too many "
                                  "at once; `sluice ledger adopt` records a pick that was missed", plan.imported.untried));
  }
  if (app.lock != nullptr) TRY(offer_rest(app));  // what was imported may have settled what others waited for
  TRY_ASSIGN(auto rows, app.store.ledger_all());
  for (auto& row : rows) plan.ledger.emplace(row.upstream, std::move(row));
  TRY_ASSIGN(plan.committer_time, app.store.committer_times());
  TRY_ASSIGN(plan.stored_units, app.store.units());
  TRY(drop_settled_units(app, plan.ledger, plan.stored_units));
  plan.pins = ingest::pins(plan.line.line, plan.ledger);
  std::int64_t base_time = 0;
  if (!plan.line.base.empty()) {
    TRY_ASSIGN(const git::Commit base, app.repo.reader().commit(plan.line.base));
    base_time = base.committer.time;
  }
  plan.metrics = ingest::metrics(plan.line.line, plan.ledger, plan.committer_time, base_time);
  return plan;
}

Result<Plan> make_plan(App& app, const Remotes& remotes) {
  TRY_ASSIGN(Plan plan, look(app, remotes));
  ingest::RouteInput input;
  input.trunk = remotes.fork_tip;
  input.trunk_tree = plan.trunk_tree;
  input.ledger = plan.ledger;
  input.policy = app.config.policy;
  input.bundle_max = app.config.bundle_max;
  if (app.config.window_days > 0) input.hold_back_before = app.clock.now() - app.config.window_days * 86400;
  TRY_ASSIGN(input.commits, window_of(app, plan));
  TRY(add_open_chains(app, plan, input));
  TRY_ASSIGN(const auto offered, app.store.ledger_offered());
  for (const model::LedgerRow& row : offered) {
    if (row.evidence == offered_again) input.offered_again[row.upstream] = "offered again after a back-out: " + row.reason;
  }
  TRY_ASSIGN(ForkFiles fork_files, ForkFiles::read(app.repo.reader(), plan.line.base, plan.trunk_tree));
  input.fork_files = fork_files.paths();
  input.files_naming = [&](const std::string& symbol) { return fork_files.naming(symbol); };

  TRY_ASSIGN(PickCache picks, PickCache::open(app));
  ingest::RangePicks ranges(picks.scratch(), picks.picker(), input.policy, input.commits);
  input.range = [&](const std::vector<Oid>& members, const Oid& onto) { return ranges.pick(members, onto); };
  input.fold_ahead = [&](const std::vector<std::vector<Oid>>& folds, const Oid& onto) { return picks.fold_ahead(folds, onto); };
  TRY(picks.prefetch(ingest::trunk_picks(input), plan.trunk_tree));
  auto routed = ingest::route(
      input, [&](const Oid& upstream, const Oid& onto) { return picks.pick(upstream, onto); },
      [&](std::int64_t done, std::int64_t total) -> Result<void> {
        app.progress("picking", done, total);
        if (app.cancelled()) return make_error(ErrorKind::transient, "cancelled");
        return {};
      });
  TRY(picks.store_new());
  if (!routed.ok()) return routed.error();
  plan.route = std::move(*routed);
  for (auto& commit : input.commits) plan.facts.emplace(commit.oid, std::move(commit));
  return plan;
}

Result<core::Json> plan_document(App& app, const Remotes& remotes) {
  // Read and import first: they may add ledger rows, which are inputs of the plan.
  TRY_ASSIGN(const std::string before, inputs_digest(app, remotes));
  TRY_ASSIGN(const auto known, app.store.plan(before));
  if (known) {
    TRY(note_upstream(app, remotes.upstream_tip, remotes.upstream_error));
    TRY_ASSIGN(core::Json document, core::Json::parse(*known));
    return document;
  }
  TRY_ASSIGN(const Plan plan, make_plan(app, remotes));
  core::Json document = plan_json(app, plan);
  TRY_ASSIGN(const std::string after, inputs_digest(app, remotes));
  TRY(app.store.put_plan(after, document.dump()));
  return document;
}

}  // namespace sluice::service
