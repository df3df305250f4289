// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g49{
    .id = "G49",
    .title = "new tests fail first",
    .fail = "recorded",
    .passes = "tests that U adds fail, or do not compile, on D and pass on P",
    .lift = "nothing: it is a note for the reviewer",
    .example = "a test that passes with and without its fix proves nothing about the fix on this fork",
    .calibrated = 0,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
