// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g68{
    .id = "G68",
    .title = "honest labels",
    .fail = "BLOCK",
    .passes = "the drops that a summary declares are those of the accounting record; `clean` stands exactly where G02 holds; "
               "`resolved` exactly where C is not empty",
    .lift = "nothing: the labels are written by sluice",
    .example = "facebookexperimental/triton 69e895ea5: the note on its conflict lists the files, and not the line that it lost",
    .calibrated = 0,
};

}  // namespace sluice::guardrails
