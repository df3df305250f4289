// SPDX-License-Identifier: Apache-2.0
// The conditions behind the alerts, each from stored facts.
#pragma once

#include <vector>

#include "service/alerts.h"

namespace sluice::service {

// What contained the suites of the last run: JSON {backend, uid, limits}. status shows it.
inline constexpr const char* sandbox_key = "sandbox";

struct Condition {
  store::AlertRow row;   // opened_at: the time of now
  bool notify = false;   // a new one is a notice of its own; the others are told by the run in its words
};

// `at_work`: this process holds the lock and is in the middle of a run, which is then not an interrupted one.
Result<std::vector<Condition>> present_conditions(App& app, bool at_work);
// The kinds that present_conditions() knows. Others are raised and closed elsewhere.
bool is_condition(const std::string& kind);

// What only a run can find out, kept for the next `status`: what it said, the sandbox, how often each unit was
// validated.
Result<void> note_run(App& app, const RunFacts& run);

}  // namespace sluice::service
