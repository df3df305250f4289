// SPDX-License-Identifier: Apache-2.0
// Parts of the Markdown report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/backtest.h"

namespace sluice::service::backtest {

inline constexpr std::int64_t least_for_per_cent = 10;
std::string per_cent(std::int64_t part, std::int64_t of);
std::string precision_of(const Tally& tally);
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
// What was mined, what was left out, and the picks from end to end.
void add_history(std::string& out, const BacktestReport& report);

}  // namespace sluice::service::backtest
