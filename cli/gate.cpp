// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "cli/command.h"
#include "core/file.h"

namespace sluice::cli {

namespace {

struct GateFlags {
  service::GateOptions options;
  std::string sarif;
  bool as_template = false, verbose = false, canaries = false, catalogue = false;
};

// Exit status as if each gate that cannot fail had let something through: block.
void run_canaries(Context& context, const service::GateOptions& options) {
  const auto policy = service::gate_policy_of(options);
  if (!policy.ok()) {
    context.exit_code = fail(context, policy.error());
    return;
  }
  const auto ran = service::run_canaries(*policy);
  if (!ran.ok()) {
    context.exit_code = fail(context, ran.error());
    return;
  }
  print(context, service::canaries_json(*ran), service::canaries_text(*ran));
  context.exit_code = model::exit_status(ran->quarantined().empty() ? model::Judgement::pass : model::Judgement::block);
}

void print_rules(Context& context, const service::GateOptions& options) {
  const auto text = service::gate_rules_text(options);
  const auto json = service::gate_rules_json(options);
  if (!text.ok() || !json.ok()) {
    context.exit_code = fail(context, text.ok() ? json.error() : text.error());
    return;
  }
  print(context, *json, *text);
}

void run(Context& context, const GateFlags& flags) {
  const auto report = service::gate_all(flags.options);
  if (!report.ok()) {
    context.exit_code = fail(context, report.error());
    return;
  }
  if (!flags.sarif.empty()) {
    const auto written = core::write_file(flags.sarif, service::gate_sarif(*report, SLUICE_VERSION).pretty() + "\n");
    if (!written.ok()) {
      context.exit_code = fail(context, written.error());
      return;
    }
  }
  if (flags.as_template) {
    const core::Json entries = service::gate_template(*report);
    print(context, entries, entries.pretty() + "\n");
  } else {
    print(context, service::gate_json(*report), service::gate_text(*report, flags.verbose ? service::Detail::full : service::Detail::brief));
  }
  context.exit_code = model::exit_status(report->judgement());
}

}  // namespace

void add_gate(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "gate", "judges a pick, a branch or a landed bundle by the policy rules alone: no store, no build; usable as a check for people's and other bots' changes");
  auto flags = std::make_shared<GateFlags>();  // CLI11 keeps the addresses for the callback
  service::GateOptions& options = flags->options;
  command->add_option("--fork-repo", options.fork_repo, "repository that holds the fork's commits (default: here)");
  command->add_option("--upstream-repo", options.upstream_repo, "repository that holds upstream's commits (default: the fork's)");
  command->add_option("--upstream", options.upstream, "the upstream commit U; several, with commas, for a bundle; default: what the result's message names")
      ->delimiter(',');
  command->add_option("--upstream-tip", options.upstream_tip, "upstream's branch, for what is upstream's own (default: by the configuration)");
  command->add_option("--onto", options.onto, "the fork commit D that was built on (default: the result's parent; of a branch where it left trunk)");
  command->add_option("--result", options.result, "the commit P that came out");
  command->add_option("--branch", options.branch, "judge each commit of ONTO..BRANCH instead");
  command->add_option("--policy", options.policy, "REF:PATH, a policy in the fork, in place of --config");
  const CLI::Option* rules = command->add_option("--rules", options.rules, "only these rules, e.g. G21,G23; without a list: prints the rules and their modes")
                                 ->delimiter(',')
                                 ->expected(0, 1000);
  command->add_option("--paths", options.paths, "only paths that match one of these patterns")->delimiter(',');
  command->add_option("--account", options.account_file, "accounting entries, a JSON file; - is stdin");
  command->add_option("--body", options.body_file, "the body of a request, which may hold entries in a block sluice-account; - is stdin");
  command->add_flag("--account-template", flags->as_template, "print the entries that are missing, ready to fill in");
  command->add_option("--sarif", flags->sarif, "also write the findings there, as SARIF 2.1.0");
  command->add_flag("--canaries", flags->canaries, "prove each rule with its stored fault instead: one that lets it pass is named");
  command->add_flag("--catalogue", flags->catalogue, "print the catalogue of the rules, as docs/guardrails.md has it");
  command->add_flag("--verbose", flags->verbose, "every finding, also those that are only listed");
  command->add_option("--drop-missing", options.drop_missing, "paths whose objects may be absent, as [[path]] missing = \"drop\"")->delimiter(',');
  command->footer(
      "D + diff(U^..U) = P is the pick without an objection. Commits may be named by anything that git resolves.\n"
      "The policy is that of --config or --policy, else the built-in one; never that of the judged commits.\n"
      "Exit status: 0 pass, 1 explain or block, 2 usage, 3 unresolved (something could not be read), 4 escalate.");
  const CLI::Option* config = app.get_option("--config");
  command->callback([&context, flags, config, rules] {
    // The default configuration file is not required here, and not looked for; one that was named must be there.
    if (config->count() > 0) flags->options.config = context.config;
    if (flags->catalogue) {
      const std::string text = service::catalogue_markdown();
      print(context, core::Json::object({{"schema", "sluice.catalogue/1"}, {"markdown", text}}), text);
      return;
    }
    if (flags->canaries) {
      run_canaries(context, flags->options);
      return;
    }
    if (rules->count() > 0 && (flags->options.rules.empty() || flags->options.rules == std::vector<std::string>{""})) {
      flags->options.rules.clear();
      print_rules(context, flags->options);
      return;
    }
    run(context, *flags);
  });
}

}  // namespace sluice::cli
