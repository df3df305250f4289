// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constexpr Threshold g32_thresholds[] = {{"threshold", 1, "times the lines of both sides"}};
constinit const Rule g32{
    .id = "G32",
    .title = "longer than both sides",
    .fail = "ESCALATE",
    .passes = "the result of a region has at most `threshold` times the lines of its ours and theirs together",
    .lift = "a person",
    .example = "2.0 % of people's resolutions are longer: code was written, not merged",
    .calibrated = 0,
    .thresholds = g32_thresholds,
};

}  // namespace sluice::guardrails
