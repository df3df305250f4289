// SPDX-License-Identifier: Apache-2.0
// What a source file says about its own testing: tests, marks, checks, tolerances, lists of values, handlers.
// Read from tokens, so that layout, comments and line breaks change nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::guardrails {

enum class FactKind {
  test,       // key: its name; values[0]: a digest of its body
  skip,       // key: the mark and the conditions it stands under, without its words
  check,      // key: an assertion, without its message and without tolerances
  guard,      // key: `raise`, `return failure()`, fatal error and the condition it stands under
  tolerance,  // key: the name that the number stands at; number
  closeness,  // key: a call that compares with a tolerance
  list,       // key: what it lists; values: its elements. `conditional`: no literal, so nothing is known
  count,      // key: what is counted; number
  handler,    // key: a broad handler that does not raise again
  config,     // key: a statement of a lit configuration that takes tests out, with its conditions
  suppress,   // key: a pragma that ignores a warning, a `noexcept`
};

struct SourceFact {
  FactKind kind = FactKind::test;
  std::string
      context;  // class and function it stands in or decorates: "TestAdd.test_sum"; empty at top level
  std::string key;
  std::vector<std::string> values;
  double number = 0;
  bool conditional = false;  // a mark that holds under a condition only
  std::uint32_t line = 0;    // 1-based
};

// Names in which numbers are tolerances, counts of repetition, or that name lists of values to test with.
bool is_tolerance_name(std::string_view name);
bool is_reversed_tolerance_name(std::string_view name);  // decimal, places: fewer is wider
bool is_count_name(std::string_view name);
bool is_list_name(std::string_view name);
// Compares two tensors or numbers, with tolerances as further arguments.
bool is_closeness_call(std::string_view name);

// The value of a number as Python or C++ writes it (1e-3, 0x10, 1'000, 1_000, 1.0f); false for none.
bool number_of(std::string_view token, double& value);
// 16 hex digits over `text`; equal text, equal digits.
std::string digest_of(std::string_view text);

// What is read of a file; the rest of a longer one is not looked at.
inline constexpr std::size_t max_source_bytes = 4u << 20;

}  // namespace sluice::guardrails
