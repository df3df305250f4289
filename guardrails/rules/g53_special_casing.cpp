// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g53{
    .id = "G53",
    .title = "special-casing",
    .fail = "BLOCK",
    .passes = "`diff(M,P)` adds no reference to test names, `PYTEST_CURRENT_TEST`, `CI`, `LIT_`, runner host names, harness modules, "
               "timers, `gc.get_objects` or hashes of inputs",
    .lift = "the change by a person, outside of a pick",
    .example = "generated kernels that patch the timer or recognise the test's inputs (KernelBench 82)",
    .calibrated = 0,
    .companion = true,
};

}  // namespace sluice::guardrails
