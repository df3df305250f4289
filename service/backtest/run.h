// SPDX-License-Identifier: Apache-2.0
// Work spread over threads, and a batch of cases through the ladder and the baselines.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "service/app.h"
#include "service/backtest/baselines.h"
#include "service/backtest/kept.h"
#include "service/backtest/ladder.h"
#include "service/backtest/result.h"

namespace sluice::service::backtest {

// What threads do side by side, one number after the other. `work` is called with 0 .. n-1 and with which thread it is
// (0 .. threads-1); `tick` from the calling thread every now and then, with how many are done. The first error stops the
// others and is returned; so does `cancel` (transient).
struct Spread {
  int jobs = 0;  // 0 = number of cores
  const std::atomic<bool>* cancel = nullptr;
  std::size_t threads_for(std::size_t n) const;
};
Result<void> spread(std::size_t n, const Spread& how, const std::function<Result<void>(std::size_t index, std::size_t thread)>& work,
                    const std::function<void(std::size_t done)>& tick);

// What the run of a case depends on; nothing is owned.
struct Bench {
  Ladder ladder;
  const Baselines* baselines = nullptr;  // null: none is asked
  KeptLines* kept = nullptr;
  std::string context;                   // of keys, from context_of()
  Spread spread;
};
std::string context_of(const Ladder& ladder, const Baselines* baselines);
std::string key_of(const std::string& context, const Case& one);

// One result a case, in order. `taken`: how many were known from an earlier run.
// Errors: of answerers and baselines, of keeping, transient (cancelled; what was done by then is kept).
Result<std::vector<CaseResult>> run_cases(const std::vector<Case>& cases, const Bench& bench, std::int64_t& taken,
                                          const std::function<void(std::size_t done)>& tick);

}  // namespace sluice::service::backtest
