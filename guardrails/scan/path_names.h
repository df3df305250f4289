// SPDX-License-Identifier: Apache-2.0
// Path names that a checkout would confuse.
#pragma once

#include <string>
#include <string_view>

namespace sluice::guardrails {

// Equal for two paths that a file system ignoring case or Unicode normalisation takes for one.
std::string folded_path(std::string_view path);
// A component that leaves the tree or means something to git: empty, ".", "..", ".git" in any case.
bool unsafe_path(std::string_view path);

}  // namespace sluice::guardrails
