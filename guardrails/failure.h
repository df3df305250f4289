// SPDX-License-Identifier: Apache-2.0
// Which failure a failed test shows: the same one tomorrow, in another directory, at another address.
#pragma once

#include <string>
#include <string_view>

#include "guardrails/guardrails.h"

namespace sluice::guardrails {

// What a failure says, without what changes from run to run: addresses, numbers, times, directories, colours.
std::string failure_text(std::string_view detail);
// failure_fingerprint() of the front door: "f-" and 12 digits of sha256 over state and failure_text.

}  // namespace sluice::guardrails
