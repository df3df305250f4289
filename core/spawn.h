// SPDX-License-Identifier: Apache-2.0
// Starts a child of core/process.h. Inner header: only process.cpp and child_process.cpp include it.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <string>

#include "core/fd.h"
#include "core/process.h"

namespace sluice::core {

// A running child that nobody has waited for. Its pid, and so the number of its group, cannot be used
// again by the kernel before it is reaped.
struct Spawned {
  pid_t pid = -1;
  Fd pidfd;
  Fd in, out, err;  // our ends, non-blocking; err is closed with merge_stderr
};

// Success means that the program is running: exec has happened. Errors: see run_process.
Result<Spawned> spawn(const ProcessOptions& options);

struct Reaped {
  int exit_code = -1;  // 128 + signal when signalled
  int signal = 0;
  std::int64_t max_rss_kib = 0;  // at least our own at the time of the fork: the kernel counts it in
};

// Kills the whole group, reaps the leader and returns when no member is alive.
Reaped kill_and_reap(Spawned& child);

// A write to a closed pipe raises SIGPIPE in the writing thread. Held back while this lives, and
// swallowed at its end unless it was pending before.
class SigpipeGuard {
 public:
  SigpipeGuard();
  ~SigpipeGuard();
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  bool active_ = false;
  sigset_t before_{};
};

// Keeps the first and the last bytes of a stream in bounded memory.
class CappedBuffer {
 public:
  explicit CappedBuffer(std::size_t cap) : head_cap_(cap / 2), tail_cap_(cap - cap / 2) {}
  void add(std::string_view bytes);
  std::uint64_t total() const { return total_; }
  std::string text() const;  // head, a line that names the gap, tail

 private:
  std::size_t head_cap_, tail_cap_;
  std::string head_, ring_;
  std::size_t start_ = 0;  // oldest byte of a full ring
  std::uint64_t total_ = 0;
};

// Reads what is there without blocking. `fd` is closed at the end of the stream. At most
// `max_bytes`, so that a child that writes without end cannot hold us.
template <class Sink>
void drain(Fd& fd, std::size_t max_bytes, Sink&& sink) {
  char buffer[64 << 10];
  std::size_t seen = 0;
  while (fd && seen < max_bytes) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      seen += static_cast<std::size_t>(n);
      sink(std::string_view(buffer, static_cast<std::size_t>(n)));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else {
      fd.close();
    }
  }
}

}  // namespace sluice::core
