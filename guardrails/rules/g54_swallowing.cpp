// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g54{
    .id = "G54",
    .title = "swallowed errors",
    .fail = "BLOCK, a removed check of the fork alone ESCALATE",
    .passes = "`diff(M,P)` adds no broad catch without rethrow, `|| true`, `-w`, `-Wno-*`, `#pragma ... ignored`, `-DNDEBUG`; "
               "removes no assert, static_assert, llvm_unreachable, report_fatal_error, verifier or bounds check",
    .lift = "the change by a person, outside of a pick",
    .example = "an assert that fails after a merge is the cheapest test there is, and the first thing a resolver removes",
    .calibrated = 0,
    .companion = true,
};

}  // namespace sluice::guardrails
