// SPDX-License-Identifier: Apache-2.0
// `sluice revert`: what a request takes back, what depends on it, and whether the reverse picks apply.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"
#include "service/revert_unit.h"
#include "service/sync.h"

namespace sluice::service {

struct RevertRequest {
  std::vector<std::string> what;  // landed units, or single commits of one: upstream's or trunk's id
  std::string reason, owner, task, who;
  std::int64_t review_at = 0;
  bool with_dependents = false;
};

// A landed commit that builds on what is taken back.
struct Dependent {
  Oid upstream, landed;
  std::string unit, why;
};

struct RevertPlan {
  model::Unit unit;
  RevertRecord record;
  std::vector<Dependent> dependents;  // taken back as well, before the others
};

// Changes nothing. Errors: invalid (no reason, owner or review day), not_found, conflict (not in the fork;
// dependents without `with_dependents`; a reverse pick that does not apply: names the trunk commits in its way).
Result<RevertPlan> plan_revert(App& app, const Plan& plan, const RevertRequest& request);
// Plans, stores what was asked for, and lands it as one unit ahead of everything.
Result<SyncReport> revert(App& app, const RevertRequest& request);
// A parked revert is given up; its commits stay landed. Errors: not_found.
Result<void> abandon_revert(App& app, const std::string& unit, const std::string& who);

core::Json revert_plan_json(App& app, const RevertPlan& plan);  // sluice.revert/1
std::string revert_plan_text(App& app, const RevertPlan& plan);

}  // namespace sluice::service
