// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/clock.h"
#include "core/spawn.h"
#include "core/text.h"

namespace sluice::core {
namespace {

// Brakes on what a child may make us hold: answers while we are still writing, and its complaints.
constexpr std::size_t most_pending = 256u << 20;
constexpr std::size_t most_stderr = 1u << 20;
constexpr std::size_t one_turn = 1u << 20;

}  // namespace

struct ChildProcess::State {
  Spawned child;
  pid_t pid = -1;  // kept after the end, for messages
  std::string name;
  std::string pending;  // read from stdout, not yet handed out
  CappedBuffer err{most_stderr};
  std::optional<int> exit_code;

  void take_in(bool stdout_too) {
    if (stdout_too) drain(child.out, one_turn, [this](std::string_view b) { pending += b; });
    drain(child.err, one_turn, [this](std::string_view b) { err.add(b); });
  }
  // Waits up to `ms` (-1 = for ever) for any of the streams, or for the end of the child.
  void wait_for(bool reading, bool writing, bool ending, std::int64_t ms) {
    struct pollfd watch[] = {{reading ? child.out.get() : -1, POLLIN, 0},
                             {child.err.get(), POLLIN, 0},
                             {writing ? child.in.get() : -1, POLLOUT, 0},
                             {ending ? child.pidfd.get() : -1, POLLIN, 0}};
    ::poll(watch, 4, static_cast<int>(std::min<std::int64_t>(ms, 1'000'000)));
  }
  bool has_ended() {
    struct pollfd watch {
      child.pidfd.get(), POLLIN, 0
    };
    return !child.pidfd || ::poll(&watch, 1, 0) == 1;
  }
};

ChildProcess::ChildProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() {
  if (state_) (void)kill_and_reap(state_->child);
}
ChildProcess& ChildProcess::operator=(ChildProcess&& o) noexcept {
  std::swap(state_, o.state_);
  return *this;
}

Result<ChildProcess> ChildProcess::start(const ProcessOptions& options) {
  TRY_ASSIGN(Spawned child, spawn(options));
  auto state = std::make_unique<State>();
  state->pid = child.pid;
  state->name = printable(options.argv[0]);
  state->child = std::move(child);
  return ChildProcess(std::move(state));
}

Result<void> ChildProcess::write(std::string_view bytes) {
  State& s = *state_;
  const SigpipeGuard no_sigpipe;
  while (!bytes.empty()) {
    if (!s.child.in) return make_error(ErrorKind::transient, fmt::format("'{}' takes no more input", s.name));
    const ssize_t n = ::write(s.child.in.get(), bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      s.child.in.close();
      return make_error(ErrorKind::transient,
                        fmt::format("'{}' (pid {}) has gone: {}", s.name, s.pid, std::strerror(errno)));
    }
    // The child may itself wait for us to read: keep both directions moving.
    if (s.pending.size() > most_pending) {
      return make_error(ErrorKind::transient,
                        fmt::format("'{}' answered {} bytes while it was still being written to, "
                                    "the limit is {}",
                                    s.name, s.pending.size(), most_pending));
    }
    s.wait_for(true, true, true, -1);
    s.take_in(true);
  }
  return {};
}

Result<std::size_t> ChildProcess::read_some(std::string& out, std::int64_t timeout_ms) {
  State& s = *state_;
  const std::int64_t deadline = steady_ms() + timeout_ms;
  while (true) {
    s.take_in(true);
    if (!s.pending.empty()) {
      const std::size_t n = s.pending.size();
      out += s.pending;
      s.pending.clear();
      return n;
    }
    if (!s.child.out) return std::size_t{0};
    const std::int64_t left = deadline - steady_ms();
    if (left <= 0) {
      return make_error(ErrorKind::transient,
                        fmt::format("'{}' (pid {}) wrote nothing for {} ms", s.name, s.pid, timeout_ms));
    }
    s.wait_for(true, false, false, left);
  }
}

std::string ChildProcess::take_stderr() {
  State& s = *state_;
  s.take_in(false);
  std::string text = s.err.text();
  s.err = CappedBuffer(most_stderr);
  return text;
}

void ChildProcess::close_stdin() { state_->child.in.close(); }

int ChildProcess::wait(std::int64_t timeout_ms) {
  State& s = *state_;
  if (s.exit_code) return *s.exit_code;
  const std::int64_t deadline = steady_ms() + timeout_ms;
  while (!s.has_ended()) {
    const std::int64_t left = deadline - steady_ms();
    if (left <= 0) break;
    // Room in the pipe lets the child finish; beyond the brake it runs into the time limit.
    const bool room = s.pending.size() <= most_pending;
    s.wait_for(room, false, true, left);
    s.take_in(room);
  }
  s.exit_code = kill_and_reap(s.child).exit_code;
  s.take_in(true);
  return *s.exit_code;
}

pid_t ChildProcess::pid() const { return state_->pid; }

}  // namespace sluice::core
