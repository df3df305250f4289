// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g45{
    .id = "G45",
    .title = "tolerances and coverage of values",
    .fail = "BLOCK",
    .passes = "numbers in calls or keys named like a tolerance do not grow; lists of dtypes, shapes, seeds and parameters do not "
               "shrink; loop counts do not fall; U's own changes are listed",
    .lift = "the change by a person, outside of a pick",
    .example = "a resolver that met a numeric mismatch made `atol=1e-3` of `1e-5`",
    .calibrated = 0,
    .companion = true,
};

}  // namespace sluice::guardrails
