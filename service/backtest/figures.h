// SPDX-License-Identifier: Apache-2.0
// The results as numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "service/backtest/result.h"
#include "service/calibrate/figures.h"

namespace sluice::service::backtest {

struct Tally {
  std::int64_t exact = 0, format = 0, different = 0, refused = 0;
  void add(Outcome outcome);
  std::int64_t n() const { return answered() + refused; }
  std::int64_t answered() const { return exact + format + different; }
  std::int64_t right() const { return exact + format; }
  double precision() const { return answered() == 0 ? 0 : static_cast<double>(right()) / static_cast<double>(answered()); }
  calibrate::Interval ci95() const { return calibrate::wilson(right(), answered()); }
};

// What the static checks let through, and what they stopped.
struct GateTally {
  std::int64_t right_passed = 0, right_stopped = 0, wrong_passed = 0, wrong_stopped = 0;
  void add(const CaseResult& result);
  // Manual resolutions saved where one wrong landing costs k of them.
  std::int64_t saving(std::int64_t k) const { return right_passed - k * wrong_passed; }
};

struct Group {
  Tally tally;
  GateTally gate;
  std::int64_t declined = 0;  // of a rung: asked, and gave no answer
  void add(const CaseResult& result);
};

struct CommitTally {
  // all_answered includes all_right; all_answered + some + none = commits.
  std::int64_t commits = 0, all_right = 0, all_answered = 0, some = 0, none = 0;
};

struct CheckTally {
  std::int64_t right = 0, wrong = 0;  // answers that it objected to
};

struct Figures {
  Group all;
  std::int64_t invalid = 0;
  std::map<std::string, Group> by_rung, by_rule, by_class, by_lang, by_repo, by_size, by_kind;
  CommitTally commits;
  std::map<std::string, CheckTally> by_check;
  std::map<std::string, Tally> baselines;
  Cost cost;
};
Figures figures_of(const std::vector<CaseResult>& results, bool with_defects);

// The saving at k is not negative, and anything was answered.
bool worth_enabling(const GateTally& gate, std::int64_t k);

}  // namespace sluice::service::backtest
