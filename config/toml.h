// SPDX-License-Identifier: Apache-2.0
// toml++ as config/ uses it: header-only, without exceptions (parse errors are values) and writers.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
