// SPDX-License-Identifier: Apache-2.0
// `sluice pick`: one upstream commit ahead of the queue, as a chain of its own. The frontier does not move for it.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"
#include "service/depending.h"
#include "service/sync.h"

namespace sluice::service {

struct PickRequest {
  std::string what;  // upstream commit, full or abbreviated
  std::string reason, who;
  bool with_prerequisites = false;
};

struct PickPlan {
  model::Unit unit;                        // a chain; the commit asked for is its last one
  std::vector<Dependency> prerequisites;   // what it builds on and the fork lacks, directly or not
  std::vector<std::string> leaves;         // parked units that lose a commit to it
};

// Changes nothing. Errors: invalid (no reason), not_found, conflict (in the fork already: says where; settled;
// in a person's hands; prerequisites without `with_prerequisites`).
Result<PickPlan> plan_pick(App& app, const Plan& plan, const PickRequest& request);
Result<SyncReport> pick_now(App& app, const PickRequest& request);

// "ahead of the queue: REASON (WHO)" for a unit that somebody asked for; empty for every other.
Result<std::string> urgent_words(App& app, const std::string& unit);

core::Json pick_plan_json(App& app, const PickPlan& plan);  // sluice.pick/1
std::string pick_plan_text(App& app, const PickPlan& plan);

}  // namespace sluice::service
