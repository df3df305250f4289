// SPDX-License-Identifier: Apache-2.0
#include "core/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

#include "core/text.h"

namespace sluice::core {
namespace {

// The one place with state of the process: a log that had to be handed to every function would be used
// nowhere. Built on first use and never destroyed before its users.
spdlog::logger& logger() {
  static const auto log = [] {
    auto made =
        std::make_shared<spdlog::logger>("sluice", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%^%l%$: %v");
    made->set_level(spdlog::level::info);
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *log;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

std::string escape_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[++i]));
    } else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
      out += fmt::format("\\x{:02X}", c);
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

namespace {
std::atomic<void (*)()> before_log{nullptr};
}

void set_before_log(void (*call)()) { before_log = call; }
void set_log_level(LogLevel level) { logger().set_level(level_of(level)); }

void log(LogLevel level, std::string_view message) {
  if (level == LogLevel::off || !logger().should_log(level_of(level))) return;
  // Redact first: an escape in the middle of a secret would hide it from the search.
  const std::string line = escape_controls(to_utf8(redact(message)));
  if (void (*const call)() = before_log) call();
  logger().log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace sluice::core
