// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "config/config.h"
#include "core/clock.h"
#include "core/file.h"

namespace sluice::cli {

namespace {

struct BacktestFlags {
  service::BacktestOptions options;
  std::string since, until, report;
  service::ModelChoice model;
  bool history = false, no_baselines = false, apply = false, factor_given = false;
  std::string config;  // given on the command line; empty = none
  std::vector<std::unique_ptr<service::backtest::HunkAnswerer>> further;
};

Result<void> prepare(Context& context, BacktestFlags& flags) {
  service::BacktestOptions& options = flags.options;
  const bool model = flags.model.model != "none";
  if (!model && !flags.model.record.empty()) return make_error(ErrorKind::invalid, "--record needs --model: without one there is no exchange to record");
  if (model && flags.config.empty() && !flags.model.model.starts_with("replay:"))
    return make_error(ErrorKind::invalid, fmt::format("--model {} needs --config FILE, whose [model] says where it is", flags.model.model));
  if (flags.apply && (!flags.history || flags.config.empty())) return make_error(ErrorKind::invalid, "--apply needs --history and --config FILE: the figures of a fork's own history are kept in its store");
  model::Config config;
  if (!flags.config.empty()) {
    TRY_ASSIGN(config, config::load(flags.config));
    if (!flags.factor_given) options.cost_factor = config.ladder.cost_factor;
    TRY_ASSIGN(flags.further, service::backtest::make_drivers(config));
  }
  if (model) {
    TRY_ASSIGN(auto answerer, service::backtest::make_model(config, flags.model, options.state_dir, context.cancel));
    if (answerer) flags.further.push_back(std::move(answerer));
  }
  for (const auto& answerer : flags.further) options.further.push_back(answerer.get());
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
  if (flags.apply) TRY(service::keep_rule_proofs(flags.config, report));
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
  flags->model.model = "none";
  add_model_options(*command, flags->model);
  command->add_flag("--apply", flags->apply, "with --history and --config: keep what was found of each rule in the store, so that [ladder] land counts for those that are good enough");
  const CLI::Option* factor = command->add_option("--cost-factor", options.cost_factor, "one wrong landing costs so many resolutions by hand (default: that of --config, else 20)")->check(CLI::Range(0, 1000000));
  command->add_flag("--no-baselines", flags->no_baselines, "do not run git merge-file, git rerere and wiggle beside it");
  command->add_option("--report", flags->report, "also write the report there, as Markdown");
  command->add_option("--state", options.state_dir, "keep results there, for the next run and for one that was cut short");
  command->add_option("--jobs", options.jobs, "so many hunks or picks side by side (default: one a core)")->check(CLI::Range(0, 256));
  command->add_option("--limit", options.limit, "the first N hunks; with --history the newest N landed picks");
  command->footer(
      "Needs no configuration; --config FILE brings merge drivers and models, with --history the policy that judges.\n"
      "Nothing is changed anywhere, but for --apply.\n"
      "Exit status: 0 done, whatever the figures are; 2 usage, configuration or a row that cannot be read; 3 something\n"
      "could not be read, or it was cut short; with --state what was done by then is kept.");
  const CLI::Option* config = app.get_option("--config");
  command->callback([&context, flags, config, factor] {
    flags->factor_given = factor->count() > 0;
    if (config->count() > 0) flags->config = context.config;
    if (flags->history) flags->options.config = flags->config;
    const auto done = run(context, *flags);
    end_progress();
    if (!done.ok()) context.exit_code = fail(context, done.error());
  });
}

}  // namespace sluice::cli
