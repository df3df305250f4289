// SPDX-License-Identifier: Apache-2.0
// Some tests of a suite alone, in the words of its kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/config.h"

namespace sluice::service {

// The suite with the last step asked for `tests` only. Nothing when its kind cannot, or a name is not one that its
// filter takes literally: then the whole suite has to run. A step behind a shell takes no arguments.
std::optional<model::SuiteConfig> select_tests(const model::SuiteConfig& suite, const std::vector<std::string>& tests);

}  // namespace sluice::service
