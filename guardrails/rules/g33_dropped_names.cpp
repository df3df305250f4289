// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g33{
    .id = "G33",
    .title = "identifier dropped",
    .fail = "EXPLAIN",
    .passes = "every identifier that theirs or ours introduced against base stands in the region's result",
    .lift = "an entry for a line that holds the identifier",
    .example = "12.2 % of people's resolutions drop a name that upstream introduced, 16.5 % one of the fork's",
    .calibrated = 0,
};

}  // namespace sluice::guardrails
