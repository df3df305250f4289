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
#include "runners/watch.h"

namespace sluice::runners {

enum class Backend { bubblewrap, none };

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
  // The command gets an open descriptor, whose number replaces every "{results_fd}" in argv, and is
  // process 1 of its namespace, so that no other process holds that descriptor.
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
  bool survivors = false;       // something did not die within 10 seconds of SIGKILL
};

class Sandbox {
 public:
  Sandbox(Backend backend, Identity identity);

  // Errors: what core::run_process can fail with; never because of what the command does.
  Result<Outcome> run(const Command& command) const;

  Backend backend() const { return backend_; }
  const Identity& identity() const { return identity_; }
  std::string limits() const { return describe(cgroups_); }  // the mechanisms in force

 private:
  Backend backend_;
  Identity identity_;
  std::vector<CgroupSite> cgroups_;
};

}  // namespace sluice::runners
