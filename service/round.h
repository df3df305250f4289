// SPDX-License-Identifier: Apache-2.0
// The work of one cycle, stored before it begins. Routing looks at everything that is pending, so a plan made
// anew in the middle of a cycle is another one: a killed process must go on with the plan that it had.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/unit.h"
#include "service/app.h"

namespace sluice::service {

struct Round {
  std::string command;             // sync, pick, submit, revert
  Oid trunk;                       // the trunk it works on; follows our own landings
  Oid upstream_tip;
  std::string policy;              // sha256 of the policy it was planned under
  std::vector<model::Unit> units;  // kind, commits and reason, in the order of work
  std::map<Oid, std::vector<Oid>> depends_on;  // of their commits
  std::vector<std::string> notices;            // what a person should look at, so far
};

// Stores `round` as the open one, in one transaction with the state of its units: those that were parked or
// taken are `routed` again.
Result<void> start_round(App& app, const Round& round);
// After a change of trunk, units or notices. Joins the transaction that made the change.
Result<void> put_round(App& app, const Round& round);
Result<void> close_round(App& app);
// The round that a former process did not end. Errors: internal when the record cannot be read.
Result<std::optional<Round>> open_round(App& app);

// What is left to do of a unit: its commits that have no end yet. Empty: it landed, or is parked or taken.
Result<model::Unit> rest_of(App& app, model::Unit unit);

}  // namespace sluice::service
