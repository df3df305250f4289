// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "service/alert_conditions.h"
#include "service/alerts.h"
#include "service/handover.h"
#include "service/plan_json.h"
#include "service/report.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;

namespace {

std::map<std::string, store::TakeRow> takes_by_unit(App& app) {
  std::map<std::string, store::TakeRow> out;
  const auto rows = app.store.takes();
  if (!rows.ok()) return out;
  for (const store::TakeRow& row : *rows) out.emplace(row.unit, row);
  return out;
}

// A fetch older than this makes the metrics look healthier than they are (R12).
constexpr std::int64_t stale_after_s = 26 * 3600;

struct FetchAge {
  bool stale = false;
  std::string text;
};

FetchAge fetch_age(App& app, const Remotes& remotes) {
  const auto row = app.store.fetch("upstream");
  if (!row.ok() || !*row || (*row)->at == 0) return {true, "never fetched"};
  const std::int64_t age = std::max<std::int64_t>(0, app.clock.now() - (*row)->at);
  FetchAge out{remotes.upstream_stale || age > stale_after_s,
               fmt::format("fetched {} ago ({})", age_text(age), core::format_utc((*row)->at))};
  if (out.stale) out.text = "STALE, " + out.text;
  if (!remotes.upstream_error.empty())
    out.text += fmt::format("; last try failed: {}", remotes.upstream_error);
  return out;
}

// What contained the suites of the last run; null before the first one.
Json sandbox_of(App& app) {
  const auto text = app.store.value(sandbox_key);
  if (!text.ok() || !*text) return {};
  auto json = Json::parse(**text);
  return json.ok() ? std::move(*json) : Json();
}

bool is_open(const model::Unit& unit) {
  return unit.state != model::UnitState::landed && unit.state != model::UnitState::dropped;
}

}  // namespace

Json status_json(App& app, const Plan& plan) {
  Json units = Json::array();
  const auto takes = takes_by_unit(app);
  for (const model::Unit& unit : plan.stored_units) {
    Json one = unit_json(unit);
    if (const auto take = takes.find(unit.id); take != takes.end()) {
      const std::int64_t age = std::max<std::int64_t>(0, app.clock.now() - take->second.at);
      one.set("taken_by", take->second.owner).set("taken_age_s", age).set("taken_stale", age > take_stale_after_s);
    }
    units.push(std::move(one));
  }
  Json last = Json();
  if (const auto run = app.store.last_run("sync"); run.ok() && *run) {
    last = Json::object({{"started", core::format_utc((*run)->started)},
                         {"outcome", (*run)->outcome.empty() ? "interrupted" : (*run)->outcome},
                         {"age_s", std::max<std::int64_t>(0, app.clock.now() - (*run)->started)}});
    if (!(*run)->detail.empty()) last.set("detail", (*run)->detail);
  }
  const auto stopped = line_stopped(app);
  const auto alerts = open_alerts(app);
  const FetchAge age = fetch_age(app, plan.remotes);
  Json upstream = upstream_json(app, plan.remotes);
  upstream.set("stale", age.stale);
  return Json::object({{"schema", "sluice.status/1"},
                       {"fork", Json::object({{"head", plan.remotes.fork_tip}})},
                       {"upstream", std::move(upstream)},
                       {"metrics", metrics_json(plan.metrics)},
                       {"pins", pins_json(plan.pins)},
                       {"units", std::move(units)},
                       {"last_run", std::move(last)},
                       {"sandbox", sandbox_of(app)},
                       {"alerts", alerts.ok() ? alerts_json(app, *alerts) : Json()},
                       {"paused", stopped.ok() && !stopped->empty() ? Json(*stopped) : Json(false)}});
}

