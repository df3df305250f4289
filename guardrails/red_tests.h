// SPDX-License-Identifier: Apache-2.0
// Every test of a proposal's suite that does not simply pass, and what the registers and the base say of it (G47, G48).
#pragma once

#include <string>
#include <vector>

#include "guardrails/suites.h"

namespace sluice::guardrails {

struct RedTest {
  const model::TestRecord* test = nullptr;  // in the record that counts; not owned
  std::string fingerprint;                  // failure.h
  bool flipped = false;                     // failed, and passed on the same tree
  enum class Answer { none, flake, known_failure } answer = Answer::none;
  std::string answered_by;                  // the entry, or that it wavers on D
  // What speaks against an answer; empty when nobody claims that there is one.
  std::string no_flake, no_known_failure;
};

// Of the record that counts for `suite` on the proposal's tree: tests that are red, or passed only when the runner
// repeated them.
Result<std::vector<RedTest>> red_tests(const SuiteFacts& facts, const std::string& suite);

// Points that repetitions of this proposal's suites have cost, by the weights of G47.
double spent(const SuiteFacts& facts, std::span<const std::string> suites);

}  // namespace sluice::guardrails
