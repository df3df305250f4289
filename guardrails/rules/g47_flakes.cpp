// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g47{
    .id = "G47",
    .title = "flakes",
    .fail = "BLOCK",
    .passes = "a test that passes after it failed on the same tree is in the flake register or wavers on D too; repetitions stay "
               "within the budget; a test in the touched area gets none",
    .lift = "an entry in the flake register, with owner and expiry",
    .example = "a queue that repeats until green lands every race condition",
    .calibrated = 0,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
