// SPDX-License-Identifier: Apache-2.0
// What of a path the proposal itself wrote: not the machine merge, not one of the two sides.
#pragma once

#include <string>

#include "core/result.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {

// P has at `path` exactly what the fork or upstream has (also: nothing).
Result<bool> takes_a_side(PickView& view, const std::string& path);
// Empty when, at a conflicted path, P changes M only inside the regions and every line it puts there
// stands in D or U; otherwise the first line that breaks this ("outside the conflict" or its text).
Result<std::string> own_change(PickView& view, const std::string& path);

}  // namespace sluice::guardrails
