// SPDX-License-Identifier: Apache-2.0
// What a RUN pipeline does with its tools' answers: which commands are FileCheck, which stand under `not`,
// what makes a failure pass. Words and operators of the shell, no execution.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sluice::guardrails {

struct ShellFacts {
  int file_checks = 0, nots = 0, or_true = 0, allow_empty = 0, allow_unused_prefixes = 0;
  std::set<std::string> prefixes;  // what its FileCheck commands look for
};

ShellFacts read_shell(std::string_view command);
// Blanks outside quotes as one blank.
std::string squeeze_shell(std::string_view command);
// lit's own substitutions by DEFINE, a few levels deep. `budget`: bytes that may still be written for the
// file; a long definition that many lines use ends there, and a command behind it stays as it is.
std::string expand(std::string_view command, const std::map<std::string, std::string>& definitions,
                   std::size_t& budget);

}  // namespace sluice::guardrails
