// SPDX-License-Identifier: Apache-2.0
// What is watched beside a running command: the disk it fills, our caller's wish to stop, and two pipes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/fd.h"
#include "core/result.h"

namespace sluice::runners {

struct DiskLimits {
  std::uint64_t bytes = 0;
  std::uint64_t files = 1'000'000;  // a tmpfs or quota of bytes alone lets inodes run out
};

struct DiskUse {
  std::uint64_t bytes = 0, files = 0;
  bool too_deep = false;
};
// Bytes are blocks in use, so holes of sparse files do not count. Stops counting beyond the limits.
Result<DiskUse> measure_disk(const std::string& directory, const DiskLimits& limits);
// A sentence when `use` of the directory that is called `what` is beyond a limit, else empty.
std::string beyond(const DiskUse& use, const DiskLimits& limits, std::string_view what = "the build directory");

// A thread for the time of one command. Thread-safe where said.
class Watch {
 public:
  struct Options {
    std::string build_dir;
    DiskLimits disk;
    std::string scratch_dir = {};     // backend B's temporary directory; "" = none
    std::vector<std::string> scratch_inside = {};  // backend A's, below the root of the namespace's first process
    DiskLimits scratch = {};               // of each of them
    const std::atomic<bool>* cancel = nullptr;  // our caller's
    int status_fd = -1;   // read end of what bwrap and the launcher report; -1 = none
    int results_fd = -1;  // read end of the harness's results; -1 = none
    std::size_t results_cap = 64u << 20;
  };
  explicit Watch(Options options);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // True once the command must end; given to run_process as its `cancel`. Thread-safe.
  const std::atomic<bool>* stop() const { return &stop_; }
  // Waits until the namespace's first process (backend B: the launcher) is gone, at most 10 seconds: with it go all others.
  bool wait_for_namespace();
  // Ends the thread after both pipes have been read to their end (the write ends must be closed).
  void finish();

  // Valid after finish().
  const std::string& status() const { return status_; }
  const std::string& results() const { return results_; }
  bool results_too_large() const { return results_too_large_; }
  const std::string& disk_trouble() const { return disk_trouble_; }

 private:
  void run();
  void read_pipes(int timeout_ms);
  void take_status();
  void look_inside(pid_t first_process);
  void check_disk();
  void check_one(const std::string& directory, const DiskLimits& limits, const char* what);

  Options options_;
  std::atomic<bool> stop_{false}, done_{false};
  std::mutex mutex_;  // guards namespace_pid_fd_, status_ended_
  std::condition_variable status_ended_;
  core::Fd namespace_pid_fd_;
  core::Fd root_inside_;  // of the namespace, once its mounts are made
  std::atomic<bool> status_open_;
  bool results_open_, results_too_large_ = false;
  std::string status_, results_, disk_trouble_;
  std::int64_t next_check_ms_ = 0;
  std::thread thread_;
};

}  // namespace sluice::runners
