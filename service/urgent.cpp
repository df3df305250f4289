// SPDX-License-Identifier: Apache-2.0
#include "service/urgent.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "service/unit_text.h"

namespace sluice::service {

namespace {

using core::Json;
using D = model::Disposition;

std::string key_of(const std::string& unit) { return "pick " + unit; }

D disposition_of(const Plan& plan, const Oid& oid) {
  const auto row = plan.ledger.find(oid);
  return row == plan.ledger.end() ? D::pending : row->second.disposition;
}

const model::Unit* holder_of(const Plan& plan, const Oid& oid) {
  const auto row = plan.ledger.find(oid);
  if (row == plan.ledger.end() || row->second.disposition != D::deferred || row->second.unit.empty()) return nullptr;
  for (const model::Unit& unit : plan.stored_units) {
    const bool open = unit.state != model::UnitState::landed && unit.state != model::UnitState::dropped;
    if (unit.id == row->second.unit && open) return &unit;
  }
  return nullptr;
}

Result<void> check_free(App& app, const Plan& plan, const Oid& oid) {
  const auto row = plan.ledger.find(oid);
  if (row == plan.ledger.end()) return {};
  const model::LedgerRow& now = row->second;
  if (model::is_settled(now.disposition)) {
    const std::string where = now.downstream.empty() ? "" : " as " + now.downstream;
    const std::string unit = now.unit.empty() ? "" : ", unit " + now.unit;
    return make_error(ErrorKind::conflict, fmt::format("{} is {} already{}{} ({})", oid, model::to_string(now.disposition), where, unit,
                                                       core::printable(now.reason, 200)));
  }
  const model::Unit* holder = holder_of(plan, oid);
  if (holder == nullptr || holder->state != model::UnitState::taken) return {};
  TRY_ASSIGN(const auto take, app.store.take(holder->id));
  return make_error(ErrorKind::conflict, fmt::format("{} is in {}, which {} has taken; it comes back with `sluice submit {}`", oid, holder->id,
                                                     take ? take->owner : "somebody", holder->id));
}

// What a parked unit keeps when `leaving` go ahead of the queue: one of its own, so that no commit is in two.
Result<void> take_out_of(App& app, const model::Unit& whole, const std::set<Oid>& leaving, const std::string& by) {
  model::Unit rest = whole;
  std::erase_if(rest.commits, [&](const Oid& oid) { return leaving.contains(oid); });
  model::Unit dropped = whole;
  dropped.state = model::UnitState::dropped;
  dropped.reason = rest.commits.empty() ? fmt::format("its commits go ahead of the queue in {}", by)
                                        : fmt::format("re-formed without what goes ahead of the queue in {}", by);
  TRY(app.store.put_unit(dropped));
  if (rest.commits.empty()) return {};
  rest.id = model::unit_id(rest.kind, rest.commits);
  TRY(app.store.put_unit(rest));
  if (rest.commits.front() == whole.commits.front()) {
    // The conflict that it was parked for is its own still.
    TRY_ASSIGN(const auto record, app.store.proposal(whole.id));
    if (record) TRY(app.store.put_proposal(rest.id, *record));
    TRY_ASSIGN(const auto conflict, app.repo.ref(fmt::format("refs/sluice/units/{}/conflict", whole.id)));
    if (conflict) TRY(app.repo.set_ref(fmt::format("refs/sluice/units/{}/conflict", rest.id), *conflict, std::nullopt));
  }
  for (const Oid& oid : rest.commits) {
    TRY_ASSIGN(auto row, app.store.ledger(oid));
    if (!row || row->disposition != D::deferred || row->unit != whole.id) continue;
    if (row->task == row->unit) row->task = rest.id;
    row->unit = rest.id;
    TRY(app.store.put_ledger(*row));
  }
  return {};
}

// Everything that the pick changes before anything is picked, in one transaction.
Result<model::Unit> form(App& app, const Plan& plan, const PickRequest& request, PickPlan pick) {
  model::Unit& unit = pick.unit;
  const std::set<Oid> leaving(unit.commits.begin(), unit.commits.end());
  TRY_ASSIGN(auto transaction, app.store.begin());
  for (const model::Unit& other : plan.stored_units) {
    const bool open = other.state != model::UnitState::landed && other.state != model::UnitState::dropped;
    const bool holds = std::any_of(other.commits.begin(), other.commits.end(), [&](const Oid& oid) { return leaving.contains(oid); });
    if (!open || !holds || other.id == unit.id || other.kind == model::UnitKind::revert) continue;
    TRY(take_out_of(app, other, leaving, unit.id));
  }
  for (const Oid& oid : unit.commits) {
    TRY_ASSIGN(auto row, app.store.ledger(oid));
    // Deferred it stays until it has landed: the frontier must not go back for an attempt.
    if (!row || row->disposition != D::deferred) continue;
    if (row->task == row->unit) row->task = unit.id;
    row->unit = unit.id;
    TRY(app.store.put_ledger(*row));
  }
  TRY_ASSIGN(const auto known, app.store.unit(unit.id));
  const bool open = known && known->state != model::UnitState::landed && known->state != model::UnitState::dropped;
  unit.created_at = open && known->created_at > 0 ? known->created_at : app.clock.now();
  const Json said = Json::object({{"reason", core::to_utf8(core::trim(request.reason))}, {"who", core::to_utf8(request.who)}, {"at", app.clock.now()}});
  TRY(app.store.put_value(key_of(unit.id), said.dump()));
  TRY_ASSIGN(unit.reason, urgent_words(app, unit.id));
  TRY(app.store.put_unit(unit));
  TRY(transaction.commit());
  return unit;
}

}  // namespace

Result<std::string> urgent_words(App& app, const std::string& unit) {
  TRY_ASSIGN(const auto text, app.store.value(key_of(unit)));
  if (!text || text->empty()) return std::string();
  TRY_ASSIGN(const Json said, Json::parse(*text));
  return fmt::format("ahead of the queue: {} ({})", core::printable(said["reason"].as_string(), 300), core::printable(said["who"].as_string(), 80));
}

Result<PickPlan> plan_pick(App& app, const Plan& plan, const PickRequest& request) {
  if (core::trim(request.reason).empty()) return make_error(ErrorKind::invalid, "a reason is needed: --reason TEXT says why it cannot wait for its turn");
  const auto oid = app.repo.reader().resolve(request.what);
  if (!oid.ok()) return make_error(ErrorKind::not_found, fmt::format("{} is no commit that is known here; `sluice plan` reads new ones", core::printable(request.what)));
  TRY_ASSIGN(const auto facts, app.store.facts(*oid));
  const bool on_line = std::find(plan.line.line.begin(), plan.line.line.end(), *oid) != plan.line.line.end();
  if (!facts || !on_line) return make_error(ErrorKind::not_found, fmt::format("{} is not on the upstream line since the fork base", *oid));
  TRY(check_free(app, plan, *oid));

  std::int64_t first = facts->position;
  for (const Oid& earlier : plan.line.line) {
    if (model::is_settled(disposition_of(plan, earlier))) continue;
    TRY_ASSIGN(const auto open, app.store.facts(earlier));
    if (open) first = std::min(first, open->position);
    break;
  }
  PickPlan out;
  TRY_ASSIGN(const auto needs, dependencies_from(app, first, [&](const Oid& other) { return !model::is_settled(disposition_of(plan, other)); }));
  std::set<Oid> wanted{*oid};
  for (auto need = needs.rbegin(); need != needs.rend(); ++need) {  // later ones first: one pass closes it
    if (!wanted.contains(need->later)) continue;
    if (wanted.insert(need->earlier).second) out.prerequisites.push_back(*need);
  }
  std::reverse(out.prerequisites.begin(), out.prerequisites.end());
  if (!out.prerequisites.empty() && !request.with_prerequisites) {
    std::string lines;
    for (const Dependency& need : out.prerequisites) {
      lines += fmt::format("\n  {} {}: {} {}", model::short_oid(need.earlier), subject_of(app, need.earlier), model::short_oid(need.later), need.why);
    }
    return make_error(ErrorKind::conflict, fmt::format("{} builds on {} that the fork lacks; --with-prerequisites picks them with it:{}", *oid,
                                                       counted(out.prerequisites.size(), "commit"), lines));
  }
  out.unit.kind = model::UnitKind::chain;
  for (const Oid& on : plan.line.line) {
    if (!wanted.contains(on)) continue;
    if (on != *oid) TRY(check_free(app, plan, on));
    out.unit.commits.push_back(on);
  }
  out.unit.id = model::unit_id(out.unit.kind, out.unit.commits);
  for (const Oid& member : out.unit.commits) {
    const model::Unit* holder = holder_of(plan, member);
    if (holder == nullptr || holder->id == out.unit.id) continue;
    if (std::find(out.leaves.begin(), out.leaves.end(), holder->id) == out.leaves.end()) out.leaves.push_back(holder->id);
  }
  return out;
}

Result<SyncReport> pick_now(App& app, const PickRequest& request) {
  return run_units(app, "pick", [&](App& a, const Plan& plan) -> Result<std::vector<model::Unit>> {
    TRY_ASSIGN(PickPlan pick, plan_pick(a, plan, request));
    TRY_ASSIGN(model::Unit unit, form(a, plan, request, std::move(pick)));
    return std::vector<model::Unit>{std::move(unit)};
  });
}

Json pick_plan_json(App&, const PickPlan& plan) {
  Json needs = Json::array();
  for (const Dependency& need : plan.prerequisites) needs.push(Json::object({{"commit", need.later}, {"needs", need.earlier}, {"why", need.why}}));
  return Json::object({{"schema", "sluice.pick/1"}, {"unit", plan.unit.id}, {"commits", Json::array_of(plan.unit.commits)},
                       {"prerequisites", std::move(needs)}, {"leaves", Json::array_of(plan.leaves)}});
}

std::string pick_plan_text(App& app, const PickPlan& plan) {
  std::string out = fmt::format("would pick ahead of the queue, as {}:\n{}", plan.unit.id, commit_lines(app, plan.unit.commits, "  "));
  for (const Dependency& need : plan.prerequisites) {
    out += fmt::format("  {} comes along: {} {}\n", model::short_oid(need.earlier), model::short_oid(need.later), need.why);
  }
  for (const std::string& unit : plan.leaves) out += fmt::format("the parked unit {} keeps the rest of its commits\n", unit);
  return out;
}

}  // namespace sluice::service
