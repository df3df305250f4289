// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g40{
    .id = "G40",
    .title = "test weakened",
    .fail = "BLOCK",
    .passes = "over test paths P adds no mark that makes a test not count (XFAIL, UNSUPPORTED, skip, `|| true`, `not`, ...) and "
               "removes no test, RUN line or FileCheck that D and U have; U's own marks are listed",
    .lift = "the change by a person, outside of a pick",
    .example = "facebookexperimental/triton ba165ee2f adds `// XFAIL: *` to a whole file; upstream's patch does not, and the message "
               "does not say so",
    .calibrated = 0,
    .companion = true,
};

}  // namespace sluice::guardrails
