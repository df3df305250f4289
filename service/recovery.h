// SPDX-License-Identifier: Apache-2.0
// What a killed process left open, decided by what is outside: trunk itself.
#pragma once

#include <vector>

#include "core/model/unit.h"
#include "landing/landing.h"
#include "service/app.h"

namespace sluice::service {

// Journal rows that are still open. Trunk holds the commit: the unit landed, and is recorded as if the process
// had lived. Trunk still stands on the judged base and a round is open: left to that round, which pushes the
// same commit again. Otherwise abandoned. Returns the units that landed.
Result<std::vector<model::Unit>> recover_landings(App& app, landing::Queue& queue);

// Refs of units that are neither landed nor under way: nobody needs what they hold.
Result<void> remove_left_over_refs(App& app);

}  // namespace sluice::service
