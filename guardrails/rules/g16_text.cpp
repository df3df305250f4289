// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

constinit const Rule g16{
    .id = "G16",
    .title = "characters that deceive",
    .fail = "BLOCK",
    .passes = "no new bidirectional control, zero-width character, NUL, invalid UTF-8, or identifier of mixed script; a line that B, "
               "D or U has at that path is its author's own",
    .lift = "nothing: write the character as an escape",
    .example = "CVE-2021-42574: right-to-left overrides make a comment of what the compiler reads as code",
    .calibrated = 0,
    .companion = true,
};

}  // namespace sluice::guardrails
