// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g48{
    .id = "G48",
    .title = "red base",
    .fail = "BLOCK",
    .passes = "a failure is subtracted only with the same fingerprint on D, outside the touched files, and with an entry in the "
               "register of known failures that has an owner and expires within 7 days",
    .lift = "an entry in the register of known failures; or a green trunk",
    .example = "a quarantine service that answered \"green\" when it could not be reached turned the gates off (PostHog 68290)",
    .calibrated = 0,
    .needs_suites = true,
};

}  // namespace sluice::guardrails
