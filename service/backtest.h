// SPDX-License-Identifier: Apache-2.0
// `sluice backtest`: the resolver ladder on conflicts that people have resolved, from a data set of hunks or from the
// fork's own history, beside what a user would otherwise run.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"
#include "service/backtest/answerer.h"
#include "service/backtest/figures.h"
#include "service/backtest/further_rungs.h"
#include "service/backtest/picks.h"

namespace sluice::service {

struct BacktestOptions {
  std::string dataset;  // a file of hunks; empty = the history below
  std::string fork_repo, fork, upstream_repo, upstream;  // repositories and the branches to look at
  std::string name;                                      // history: of the fork, in ids; empty = "fork"
  std::int64_t since = 0, until = 0;                     // committer time of landed picks; until = before; 0 = all
  std::string config;                                    // history only: policy; empty = the built-in one
  std::string defects;                                   // table of rows whose landed text is known to be wrong
  std::string state_dir;                                 // results are kept there; empty = nowhere
  std::string rows_out;                                  // history: also writes the hunks there, as a data set
  std::vector<std::string> rules;                        // of the ladder, only these; empty = all
  bool baselines = true;
  std::size_t limit = 0;                                 // the first N hunks, or the newest N landed commits; 0 = all
  std::int64_t cost_factor = 20;                         // one wrong landing = so many resolutions by hand
  std::vector<backtest::HunkAnswerer*> further;          // not owned; asked in order behind the rules
  int jobs = 0;                                          // 0 = number of cores
  Progress progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

struct BacktestReport {
  std::string source, dataset_sha256;  // for people; never a directory. The digest: of the file, empty for a history
  std::string ladder;                  // rungs and versions
  std::int64_t cost_factor = 20, kept = 0;
  std::vector<backtest::CaseResult> cases;
  backtest::Figures figures, without_defects;
  std::int64_t defect_rows = 0;
  std::int64_t rerere_learned = 0;
  bool rerere_by_date = false;                  // else in the order of the file
  std::map<std::string, std::string> programs;  // of the baselines; what is not installed is empty
  std::map<std::string, std::int64_t> left_out;
  bool history = false;
  backtest::History mined;                       // history only
  std::vector<backtest::PickResult> picks;
};

// Errors: invalid (options, a row, configuration), not_found (files, repositories, names), conflict (another one works
// with the same state), transient (cancelled).
Result<BacktestReport> run_backtest(const BacktestOptions& options);

// What the report of a history says of each rule, into the store of `config`: [ladder] `land` counts by it. Errors: as
// open_app(), conflict when another process works there.
Result<void> keep_rule_proofs(const std::string& config, const BacktestReport& report);

std::string backtest_text(const BacktestReport& report);   // Markdown
core::Json backtest_json(const BacktestReport& report);    // sluice.backtest/1

}  // namespace sluice::service
