// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "core/log.h"
#include "core/text.h"

namespace sluice::cli {

void add_common(CLI::App& command, Context& context) {
  command.add_option("--config", context.config, "the configuration, sluice.toml")->capture_default_str();
  command.add_flag("--json", context.json, "one JSON document on stdout");
  command.add_flag("--quiet", context.quiet, "no progress, no log but errors");
}

namespace {

void footer_below(CLI::App& app, const std::string& text) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string own = command->get_footer();
    command->footer(own.empty() ? text : own + "\n" + text);
    footer_below(*command, text);
  }
}

}  // namespace

void finish_help(CLI::App& app) { footer_below(app, "Every command: --config FILE (default: sluice.toml), --json, --quiet."); }

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
