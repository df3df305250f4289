// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g61{
    .id = "G61",
    .title = "secrets",
    .fail = "BLOCK, redacted",
    .passes = "no known form of a token, no long random text beside a word for a secret, and no value of a secret that the service "
               "holds (also as base64, hex or URL text) in what the proposal adds or in its messages",
    .lift = "nothing: remove it, and revoke the secret",
    .example = "amd/gaia 2416: a step that collected evidence printed the environment of the job, tokens included",
    .calibrated = 0,
};

}  // namespace sluice::guardrails
