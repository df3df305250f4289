// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"
#include "core/file.h"

namespace sluice::cli {

void add_gate(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "gate", "judges one pick by the policy rules alone: no store, no build; usable as a check for people's changes");
  auto options = std::make_shared<service::GateOptions>();  // CLI11 keeps the addresses for the callback
  command->add_option("--upstream-repo", options->upstream_repo, "repository that holds the upstream commit")->required();
  command->add_option("--upstream", options->upstream, "the upstream commit U")->required();
  command->add_option("--fork-repo", options->fork_repo, "repository that holds the fork's commits")->required();
  command->add_option("--onto", options->onto, "the fork commit D that U was applied to")->required();
  command->add_option("--result", options->result, "the commit P that came out")->required();
  command->add_option("--rules", options->rules, "only these rules, e.g. G21,G23")->delimiter(',');
  command->add_option("--paths", options->paths, "only paths that match one of these patterns")->delimiter(',');
  command->add_option("--account", options->account_file, "accounting entries, a JSON file");
  command->add_option("--drop-missing", options->drop_missing, "paths whose objects may be absent, as [[path]] missing = \"drop\"")->delimiter(',');
  command->footer(
      "D + diff(U^..U) = P is the pick without an objection. Commits may be named by anything that git resolves.\n"
      "Exit status: 0 pass, 1 explain or block, 2 usage, 3 unresolved (something could not be read), 4 escalate.");
  const CLI::Option* config = app.get_option("--config");
  command->callback([&context, options, config] {
    // The default configuration file is not required here; one that was named must be there.
    if (config->count() > 0) options->config = context.config;
    const auto verdict = service::gate(*options);
    if (!verdict.ok()) {
      context.exit_code = fail(context, verdict.error());
      return;
    }
    print(context, model::to_json(*verdict), service::verdict_text(*verdict));
    context.exit_code = model::exit_status(verdict->judgement);
  });
}

}  // namespace sluice::cli
