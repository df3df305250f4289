// SPDX-License-Identifier: Apache-2.0
// Texts that differ in version numbers alone: rule A2.
#pragma once

#include <string_view>

namespace sluice::agent::rules {

enum class Newer { no_answer, ours, theirs };
// The side whose numbers are nowhere smaller, ours where both are so. no_answer: the texts differ in more, or no word of
// ours speaks of a version, or each side has a larger number somewhere.
Newer newer_versions(std::string_view ours, std::string_view theirs);

}  // namespace sluice::agent::rules
