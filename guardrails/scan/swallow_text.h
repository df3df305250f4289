// SPDX-License-Identifier: Apache-2.0
// Options and words of one line by which a build or a script goes on where it should fail.
#pragma once

#include <string_view>

namespace sluice::guardrails {

// `|| true`, `-w`, `-Wno-...`, `-DNDEBUG`, `set +e`; empty: none. Comments do not count.
std::string_view swallowing_text(std::string_view path, std::string_view line);
// `|| true` and `|| :` alone, behind which a shell forgets a failure.
bool has_or_true(std::string_view line);

}  // namespace sluice::guardrails
