// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"
#include "core/log.h"

namespace sluice::cli {

void add_init(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("init", "looks at both repositories and writes a working sluice.toml; autonomy observe");
  auto options = std::make_shared<service::InitOptions>();  // CLI11 keeps the addresses for the callback
  command->add_option("--upstream", options->upstream, "URL or path of the upstream repository")->required();
  command->add_option("--fork", options->fork, "URL or path of the fork")->required();
  command->add_option("--upstream-branch", options->upstream_branch, "default: the repository's own default branch; a full commit id pins the tip");
  command->add_option("--fork-branch", options->fork_branch, "default: the repository's own default branch");
  command->add_option("--store", options->store_path, "directory of the store; default: sluice-store beside the configuration");
  command->add_flag("--force", options->force, "overwrite an existing configuration");
  command->callback([&context, options] {
    if (context.quiet) core::set_log_level(core::LogLevel::error);
    options->config_path = context.config;
    const auto outcome = service::init(*options, make_progress(context), context.cancel);
    end_progress();
    if (!outcome.ok()) {
      context.exit_code = fail(context, outcome.error());
      return;
    }
    std::string text;
    for (const std::string& finding : outcome->findings) text += "- " + finding + "\n";
    text += "\nwrote " + outcome->config_path + "\nnext: `sluice doctor`, then `sluice plan`\n";
    print(context, core::Json::object({{"schema", "sluice.init/1"}, {"config", outcome->config_path}, {"findings", core::Json::array_of(outcome->findings)}}), text);
  });
}

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("doctor", "checks git, sandbox, suites, store and remotes; says what to fix");
  command->footer("Exit status: 0 nothing stands in the way, 3 a problem is to be fixed first.");
  command->callback([&context] {
    const auto findings = service::doctor(context.config);
    print(context, service::doctor_json(findings), service::doctor_text(findings));
    context.exit_code = service::healthy(findings) ? 0 : exit_outside;
  });
}

}  // namespace sluice::cli
