// SPDX-License-Identifier: Apache-2.0
#include "service/round.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::service {

namespace {

using core::Json;

constexpr const char* round_key = "round";

Json to_json(const Round& round) {
  Json units = Json::array(), depends = Json::array();
  for (const model::Unit& unit : round.units) {
    units.push(Json::object({{"kind", model::to_string(unit.kind)}, {"commits", Json::array_of(unit.commits)},
                             {"reason", unit.reason}}));
  }
  for (const auto& [oid, needs] : round.depends_on) {
    if (!needs.empty()) depends.push(Json::object({{"commit", oid}, {"needs", Json::array_of(needs)}}));
  }
  return Json::object({{"command", round.command}, {"trunk", round.trunk}, {"upstream_tip", round.upstream_tip},
                       {"policy", round.policy}, {"units", std::move(units)}, {"depends_on", std::move(depends)},
                       {"notices", Json::array_of(round.notices)}});
}

std::vector<std::string> texts(const Json& array) {
  std::vector<std::string> out;
  for (const Json& item : array.items()) out.push_back(item.as_string());
  return out;
}

Result<Round> parse(const std::string& text) {
  TRY_ASSIGN(const Json json, Json::parse(text));
  Round round;
  round.command = json["command"].as_string();
  round.trunk = json["trunk"].as_string();
  round.upstream_tip = json["upstream_tip"].as_string();
  round.policy = json["policy"].as_string();
  for (const Json& item : json["units"].items()) {
    model::Unit unit;
    const auto kind = model::parse_unit_kind(item["kind"].as_string());
    if (!kind) return make_error(ErrorKind::internal, fmt::format("the stored round has a unit of kind \"{}\"", item["kind"].as_string()));
    unit.kind = *kind;
    unit.commits = texts(item["commits"]);
    unit.reason = item["reason"].as_string();
    unit.id = model::unit_id(unit.kind, unit.commits);
    round.units.push_back(std::move(unit));
  }
  for (const Json& item : json["depends_on"].items()) {
    round.depends_on[item["commit"].as_string()] = texts(item["needs"]);
  }
  round.notices = texts(json["notices"]);
  return round;
}

bool has_end(const model::Unit& unit, const std::optional<model::LedgerRow>& row) {
  using D = model::Disposition;
  const D now = row ? row->disposition : D::pending;
  if (unit.kind == model::UnitKind::revert) return now != D::picked && now != D::adapted && now != D::already && now != D::picked_empty;
  if (model::is_settled(now) || now == D::skip_for_current_base) return true;
  return now == D::deferred && row->unit != unit.id;
}

}  // namespace

Result<void> put_round(App& app, const Round& round) { return app.store.put_value(round_key, to_json(round).dump()); }

Result<void> start_round(App& app, const Round& round) {
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(put_round(app, round));
  for (const model::Unit& planned : round.units) {
    TRY_ASSIGN(auto unit, app.store.unit(planned.id));
    if (!unit || (unit->state != model::UnitState::parked && unit->state != model::UnitState::taken)) continue;
    unit->state = model::UnitState::routed;
    TRY(app.store.put_unit(*unit));
  }
  return transaction.commit();
}

Result<void> close_round(App& app) { return app.store.put_value(round_key, ""); }

Result<std::optional<Round>> open_round(App& app) {
  TRY_ASSIGN(const auto text, app.store.value(round_key));
  if (!text || text->empty()) return std::optional<Round>();
  TRY_ASSIGN(Round round, parse(*text));
  return std::optional(std::move(round));
}

Result<model::Unit> rest_of(App& app, model::Unit unit) {
  TRY_ASSIGN(const auto stored, app.store.unit(unit.id));
  if (stored && (stored->state == model::UnitState::landed || stored->state == model::UnitState::parked || stored->state == model::UnitState::taken)) {
    unit.commits.clear();
    return unit;
  }
  std::vector<Oid> rest;
  for (const Oid& oid : unit.commits) {
    TRY_ASSIGN(const auto row, app.store.ledger(oid));
    if (!has_end(unit, row)) rest.push_back(oid);
  }
  // A revert is one whole: what was asked for is stored by its id, and what has left the fork already is skipped.
  if (unit.kind == model::UnitKind::revert && !rest.empty()) rest = unit.commits;
  if (rest.size() != unit.commits.size()) {
    unit.commits = std::move(rest);
    unit.id = model::unit_id(unit.kind, unit.commits);
  }
  if (unit.commits.empty()) return unit;
  TRY_ASSIGN(const auto known, app.store.unit(unit.id));
  unit.created_at = known && known->created_at > 0 ? known->created_at : app.clock.now();
  if (known) unit.validations = known->validations;
  return unit;
}

}  // namespace sluice::service
