// SPDX-License-Identifier: Apache-2.0
// lit as a witness that the tests cannot bend.
//
// Tests run under the same uid as lit, so an ordinary lit's memory can be rewritten through /proc/PID/mem
// and its report through the file system. The wrapper makes the interpreter undumpable before lit starts
// (a launcher cannot do it: exec resets the flag) and has the report written to a pipe of the runner that
// tests do not inherit. Where the kernel can, signals of the tests do not reach it either.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice::runners {

struct LitCommand {
  std::vector<std::string> argv;  // holds "{results_fd}"
  // lit executes the configuration of the tests' directory. One in /build (the usual lit.site.cfg.py) was
  // written by the candidate's own build; the record then says so.
  bool configured_in_build = false;
};

// nullopt when `step` does not start a lit that the candidate cannot have written (below /usr or /suites).
// scope_signals: signals of the tests shall not reach lit (needs Landlock of version 6). without_shm: /dev/shm
// is closed, so lit gets semaphores of another make.
std::optional<LitCommand> wrap_lit(const std::vector<std::string>& step, bool scope_signals = false, bool without_shm = false);

}  // namespace sluice::runners
