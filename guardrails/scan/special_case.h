// SPDX-License-Identifier: Apache-2.0
// Words by which code recognises that it is being tested or measured, or changes what measures it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::guardrails {

struct SpecialCase {
  std::uint32_t line = 0;
  std::string what;       // for people
  bool in_tests = false;  // strange in a test too
};

// Of a file of code; comments and what a text literal merely mentions do not count. `test_names`, sorted:
// names of tests and of their files.
std::vector<SpecialCase> special_cases(std::string_view path, std::string_view text,
                                       const std::vector<std::string>& test_names);

// Names that could be tests, to look up: test_x, TestX, x_test.cpp, y.mlir.
std::vector<std::string> possible_test_names(std::string_view path, std::string_view text);

}  // namespace sluice::guardrails
