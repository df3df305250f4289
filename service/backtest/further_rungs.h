// SPDX-License-Identifier: Apache-2.0
// The rungs behind the rules, as a backtest asks them: merge drivers of the configuration, and a model. Each hunk is a
// repository of its own with one file, base, both sides and the lines around them: nothing newer can be seen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/config.h"
#include "service/app.h"
#include "service/backtest/answerer.h"

namespace sluice::service::backtest {

// [[resolver]], in order, each for the files that it is for. In the sandbox.
Result<std::vector<std::unique_ptr<HunkAnswerer>>> make_drivers(const model::Config& config);

// The model of `choice`; null for "none". Spend, sent paths and transcripts go into the store of `config` where it has one,
// else into `keep`; empty = thrown away.
// Replays by equal requests: several hunks are asked side by side. Errors: as ModelOffice::open.
Result<std::unique_ptr<HunkAnswerer>> make_model(const model::Config& config, const ModelChoice& choice, const std::string& keep, const std::atomic<bool>* cancel);

}  // namespace sluice::service::backtest
