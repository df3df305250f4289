// SPDX-License-Identifier: Apache-2.0
#include "runners/watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "core/clock.h"
#include "runners/walk.h"

namespace sluice::runners {
namespace {

constexpr std::size_t status_cap = 4096;
// A walk costs time, so its pause grows with it; a fast disk writes some 100 MB in the shortest pause.
constexpr std::int64_t shortest_pause_ms = 100;
constexpr std::int64_t pause_per_walk = 10;

}  // namespace

Result<DiskUse> measure_disk(const std::string& directory, const DiskLimits& limits) {
  DiskUse use;
  TRY_ASSIGN(const bool whole, walk_tree(directory, [&](const Entry& entry) {
               use.bytes += static_cast<std::uint64_t>(entry.info.st_blocks) * 512;
               ++use.files;
               return use.bytes > limits.bytes || use.files > limits.files ? Walk::stop : Walk::go_on;
             }));
  use.too_deep = !whole;
  return use;
}

std::string beyond(const DiskUse& use, const DiskLimits& limits, std::string_view what) {
  if (use.bytes > limits.bytes)
    return fmt::format("{} holds more than {} MiB: clean up, or raise disk_mib (/build) or memory_mib (temporary files) of the suite", what, limits.bytes >> 20);
  if (use.files > limits.files) return fmt::format("{} holds more than {} files", what, limits.files);
  if (use.too_deep) return fmt::format("{} is nested deeper than {} directories", what, max_walk_depth);
  return "";
}

Watch::Watch(Options options)
    : options_(std::move(options)), status_open_(options_.status_fd >= 0), results_open_(options_.results_fd >= 0),
      thread_([this] { run(); }) {}

Watch::~Watch() { finish(); }

void Watch::finish() {
  done_ = true;
  if (thread_.joinable()) thread_.join();
}

void Watch::run() {
  while (!done_) {
    read_pipes(20);
    if (options_.cancel != nullptr && options_.cancel->load()) stop_ = true;
    if (!stop_) check_disk();
  }
  // A process that does not die (an unreachable network disk) would hold its end for ever.
  const std::int64_t deadline = core::steady_ms() + 10'000;
  while ((status_open_ || results_open_) && core::steady_ms() < deadline) read_pipes(100);
  next_check_ms_ = 0;
  check_disk();  // what a short command left behind counts as well
}

void Watch::read_pipes(int timeout_ms) {
  pollfd wait[2] = {{status_open_ ? options_.status_fd : -1, POLLIN, 0}, {results_open_ ? options_.results_fd : -1, POLLIN, 0}};
  if (poll(wait, 2, timeout_ms) <= 0) return;
  char buffer[65536];
  if (wait[0].revents != 0) {
    const ssize_t n = read(options_.status_fd, buffer, sizeof buffer);
    if (n > 0 && status_.size() < status_cap) status_.append(buffer, static_cast<std::size_t>(n));
    const std::lock_guard lock(mutex_);
    take_status();
    status_open_ = n > 0;
    if (n <= 0) status_ended_.notify_all();
  }
  if (wait[1].revents != 0) {
    const ssize_t n = read(options_.results_fd, buffer, sizeof buffer);
    results_open_ = n > 0;
    if (n <= 0) return;
    if (results_.size() + static_cast<std::size_t>(n) <= options_.results_cap) results_.append(buffer, static_cast<std::size_t>(n));
    else results_too_large_ = true;
  }
}

void Watch::take_status() {
  constexpr std::string_view key = "\"child-pid\": ";
  const auto at = status_.find(key);
  pid_t pid = 0;
  if (at == std::string::npos) return;
  std::from_chars(status_.data() + at + key.size(), status_.data() + status_.size(), pid);
  if (pid > 0 && !namespace_pid_fd_) namespace_pid_fd_ = core::Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  // Before that line its root is still the machine's.
  if (namespace_pid_fd_ && !root_inside_ && status_.find("\"launched\"") != std::string::npos) look_inside(pid);
}

void Watch::look_inside(pid_t first_process) {
  if (options_.scratch_inside.empty()) return;
  core::Fd root(open(fmt::format("/proc/{}/root", first_process).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  // The number may have been given to another process by now.
  pollfd gone{namespace_pid_fd_.get(), POLLIN, 0};
  if (poll(&gone, 1, 0) == 0) root_inside_ = std::move(root);
}

bool Watch::wait_for_namespace() {
  std::unique_lock lock(mutex_);
  // Its process id is known for sure once the pipe has been read to its end.
  if (!status_ended_.wait_for(lock, std::chrono::seconds(10), [&] { return !status_open_; })) return false;
  if (!namespace_pid_fd_) return true;  // never started, or already gone when we looked
  pollfd wait{namespace_pid_fd_.get(), POLLIN, 0};
  return poll(&wait, 1, 10'000) == 1;
}

void Watch::check_one(const std::string& directory, const DiskLimits& limits, const char* what) {
  if (!disk_trouble_.empty()) return;
  if (const auto use = measure_disk(directory, limits); use.ok()) disk_trouble_ = beyond(*use, limits, what);
}

void Watch::check_disk() {
  const std::int64_t start = core::steady_ms();
  if (start < next_check_ms_) return;
  check_one(options_.build_dir, options_.disk, "the build directory");
  if (!options_.scratch_dir.empty()) check_one(options_.scratch_dir, options_.scratch, "the temporary directory");
  if (root_inside_) {
    for (const auto& directory : options_.scratch_inside)
      check_one(fmt::format("/proc/self/fd/{}{}", root_inside_.get(), directory), options_.scratch, directory.c_str());
  }
  if (!disk_trouble_.empty()) stop_ = true;
  const std::int64_t end = core::steady_ms();
  next_check_ms_ = end + std::max(shortest_pause_ms, (end - start) * pause_per_walk);
}

}  // namespace sluice::runners
