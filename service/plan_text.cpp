// SPDX-License-Identifier: Apache-2.0
// A plan as people read it.
#include <fmt/format.h>

#include <map>

#include "core/text.h"
#include "service/report.h"

namespace sluice::service {

using core::Json;

namespace {

std::string short_of(const Json& oid) { return oid.as_string().substr(0, 10); }

void commit_line(std::string& out, const Json& commit) {
  out += fmt::format("  {} {}", short_of(commit["oid"]), core::printable(commit["subject"].as_string(), 76));
  const bool pending = commit["disposition"].as_string() == "pending";
  if (pending && commit["pick"].as_string() != "clean") out += fmt::format("  <{}>", commit["pick"].as_string());
  out += "\n";
}

}  // namespace

std::string plan_text(const Json& document) {
  const Json& metrics = document["metrics"];
  std::string out = fmt::format(
      "fork {}  upstream {}{}\nDays Behind Upstream {:.3f}   Backlog Commits {}   distance {}   not reached {}\n",
      short_of(document["fork"]["head"]), short_of(document["upstream"]["head"]),
      document["upstream"]["stale"].as_bool() ? " (STALE)" : "", metrics["days_behind"].as_double(),
      metrics["backlog_commits"].as_int(), metrics["distance"].as_int(), metrics["not_reached"].as_int());
  // The usual place needs no word.
  if (!document["policy"]["blob"].is_null()) out += fmt::format("policy {}\n", core::printable(document["policy"]["source"].as_string(), 400));
  const Json& imported = document["imported"];
  if (imported["unplaced"].as_int() > 0) {
    out += fmt::format("{} shas named in the fork's trailers are not on the upstream line:", imported["unplaced"].as_int());
    for (const Json& example : imported["unplaced_examples"].items()) out += " " + core::printable(example.as_string(), 60);
    out += "\n";
  }

  std::map<std::string, const Json*> by_oid;
  std::map<std::string, std::int64_t> picks, trunk_picks;
  std::int64_t pending = 0;
  for (const Json& commit : document["commits"].items()) {
    by_oid[commit["oid"].as_string()] = &commit;
    if (commit["disposition"].as_string() != "pending") continue;  // in the window only for its lines
    ++pending;
    ++picks[commit["pick"].as_string()];
    ++trunk_picks[commit["pick_trunk"].as_string()];
  }
  const auto counts = [](const std::map<std::string, std::int64_t>& all) {
    std::string text;
    for (const auto& [status, n] : all) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, status == "unknown" ? "not tried" : status);
    }
    return text;
  };
  out += fmt::format("{} commit{} pending\n", pending, pending == 1 ? "" : "s");
  if (pending > 0) {
    out += fmt::format("  picked in the order below      {}\n  each on trunk as it is now     {}\n", counts(picks), counts(trunk_picks));
  }

  for (const Json& unit : document["units"].items()) {
    const auto& oids = unit["commits"].items();
    out += fmt::format("\n{} {} ({}), {} commit{}\n", unit["kind"].as_string(), unit["id"].as_string(),
                       unit["state"].as_string(), oids.size(), oids.size() == 1 ? "" : "s");
    if (!unit["reason"].as_string().empty()) out += fmt::format("  {}\n", core::printable(unit["reason"].as_string(), 300));
    for (const Json& oid : oids) {
      const auto found = by_oid.find(oid.as_string());
      if (found == by_oid.end()) {
        out += fmt::format("  {}\n", short_of(oid));
        continue;
      }
      commit_line(out, *found->second);
      const auto& reasons = (*found->second)["reasons"].items();
      // The reason of a unit is mostly that of its first member, and a unit that waits has told its own.
      const bool told = (*found->second)["disposition"].as_string() != "pending" ||
                        (!reasons.empty() && reasons.front().as_string() == unit["reason"].as_string());
      if (unit["kind"].as_string() != "bundle" && !reasons.empty() && !told) {
        out += fmt::format("      {}\n", core::printable(reasons.front().as_string(), 160));
      }
    }
  }
  if (!document["settled"].items().empty()) out += "\nsettled without a pick\n";
  for (const Json& row : document["settled"].items()) {
    out += fmt::format("  {} {}: {}\n", short_of(row["oid"]), row["disposition"].as_string(),
                       core::printable(row["reason"].as_string(), 160));
  }
  std::string open;
  for (const auto& [oid, commit] : by_oid) {
    if ((*commit)["pick"].as_string() != "error") continue;
    open += fmt::format("  {} {}: {}\n", oid.substr(0, 10), (*commit)["cause"].as_string(),
                        core::printable((*commit)["detail"].as_string(), 160));
  }
  if (!open.empty()) out += "\nno verdict, stays pending\n" + open;
  return out;
}

