// SPDX-License-Identifier: Apache-2.0
// The two sources of a backtest, each from its input to results in the report.
#pragma once

#include <string>
#include <vector>

#include "service/backtest.h"
#include "service/backtest/kept.h"
#include "service/backtest/run.h"

namespace sluice::service::backtest {

Result<void> run_dataset(const BacktestOptions& options, KeptLines& kept, BacktestReport& report);
Result<void> run_history(const BacktestOptions& options, KeptLines& kept, BacktestReport& report);

// Which of the hunks `git rerere` learns from: the older half, by whole picks, so that no upstream commit is in both. In
// order of date where every hunk has one, else in the order they stand.
struct Source {
  std::string pick;  // upstream commit, or the landed one
  std::int64_t date = 0;
};
std::vector<bool> older_half(const std::vector<Source>& sources, bool& by_date);
Source source_of(const Case& one);

}  // namespace sluice::service::backtest
