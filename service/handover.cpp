// SPDX-License-Identifier: Apache-2.0
#include "service/handover.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"
#include "core/text.h"
#include "git/work_tree.h"
#include "service/remotes.h"
#include "service/submission.h"
#include "service/unit_text.h"

namespace sluice::service {

namespace {

using State = model::UnitState;

Error not_open(const std::string& id, const std::vector<model::Unit>& units) {
  std::vector<std::string> parked;
  for (const model::Unit& unit : units) {
    if (unit.state == State::parked) parked.push_back(unit.id);
  }
  return make_error(ErrorKind::not_found, fmt::format("no unit is called {}; {}", core::printable(id),
                                                      parked.empty() ? std::string("no unit is parked") : "parked are " + core::join(parked, ", ")));
}

Error somebody_elses(App& app, const store::TakeRow& row) {
  return make_error(ErrorKind::conflict,
                    fmt::format("unit {} was taken by {} {} ago ({}); ask them, or take it over with --steal --reason TEXT", row.unit,
                                core::printable(row.owner), age_text(app.clock.now() - row.at), row.work_tree.empty() ? row.branch : row.work_tree));
}

std::string short_branch(const store::TakeRow& row) { return row.branch.substr(std::string_view("refs/heads/").size()); }

// The work tree of `row`, made when it is not there: also after a process that was killed before it came to that.
Result<void> provide_work_tree(App& app, const store::TakeRow& row) {
  if (row.work_tree.empty() || core::exists(core::join_path(row.work_tree, ".git"))) return {};
  return git::make_work_tree(app.repo, {row.work_tree, short_branch(row), row.head, app.config.fork.url, app.config.fork.branch, row.base});
}

Result<void> check_settled(App& app, const model::Unit& unit) {
  if (unit.kind == model::UnitKind::revert) {
    return make_error(ErrorKind::conflict, fmt::format("{} is a revert: take its commits back by hand (`git revert`) and push, the next sync recognises "
                                                       "that; or give it up with `sluice revert --abandon {}`", unit.id, unit.id));
  }
  for (const Oid& oid : unit.commits) {
    TRY_ASSIGN(const auto row, app.store.ledger(oid));
    if (row && row->disposition == model::Disposition::deferred && row->unit == unit.id) continue;
    return make_error(ErrorKind::conflict, fmt::format("{} of unit {} is {} now; `sluice sync` offers the rest of the unit again", oid, unit.id,
                                                       row ? model::to_string(row->disposition) : std::string_view("pending")));
  }
  return {};
}

// Branch and rows first, then the directory: whatever is missing after a kill, the same command completes.
Result<void> hand_over(App& app, TakeReport& report, const TakeOptions& options, const Oid& trunk) {
  model::Unit& unit = report.unit;
  store::TakeRow& row = report.row;
  TRY_ASSIGN(Folder folder, Folder::open(app));
  TRY_ASSIGN(report.branch, write_branch(app, folder, unit, 0, trunk));
  row.unit = unit.id;
  row.owner = options.who;
  row.base = trunk;
  row.head = report.branch.head;
  row.branch = take_branch(unit.id);
  row.at = app.clock.now();
  TRY(app.repo.set_ref(row.branch, row.head, std::nullopt));
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.put_take(row));
  unit.state = State::taken;
  TRY(app.store.put_unit(unit));
  return transaction.commit();
}

Result<TakeReport> take_parked(App& app, TakeReport report, const TakeOptions& options) {
  TRY(check_settled(app, report.unit));
  if (!options.bare) report.row.work_tree = core::absolute_path(options.work_tree.empty() ? report.unit.id : options.work_tree);
  if (!report.row.work_tree.empty()) TRY(git::check_work_tree_place(report.row.work_tree));
  TRY_ASSIGN(const Remotes remotes, fetch_remotes(app));
  TRY(hand_over(app, report, options, remotes.fork_tip));
  report.done = "taken";
  return report;
}

Result<TakeReport> refresh(App& app, TakeReport report, const TakeOptions& options) {
  TRY(check_settled(app, report.unit));
  const store::TakeRow before = report.row;
  Oid at;   // what the work tree has checked out ...
  Oid own;  // ... and what stands on the branch of the take, when that is something else
  const bool has_tree = !before.work_tree.empty() && core::exists(core::join_path(before.work_tree, ".git"));
  if (has_tree) {
    TRY_ASSIGN(const git::WorkTree tree, git::look_at_work_tree(before.work_tree, ""));
    if (!tree.changed.empty()) {
      return make_error(ErrorKind::conflict, fmt::format("{} has uncommitted changes ({}); commit or drop them first, then nothing is lost",
                                                         before.work_tree, core::join(tree.changed, ", ")));
    }
    at = tree.head;
    const auto branch = git::look_at_work_tree(before.work_tree, before.branch);
    own = branch.ok() ? branch->head : at;
  }
  TRY_ASSIGN(const Remotes remotes, fetch_remotes(app));
  TRY(hand_over(app, report, options, remotes.fork_tip));
  TRY(forget_submission(app, report.unit.id));
  if (has_tree) {
    // Named after what it keeps: a second refresh on the same trunk must not take the place of the first.
    const auto kept = [](const Oid& oid) { return "before-refresh/" + std::string(model::short_oid(oid)); };
    if (own != at) TRY(git::move_work_tree(before.work_tree, short_branch(before), own, kept(at)));
    report.kept = kept(own);
    TRY(git::move_work_tree(before.work_tree, short_branch(report.row), report.row.head, report.kept));
  }
  report.done = "refreshed";
  return report;
}

Result<TakeReport> release(App& app, TakeReport report, const TakeOptions& options) {
  {
    TRY_ASSIGN(auto transaction, app.store.begin());
    TRY(forget_take(app, report.unit.id, options.reason.empty() ? "given back" : options.reason));
    report.unit.state = State::parked;
    TRY(app.store.put_unit(report.unit));
    TRY(transaction.commit());
  }
  TRY(remove_take_refs(app, report.unit.id));
  report.done = "released";
  return report;
}

Result<TakeReport> steal(App& app, TakeReport report, const TakeOptions& options) {
  if (options.reason.empty()) return make_error(ErrorKind::invalid, "--steal needs a reason: --reason TEXT says why, for the one it is taken from");
  const store::TakeRow before = report.row;
  store::TakeRow& row = report.row;
  row.owner = options.who;
  row.work_tree = options.bare ? "" : core::absolute_path(options.work_tree.empty() ? report.unit.id : options.work_tree);
  if (row.work_tree != before.work_tree && !row.work_tree.empty()) TRY(git::check_work_tree_place(row.work_tree));
  row.at = app.clock.now();
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.put_take(row));
  // An answer that waits to be judged was somebody else's: it must not land in the name of the new owner.
  TRY_ASSIGN(const auto waiting, open_submission(app, row.unit));
  if (waiting) {
    TRY(close_submission(app, row.unit, "refused", fmt::format("taken over by {}: {}", row.owner, options.reason), ""));
    report.unit.state = State::taken;
  }
  TRY(app.store.append_event("take.stolen", row.unit, core::Json::object({{"from", before.owner}, {"by", row.owner}, {"reason", options.reason}}), row.at));
  TRY(transaction.commit());
  report.done = "stolen";
  return report;
}

}  // namespace

