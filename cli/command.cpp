// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "core/clock.h"
#include "core/log.h"
#include "core/text.h"

namespace sluice::cli {

void add_common(CLI::App& command, Context& context) {
  command.add_option("--config", context.config, "the configuration, sluice.toml")->capture_default_str();
  command.add_flag("--json", context.json, "one JSON document on stdout");
  command.add_flag("--quiet", context.quiet, "no progress, no log but errors");
}

void print(const Context& context, const core::Json& json, const std::string& text) {
  const std::string out = context.json ? json.pretty() + "\n" : text;
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
}

int fail(const Error& error) {
  end_progress();
  std::fprintf(stderr, "sluice: %s\n", core::redact(error.message).c_str());
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::not_found: return exit_usage;
    case ErrorKind::conflict:
    case ErrorKind::denied:
    case ErrorKind::transient:
    case ErrorKind::internal: break;
  }
  return exit_outside;
}

namespace {
// A terminal line is rewritten in place, so something must know whether one stands there.
bool line_open = false;
}  // namespace

void end_progress() {
  if (!line_open) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  line_open = false;
}

service::Progress make_progress(const Context& context) {
  if (context.quiet) return [](const std::string&, std::int64_t, std::int64_t) {};
  if (::isatty(STDERR_FILENO) == 1) {
    return [last = std::int64_t{0}, step_before = std::string()](const std::string& step, std::int64_t done, std::int64_t total) mutable {
      const std::int64_t now = core::steady_ms();
      if (step == step_before && now - last < 100) return;
      last = now;
      step_before = step;
      const std::string text = total > 0 ? fmt::format("{} {}/{}", step, done, total) : step;
      std::fprintf(stderr, "\r\x1b[K%s", core::printable(text, 100).c_str());
      std::fflush(stderr);
      line_open = true;
    };
  }
  // Not a terminal: a line at each new step, and one every ten seconds within a long one.
  return [last = std::int64_t{0}, step_before = std::string()](const std::string& step, std::int64_t done, std::int64_t total) mutable {
    const std::int64_t now = core::steady_ms();
    if (step == step_before && now - last < 10000) return;
    last = now;
    step_before = step;
    std::fprintf(stderr, "sluice: %s\n", total > 0 ? fmt::format("{} ({} of {})", core::printable(step, 100), done, total).c_str() : core::printable(step, 100).c_str());
  };
}

std::unique_ptr<service::App> open(Context& context, service::Access access) {
  if (context.quiet) core::set_log_level(core::LogLevel::error);
  auto app = service::open_app(context.config, access);
  if (!app.ok()) {
    context.exit_code = fail(app.error());
    return nullptr;
  }
  auto owned = std::make_unique<service::App>(std::move(*app));
  owned->progress = make_progress(context);
  owned->cancel = context.cancel;
  return owned;
}

}  // namespace sluice::cli
