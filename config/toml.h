// SPDX-License-Identifier: Apache-2.0
// toml++ as config/ uses it: header-only, without exceptions (parse errors are values) and writers.
//
// Its assertions are off, whatever the build type: version 3.3 asserts that a key begins with a key
// character where the text decides it (`[=`), aborts, and goes on to report exactly that as a parse error
// when the assertion is off. With NDEBUG the same conditions would become assumptions of the optimiser.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(condition) static_cast<void>(0)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace sluice::config {

// Errors: invalid, `<file>:<line>: ...`; also for what toml++ itself would not survive.
Result<toml::table> read_toml(std::string_view text, const std::string& file);

}  // namespace sluice::config
