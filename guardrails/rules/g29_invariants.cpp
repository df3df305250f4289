// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g29{
    .id = "G29",
    .title = "invariants of the fork",
    .fail = "BLOCK",
    .passes = "every `[[invariant]]` (path, pattern, least count) that D meets still matches in P",
    .lift = "a change of the invariant in the trusted configuration",
    .example = "ma-r-s/crossplay 160: a sync dropped an override of the fork, and six weeks of releases went out without it",
    .calibrated = 0,
    .companion = true,
};

}  // namespace sluice::guardrails
