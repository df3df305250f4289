// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g41{
    .id = "G41",
    .title = "directives are kept",
    .fail = "EXPLAIN, the fork's own ESCALATE",
    .passes = "RUN pipelines (as lit parses them), REQUIRES, UNSUPPORTED and XFAIL expressions, and CHECK, expected-error, assert "
               "and EXPECT lines of D and U are in P, less what U itself removes",
    .lift = "an entry of the three line kinds for each; the fork's own a person",
    .example = "facebookexperimental/triton 1e4c71e9b: three RUN pipelines cut before FileCheck, while every count of RUN, XFAIL and "
               "CHECK stays equal",
    .calibrated = 0,
};

}  // namespace sluice::guardrails
