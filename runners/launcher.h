// SPDX-License-Identifier: Apache-2.0
// The program that starts a command inside and watches over it; see launcher_main.cpp.
#pragma once

#include <string>
#include <vector>

#include "core/fd.h"
#include "core/result.h"

namespace sluice::runners {

struct LauncherOptions {
  int status_fd = -1;
  int results_fd = -1;  // left open for the command alone
  // Backend B; in A bubblewrap has done all that.
  int filter_fd = -1;
  int landlock_abi = 0;
  std::vector<std::string> readable = {}, writable = {}, devices = {};  // all must exist
};

// The program, in memory: run it as launcher_argv says and keep the descriptor open over exec.
// Errors: internal (this kernel runs no program from memory, vm.memfd_noexec).
Result<core::Fd> launcher_image();
std::vector<std::string> launcher_argv(int image_fd, const LauncherOptions& options, const std::vector<std::string>& command);

// What the launcher said on its status descriptor.
struct LauncherReport {
  bool launched = false;
  bool ended = false;       // the command's end was seen by the launcher
  bool not_found = false;
  std::string setup_error;
};
LauncherReport parse_launcher_report(const std::string& status);

}  // namespace sluice::runners
