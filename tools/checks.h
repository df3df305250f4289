// SPDX-License-Identifier: Apache-2.0
// Rounds of checks, and how a model is told of their findings. Inner header of tools/.
#pragma once

#include <vector>

#include "tools/tool.h"

namespace sluice::tools {

// Asks the checks of `draft` and counts the round. Findings that say `pass` are left out; the worst come first.
Result<std::vector<Finding>> check_round(const Desk& desk, Level level, const Draft& draft);
// It keeps an answer from being accepted.
bool hinders(const Finding& finding);
// Adds "findings" to `body`, at most 50 of them and each of bounded size; the paths whose lines they show go to `paths`.
// Of a path that is withheld the finding says that it is there and no more.
void tell(const Desk& desk, const std::vector<Finding>& findings, Json& body, std::vector<std::string>& paths);

}  // namespace sluice::tools
