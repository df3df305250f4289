// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <cerrno>
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

void finish_help(CLI::App& app) {
  footer_below(app, "Every command: --config FILE (default: sluice.toml), --json, --quiet.");
}

namespace {
int first_output_error = 0;  // errno; print() has no other way to main()
}

int output_error() { return first_output_error; }

void print(const Context& context, const core::Json& json, const std::string& text) {
  const std::string out = context.json ? json.pretty() + "\n" : text;
  const bool whole = std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  if (!whole && first_output_error == 0) first_output_error = errno;
}

int fail(const Context& context, const Error& error) {
  end_progress();
  const std::string message = core::redact(error.message);
  std::fprintf(stderr, "sluice: %s\n", message.c_str());
  if (context.json) {
    print(context,
          core::Json::object(
              {{"schema", "sluice.error/1"}, {"kind", to_string(error.kind)}, {"message", message}}),
          "");
  }
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::not_found:
      return exit_usage;
    case ErrorKind::conflict:
    case ErrorKind::denied:
    case ErrorKind::transient:
    case ErrorKind::internal:
      break;
  }
  return exit_outside;
}

std::unique_ptr<service::App> open(Context& context, service::Access access) {
  if (context.quiet) core::set_log_level(core::LogLevel::error);
  auto app = service::open_app(context.config, access);
  if (!app.ok()) {
    context.exit_code = fail(context, app.error());
    return nullptr;
  }
  auto owned = std::make_unique<service::App>(std::move(*app));
  owned->progress = make_progress(context);
  owned->cancel = context.cancel;
  return owned;
}

}  // namespace sluice::cli
