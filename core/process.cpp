// SPDX-License-Identifier: Apache-2.0
#include "core/process.h"

#include <poll.h>

#include <algorithm>

#include "core/clock.h"
#include "core/spawn.h"

namespace sluice::core {
namespace {

constexpr std::int64_t cancel_poll_ms = 100;
constexpr std::size_t one_turn = 1u << 20;  // a busy stream must not starve the others or the clock

// Writes what the pipe takes; closes it when all is written or when the child reads no more.
void feed(Fd& in, std::string_view& rest) {
  while (in && !rest.empty()) {
    const ssize_t n = ::write(in.get(), rest.data(), rest.size());
    if (n > 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      break;  // EPIPE: the child does not want the rest, its exit code says whether that matters
    }
  }
  in.close();
}

bool cancelled(const ProcessOptions& o) {
  return o.cancel != nullptr && o.cancel->load(std::memory_order_relaxed);
}

// Waits for the next event or for the next moment at which something must be looked at.
int wait_ms(const ProcessOptions& o, std::int64_t deadline) {
  std::int64_t ms = -1;
  if (o.timeout_ms > 0) ms = std::max<std::int64_t>(0, deadline - steady_ms());
  if (o.cancel != nullptr) ms = ms < 0 ? cancel_poll_ms : std::min(ms, cancel_poll_ms);
  return static_cast<int>(std::min<std::int64_t>(ms, 1'000'000));
}

}  // namespace

Result<ProcessResult> run_process(const ProcessOptions& options) {
  const std::int64_t started = steady_ms();
  const std::int64_t deadline =
      options.timeout_ms > INT64_MAX - started ? INT64_MAX : started + options.timeout_ms;
  const SigpipeGuard no_sigpipe;
  TRY_ASSIGN(Spawned child, spawn(options));
  ProcessResult result;
  CappedBuffer out(options.output_cap), err(options.output_cap);
  const auto to_out = [&](std::string_view bytes) { out.add(bytes); };
  const auto to_err = [&](std::string_view bytes) { err.add(bytes); };
  std::string_view rest = options.input;
  feed(child.in, rest);
  while (true) {
    if (cancelled(options)) {
      result.cancelled = true;
      break;
    }
    if (options.timeout_ms > 0 && steady_ms() >= deadline) {
      result.timed_out = true;
      break;
    }
    // A closed Fd is -1, which poll passes over.
    struct pollfd watch[] = {{child.pidfd.get(), POLLIN, 0},
                             {child.out.get(), POLLIN, 0},
                             {child.err.get(), POLLIN, 0},
                             {child.in.get(), POLLOUT, 0}};
    if (::poll(watch, 4, wait_ms(options, deadline)) < 0 && errno != EINTR) break;
    if (watch[1].revents != 0) drain(child.out, one_turn, to_out);
    if (watch[2].revents != 0) drain(child.err, one_turn, to_err);
    if (watch[3].revents != 0) feed(child.in, rest);
    if (watch[0].revents != 0) break;
  }
  const Reaped end = kill_and_reap(child);
  // All writers of the group are dead; a pipe holds at most 1 MiB. What a process that left the group
  // still writes is not ours to wait for.
  drain(child.out, 2 * one_turn, to_out);
  drain(child.err, 2 * one_turn, to_err);
  result.exit_code = end.exit_code;
  result.signal = end.signal;
  result.max_rss_kib = end.max_rss_kib;
  result.out = out.text();
  result.err = err.text();
  result.out_bytes = out.total();
  result.err_bytes = err.total();
  result.wall_ms = steady_ms() - started;
  return result;
}

std::string shell_quote(const std::vector<std::string>& argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  std::string out;
  for (const std::string& word : argv) {
    if (!out.empty()) out += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    out += '\'';
  }
  return out;
}

}  // namespace sluice::core
