// SPDX-License-Identifier: Apache-2.0
// Child processes: an argv, never a shell string. Every child leads a process group of its own, which
// is killed as a whole on time-out, cancellation and destruction.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace sluice::core {

struct ResourceLimit {
  int resource = 0;  // RLIMIT_*
  std::uint64_t value = 0;
};

struct ProcessOptions {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH of the *parent* when it has no slash
  // Whole environment of the child; nullopt = inherit ours. Empty map = empty environment.
  std::optional<std::map<std::string, std::string>> env;
  std::map<std::string, std::string> extra_env;  // added to the inherited one; ignored with `env`
  std::string cwd;                               // empty = ours
  std::string input;                             // written to stdin, then closed
  std::int64_t timeout_ms = 0;                   // 0 = none
  std::size_t output_cap = 64u << 20;            // per stream, kept as head + tail
  bool merge_stderr = false;                     // stderr into `out`, in order
  const std::atomic<bool>* cancel = nullptr;     // polled at least every 100 ms; not owned
  // For the sandbox; applied in the child between fork and exec, in this order.
  std::string cgroup_procs;  // a cgroup.procs file to which the child writes itself; empty = none
  std::vector<std::string> more_cgroup_procs;
  std::vector<ResourceLimit> limits;
  std::optional<uid_t> uid;  // drops supplementary groups, sets gid then uid, no_new_privs
  std::optional<gid_t> gid;
  std::vector<int> keep_fds;  // every other descriptor >= 3 is closed
};

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when signalled
  int signal = 0;
  bool timed_out = false;
  bool cancelled = false;
  std::string out, err;                        // capped: head, "\n[... truncated N bytes ...]\n", tail
  std::uint64_t out_bytes = 0, err_bytes = 0;  // before the cap
  std::int64_t wall_ms = 0;
  std::int64_t max_rss_kib = 0;
  bool ok() const { return exit_code == 0 && !timed_out && !cancelled; }
};

// Errors: not_found (no such program), invalid (empty argv, bad cwd), internal (fork, pipe).
// A non-zero exit is a value, not an error. After return no process of the child's group is alive.
Result<ProcessResult> run_process(const ProcessOptions& options);

// A long-lived child spoken to over pipes, e.g. `git merge-tree --stdin`. One thread at a time.
class ChildProcess {
 public:
  static Result<ChildProcess> start(const ProcessOptions& options);  // `input`, caps are ignored
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();  // kills the group

  // Errors: transient when the child has gone (EPIPE).
  Result<void> write(std::string_view bytes);
  // Appends what is there to `out`; waits up to timeout_ms for the first byte. Returns the number of
  // bytes read; 0 = end of file. Errors: transient on time-out.
  Result<std::size_t> read_some(std::string& out, std::int64_t timeout_ms);
  // What the child wrote to stderr since the last call. Never blocks.
  std::string take_stderr();
  void close_stdin();
  // Waits for the end (killing after timeout_ms); exit code, 128 + signal when signalled.
  int wait(std::int64_t timeout_ms);
  pid_t pid() const;

 private:
  struct State;
  explicit ChildProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// `a 'b c'`: for printing a command a person can paste. Never used to run one.
std::string shell_quote(const std::vector<std::string>& argv);

}  // namespace sluice::core
