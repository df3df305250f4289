// SPDX-License-Identifier: Apache-2.0
// What a sync did, for programs and for people.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "service/plan_json.h"
#include "service/sync.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;

namespace {

std::string change(double before, double after) {
  return before == after ? fmt::format("{:.3f}", after) : fmt::format("{:.3f} -> {:.3f}", before, after);
}

std::string change(std::int64_t before, std::int64_t after) {
  return before == after ? fmt::format("{}", after) : fmt::format("{} -> {}", before, after);
}

const char* word_of(const model::Unit& unit) {
  switch (unit.state) {
    case model::UnitState::landed:
      return "landed";
    case model::UnitState::cleared:
      return "cleared";
    case model::UnitState::parked:
      return unit.kind == model::UnitKind::pin ? "pin lane" : "parked";
    case model::UnitState::taken:
      return "refused";  // a person's answer; it is theirs again
    case model::UnitState::routed:
      return "would work on";
    default:
      break;
  }
  return "left";
}

}  // namespace

Json sync_json(App& app, const SyncReport& report) {
  Json units = Json::array(), settled = Json::array(), recognised = Json::array();
  for (const model::LedgerRow& row : report.recognised) {
    recognised.push(Json::object({{"oid", row.upstream},
                                  {"disposition", model::to_string(row.disposition)},
                                  {"downstream", row.downstream}}));
  }
  for (const model::Unit& unit : report.units) units.push(unit_json(unit));
  for (const model::LedgerRow& row : report.settled) {
    settled.push(Json::object(
        {{"oid", row.upstream}, {"disposition", model::to_string(row.disposition)}, {"reason", row.reason}}));
  }
  return Json::object(
      {{"schema", "sluice.sync/1"},
       {"outcome", report.outcome()},
       {"trunk", Json::object({{"before", report.trunk_before}, {"after", report.trunk_after}})},
       {"upstream", upstream_json(app, report.plan.remotes)},
       {"autonomy", app.config.autonomy == model::Autonomy::land ? "land" : "observe"},
       {"metrics", Json::object({{"before", metrics_json(report.metrics_before)},
                                 {"after", metrics_json(report.metrics_after)}})},
       {"pins",
        Json::object({{"before", pins_json(report.pins_before)}, {"after", pins_json(report.pins_after)}})},
       {"units", std::move(units)},
       {"settled", std::move(settled)},
       {"recognised", std::move(recognised)},
       {"waiting", report.waiting},
       {"notices", Json::array_of(report.notices)},
       {"errors", Json::array_of(report.errors)},
       {"paused", report.stopped.empty() ? Json(false) : Json(report.stopped)},
       {"suite_runs", report.suite_runs},
       {"rounds", report.rounds}});
}

std::string sync_text(App& app, const SyncReport& report) {
  std::string out;
  std::vector<const model::Unit*> waiting;
  bool cleared = false;
  for (const model::Unit& unit : report.units) {
    if (unit.state == model::UnitState::parked) waiting.push_back(&unit);
    if (unit.state == model::UnitState::cleared) cleared = true;
    out += fmt::format("{:<13} {} {}, {}\n", word_of(unit), model::to_string(unit.kind), unit.id,
                       counted(unit.commits.size(), "commit"));
    if (!unit.rule.empty()) out += fmt::format("    [{}] {}\n", unit.rule, core::printable(unit.reason, 300));
    out += commit_lines(app, unit.commits, "    ");
  }
  for (const model::LedgerRow& row : report.settled) {
    out += fmt::format("{:<13} {} {}\n", model::to_string(row.disposition), model::short_oid(row.upstream),
                       subject_of(app, row.upstream));
    if (!row.reason.empty()) out += fmt::format("    {}\n", core::printable(row.reason, 200));
  }
  // The first run finds the fork's whole past.
  constexpr std::size_t most_recognised = 12;
  if (report.recognised.size() > most_recognised) {
    out += fmt::format("{:<13} {} of the fork's own picks, by their trailers (`sluice ledger`)\n",
                       "recognised", report.recognised.size());
  } else {
    for (const model::LedgerRow& row : report.recognised) {
      out += fmt::format("{:<13} {} {}\n    on trunk as {}\n", "recognised", model::short_oid(row.upstream),
                         subject_of(app, row.upstream), model::short_oid(row.downstream));
    }
  }
  const bool nothing = report.units.empty() && report.settled.empty() && report.recognised.empty();
  if (!report.stopped.empty()) {
    out += fmt::format("{}stopped: {}\n{}\n", nothing ? "" : "\n", core::printable(report.stopped, 500),
                       report.begun ? "The next sync goes on from here; what was validated is not run again."
                                    : "Nothing was begun; give the command again when that is over.");
  } else if (nothing) {
    const bool kept_from = !report.errors.empty() || (report.rounds > 0 && !report.begun);  // a stopped line, a failed fetch
    out += kept_from ? "nothing was done\n" : "nothing to do\n";
  }
  const bool observed = app.config.autonomy != model::Autonomy::land;
  out +=
      fmt::format("\ntrunk {}\n", report.trunk_before == report.trunk_after
                                      ? fmt::format("{} (unchanged)", model::short_oid(report.trunk_before))
                                      : fmt::format("{} -> {}", model::short_oid(report.trunk_before),
                                                    model::short_oid(report.trunk_after)));
  out += fmt::format("Days Behind Upstream {}   Backlog Commits {}   distance {}   {}\n",
                     change(report.metrics_before.days_behind, report.metrics_after.days_behind),
                     change(report.metrics_before.backlog_commits, report.metrics_after.backlog_commits),
                     change(report.metrics_before.distance, report.metrics_after.distance),
                     counted(static_cast<std::size_t>(report.suite_runs), "suite run"));
  std::string needs;
  for (const std::string& notice : report.notices) {
    // A parked unit stands above already, with its commits.
    const bool told = std::any_of(waiting.begin(), waiting.end(), [&](const model::Unit* unit) {
      return notice.starts_with(unit->id + " parked");
    });
    if (!told) needs += fmt::format("  {}\n", core::printable(notice, 500));
  }
  if (!needs.empty()) out += "\nneeds a person:\n" + needs;
  if (!report.errors.empty()) out += "\nleft undone, tried again by the next sync:\n";
  for (const std::string& error : report.errors) out += fmt::format("  {}\n", core::printable(error, 500));
  const auto wait = [](std::size_t n) {
    return n == 1 ? std::string("1 unit waits") : fmt::format("{} units wait", n);
  };
  if (!waiting.empty())
    out += fmt::format("\n{} for a person since this run:\n{}", wait(waiting.size()),
                       what_to_type(app, waiting));
  if (report.waiting > waiting.size())
    out += fmt::format("\n{} for a person in all: `sluice status` lists them.\n", wait(report.waiting));
  if (cleared && observed)
    out +=
        "\nCleared, and not pushed: autonomy is observe. `[landing] autonomy = \"land\"` in the "
        "configuration lands it.\n";
  return out;
}

}  // namespace sluice::service
