// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "core/clock.h"
#include "core/file.h"

namespace sluice::cli {

namespace {

struct BacktestFlags {
  service::BacktestOptions options;
  std::string since, until, report, model = "none", record;
  bool history = false, no_baselines = false;
};

Result<void> prepare(Context& context, BacktestFlags& flags) {
  service::BacktestOptions& options = flags.options;
  if (flags.model != "none")
    return make_error(ErrorKind::invalid, "--model " + flags.model + ": the model rung takes part in `sluice sync`, not here; --model none measures the rungs before it");
  if (!flags.record.empty()) return make_error(ErrorKind::invalid, "--record needs --model: without one there is no exchange to record");
  if (!flags.history && !options.fork_repo.empty()) return make_error(ErrorKind::invalid, "--fork-repo goes with --history");
  if (flags.history && options.fork_repo.empty()) return make_error(ErrorKind::invalid, "--history needs --fork-repo");
  if (!flags.since.empty()) {
    TRY_ASSIGN(options.since, core::parse_utc(flags.since));
  }
  if (!flags.until.empty()) {
    TRY_ASSIGN(options.until, core::parse_utc(flags.until));
  }
  options.baselines = !flags.no_baselines;
  options.progress = make_progress(context);
  options.cancel = context.cancel;
  return {};
}

Result<void> run(Context& context, BacktestFlags& flags) {
  TRY(prepare(context, flags));
  TRY_ASSIGN(const service::BacktestReport report, service::run_backtest(flags.options));
  end_progress();
  const std::string text = service::backtest_text(report);
  if (!flags.report.empty()) TRY(core::write_file(flags.report, text));
  print(context, context.json ? service::backtest_json(report) : core::Json(), text);
  return {};
}

}  // namespace

void add_backtest(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("backtest", "the resolver ladder on conflicts that people have resolved: how often it answers, and how often it is right");
  auto flags = std::make_shared<BacktestFlags>();  // CLI11 keeps the addresses for the callback
  service::BacktestOptions& options = flags->options;
  command->add_option("--dataset", options.dataset, "a file of hunks, one JSON object a line, packed with gzip or not");
  command->add_flag("--history", flags->history, "the fork's own landed picks, picked again by machine");
  command->add_option("--fork-repo", options.fork_repo, "with --history: repository that holds the fork's commits");
  command->add_option("--fork", options.fork, "with --history: the branch to look through (default: HEAD)");
  command->add_option("--upstream-repo", options.upstream_repo, "with --history: repository that holds upstream's commits (default: the fork's)");
  command->add_option("--upstream", options.upstream, "with --history: upstream's branch (default: HEAD of its repository)");
  command->add_option("--name", options.name, "with --history: the fork's name in the report (default: fork)");
  command->add_option("--since", flags->since, "with --history: only picks that landed then or later: YYYY-MM-DD");
  command->add_option("--until", flags->until, "with --history: only picks that landed before: YYYY-MM-DD");
  command->add_option("--rows-out", options.rows_out, "with --history: also write the hunks there, as a data set. They hold the fork's code");
  command->add_option("--defects", options.defects, "a table of ids (truth-defects.tsv) whose landed text is known to be wrong: figures with and without them");
  command->add_option("--rules", options.rules, "only these rules of the ladder, e.g. A1s,A3,B3")->delimiter(',');
  command->add_option("--model", flags->model, "none, or the model rung (default: none)");
  command->add_option("--record", flags->record, "keep the exchange with the model in this directory");
  command->add_option("--cost-factor", options.cost_factor, "one wrong landing costs so many resolutions by hand (default: 20)")->check(CLI::Range(0, 1000000));
  command->add_flag("--no-baselines", flags->no_baselines, "do not run git merge-file, git rerere and wiggle beside it");
  command->add_option("--report", flags->report, "also write the report there, as Markdown");
  command->add_option("--state", options.state_dir, "keep results there, for the next run and for one that was cut short");
  command->add_option("--jobs", options.jobs, "so many hunks or picks side by side (default: one a core)")->check(CLI::Range(0, 256));
  command->add_option("--limit", options.limit, "the first N hunks; with --history the newest N landed picks");
  command->footer(
      "Needs no configuration; with --history --config FILE brings the policy that judges. Nothing is changed anywhere.\n"
      "Exit status: 0 done, whatever the figures are; 2 usage, configuration or a row that cannot be read; 3 something\n"
      "could not be read, or it was cut short; with --state what was done by then is kept.");
  const CLI::Option* config = app.get_option("--config");
  command->callback([&context, flags, config] {
    if (flags->history && config->count() > 0) flags->options.config = context.config;
    const auto done = run(context, *flags);
    end_progress();
    if (!done.ok()) context.exit_code = fail(context, done.error());
  });
}

}  // namespace sluice::cli
