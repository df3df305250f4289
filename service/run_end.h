// SPDX-License-Identifier: Apache-2.0
// What every run does last, whatever it was asked for: looks at what the team landed, and at what needs somebody.
#pragma once

#include <string>

#include "service/planning.h"
#include "service/sync.h"

namespace sluice::service {

// With autonomy `observe` scores landings that are new, a limited number of them (observe.h); then the alerts.
// New alerts join report.notices. Trouble while scoring is logged and ends no run. Errors: of the store.
Result<void> end_of_run(App& app, const std::string& command, const Plan& after, SyncReport& report);
// The same for a run that failed: alerts alone.
void end_of_failed_run(App& app);

}  // namespace sluice::service
