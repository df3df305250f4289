// SPDX-License-Identifier: Apache-2.0
// What a command is doing, on stderr.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

#include "cli/command.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/text.h"

namespace sluice::cli {

namespace {

std::string step_text(const std::string& step, std::int64_t done, std::int64_t total, std::size_t room) {
  const std::string count = total > 0 ? fmt::format(" {}/{}", done, total) : std::string();
  return core::printable(step, room > count.size() + 8 ? room - count.size() : 8) + count;
}

// A line of a terminal, rewritten in place. A thread keeps its clock going through steps that report
// nothing for an hour, as a build does. It allocates nothing: other threads may be forking.
class TerminalLine {
 public:
  void show(const std::string& step, std::int64_t done, std::int64_t total) {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = core::steady_ms();
    const bool same = open_ && step == step_;
    if (!same) step_started_ = now;
    if (same && now - drawn_ < 100) return;
    step_ = step;
    text_ = step_text(step, done, total, width() - 10);
    open_ = true;
    draw(now);
    if (!ticker_.joinable()) ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
  }

  // Clears the line. Whatever is written next stands at its beginning.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      if (!open_) return;
      open_ = false;
      put("\r\x1b[K", 4);
    }
    ticker_ = {};
  }

  // Makes room for a line of the log, from any thread; the clock writes the line again.
  void clear() {
    const std::lock_guard lock(mutex_);
    if (open_) put("\r\x1b[K", 4);
  }

 private:
  static std::size_t width() {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40;
    return known ? size.ws_col : 80;
  }

  // A terminal that does not take it is no reason to stop work.
  static void put(const char* bytes, std::size_t size) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, bytes, size);
  }

  void draw(std::int64_t now) {
    char buffer[1024];
    const long long s = (now - step_started_) / 1000;
    int size = s < 2 ? std::snprintf(buffer, sizeof buffer, "\r\x1b[K%s", text_.c_str())
                     : std::snprintf(buffer, sizeof buffer, "\r\x1b[K%s  %lld:%02lld", text_.c_str(), s / 60,
                                     s % 60);
    if (size >= static_cast<int>(sizeof buffer)) size = sizeof buffer - 1;
    if (size > 0) put(buffer, static_cast<std::size_t>(size));
    drawn_ = now;
  }

  void tick(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); })) {
      if (open_) draw(core::steady_ms());
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string step_, text_;
  std::int64_t step_started_ = 0, drawn_ = 0;
  bool open_ = false;
  std::jthread ticker_;  // last: it uses what stands above
};

// There is one stderr, and whoever writes an error to it must find the line.
TerminalLine& terminal_line() {
  static TerminalLine line;
  return line;
}

}  // namespace

void end_progress() { terminal_line().end(); }

service::Progress make_progress(const Context& context) {
  if (context.quiet) return [](const std::string&, std::int64_t, std::int64_t) {};
  if (::isatty(STDERR_FILENO) == 1) {
    core::set_before_log([] { terminal_line().clear(); });
    return [](const std::string& step, std::int64_t done, std::int64_t total) {
      terminal_line().show(step, done, total);
    };
  }
  // Not a terminal: a line at each new step, and one every ten seconds within a long one.
  return [last = std::int64_t{0}, step_before = std::string()](const std::string& step, std::int64_t done,
                                                               std::int64_t total) mutable {
    const std::int64_t now = core::steady_ms();
    if (step == step_before && now - last < 10000) return;
    last = now;
    step_before = step;
    std::fprintf(stderr, "sluice: %s\n", step_text(step, done, total, 100).c_str());
  };
}

}  // namespace sluice::cli
