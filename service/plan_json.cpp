// SPDX-License-Identifier: Apache-2.0
// sluice.plan/1 and the parts that status shares with it.
#include "service/plan_json.h"

#include <algorithm>

#include "service/policy_ref.h"

namespace sluice::service {

using core::Json;

Json upstream_json(App& app, const Remotes& remotes) {
  Json out = Json::object({{"head", remotes.upstream_tip}, {"stale", remotes.upstream_stale}});
  auto row = app.store.fetch("upstream");
  if (row.ok() && *row && (*row)->at > 0) {
    out.set("fetched_at", core::format_utc((*row)->at));
    out.set("fetch_age_s", std::max<std::int64_t>(0, app.clock.now() - (*row)->at));
  } else {
    out.set("fetched_at", nullptr).set("fetch_age_s", nullptr);
  }
  if (!remotes.upstream_error.empty()) out.set("error", remotes.upstream_error);
  return out;
}

Json metrics_json(const model::Metrics& metrics) {
  return Json::object({{"days_behind", metrics.days_behind},
                       {"backlog_commits", metrics.backlog_commits},
                       {"not_reached", metrics.not_reached},
                       {"distance", metrics.distance}});
}

Json pins_json(const model::Pins& pins) {
  const auto pin = [](std::int64_t position, const Oid& oid) {
    return Json::object({{"position", position}, {"oid", oid.empty() ? Json() : Json(oid)}});
  };
  return Json::object({{"contiguous", pin(pins.contiguous, pins.contiguous_oid)},
                       {"frontier", pin(pins.frontier, pins.frontier_oid)}});
}

Json unit_json(const model::Unit& unit) {
  Json out = Json::object({{"id", unit.id},
                           {"kind", model::to_string(unit.kind)},
                           {"state", model::to_string(unit.state)},
                           {"commits", Json::array_of(unit.commits)}});
  if (!unit.reason.empty()) out.set("reason", unit.reason);
  if (!unit.rule.empty()) out.set("rule", unit.rule);
  if (!unit.landed.empty()) out.set("landed", unit.landed);
  return out;
}

namespace {

Json conflicts_json(const model::Pick& pick) {
  Json out = Json::array();
  for (const model::Conflict& conflict : pick.conflicts) {
    out.push(Json::object({{"path", conflict.path}, {"kind", conflict.kind}, {"regions", conflict.regions}}));
  }
  return out;
}

Json dropped_json(const model::Pick& pick) {
  Json out = Json::array();
  for (const model::DroppedPath& path : pick.dropped) {
    out.push(Json::object({{"path", path.path}, {"policy", path.policy}, {"why", path.why}}));
  }
  return out;
}

Json commit_json(const Plan& plan, const model::Routing& routing) {
  Json out = Json::object({{"oid", routing.oid},
                           {"route", model::to_string(routing.route)},
                           {"handling", model::to_string(routing.handling)},
                           {"unit", routing.unit.empty() ? Json() : Json(routing.unit)},
                           {"reasons", Json::array_of(routing.reasons)},
                           {"depends_on", Json::array_of(routing.depends_on)},
                           {"pick", model::to_string(routing.pick.status)},
                           {"pick_trunk", model::to_string(routing.pick_trunk)},
                           {"cause", routing.pick.cause.empty() ? Json() : Json(routing.pick.cause)},
                           {"tree", routing.pick.tree.empty() ? Json() : Json(routing.pick.tree)},
                           {"conflicts", conflicts_json(routing.pick)}});
  if (!routing.pick.detail.empty()) out.set("detail", routing.pick.detail);
  if (!routing.pick.dropped.empty()) out.set("dropped", dropped_json(routing.pick));
  if (routing.pick.renames_skipped) out.set("renames_skipped", true);
  model::Disposition disposition = model::Disposition::pending;
  if (const auto row = plan.ledger.find(routing.oid); row != plan.ledger.end()) disposition = row->second.disposition;
  out.set("disposition", model::to_string(disposition));
  if (const auto facts = plan.facts.find(routing.oid); facts != plan.facts.end()) {
    const model::UpstreamCommit& commit = facts->second;
    out.set("subject", commit.subject);
    out.set("pr", commit.pr == 0 ? Json() : Json(commit.pr));
    out.set("date", core::format_utc(commit.committer.time));
    out.set("kind", model::to_string(commit.kind));
    Json files = Json::array();
    for (const model::FileChange& file : commit.files) files.push(file.path);
    out.set("files", std::move(files));
    out.set("position", commit.position);
  }
  return out;
}

}  // namespace

Json plan_json(App& app, const Plan& plan) {
  Json commits = Json::array(), units = Json::array(), settled = Json::array();
  for (const model::Routing& routing : plan.route.commits) commits.push(commit_json(plan, routing));
  for (const model::Unit& unit : plan.route.units) units.push(unit_json(unit));
  for (const model::Unit& unit : plan.stored_units) {
    const bool open = unit.state != model::UnitState::landed && unit.state != model::UnitState::dropped;
    const bool routed_again = std::any_of(plan.route.units.begin(), plan.route.units.end(),
                                          [&](const model::Unit& other) { return other.id == unit.id; });
    if (open && !routed_again) units.push(unit_json(unit));
  }
  for (const model::LedgerRow& row : plan.route.settled) {
    settled.push(Json::object({{"oid", row.upstream},
                               {"disposition", model::to_string(row.disposition)},
                               {"reason", row.reason},
                               {"by", row.by.empty() ? Json() : Json(row.by)}}));
  }
  return Json::object({{"schema", "sluice.plan/1"},
                       {"fork", Json::object({{"head", plan.remotes.fork_tip}, {"base", plan.line.base}})},
                       {"upstream", upstream_json(app, plan.remotes)},
                       {"policy", Json::object({{"source", app.config.policy.ref.empty() ? "the operator's file" : policy_source(app.config)},
                                                {"blob", app.config.policy.blob.empty() ? Json() : Json(app.config.policy.blob)},
                                                {"sha256", app.config.policy.sha256}})},
                       {"metrics", metrics_json(plan.metrics)},
                       {"pins", pins_json(plan.pins)},
                       {"imported", Json::object({{"placed", plan.imported.placed},
                                                  {"unplaced", plan.imported.unplaced},
                                                  {"unplaced_examples", Json::array_of(plan.imported.unplaced_examples)}})},
                       {"commits", std::move(commits)},
                       {"settled", std::move(settled)},
                       {"units", std::move(units)}});
}

}  // namespace sluice::service
