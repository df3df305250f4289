// SPDX-License-Identifier: Apache-2.0
// One command, contained; it and all its descendants are dead when run() returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/process.h"
#include "core/result.h"
#include "runners/access.h"
#include "runners/bubblewrap.h"
#include "runners/cgroup.h"
#include "runners/runners.h"
#include "runners/watch.h"

namespace sluice::runners {

struct Command {
  std::vector<std::string> argv;
  Mounts mounts;
  std::map<std::string, std::string> variables;
  std::int64_t timeout_ms = 0;
  std::uint64_t memory_bytes = 0;  // 0 = three quarters of the machine's
  std::int64_t pids = 512;
  DiskLimits disk;
  std::size_t output_cap = 8u << 20;
  const std::atomic<bool>* cancel = nullptr;
  // The command gets an open descriptor, whose number replaces every "{results_fd}" in argv. No other process
  // holds it.
  bool results_pipe = false;
};

struct Outcome {
  core::ProcessResult process;  // stdout and stderr together in `out`
  std::string setup_error;      // the sandbox could not be set up; the command did not start
  std::string not_found;        // the command does not exist: its name
  std::string disk_trouble;     // stopped because of it
  std::string limits_hit;       // "memory limit reached, ...": for the record, a failing command says it badly
  std::string results;          // what came through the pipe
  bool results_too_large = false;
  std::string lost;             // the sandbox was ended from outside while the command ran: how
  bool survivors = false;       // something did not die within 10 seconds of SIGKILL
};

class Sandbox {
 public:
  Sandbox(Backend backend, Identity identity);
  // As on a kernel with this version of Landlock, at most the machine's own: for diagnosis.
  Sandbox(Backend backend, Identity identity, int landlock_abi);

  // Errors: what core::run_process can fail with; never because of what the command does.
  Result<Outcome> run(const Command& command) const;

  Backend backend() const { return backend_; }
  const Identity& identity() const { return identity_; }
  int landlock_abi() const { return landlock_abi_; }
  // Whether signals of a test cannot reach the harness that started it.
  bool signals_are_scoped() const;
  // Whether all that a command starts can be ended for sure; why not.
  std::string cannot_end_all() const;
  // "A bwrap uid:sluice-build", "B landlock:7 uid:caller paths:replaced", "none (allow_unsandboxed)".
  std::string describe_backend() const;
  std::string limits() const { return describe(cgroups_); }  // the mechanisms in force

 private:
  struct Plan;
  Result<void> plan_bubblewrap(Plan& plan) const;
  Result<void> plan_confinement(Plan& plan) const;
  void plan_bare(Plan& plan) const;
  Result<void> make_plan(Plan& plan, std::uint64_t memory) const;
  void judge_end(const Plan& plan, const Watch& watch, Outcome& outcome) const;

  Backend backend_;
  Identity identity_;
  int landlock_abi_;
  std::vector<CgroupSite> cgroups_;
};

}  // namespace sluice::runners
