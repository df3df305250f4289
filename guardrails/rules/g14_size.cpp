// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constexpr Threshold g14_thresholds[] = {{"threshold", 3, "changed lines for each line of conflict"},
                                           {"min_lines", 40, "changed lines that are always allowed"},
                                           {"max_files", 10, "changed files"}};
constinit const Rule g14{
    .id = "G14",
    .title = "size",
    .fail = "ESCALATE",
    .passes = "`diff(M,P)` has at most max(min_lines, threshold x conflict lines) lines in at most max_files files",
    .lift = "a person",
    .example = "a \"merge with AI\" button overwrote about 1,000 lines of main for a conflict of a few (Aperant 1343)",
    .calibrated = 0,
    .thresholds = g14_thresholds,
};

}  // namespace sluice::guardrails
