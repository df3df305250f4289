// SPDX-License-Identifier: Apache-2.0
#include "service/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/log.h"
#include "core/text.h"
#include "service/canary/cycle.h"
#include "service/handover.h"
#include "service/ledger_log.h"
#include "service/ledger_writes.h"
#include "service/model/model_office.h"
#include "service/model/parked_help.h"
#include "service/plan_json.h"
#include "service/rebuild.h"
#include "service/recovery.h"
#include "service/retry.h"
#include "service/run_end.h"
#include "service/unit_run.h"

namespace sluice::service {

namespace {

// A trunk that moves with every landing attempt is somebody else's busy hour: end the run, go on at the next.
constexpr int max_rounds = 5;

// What is left of a parked unit becomes one of its own.
Result<void> re_form(App& app, model::Unit whole, const model::Unit& rest) {
  for (const Oid& oid : rest.commits) {
    TRY_ASSIGN(auto row, app.store.ledger(oid));
    if (!row || row->unit != whole.id) continue;
    row->unit = rest.id;
    row->at = app.clock.now();
    TRY(app.store.put_ledger(*row));
  }
  whole.state = model::UnitState::dropped;
  whole.reason = fmt::format("re-formed as {} with the {} commits that are left", rest.id, rest.commits.size());
  return app.store.put_unit(whole);
}

// Reverts are asked for by people and go ahead of everything.
int order_of(model::UnitKind kind) { return kind == model::UnitKind::revert ? -1 : static_cast<int>(kind); }

// Units in the order of work: reverts, bundles, chains, pins; upstream order within each.
Result<std::vector<model::Unit>> work_list(App& app, const Plan& plan, const SyncOptions& options) {
  std::vector<model::Unit> units;
  for (const model::Unit& unit : plan.route.units) {
    if (options.unit.empty() || unit.id == options.unit) units.push_back(unit);
  }
  if (!options.unit.empty() && units.empty()) {
    for (model::Unit unit : plan.stored_units) {
      if (unit.id != options.unit || unit.state != model::UnitState::parked) continue;
      // What a person has settled or deferred meanwhile is not tried again with the rest.
      const std::size_t before = unit.commits.size();
      if (unit.kind == model::UnitKind::revert) {
        units.push_back(std::move(unit));  // its commits are landed; what it takes back is stored with it
        continue;
      }
      std::erase_if(unit.commits, [&](const Oid& oid) {
        const auto row = plan.ledger.find(oid);
        return row != plan.ledger.end() && row->second.disposition != model::Disposition::pending &&
               (row->second.disposition != model::Disposition::deferred || row->second.unit != unit.id);
      });
      if (unit.commits.empty()) continue;
      if (unit.commits.size() != before) {
        const model::Unit whole = unit;
        unit.id = model::unit_id(unit.kind, unit.commits);
        if (!options.dry_run) TRY(re_form(app, whole, unit));
      }
      units.push_back(std::move(unit));
    }
  }
  std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return order_of(a.kind) < order_of(b.kind); });
  if (options.limit > 0 && units.size() > static_cast<std::size_t>(options.limit)) units.resize(static_cast<std::size_t>(options.limit));
  return units;
}

