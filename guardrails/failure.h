// SPDX-License-Identifier: Apache-2.0
// Which failure a failed test shows: the same one tomorrow, in another directory, at another address.
#pragma once

#include <string>
#include <string_view>

#include "core/model/evidence.h"

namespace sluice::guardrails {

// What a failure says, without what changes from run to run: addresses, numbers, times, directories, colours.
std::string failure_text(std::string_view detail);
// "f-" and 12 digits of sha256 over state and failure_text; empty when the failure says nothing, because then any
// other failure of the test would be the same one.
std::string failure_fingerprint(const model::TestRecord& test);

}  // namespace sluice::guardrails
