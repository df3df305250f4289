// SPDX-License-Identifier: Apache-2.0
// The rungs on one case: remembered, proven, candidate, then whatever was plugged in. The first that answers has the word.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/proposal.h"
#include "core/result.h"
#include "service/backtest/answerer.h"
#include "service/backtest/case.h"
#include "service/backtest/memory.h"

namespace sluice::service::backtest {

struct Ladder {
  const Memory* memory = nullptr;              // not owned; null: nothing is remembered
  std::vector<std::string> rules = {};         // only these; empty = all
  std::span<HunkAnswerer* const> further = {};  // not owned; in order

  // Everything its answers depend on.
  std::string version() const;
};

struct Climbed {
  bool answered = false;
  model::Rung rung = model::Rung::person;  // that answered
  std::string rule, text;
  std::vector<model::Rung> declined;       // asked before that, in order
  // Not answered: why the last rung gave none. `invalid`: its answer could not be used.
  std::string cause;
  bool invalid = false;
  Cost cost;
};
// Errors: of the answerers.
Result<Climbed> climb(const Ladder& ladder, const Case& one);

}  // namespace sluice::service::backtest
