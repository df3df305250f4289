// SPDX-License-Identifier: Apache-2.0
// The canaries of one run: asked before its first unit, remembered for `status` and the alerts.
#pragma once

#include <string>

#include "service/app.h"
#include "service/canary/canary.h"

namespace sluice::service {

// What the last run's canaries said: {at, red, quarantined: [gate], unproven: [..], finding}.
inline constexpr const char* canaries_key = "canaries";

// Asks all of them under the policy in force and stores the outcome; an event when the set of quarantined gates
// changed. Empty: every gate can fail. Else the sentence that says which cannot, and that nothing lands.
// Errors: of the store; of the canaries themselves (then nothing is proven either).
Result<std::string> prove_gates(App& app);

// From what is stored: the sentence of the last run; empty = its gates were proven, or it never ran.
Result<std::string> unproven_gates(App& app);

}  // namespace sluice::service
