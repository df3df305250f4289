// SPDX-License-Identifier: Apache-2.0
#include "service/backtest.h"

#include <fmt/format.h>

#include <set>

#include "agent/rules/rules.h"
#include "core/text.h"
#include "service/backtest/rows.h"
#include "service/backtest/sources.h"

namespace sluice::service {

namespace {

Result<void> check(const BacktestOptions& options) {
  const auto invalid = [](std::string what) -> Result<void> { return make_error(ErrorKind::invalid, std::move(what)); };
  if (options.dataset.empty() && options.fork_repo.empty())
    return invalid("nothing to look at: give --dataset FILE, or --history with --fork-repo and --upstream-repo");
  if (!options.dataset.empty() && !options.fork_repo.empty()) return invalid("--dataset and --history are two runs; give one of them");
  if (!options.dataset.empty() && (options.since != 0 || options.until != 0)) return invalid("--since and --until go with --history: a data set is taken whole");
  if (options.dataset.empty() && options.upstream.empty() && (options.upstream_repo.empty() || options.upstream_repo == options.fork_repo))
    return invalid("--upstream is needed where fork and upstream are in one repository");
  if (options.until != 0 && options.until <= options.since) return invalid("--until is not after --since");
  for (const std::string& rule : options.rules) {
    if (agent::region_rule(rule) == nullptr) return invalid(fmt::format("--rules {}: there is no such rule of the ladder, they are A1s to C1", core::printable(rule)));
  }
  if (options.cost_factor < 0) return invalid(fmt::format("a cost factor of {}: it is 0 or more", options.cost_factor));
  return {};
}

}  // namespace

Result<BacktestReport> run_backtest(const BacktestOptions& options) {
  TRY(check(options));
  std::set<std::string> defects;
  if (!options.defects.empty()) {
    TRY_ASSIGN(defects, backtest::read_defects(options.defects));
  }
  TRY_ASSIGN(backtest::KeptLines kept, backtest::KeptLines::open(options.state_dir));
  BacktestReport report;
  report.cost_factor = options.cost_factor;
  auto done = options.dataset.empty() ? backtest::run_history(options, kept, report) : backtest::run_dataset(options, kept, report);
  if (!done.ok()) {
    Error error = done.error();
    if (error.kind == ErrorKind::transient && !kept.path().empty()) error.message += fmt::format("; the next run goes on from what {} holds", kept.path());
    return error;
  }
  for (backtest::CaseResult& result : report.cases) {
    result.defect = defects.contains(result.id);
    report.defect_rows += result.defect ? 1 : 0;
  }
  report.figures = backtest::figures_of(report.cases, true);
  report.without_defects = backtest::figures_of(report.cases, false);
  return report;
}

}  // namespace sluice::service
