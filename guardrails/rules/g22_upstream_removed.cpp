// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g22{
    .id = "G22",
    .title = "upstream's removals are done",
    .fail = "EXPLAIN",
    .passes = "no line that U removes is still in P's file at a count above the fork's other uses",
    .lift = "an entry `upstream_removed` for each line",
    .example = "a resolution that keeps both sides leaves the call that upstream replaced beside its replacement",
    .calibrated = 0,
};

}  // namespace sluice::guardrails
