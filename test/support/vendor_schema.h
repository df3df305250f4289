// SPDX-License-Identifier: Apache-2.0
// The vendors' own schemas of a request, as the stand-in service applies them.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"

namespace sluice::test {

// Why a request body breaks the vendor's schema of the dialect; empty = it does not, or there are no schemas here.
std::string vendor_refusal(std::string_view dialect, const core::Json& body);
// The schemas lie in ../shared/data/contracts beside the sources; they are not part of sluice.
bool vendor_schemas_here();

}  // namespace sluice::test
