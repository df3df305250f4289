// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "core/clock.h"
#include "core/file.h"

namespace sluice::cli {

namespace {

struct CalibrateFlags {
  service::CalibrateOptions options;
  std::string since, out;
  double max_false = 1;
  bool apply = false;
};

Result<void> run(Context& context, CalibrateFlags& flags) {
  if (!flags.since.empty()) {
    TRY_ASSIGN(flags.options.since, core::parse_utc(flags.since));
  }
  flags.options.limits.false_alarms = flags.max_false / 100;
  flags.options.progress = make_progress(context);
  flags.options.cancel = context.cancel;
  TRY_ASSIGN(service::CalibrateReport report, service::calibrate_rules(flags.options));
  end_progress();
  Result<void> applied;
  if (flags.apply) applied = service::apply_calibration(report);
  const core::Json json = service::calibrate_json(report);
  const std::string text = service::calibrate_text(report);
  if (!flags.out.empty()) TRY(core::write_file(flags.out, flags.out.ends_with(".json") ? json.pretty() + "\n" : text));
  // With --json there is one document, and a refused --apply is an error.
  if (applied.ok() || !context.json) print(context, json, text);
  return applied;
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "judges the fork's own landed picks, and proposes numbers and modes of the rules from what people accepted");
  auto flags = std::make_shared<CalibrateFlags>();  // CLI11 keeps the addresses for the callback
  service::CalibrateOptions& options = flags->options;
  command->add_option("--fork-repo", options.fork_repo, "repository that holds the fork's commits (default: the store, as last fetched)");
  command->add_option("--upstream-repo", options.upstream_repo, "repository that holds upstream's commits (default: the fork's)");
  command->add_option("--branch", options.branches, "with --fork-repo: branches to look through (default: HEAD)")->delimiter(',');
  command->add_option("--upstream-tip", options.upstream_tip, "with --fork-repo: upstream's branch (default: HEAD of its repository)");
  command->add_option("--rows", options.rows, "a table of landed commits, in place of looking through the history");
  command->add_option("--since", flags->since, "only commits that landed then or later: YYYY-MM-DD");
  command->add_option("--limit", options.limit, "look at the newest N landed commits only");
  command->add_option("--rules", options.rules, "only these rules, e.g. G21,G23")->delimiter(',');
  command->add_option("--drop-missing", options.drop_missing, "paths whose objects may be absent, as [[path]] missing = \"drop\"")->delimiter(',');
  command->add_option("--jobs", options.jobs, "judge so many picks side by side (default: one a core)")->check(CLI::Range(0, 256));
  command->add_option("--out-dir", options.out_dir, "keep results there, for the next run (default: the store)");
  command->add_option("--max-false-alarms", flags->max_false, "per cent of good picks above which a rule observes (default 1)")->check(CLI::Range(0.0, 100.0));
  command->add_option("--out", flags->out, "also write the report there; JSON where the name ends in .json");
  command->add_flag("--apply", flags->apply, "write the proposed changes into the configuration");
  command->footer(
      "Without --apply nothing is changed: the report ends with what would be. Exit status: 0 done, 2 usage or\n"
      "configuration, 3 something could not be read, or it was cut short; what was judged by then is kept.");
  const CLI::Option* config = app.get_option("--config");
  command->callback([&context, flags, config] {
    // Beside repositories the default configuration file is not looked for.
    if (flags->options.fork_repo.empty() || config->count() > 0) flags->options.config = context.config;
    const auto done = run(context, *flags);
    end_progress();
    if (!done.ok()) context.exit_code = fail(context, done.error());
  });
}

}  // namespace sluice::cli
