// SPDX-License-Identifier: Apache-2.0
#include "service/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/log.h"
#include "core/text.h"
#include "service/revert_unit.h"

namespace sluice::service {

namespace {

Result<void> reopen(App& app, model::Unit unit, const std::string& why) {
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  for (model::LedgerRow row : rows) {
    if (row.disposition != model::Disposition::deferred || row.unit != unit.id) continue;
    row.disposition = model::Disposition::pending;
    row.reason = fmt::format("picked again: {} {}", unit.id, why);
    row.at = app.clock.now();
    TRY(app.store.put_ledger(row));
  }
  unit.state = model::UnitState::dropped;
  unit.reason = why;
  TRY(app.store.put_unit(unit));
  return transaction.commit();
}

// The commits of `dep-blocked(a, b)`; empty for any other evidence.
std::vector<Oid> blockers(const std::string& evidence) {
  constexpr std::string_view head = "dep-blocked(";
  std::vector<Oid> out;
  if (!evidence.starts_with(head) || !evidence.ends_with(")")) return out;
  const std::string_view inner = std::string_view(evidence).substr(head.size(), evidence.size() - head.size() - 1);
  for (const std::string_view part : core::split(inner, ',')) {
    const std::string_view oid = core::trim(part);
    if (!model::is_oid(oid)) return {};
    out.emplace_back(oid);
  }
  return out;
}

// A parked unit that holds no deferred commit any more is done.
Result<void> drop_empty_units(App& app, const std::set<std::string>& units) {
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  for (const std::string& id : units) {
    const bool holds = std::any_of(rows.begin(), rows.end(), [&](const model::LedgerRow& row) {
      return row.unit == id && row.disposition == model::Disposition::deferred;
    });
    TRY_ASSIGN(auto unit, app.store.unit(id));
    if (holds || !unit || unit->state != model::UnitState::parked) continue;
    unit->state = model::UnitState::dropped;
    unit->reason = "its commits are offered again";
    TRY(app.store.put_unit(*unit));
  }
  return {};
}

}  // namespace

Result<void> drop_settled_units(App& app, const std::map<Oid, model::LedgerRow>& ledger, std::vector<model::Unit>& units) {
  std::set<std::string> holding;  // also for commits that joined the unit later
  for (const auto& [oid, row] : ledger) {
    if (row.disposition == model::Disposition::deferred) holding.insert(row.unit);
  }
  for (model::Unit& unit : units) {
    const bool open = unit.state != model::UnitState::landed && unit.state != model::UnitState::dropped;
    if (!open || holding.contains(unit.id)) continue;
    const bool revert = unit.kind == model::UnitKind::revert;
    TRY_ASSIGN(const auto taken, app.store.take(unit.id));
    if (taken) continue;  // somebody works on it: released with a notice at the end of the run
    const bool settled = std::all_of(unit.commits.begin(), unit.commits.end(), [&](const Oid& oid) {
      const auto row = ledger.find(oid);
      if (revert) return row != ledger.end() && !is_in_fork(row->second);  // nothing is left to take back
      return row != ledger.end() && model::is_settled(row->second.disposition);
    });
    if (!settled) continue;
    unit.state = model::UnitState::dropped;
    unit.reason = revert ? "its commits have left the fork" : "its commits are settled";
    if (app.lock != nullptr) TRY(app.store.put_unit(unit));
  }
  return {};
}

Result<void> release_dependents(App& app) {
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  std::map<Oid, model::Disposition> now;
  for (const model::LedgerRow& row : rows) now.emplace(row.upstream, row.disposition);
  std::set<std::string> touched;
  TRY_ASSIGN(auto transaction, app.store.begin());
  for (model::LedgerRow row : rows) {
    if (row.disposition != model::Disposition::deferred) continue;
    const std::vector<Oid> needs = blockers(row.evidence);
    if (needs.empty()) continue;
    const bool free = std::all_of(needs.begin(), needs.end(), [&](const Oid& oid) {
      const auto found = now.find(oid);
      return found != now.end() && model::is_settled(found->second);
    });
    if (!free) continue;
    row.disposition = model::Disposition::pending;
    row.reason = "what it waited for is settled";
    row.at = app.clock.now();
    TRY(app.store.put_ledger(row));
    touched.insert(row.unit);
  }
  TRY(drop_empty_units(app, touched));
  return transaction.commit();
}

Result<void> offer_rest(App& app) {
  TRY_ASSIGN(const auto units, app.store.units());
  for (const model::Unit& unit : units) {
    if (unit.state != model::UnitState::parked || unit.commits.size() < 2) continue;
    TRY_ASSIGN(const auto front, app.store.ledger(unit.commits.front()));
    if (!front || !model::is_settled(front->disposition)) continue;
    const std::string why =
        fmt::format("began with {}, which is {} now", model::short_oid(front->upstream), model::to_string(front->disposition));
    core::log_info(fmt::format("{} {}: the rest of it is offered again", unit.id, why));
    TRY(reopen(app, unit, why));
  }
  return {};
}

Result<void> retry_parked(App& app, const Oid& trunk) {
  TRY_ASSIGN(const auto units, app.store.units());
  std::vector<model::Unit> waiting;
  for (const model::Unit& unit : units) {
    if (unit.kind == model::UnitKind::revert) continue;
    if (unit.state == model::UnitState::parked && unit.rule == "conflict" && unit.base != trunk) waiting.push_back(unit);
  }
  if (waiting.empty()) return {};
  TRY_ASSIGN(const Oid tree, app.repo.reader().tree_of(trunk));
  TRY_ASSIGN(const git::Repo scratch, app.repo.scratch());
  TRY_ASSIGN(git::Picker picker, git::Picker::open(scratch, app.config.policy.paths));
  for (model::Unit& unit : waiting) {
    const model::Pick pick = picker.pick(unit.commits.front(), tree);
    if (pick.status == model::PickStatus::clean || pick.status == model::PickStatus::empty) {
      const std::string why = fmt::format("no longer conflicts on trunk {}", model::short_oid(trunk));
      core::log_info(fmt::format("{} {}: picked again", unit.id, why));
      TRY(reopen(app, unit, why));
    } else if (pick.status == model::PickStatus::conflict) {
      unit.base = trunk;
      TRY(app.store.put_unit(unit));
    }
  }
  return {};
}

}  // namespace sluice::service