Result<TakeReport> take(App& app, const TakeOptions& options) {
  TRY_ASSIGN(const auto units, app.store.units());
  TRY_ASSIGN(const auto landings, app.store.open_landings());
  for (const store::LandingRow& landing : landings) {
    // Whether its answer is on trunk already is not known yet, and the record of it must not go.
    if (landing.unit == options.unit) return make_error(ErrorKind::conflict, fmt::format("unit {} was being landed when a process ended; `sluice sync` finishes that first", options.unit));
  }
  TakeReport report;
  const auto found = std::find_if(units.begin(), units.end(), [&](const model::Unit& unit) { return unit.id == options.unit; });
  if (found == units.end()) return not_open(options.unit, units);
  report.unit = *found;
  if (report.unit.created_at == 0) report.unit.created_at = app.clock.now();
  TRY_ASSIGN(const auto row, app.store.take(options.unit));
  if (!row) {
    if (options.release || options.steal || options.refresh) return make_error(ErrorKind::conflict, fmt::format("nobody has taken unit {}", options.unit));
    if (report.unit.state != State::parked) {
      return make_error(ErrorKind::conflict, fmt::format("unit {} is {}; only a parked unit can be taken", options.unit, model::to_string(report.unit.state)));
    }
    TRY_ASSIGN(report, take_parked(app, std::move(report), options));
  } else {
    report.row = *row;
    const bool mine = row->owner == options.who;
    if (!mine && !options.steal) return somebody_elses(app, *row);
    report.done = "yours";
    if (options.release) return release(app, std::move(report), options);
    if (options.refresh) {
      TRY_ASSIGN(report, refresh(app, std::move(report), options));
    } else if (options.steal && !mine) {
      TRY_ASSIGN(report, steal(app, std::move(report), options));
    }
  }
  TRY(provide_work_tree(app, report.row));
  if (report.branch.head.empty()) {
    // What it was about, for the text; the branch itself stays as it is.
    TRY_ASSIGN(Folder folder, Folder::open(app));
    TRY_ASSIGN(report.branch, write_branch(app, folder, report.unit, 0, report.row.base));
  }
  report.commands = next_commands(app, report.row, report.branch);
  return report;
}

Result<std::vector<std::string>> release_settled_takes(App& app) {
  std::vector<std::string> notices;
  TRY_ASSIGN(const auto takes, app.store.takes());
  for (const store::TakeRow& row : takes) {
    TRY_ASSIGN(auto unit, app.store.unit(row.unit));
    if (!unit) continue;
    std::string by;
    bool settled = true;
    for (const Oid& oid : unit->commits) {
      TRY_ASSIGN(const auto ledger, app.store.ledger(oid));
      settled = settled && ledger && model::is_settled(ledger->disposition);
      if (settled) by += fmt::format("{}{} is {}", by.empty() ? "" : ", ", model::short_oid(oid), model::to_string(ledger->disposition));
    }
    if (!settled) continue;
    TRY_ASSIGN(auto transaction, app.store.begin());
    TRY(forget_take(app, row.unit, "its commits are settled: " + by));
    if (unit->state != State::landed) {
      unit->state = State::dropped;
      unit->reason = "its commits are settled";
      TRY(app.store.put_unit(*unit));
      notices.push_back(fmt::format("{}, taken by {}, is released: {}{}", row.unit, core::printable(row.owner), by,
                                    row.work_tree.empty() ? "" : fmt::format("; {} is not needed any more", row.work_tree)));
    }
    TRY(transaction.commit());
    TRY(remove_take_refs(app, row.unit));
  }
  return notices;
}

}  // namespace sluice::service