std::string status_text(App& app, const Plan& plan) {
  const auto alerts = open_alerts(app);
  std::string out = alerts.ok() ? alerts_text(app, *alerts) : fmt::format("alerts are not known: {}\n", alerts.error().message);
  const FetchAge age = fetch_age(app, plan.remotes);
  out +=
      fmt::format("Days Behind Upstream  {:.3f}{}\n", plan.metrics.days_behind, age.stale ? "  (STALE)" : "");
  out += fmt::format("Backlog Commits       {}\n", plan.metrics.backlog_commits);
  out += fmt::format(
      "distance              {} commits from the frontier to the upstream tip, {} of them not reached\n",
      plan.metrics.distance, plan.metrics.not_reached);
  const auto pin = [&](std::int64_t position, const Oid& oid) {
    return oid.empty() ? std::string("the fork base")
                       : fmt::format("#{} {} {}", position, model::short_oid(oid), subject_of(app, oid));
  };
  out += fmt::format("frontier pin          {}\n", pin(plan.pins.frontier, plan.pins.frontier_oid));
  out += fmt::format("contiguous pin        {}\n", pin(plan.pins.contiguous, plan.pins.contiguous_oid));
  out += fmt::format("upstream              {} {}\n", model::short_oid(plan.remotes.upstream_tip), age.text);
  out += fmt::format("trunk                 {} {}\n", model::short_oid(plan.remotes.fork_tip),
                     app.config.fork.branch);
  if (const auto run = app.store.last_run("sync"); run.ok() && *run) {
    out += fmt::format("last sync             {} {}\n", core::format_utc((*run)->started),
                       (*run)->outcome.empty() ? "interrupted" : (*run)->outcome);
  } else {
    out += "last sync             never\n";
  }
  if (const Json sandbox = sandbox_of(app); !sandbox.is_null()) {
    out += fmt::format("sandbox               {}, uid {}, {}\n", sandbox["backend"].as_string(), sandbox["uid"].as_string(), sandbox["limits"].as_string());
  }
  if (const auto stopped = line_stopped(app); stopped.ok() && !stopped->empty()) {
    const bool told = alerts.ok() && std::any_of(alerts->begin(), alerts->end(), [&](const auto& alert) { return alert.text == *stopped; });
    out += fmt::format("\nLANDING IS STOPPED: {}\n", told ? "see the alert above" : *stopped);
  }
  std::vector<const model::Unit*> waiting;
  std::string others;
  bool cleared = false;
  const auto takes = takes_by_unit(app);
  const auto add = [&](std::string& to, const model::Unit& unit) {
    to += fmt::format("  {}  {:<10} {:<7} {}{}\n", unit.id, model::to_string(unit.state),
                      model::to_string(unit.kind), counted(unit.commits.size(), "commit"),
                      unit.rule.empty() ? "" : fmt::format("  [{}]", unit.rule));
    if (const auto take = takes.find(unit.id); take != takes.end()) {
      const std::int64_t held = app.clock.now() - take->second.at;
      to += fmt::format("      taken by {} {} ago{}\n", core::printable(take->second.owner), age_text(held),
                        held > take_stale_after_s ? fmt::format(": STALE (sluice take {} --steal --reason TEXT)", unit.id) : "");
    }
    if (!unit.reason.empty()) to += fmt::format("      {}\n", core::printable(unit.reason, 400));
    to += commit_lines(app, unit.commits, "      ");
  };
  for (const model::Unit& unit : plan.stored_units) {
    if (!is_open(unit)) continue;
    if (unit.state == model::UnitState::parked) {
      waiting.push_back(&unit);
      continue;
    }
    cleared = cleared || unit.state == model::UnitState::cleared;
    add(others, unit);
  }
  if (!others.empty()) out += "\nUnder way:\n" + others;
  if (!waiting.empty()) out += "\nWaits for a person:\n";
  for (const model::Unit* unit : waiting) add(out, *unit);
  if (others.empty() && waiting.empty()) out += "\nNo unit waits.\n";
  out += "\n" + what_to_type(app, waiting);
  if (cleared && app.config.autonomy != model::Autonomy::land) {
    out += "Cleared units are not pushed: autonomy is observe. `[landing] autonomy = \"land\"` lands them.\n";
  } else if (const auto pending = std::count_if(plan.line.line.begin(), plan.line.line.end(),
                                                [&](const Oid& oid) { return !plan.ledger.contains(oid); });
             pending > 0) {
    out += fmt::format("{} pending: `sluice sync` works on them, `sluice plan` says where they would go.\n",
                       counted(static_cast<std::size_t>(pending), "commit"));
  }
  return out;
}

