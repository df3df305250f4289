// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constexpr Threshold g11_thresholds[] = {{"threshold", 10, "lines between a change and the nearest conflict region"},
                                           {"max_lines", 60, "changed lines outside, above which a person is asked (p95 is 58)"}};
constinit const Rule g11{
    .id = "G11",
    .title = "changes near the conflict",
    .fail = "EXPLAIN, above max_lines ESCALATE",
    .passes = "in a conflicted file each changed range of `diff(M,P)` overlaps a conflict region or lies within `threshold` lines of "
               "one, in lines of M",
    .lift = "an entry `adapt` for each line outside; above max_lines a person",
    .example = "on 236 accepted resolutions of facebookexperimental/triton 75 % keep within 10 lines; the longest edits 2,679 lines "
               "elsewhere",
    .calibrated = 0,
    .thresholds = g11_thresholds,
};

}  // namespace sluice::guardrails