Result<std::string> explain_text(App& app, const Json& document, const std::string& oid) {
  const Json* found = nullptr;
  for (const Json& commit : document["commits"].items()) {
    if (!commit["oid"].as_string().starts_with(oid)) continue;
    if (found != nullptr) return make_error(ErrorKind::invalid, fmt::format("{} names more than one pending commit; give more digits", oid));
    found = &commit;
  }
  if (found == nullptr) {
    TRY_ASSIGN(const Oid full, app.repo.reader().resolve(oid));
    TRY_ASSIGN(const auto row, app.store.ledger(full));
    if (!row) return make_error(ErrorKind::not_found, fmt::format("{} is not on the upstream line since the fork base", oid));
    return fmt::format("{}\n  disposition {}{}\n  evidence    {}\n  reason      {}\n  unit        {}\n  downstream  {}\n", full,
                       model::to_string(row->disposition), row->by.empty() ? "" : " (" + row->by + ")", row->evidence,
                       core::printable(row->reason, 400), row->unit, row->downstream);
  }
  const Json& commit = *found;
  std::string out = fmt::format("{}\n  {}\n  date        {}   kind {}   position {}\n", commit["oid"].as_string(),
                                core::printable(commit["subject"].as_string()), commit["date"].as_string(),
                                commit["kind"].as_string(), commit["position"].as_int());
  if (commit["disposition"].as_string() == "pending") {
    out += fmt::format("  route       {}   handling {}   unit {}\n", commit["route"].as_string(), commit["handling"].as_string(),
                       commit["unit"].as_string().empty() ? "none" : commit["unit"].as_string());
    out += fmt::format("  pick        {} on its unit, {} on trunk alone\n", commit["pick"].as_string(), commit["pick_trunk"].as_string());
  } else {
    // Decided: it is in the window for its lines, and was not routed or picked again.
    TRY_ASSIGN(const auto row, app.store.ledger(commit["oid"].as_string()));
    out += fmt::format("  disposition {}{}{}\n", commit["disposition"].as_string(), row && !row->unit.empty() ? "   unit " + row->unit : "",
                       row && !row->downstream.empty() ? "   as " + row->downstream : "");
  }
  if (!commit["cause"].as_string().empty()) out += fmt::format("  cause       {}: {}\n", commit["cause"].as_string(), core::printable(commit["detail"].as_string(), 400));
  for (const Json& reason : commit["reasons"].items()) out += fmt::format("  because     {}\n", core::printable(reason.as_string(), 400));
  for (const Json& need : commit["depends_on"].items()) out += fmt::format("  depends on  {}\n", need.as_string());
  for (const Json& conflict : commit["conflicts"].items()) {
    out += fmt::format("  conflict    {} ({}, {} region{})\n", core::printable(conflict["path"].as_string()), conflict["kind"].as_string(),
                       conflict["regions"].as_int(), conflict["regions"].as_int() == 1 ? "" : "s");
  }
  for (const Json& path : commit["dropped"].items()) {
    out += fmt::format("  dropped     {} ({}, by {})\n", core::printable(path["path"].as_string()), path["why"].as_string(), path["policy"].as_string());
  }
  for (const Json& path : commit["files"].items()) out += fmt::format("  file        {}\n", core::printable(path.as_string()));
  return out;
}

}  // namespace sluice::service
