// SPDX-License-Identifier: Apache-2.0
#include "service/recovery.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "core/log.h"
#include "core/text.h"
#include "service/folding.h"
#include "service/ledger_writes.h"
#include "service/round.h"

namespace sluice::service {

namespace {

// The proposal that was pushed, made again from the same inputs. Nothing when it comes out differently
// (another git, another policy): then the trailers on trunk are what is known.
Result<std::optional<model::Proposal>> fold_again(App& app, const model::Unit& unit, const store::LandingRow& row) {
  TRY_ASSIGN(Folder folder, Folder::open(app));
  auto fold = folder.fold(unit, row.base);
  if (!fold.ok() || !fold->refused.empty() || !fold->left_out.empty() || fold->proposal.members.empty()) return std::optional<model::Proposal>();
  TRY(folder.write_commits(fold->proposal, unit, row.verdict_digest));
  if (fold->proposal.tip() != row.commit) return std::optional<model::Proposal>();
  return std::optional(std::move(fold->proposal));
}

Result<void> note_trunk(App& app, const Oid& trunk) {
  TRY_ASSIGN(auto round, open_round(app));
  if (!round) return {};
  round->trunk = trunk;
  return put_round(app, *round);
}

Result<void> record_recovered(App& app, model::Unit& unit, const store::LandingRow& row) {
  TRY_ASSIGN(const auto proposal, fold_again(app, unit, row));
  TRY_ASSIGN(auto transaction, app.store.begin());
  if (proposal) {
    TRY(record_landed(app, unit, *proposal));
  } else {
    core::log_warning(fmt::format("unit {} landed as {}, and its fold comes out differently now; its trailers say what it carried",
                                  unit.id, row.commit));
    unit.state = model::UnitState::landed;
    unit.landed = row.commit;
    TRY(app.store.put_unit(unit));
    TRY(app.store.close_landing(row.id, "landed"));
  }
  TRY(note_trunk(app, row.commit));
  return transaction.commit();
}

}  // namespace

Result<std::vector<model::Unit>> recover_landings(App& app, landing::Queue& queue) {
  std::vector<model::Unit> changed;
  TRY_ASSIGN(const auto recovered, queue.recover());
  TRY_ASSIGN(const auto round, open_round(app));
  for (const landing::Recovered& item : recovered) {
    TRY_ASSIGN(auto unit, app.store.unit(item.row.unit));
    if (item.landed && unit) {
      TRY(record_recovered(app, *unit, item.row));
      core::log_info(fmt::format("recovered: unit {} had landed", unit->id));
    } else if (!item.landed && unit && round && round->trunk == item.tip && item.row.base == item.tip) {
      continue;  // the round goes on with it
    } else {
      TRY_ASSIGN(auto transaction, app.store.begin());
      TRY(app.store.close_landing(item.row.id, item.landed ? "landed" : "abandoned"));
      if (unit) {
        unit->state = model::UnitState::routed;
        TRY(app.store.put_unit(*unit));
      }
      TRY(transaction.commit());
      core::log_info(fmt::format("recovered: unit {} was {}", item.row.unit, item.landed ? "landed" : "not landed"));
    }
    if (unit && unit->state == model::UnitState::landed) changed.push_back(*unit);
  }
  return changed;
}

Result<void> remove_left_over_refs(App& app) {
  constexpr std::string_view prefix = "refs/sluice/units/";
  TRY_ASSIGN(const auto refs, app.repo.refs(std::string(prefix)));
  std::map<std::string, bool> needed;
  for (const auto& [name, oid] : refs) {
    const std::string_view tail = std::string_view(name).substr(prefix.size());
    const std::string id(tail.substr(0, tail.find('/')));
    auto known = needed.find(id);
    if (known == needed.end()) {
      TRY_ASSIGN(const auto unit, app.store.unit(id));
      known = needed.emplace(id, unit && unit->state != model::UnitState::dropped).first;
    }
    if (!known->second) TRY(app.repo.delete_ref(name));
  }
  return remove_refs_of_ended_takes(app);
}

}  // namespace sluice::service
