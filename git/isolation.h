// SPDX-License-Identifier: Apache-2.0
// How every git process and libgit2 itself is cut off from the configuration of the machine, the user
// and the trees: no configuration files, no hooks, no filters, no fsmonitor, no replace refs, and no
// GIT_* variable of ours reaches a child. Inner header of git/.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/process.h"
#include "core/result.h"

namespace sluice::git {

// The one line of info/attributes of every store: merge-tree has no option for the marker size.
inline constexpr const char* attributes_line = "* conflict-marker-size=31\n";
inline constexpr int marker_width = 31;

// Whole environment of a git child. `network` lets through what ssh and https need (agent, proxy,
// certificates, an askpass program), still no GIT_* variable.
std::map<std::string, std::string> isolated_environment(bool network = false);

// `git --git-dir=DIR -c ... ARGS`. An empty git_dir leaves --git-dir out.
std::vector<std::string> git_command(const std::string& git_dir, const std::vector<std::string>& args,
                                     const std::vector<std::string>& settings = {});

struct GitCall {
  std::string git_dir;
  std::vector<std::string> args;
  std::vector<std::string> settings = {};  // further `-c name=value`
  std::string input = {};
  bool network = false;
  std::int64_t timeout_ms = 600'000;
  std::size_t output_cap = 64u << 20;
  const std::atomic<bool>* cancel = nullptr;
  std::vector<core::ResourceLimit> limits = {};
};
// A non-zero exit is a value, as for run_process.
Result<core::ProcessResult> run_git(const GitCall& call);

// Starts libgit2 once a process, with its configuration search paths emptied.
void start_libgit2();

// libgit2's words for the failure just seen, after `what`.
Error libgit2_error(int code, const std::string& what);

const std::string& git_version();  // "2.39.5"; "unknown" when git cannot be run

}  // namespace sluice::git
