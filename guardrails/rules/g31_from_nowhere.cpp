// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constexpr Threshold g31_thresholds[] = {{"threshold", 10, "lines around the region that count for a person's answer"}};
constinit const Rule g31{
    .id = "G31",
    .title = "token from nowhere",
    .fail = "ESCALATE",
    .passes = "every identifier of a region's result stands in base, ours or theirs of the region; for a person's answer also in the "
               "`threshold` lines around it",
    .lift = "a person",
    .example = "3.6 to 3.9 % of people's resolutions hold one: right in most cases, and always worth a look",
    .calibrated = 0,
    .thresholds = g31_thresholds,
};

}  // namespace sluice::guardrails