// A unit under way that the plan does not name (a killed run formed it and its commits are elsewhere now), or
// a parked one that no commit waits in any more.
Result<void> drop_left_over_units(App& app, const Plan& plan) {
  using State = model::UnitState;
  for (model::Unit unit : plan.stored_units) {
    if (unit.kind == model::UnitKind::revert) continue;  // ended by its landing, or by people
    const bool under_way = unit.state == State::routed || unit.state == State::picked || unit.state == State::proposed ||
                           unit.state == State::validating || unit.state == State::cleared;
    const bool planned = std::any_of(plan.route.units.begin(), plan.route.units.end(),
                                     [&](const model::Unit& other) { return other.id == unit.id; });
    const bool holds = std::any_of(plan.ledger.begin(), plan.ledger.end(), [&](const auto& entry) {
      return entry.second.disposition == model::Disposition::deferred && entry.second.unit == unit.id;
    });
    const bool empty = unit.state == State::parked && !holds;
    if (!empty && (!under_way || planned)) continue;
    TRY_ASSIGN(const auto taken, app.store.take(unit.id));
    if (taken) continue;  // its answer waits to be judged
    if (under_way && holds) {
      // A parked unit that was tried again, to no end: its commits wait in it, so it waits, too.
      unit.state = State::parked;
      TRY(app.store.put_unit(unit));
      continue;
    }
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

Error no_such_unit(App& app, const std::string& id) {
  if (const auto row = app.store.take(id); row.ok() && *row) {
    return make_error(ErrorKind::conflict, fmt::format("unit {} is in the hands of {}; `sluice submit` brings it back, `sluice take {} --release` "
                                                       "gives it up", id, core::printable((*row)->owner), id));
  }
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

// What one process works on: made once, used by every round.
struct Work {
  App& app;
  landing::Queue queue;
  std::optional<Validator> validator;
  SyncReport& report;
  bool gates_proven = false;  // by the canaries, once a process
  bool round_done = false;  // the open round needs no other run
};

// Both repositories as they are now. False: nothing may land, and the report says why.
Result<bool> look_outside(Work& work, const std::string& accept, Remotes& remotes) {
  App& app = work.app;
  SyncReport& report = work.report;
  TRY_ASSIGN(remotes, fetch_remotes(app));
  if (remotes.upstream_stale) report.errors.push_back("upstream could not be fetched: " + remotes.upstream_error);
  if (!accept.empty() && report.rounds == 1) {
    if (accept != remotes.fork_tip) {
      const bool shortened = accept.size() >= 4 && remotes.fork_tip.starts_with(accept);
      return make_error(ErrorKind::conflict, fmt::format("--accept-trunk names {}, and trunk is at {}; {}", core::printable(accept, 120), remotes.fork_tip,
                                                         shortened ? "name it in full" : "look again and name that"));
    }
    TRY_ASSIGN(const std::int64_t dropped, accept_trunk(app, remotes.fork_tip, "operator"));
    core::log_info(fmt::format("trunk {} accepted, {} landed commits are backed out", remotes.fork_tip, dropped));
  }
  TRY_ASSIGN(const std::string before, alarm_raised(app));
  TRY(look_for_stop_branch(app));
  TRY_ASSIGN(const std::string stopped, check_trunk(app, remotes.fork_tip));
  if (report.trunk_before.empty()) report.trunk_before = report.trunk_after = remotes.fork_tip;
  if (stopped.empty()) return true;
  report.plan.remotes = remotes;
  TRY_ASSIGN(const std::string alarm, alarm_raised(app));
  if (stopped != alarm) {
    report.stopped = stopped;  // people stopped it, and know
  } else {
    (before.empty() ? report.notices : report.errors).push_back(stopped);
  }
  return false;
}

// The round that was interrupted, if its plan still holds.
Result<std::optional<Round>> round_to_resume(App& app, const Remotes& remotes) {
  TRY_ASSIGN(auto round, open_round(app));
  if (!round) return round;
  if (round->trunk == remotes.fork_tip && round->policy == app.config.policy.sha256) return round;
  if (round->command != "sync") {
    // What somebody asked for is not planned from what is pending: it goes on where trunk and policy are now.
    round->trunk = remotes.fork_tip;
    round->upstream_tip = remotes.upstream_tip;
    round->policy = app.config.policy.sha256;
    TRY(put_round(app, *round));
    return round;
  }
  core::log_info(fmt::format("the interrupted {} was planned {}: planning again", round->command,
                             round->trunk == remotes.fork_tip ? "under another policy" : "on another trunk"));
  TRY(close_round(app));
  return std::optional<Round>();
}

Round new_round(const App& app, const std::string& command, const Plan& plan, std::vector<model::Unit> units) {
  Round round;
  round.command = command;
  round.trunk = plan.remotes.fork_tip;
  round.upstream_tip = plan.remotes.upstream_tip;
  round.policy = app.config.policy.sha256;
  round.units = std::move(units);
  for (const model::Routing& routing : plan.route.commits) {
    if (!routing.depends_on.empty()) round.depends_on.emplace(routing.oid, routing.depends_on);
  }
  return round;
}

// A cycle's plan, and what it settles without a pick, stored as one.
Result<Round> plan_cycle(Work& work, const SyncOptions& options, const Remotes& remotes, Plan& plan) {
  App& app = work.app;
  TRY(release_dependents(app));
  TRY(retry_parked(app, remotes.fork_tip));
  TRY_ASSIGN(plan, make_plan(app, remotes));
  if (work.report.rounds == 1) add_pick_errors(plan, work.report);
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY_ASSIGN(const auto settled, record_settled(app, plan.route.settled));
  work.report.settled.insert(work.report.settled.end(), settled.begin(), settled.end());
  TRY_ASSIGN(const auto joined, record_settled(app, plan.route.joined));
  TRY(drop_left_over_units(app, plan));
  TRY_ASSIGN(auto units, work_list(app, plan, options));
  if (!options.unit.empty() && units.empty()) return no_such_unit(app, options.unit);
  TRY_ASSIGN(const auto answered, units_with_open_submission(app));
  units.insert(units.begin(), answered.begin(), answered.end());
  Round round = new_round(app, "sync", plan, std::move(units));
  for (const model::LedgerRow& row : joined) {
    round.notices.push_back(fmt::format("{} waits with {}: {}", model::short_oid(row.upstream), row.unit, row.reason));
  }
  TRY(start_round(app, round));
  TRY(transaction.commit());
  return round;
}

// Every unit of the round. The kind says how it ended: done, moved (plan again), or why not.
Result<UnitEnd::Kind> run_round(Work& work, Round& round) {
  App& app = work.app;
  SyncReport& report = work.report;
  UnitEnd::Kind how = UnitEnd::Kind::done;
  if (!round.units.empty() && !work.gates_proven) {
    TRY_ASSIGN(const std::string unproven, prove_gates(app));
    if (!unproven.empty()) {
      report.errors.push_back(unproven);
      return UnitEnd::Kind::outside;
    }
    work.gates_proven = true;
  }
  if (!round.units.empty()) {
    if (!work.validator) {
      TRY_ASSIGN(work.validator, Validator::open(app));
    }
    TRY_ASSIGN(Folder folder, Folder::open(app));
    folder.resolver().know(round.depends_on);
    folder.resolver().ask(*work.validator);
    UnitRun run(app, folder, *work.validator, work.queue, round);
    const std::vector<model::Unit> units = round.units;  // a unit may be replaced by its commits on the way
    for (const model::Unit& unit : units) {
      auto end = run.run(unit, report.units);
      // In observe the next unit is judged on top of what was cleared; trunk itself stays.
      if (app.config.autonomy == model::Autonomy::land) report.trunk_after = run.trunk();
      if (!end.ok()) return end.error();
      how = end->kind;
      if (how == UnitEnd::Kind::outside) report.errors.push_back(end->detail);
      if (how == UnitEnd::Kind::halted) report.stopped = end->detail;
      if (how == UnitEnd::Kind::refused) how = UnitEnd::Kind::done;  // the person's again; the others go on
      if (how != UnitEnd::Kind::done) break;
    }
    report.errors.insert(report.errors.end(), run.errors().begin(), run.errors().end());
    report.push_refused = run.push_refused();
    report.trunk_red = run.trunk_red();
    if (how == UnitEnd::Kind::done) TRY(help_parked(app, folder, *work.validator, report.units, run.trunk()));
    report.suite_runs = work.validator->runs();
  }
  report.notices.insert(report.notices.end(), round.notices.begin(), round.notices.end());
  // After an outside failure or a brake the next run goes on where this one ended; what somebody asked for is
  // not forgotten because trunk is red or has moved.
  work.round_done = how != UnitEnd::Kind::outside && how != UnitEnd::Kind::halted &&
                    (round.command == "sync" || how == UnitEnd::Kind::done);
  return how;
}

// `next`: the round that this process is asked for, when nothing is left of an earlier one.
using NextRound = std::function<Result<Round>(const Remotes& remotes, Plan& plan)>;
// `all_of`: finishing an interrupted round of that command on the same upstream is all there is to do.
// Afterwards the last round is still open: it is closed together with the run.
Result<void> run_rounds(Work& work, const std::string& accept, const std::string& all_of, const NextRound& next) {
  SyncReport& report = work.report;
  bool asked = false;  // the round of this process has begun
  for (report.rounds = 1; report.rounds <= max_rounds; ++report.rounds) {
    Remotes remotes;
    TRY_ASSIGN(const bool may, look_outside(work, accept, remotes));
    if (!may) return {};
    Plan plan;
    TRY_ASSIGN(auto round, round_to_resume(work.app, remotes));
    if (round) {
      core::log_info(fmt::format("going on with the {} that was interrupted", round->command));
      TRY_ASSIGN(plan, look(work.app, remotes));
    } else {
      TRY_ASSIGN(round, next(remotes, plan));
      asked = true;
    }
    report.begun = asked || round->command == all_of;
    if (report.plan.remotes.fork_tip.empty()) {
      report.pins_before = plan.pins;
      report.metrics_before = plan.metrics;
      report.plan = std::move(plan);
    }
    TRY_ASSIGN(const UnitEnd::Kind how, run_round(work, *round));
    if (how == UnitEnd::Kind::moved) {
      if (work.round_done) TRY(close_round(work.app));
      core::log_info("trunk moved while a unit was judged: picking and judging again on the new tip");
      continue;
    }
    if (how != UnitEnd::Kind::done) return {};
    if (asked || (round->command == all_of && round->upstream_tip == remotes.upstream_tip)) return {};
    TRY(close_round(work.app));  // what was interrupted is done; now what this process is asked for
  }
  report.errors.push_back(fmt::format("trunk moved in each of {} rounds; the rest waits for the next run", max_rounds));
  return {};
}

// The whole of a command that lands: what was left open, the rounds, the end state, the stored outcome.
Result<SyncReport> run_command(App& app, const std::string& command, const std::string& accept, const std::string& all_of,
                               const std::function<Result<Round>(Work&, const Remotes&, Plan&)>& next) {
  TRY(check_something_is_run(app.config));
  TRY(check_choice(app));
  TRY(refuse_half_rebuilt(app));
  TRY(refuse_new_beginning(app));
  SyncReport report;
  TRY_ASSIGN(const std::int64_t run, app.store.start_run(command, app.clock.now()));
  Work work{app, landing::Queue(app.repo, app.store, app.config, app.clock), std::nullopt, report};
  std::map<Oid, model::Disposition> before;
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  for (const model::LedgerRow& row : rows) before.emplace(row.upstream, row.disposition);
  const auto body = [&]() -> Result<void> {
    TRY_ASSIGN(report.units, recover_landings(app, work.queue));
    TRY(run_rounds(work, accept, all_of, [&](const Remotes& remotes, Plan& plan) { return next(work, remotes, plan); }));
    // The end state, from what is stored: the trunk that landed, the ledger as it is now.
    Remotes now = report.plan.remotes;
    if (!report.trunk_after.empty()) now.fork_tip = report.trunk_after;
    TRY_ASSIGN(const Plan after, look(app, now));
    report.pins_after = after.pins;
    report.metrics_after = after.metrics;
    if (report.plan.line.line.empty()) {  // stopped before anything was looked at
      report.pins_before = after.pins;
      report.metrics_before = after.metrics;
    }
    add_recognised(after, before, report);
    TRY_ASSIGN(const auto released, release_settled_takes(app));
    report.notices.insert(report.notices.end(), released.begin(), released.end());
    TRY(flush_ledger(app));
    TRY(end_of_run(app, command, after, report));
    return remove_left_over_refs(app);
  };
  const Result<void> done = body();
  if (!done.ok()) {
    end_of_failed_run(app);
    TRY(app.store.end_run(run, "outside_failure", done.error().message, app.clock.now()));
    return done.error();
  }
  std::string detail;
  for (const std::string& line : report.errors) detail += line + "\n";
  TRY_ASSIGN(auto transaction, app.store.begin());
  if (work.round_done) TRY(close_round(app));
  TRY(app.store.end_run(run, report.outcome(), detail, app.clock.now()));
  TRY(transaction.commit());
  return report;
}

}  // namespace

std::string SyncReport::outcome() const {
  if (!errors.empty()) return "outside_failure";
  if (!stopped.empty()) return "stopped";
  return notices.empty() ? "complete" : "needs_person";
}

int SyncReport::exit_code() const {
  if (!errors.empty() || !stopped.empty()) return 3;
  return notices.empty() ? 0 : 4;
}

Result<SyncReport> sync(App& app, const SyncOptions& options) {
  if (options.dry_run) {
    SyncReport report;
    TRY(refuse_new_beginning(app));
    TRY_ASSIGN(const Remotes remotes, fetch_remotes(app));
    TRY_ASSIGN(report.plan, make_plan(app, remotes));
    report.trunk_before = report.trunk_after = remotes.fork_tip;
    TRY_ASSIGN(report.units, work_list(app, report.plan, options));
    if (!options.unit.empty() && report.units.empty()) return no_such_unit(app, options.unit);
    report.settled = report.plan.route.settled;
    report.pins_before = report.pins_after = report.plan.pins;
    report.metrics_before = report.metrics_after = report.plan.metrics;
    add_pick_errors(report.plan, report);
    return report;
  }
  return run_command(app, "sync", options.accept_trunk, options.unit.empty() ? "sync" : "",
                     [&](Work& work, const Remotes& remotes, Plan& plan) { return plan_cycle(work, options, remotes, plan); });
}

Result<SyncReport> run_units(App& app, const std::string& command, const MakeUnits& make) {
  return run_command(app, command, "", "", [&](Work&, const Remotes& remotes, Plan& plan) -> Result<Round> {
    TRY_ASSIGN(plan, look(app, remotes));
    // What is asked for and the round that does it are stored as one.
    TRY_ASSIGN(auto transaction, app.store.begin());
    TRY_ASSIGN(auto units, make(app, plan));
    TRY_ASSIGN(const auto answered, units_with_open_submission(app));
    for (const model::Unit& unit : answered) {
      if (std::none_of(units.begin(), units.end(), [&](const model::Unit& other) { return other.id == unit.id; })) units.push_back(unit);
    }
    Round round = new_round(app, command, plan, std::move(units));
    TRY(start_round(app, round));
    TRY(transaction.commit());
    return round;
  });
}

}  // namespace sluice::service
