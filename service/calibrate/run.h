// SPDX-License-Identifier: Apache-2.0
// Many landed commits judged side by side, a thread and a git process a core.
#pragma once

#include <atomic>
#include <vector>

#include "git/git.h"
#include "guardrails/guardrails.h"
#include "service/app.h"
#include "service/calibrate/kept.h"
#include "service/calibrate/sample.h"

namespace sluice::service::calibrate {

struct RunOptions {
  int jobs = 0;  // 0 = number of cores
  const std::atomic<bool>* cancel = nullptr;
  Progress progress;
};

struct RunOutcome {
  std::vector<RowResult> results;  // in the order of `rows`
  std::int64_t kept = 0;           // of them, judged by an earlier run
};

// Results are kept as they come, so that a run which was cut short is continued by the next one.
// Errors: transient when cancelled, saying how much is kept; those of the repositories and of keeping.
Result<RunOutcome> judge_rows(const git::Repo& scratch, const std::vector<Row>& rows, const model::PolicyConfig& policy,
                              const guardrails::RuleFilter& filter, Kept& kept, const RunOptions& options);

}  // namespace sluice::service::calibrate
