// SPDX-License-Identifier: Apache-2.0
// What became of one case: ids, names and counts, never a line of anybody's code. That is what reports are made of and
// what is kept between runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/proposal.h"
#include "core/result.h"
#include "service/backtest/answerer.h"
#include "service/backtest/case.h"
#include "service/backtest/checks.h"
#include "service/backtest/ladder.h"

namespace sluice::service::backtest {

struct CaseResult {
  std::string id, repo, commit, klass, lang, size;
  bool pick = false;
  model::Rung rung = model::Rung::person;  // that had the word; person = nobody before
  std::string rule;
  Outcome outcome = Outcome::refused;
  std::string cause;  // refused
  bool invalid = false;
  Gate gate = Gate::pass;           // of the answer; pass where there is none
  std::vector<std::string> alarms;  // ids of hunk_checks()
  std::vector<model::Rung> declined;
  Cost cost;
  std::map<std::string, Outcome> baselines;  // by name; a baseline that was not asked is absent
  bool defect = false;                       // what landed is known to be wrong; not kept

  bool answered() const { return outcome != Outcome::refused; }
  bool passed() const { return gate == Gate::pass; }
};

CaseResult result_of(const Case& one, const Climbed& climbed);

core::Json to_json(const CaseResult& result);
Result<CaseResult> parse_case_result(const core::Json& json);

}  // namespace sluice::service::backtest
