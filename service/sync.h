// SPDX-License-Identifier: Apache-2.0
// One ingest cycle: fetch, plan, and every unit through pick, proposal, judgement and landing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/unit.h"
#include "service/planning.h"

namespace sluice::service {

struct SyncOptions {
  bool dry_run = false;         // say what would be done, change nothing
  std::int64_t limit = 0;       // at most so many units; 0 = all
  std::string unit;             // only this unit, also when it is parked
  std::string accept_trunk;     // a full commit id: continue on this trunk after TRUNK_REWOUND
};

struct SyncReport {
  Oid trunk_before, trunk_after;
  Plan plan;                              // as of the first round
  std::vector<model::Unit> units;         // every unit that changed in this run, in its last state
  std::vector<model::LedgerRow> settled;  // rows settled without a pick
  std::vector<model::LedgerRow> recognised;  // picks that people made on trunk, found since the last run
  std::size_t waiting = 0;                // units that wait for a person now, new or not
  std::vector<std::string> errors;        // outside failures: what was left undone and why
  std::string stopped;                    // people stopped it (pause, stop branch): why; nothing was decided
  std::vector<std::string> notices;       // what a person should look at, new in this run
  std::string push_refused, trunk_red;    // the sentence of errors / notices that says so; empty = not so
  model::Pins pins_before, pins_after;
  model::Metrics metrics_before, metrics_after;
  int suite_runs = 0, rounds = 0;
  bool begun = false;  // what this process was asked for is stored: a later run goes on with it
  // complete | needs_person | outside_failure | stopped
  std::string outcome() const;
  int exit_code() const;  // 0 complete, 4 something new waits for a person, 3 an outside failure, or stopped
};

// Resumable: whatever ended an earlier run, this one goes on from what is stored.
// Errors: what prevents any work (configuration, store, fork not reachable).
Result<SyncReport> sync(App& app, const SyncOptions& options);

// The same for a few units that somebody asked for (`command`: pick, submit, revert): journal, fetch, brakes,
// then each through pick, proposal, judgement and landing. What was interrupted before is finished first.
// `make` names them, after the fetch; its plan has ledger, pins and facts, and no routes. Errors: also those
// of `make`.
using MakeUnits = std::function<Result<std::vector<model::Unit>>(App& app, const Plan& plan)>;
Result<SyncReport> run_units(App& app, const std::string& command, const MakeUnits& make);

core::Json sync_json(App& app, const SyncReport& report);     // sluice.sync/1
std::string sync_text(App& app, const SyncReport& report);    // for people

}  // namespace sluice::service
