// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g30{
    .id = "G30",
    .title = "semantic smell",
    .fail = "ESCALATE",
    .passes = "no region is answered by deleting both sides; no new comment swallows code; no new `#if 0`; no change of whitespace "
               "or line breaks alone outside U's own hunks; no formatter output in a file that the formatter does not own",
    .lift = "a person",
    .example = "facebookexperimental/triton 1e4c71e9b: a C++ formatter ran over an MLIR test and folded its RUN lines into text",
    .calibrated = 0,
    .companion = true,
};

}  // namespace sluice::guardrails
