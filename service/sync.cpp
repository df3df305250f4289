// SPDX-License-Identifier: Apache-2.0
#include "service/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/log.h"
#include "core/text.h"
#include "service/ledger_writes.h"
#include "service/plan_json.h"
#include "service/retry.h"
#include "service/unit_run.h"

namespace sluice::service {

namespace {

// A trunk that moves with every landing attempt is somebody else's busy hour: end the run, go on at the next.
constexpr int max_rounds = 5;

// What the journal left open is closed by the ref; the ledger follows from the trailers on trunk.
Result<void> recover(App& app, landing::Queue& queue, SyncReport& report) {
  TRY_ASSIGN(const auto recovered, queue.recover());
  for (const landing::Recovered& item : recovered) {
    TRY_ASSIGN(auto transaction, app.store.begin());
    TRY(app.store.close_landing(item.row.id, item.landed ? "landed" : "abandoned"));
    TRY_ASSIGN(auto unit, app.store.unit(item.row.unit));
    if (unit) {
      unit->state = item.landed ? model::UnitState::landed : model::UnitState::routed;
      if (item.landed) unit->landed = item.row.commit;
      TRY(app.store.put_unit(*unit));
    }
    TRY(transaction.commit());
    if (!unit) continue;
    report.units.push_back(*unit);
    core::log_info(fmt::format("recovered: unit {} was {}", unit->id, item.landed ? "landed" : "not landed"));
  }
  return {};
}

// Units in the order of work: bundles, then chains, then pins; upstream order within each.
std::vector<model::Unit> work_list(const Plan& plan, const SyncOptions& options) {
  std::vector<model::Unit> units;
  for (const model::Unit& unit : plan.route.units) {
    if (options.unit.empty() || unit.id == options.unit) units.push_back(unit);
  }
  if (!options.unit.empty() && units.empty()) {
    for (model::Unit unit : plan.stored_units) {
      if (unit.id != options.unit || unit.state != model::UnitState::parked) continue;
      // What a person has settled or deferred meanwhile is not tried again with the rest.
      const std::size_t before = unit.commits.size();
      std::erase_if(unit.commits, [&](const Oid& oid) {
        const auto row = plan.ledger.find(oid);
        return row != plan.ledger.end() && row->second.disposition != model::Disposition::pending &&
               (row->second.disposition != model::Disposition::deferred || row->second.unit != unit.id);
      });
      if (unit.commits.empty()) continue;
      if (unit.commits.size() != before) unit.id = model::unit_id(unit.kind, unit.commits);
      units.push_back(std::move(unit));
    }
  }
  std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
  if (options.limit > 0 && units.size() > static_cast<std::size_t>(options.limit)) units.resize(static_cast<std::size_t>(options.limit));
  return units;
}

// A unit under way that the plan does not name (a killed run formed it and its commits are elsewhere now), or
// a parked one that no commit waits in any more.
Result<void> drop_left_over_units(App& app, const Plan& plan) {
  using State = model::UnitState;
  for (model::Unit unit : plan.stored_units) {
    const bool under_way = unit.state == State::routed || unit.state == State::picked || unit.state == State::proposed ||
                           unit.state == State::validating || unit.state == State::cleared;
    const bool planned = std::any_of(plan.route.units.begin(), plan.route.units.end(),
                                     [&](const model::Unit& other) { return other.id == unit.id; });
    const bool empty = unit.state == State::parked && std::none_of(plan.ledger.begin(), plan.ledger.end(), [&](const auto& entry) {
      return entry.second.disposition == model::Disposition::deferred && entry.second.unit == unit.id;
    });
    if (!empty && (!under_way || planned)) continue;
    unit.state = State::dropped;
    unit.reason = "its commits stand in other units or are settled";
    TRY(app.store.put_unit(unit));
  }
  return {};
}

// What the import of trunk's own commits settled since the last run.
void add_recognised(const Plan& after, const std::map<Oid, model::Disposition>& before, SyncReport& report) {
  for (const Oid& oid : after.line.line) {
    const auto row = after.ledger.find(oid);
    if (row == after.ledger.end() || row->second.who != "import" || !model::is_settled(row->second.disposition)) continue;
    const auto was = before.find(oid);
    if (was == before.end() || was->second != row->second.disposition) report.recognised.push_back(row->second);
  }
  report.waiting = static_cast<std::size_t>(std::count_if(after.stored_units.begin(), after.stored_units.end(), [](const model::Unit& unit) {
    return unit.state == model::UnitState::parked;
  }));
}

Error no_such_unit(const std::string& id) {
  return make_error(ErrorKind::not_found, fmt::format("no open unit is called {}; `sluice plan` and `sluice status` list them", core::printable(id)));
}

void add_pick_errors(const Plan& plan, SyncReport& report) {
  for (const model::Routing& routing : plan.route.commits) {
    if (routing.pick.status != model::PickStatus::error) continue;
    report.errors.push_back(fmt::format("{} stays pending: {}: {}", routing.oid, routing.pick.cause, core::printable(routing.pick.detail)));
  }
}

// "No suite" must not read as "all suites are green".
Result<void> check_something_is_run(const model::Config& config) {
  if (config.autonomy != model::Autonomy::land) return {};
  for (const model::UnitKind kind : {model::UnitKind::bundle, model::UnitKind::chain}) {
    if (required_suites(config.policy, kind).empty()) {
      return make_error(ErrorKind::invalid,
                        fmt::format("{}: [landing] autonomy = \"land\", and no [[suite]] of tier L1 is required for a {}: it would "
                                    "land without a build or a test; add one, or set autonomy = \"observe\"", config.file, model::to_string(kind)));
    }
  }
  return {};
}

Result<void> work(App& app, const SyncOptions& options, landing::Queue& queue, SyncReport& report) {
  std::optional<Validator> validator;
  for (report.rounds = 1; report.rounds <= max_rounds; ++report.rounds) {
    TRY_ASSIGN(const Remotes remotes, fetch_remotes(app));
    if (remotes.upstream_stale) report.errors.push_back("upstream could not be fetched: " + remotes.upstream_error);
    if (!options.accept_trunk.empty() && report.rounds == 1) {
      if (options.accept_trunk != remotes.fork_tip) {
        return make_error(ErrorKind::conflict, fmt::format("--accept-trunk names {}, and trunk is at {}; look again and name that",
                                                           options.accept_trunk, remotes.fork_tip));
      }
      TRY_ASSIGN(const std::int64_t dropped, accept_trunk(app, remotes.fork_tip, "operator"));
      core::log_info(fmt::format("trunk {} accepted, {} landed commits are backed out", remotes.fork_tip, dropped));
    }
    TRY_ASSIGN(const std::string before, line_stopped(app));
    TRY(look_for_stop_branch(app));
    TRY_ASSIGN(const std::string stopped, check_trunk(app, remotes.fork_tip));
    if (!stopped.empty()) {
      if (report.trunk_before.empty()) report.trunk_before = report.trunk_after = remotes.fork_tip;
      report.plan.remotes = remotes;
      (before.empty() ? report.notices : report.errors).push_back(stopped);
      return {};
    }
    if (report.trunk_before.empty()) {
      report.trunk_before = report.trunk_after = remotes.fork_tip;
    }
    TRY(release_dependents(app));
    TRY(retry_parked(app, remotes.fork_tip));
    TRY_ASSIGN(Plan plan, make_plan(app, remotes));
    if (report.rounds == 1) {
      report.pins_before = plan.pins;
      report.metrics_before = plan.metrics;
      add_pick_errors(plan, report);
    }
    TRY_ASSIGN(const auto settled, record_settled(app, plan.route.settled));
    report.settled.insert(report.settled.end(), settled.begin(), settled.end());
    TRY_ASSIGN(const auto joined, record_settled(app, plan.route.joined));
    for (const model::LedgerRow& row : joined) {
      report.notices.push_back(fmt::format("{} waits with {}: {}", model::short_oid(row.upstream), row.unit, row.reason));
    }

    TRY(drop_left_over_units(app, plan));

    bool moved = false;
    const auto units = work_list(plan, options);
    if (!options.unit.empty() && units.empty()) return no_such_unit(options.unit);
    if (!units.empty()) {
      if (!validator) {
        TRY_ASSIGN(validator, Validator::open(app));
      }
      TRY_ASSIGN(Folder folder, Folder::open(app));
      UnitRun run(app, folder, *validator, queue, plan);
      for (const model::Unit& unit : units) {
        auto end = run.run(unit, report.units);
        // In observe the next unit is judged on top of what was cleared; trunk itself stays.
        if (app.config.autonomy == model::Autonomy::land) report.trunk_after = run.trunk();
        if (!end.ok()) {
          report.plan = std::move(plan);
          return end.error();
        }
        if (end->kind == UnitEnd::Kind::outside) report.errors.push_back(end->detail);
        if (end->kind == UnitEnd::Kind::moved) moved = true;
        if (end->kind != UnitEnd::Kind::done) break;
      }
      report.notices.insert(report.notices.end(), run.notices().begin(), run.notices().end());
      report.errors.insert(report.errors.end(), run.errors().begin(), run.errors().end());
      report.suite_runs = validator->runs();
    }
    if (report.rounds == 1) report.plan = std::move(plan);
    if (!moved) return {};
    core::log_info("trunk moved while a unit was judged: picking and judging again on the new tip");
  }
  report.errors.push_back(fmt::format("trunk moved in each of {} rounds; the rest waits for the next run", max_rounds));
  return {};
}

}  // namespace

std::string SyncReport::outcome() const {
  if (!errors.empty()) return "outside_failure";
  return notices.empty() ? "complete" : "needs_person";
}

int SyncReport::exit_code() const {
  if (!errors.empty()) return 3;
  return notices.empty() ? 0 : 4;
}

Result<SyncReport> sync(App& app, const SyncOptions& options) {
  SyncReport report;
  if (options.dry_run) {
    TRY_ASSIGN(const Remotes remotes, fetch_remotes(app));
    TRY_ASSIGN(report.plan, make_plan(app, remotes));
    report.trunk_before = report.trunk_after = remotes.fork_tip;
    report.units = work_list(report.plan, options);
    if (!options.unit.empty() && report.units.empty()) return no_such_unit(options.unit);
    report.settled = report.plan.route.settled;
    report.pins_before = report.pins_after = report.plan.pins;
    report.metrics_before = report.metrics_after = report.plan.metrics;
    add_pick_errors(report.plan, report);
    return report;
  }
  TRY(check_something_is_run(app.config));
  TRY_ASSIGN(const std::int64_t run, app.store.start_run("sync", app.clock.now()));
  landing::Queue queue(app.repo, app.store, app.config, app.clock);
  std::map<Oid, model::Disposition> before;
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  for (const model::LedgerRow& row : rows) before.emplace(row.upstream, row.disposition);
  auto done = recover(app, queue, report);
  if (done.ok()) done = work(app, options, queue, report);
  if (done.ok()) {
    // The end state, from what is stored: the trunk that landed, the ledger as it is now.
    Remotes now = report.plan.remotes;
    if (!report.trunk_after.empty()) now.fork_tip = report.trunk_after;
    auto after = look(app, now);
    if (after.ok()) {
      report.pins_after = after->pins;
      report.metrics_after = after->metrics;
      add_recognised(*after, before, report);
    } else {
      done = after.error();
    }
  }
  if (!done.ok()) {
    TRY(app.store.end_run(run, "outside_failure", done.error().message, app.clock.now()));
    return done.error();
  }
  std::string detail;
  for (const std::string& line : report.errors) detail += line + "\n";
  TRY(app.store.end_run(run, report.outcome(), detail, app.clock.now()));
  return report;
}

}  // namespace sluice::service
