// SPDX-License-Identifier: Apache-2.0
// The canary of a harness: a test that fails and forges the report of the program that judges it, run for real, in
// the sandbox and by the lit of the policy's own suite. What comes back must turn G44 red.
#pragma once

#include <optional>

#include "service/app.h"
#include "service/canary/canary.h"

namespace sluice::service {

// Nothing where no required suite is of kind lit, or its command names no lit. Errors: no sandbox, no disk.
Result<std::optional<CanaryResult>> hostile_harness(App& app);

}  // namespace sluice::service
