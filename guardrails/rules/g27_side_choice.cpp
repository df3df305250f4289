// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g27{
    .id = "G27",
    .title = "side chosen in silence",
    .fail = "EXPLAIN",
    .passes = "a region that is answered with one side while the other side has a change of its own is declared by an entry "
               "`side_choice` or `FORMAT_EQUAL`",
    .lift = "an entry `side_choice` with code `SIDE`; the lines of the other side still need their own entries",
    .example = "a resolver that takes \"ours\" for every region gives a pick that builds, passes every test, and brings nothing",
    .calibrated = 0,
};

}  // namespace sluice::guardrails