bool is_overdue(const model::LedgerRow& row, std::int64_t now) {
  return row.review_at > 0 && row.review_at <= now && model::is_backlog(row.disposition);
}

Json ledger_json(const Plan& plan, std::int64_t now) {
  Json rows = Json::array();
  for (const Oid& oid : plan.line.line) {
    const auto found = plan.ledger.find(oid);
    if (found == plan.ledger.end()) {
      rows.push(Json::object({{"oid", oid}, {"disposition", "pending"}}));
      continue;
    }
    const model::LedgerRow& row = found->second;
    rows.push(Json::object({{"oid", oid},
                            {"position", row.position},
                            {"disposition", model::to_string(row.disposition)},
                            {"evidence", row.evidence},
                            {"reason", row.reason},
                            {"unit", row.unit},
                            {"task", row.task},
                            {"by", row.by},
                            {"downstream", row.downstream},
                            {"who", row.who},
                            {"owner", row.owner},
                            {"review", row.review_at > 0 ? Json(core::format_utc(row.review_at)) : Json()},
                            {"overdue", is_overdue(row, now)},
                            {"at", row.at > 0 ? Json(core::format_utc(row.at)) : Json()}}));
  }
  return Json::object({{"schema", "sluice.ledger/1"},
                       {"pins", pins_json(plan.pins)},
                       {"metrics", metrics_json(plan.metrics)},
                       {"commits", std::move(rows)}});
}

std::string ledger_text(App& app, const Plan& plan) {
  std::string out;
  std::int64_t position = 0;
  for (const Oid& oid : plan.line.line) {
    ++position;
    const auto found = plan.ledger.find(oid);
    const model::Disposition d =
        found == plan.ledger.end() ? model::Disposition::pending : found->second.disposition;
    out += fmt::format("{:>5} {} {:<22} {}\n", position, model::short_oid(oid), model::fork_word(d),
                       subject_of(app, oid));
    if (found != plan.ledger.end()) {
      const model::LedgerRow& row = found->second;
      std::string more = row.reason;
      if (!row.unit.empty()) more += fmt::format("{}unit {}", more.empty() ? "" : ", ", row.unit);
      if (!row.downstream.empty() && more.find(model::short_oid(row.downstream)) == std::string::npos)
        more += fmt::format("{}as {}", more.empty() ? "" : ", ", model::short_oid(row.downstream));
      if (!more.empty()) out += fmt::format("                   {}\n", core::printable(more, 200));
      if (!row.owner.empty() || row.review_at > 0) {
        out += fmt::format("                   owner {}{}{}\n", row.owner.empty() ? "nobody" : core::printable(row.owner, 80),
                           row.review_at > 0 ? ", review on " + core::format_utc(row.review_at).substr(0, 10) : "",
                           is_overdue(row, app.clock.now()) ? ": OVERDUE" : "");
      }
    }
    if (position == plan.pins.contiguous) out += "      ---- contiguous pin ----\n";
    if (position == plan.pins.frontier) out += "      ---- frontier ----\n";
  }
  return out;
}

Json ledger_change_json(const model::LedgerRow& row) {
  return Json::object({{"schema", "sluice.ledger-change/1"},
                       {"upstream", row.upstream},
                       {"disposition", model::to_string(row.disposition)},
                       {"downstream", row.downstream},
                       {"reason", row.reason},
                       {"owner", row.owner},
                       {"review", row.review_at > 0 ? Json(core::format_utc(row.review_at)) : Json()},
                       {"who", row.who}});
}

std::string ledger_change_text(App& app, const model::LedgerRow& row) {
  return fmt::format("{} {} is {}{} now ({}), decided by {}\n", model::short_oid(row.upstream),
                     subject_of(app, row.upstream), model::fork_word(row.disposition),
                     row.downstream.empty() || row.disposition == model::Disposition::pending ? "" : fmt::format(" as {}", model::short_oid(row.downstream)),
                     core::printable(row.reason, 200), core::printable(row.who));
}

}  // namespace sluice::service
