// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constexpr Threshold g24_thresholds[] = {{"min_length", 6, "letters of an identifier"}};
constinit const Rule g24{
    .id = "G24",
    .title = "orphaned symbol",
    .fail = "ESCALATE",
    .passes = "no identifier of min_length letters or more keeps its definition and loses its last use, unless upstream does the "
               "same from B to U",
    .lift = "a person; or remove the definition as well",
    .example = "facebookexperimental/triton 69e895ea5: `narrowIntervalForSubview` stays defined, and nobody calls it any more",
    .calibrated = 0,
    .thresholds = g24_thresholds,
    .companion = true,
};

}  // namespace sluice::guardrails
