// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/figures.h"

namespace sluice::service::backtest {

void Tally::add(Outcome outcome) {
  switch (outcome) {
    case Outcome::exact: ++exact; break;
    case Outcome::format: ++format; break;
    case Outcome::refused: ++refused; break;
    case Outcome::different: ++different; break;
  }
}

void GateTally::add(const CaseResult& result) {
  if (!result.answered()) return;
  if (right(result.outcome))
    ++(result.passed() ? right_passed : right_stopped);
  else
    ++(result.passed() ? wrong_passed : wrong_stopped);
}

void Group::add(const CaseResult& result) {
  tally.add(result.outcome);
  gate.add(result);
}

bool worth_enabling(const GateTally& gate, std::int64_t k) { return gate.right_passed > 0 && gate.saving(k) >= 0; }

namespace {

struct CommitState {
  std::int64_t hunks = 0, answered = 0, right = 0;
};

CommitTally commits_of(const std::map<std::string, CommitState>& commits) {
  CommitTally out;
  for (const auto& [commit, state] : commits) {
    ++out.commits;
    if (state.right == state.hunks) ++out.all_right;
    if (state.answered == state.hunks)
      ++out.all_answered;
    else
      ++(state.answered > 0 ? out.some : out.none);
  }
  return out;
}

}  // namespace

Figures figures_of(const std::vector<CaseResult>& results, bool with_defects) {
  Figures out;
  std::map<std::string, CommitState> commits;
  for (const CaseResult& result : results) {
    if (result.defect && !with_defects) continue;
    out.all.add(result);
    out.invalid += result.invalid ? 1 : 0;
    out.by_rung[std::string(model::to_string(result.rung))].add(result);
    for (const model::Rung rung : result.declined) ++out.by_rung[std::string(model::to_string(rung))].declined;
    if (!result.rule.empty()) out.by_rule[result.rule].add(result);
    out.by_class[result.klass].add(result);
    out.by_lang[result.lang].add(result);
    if (!result.repo.empty()) out.by_repo[result.repo].add(result);
    out.by_size[result.size].add(result);
    out.by_kind[result.pick ? "pick" : "merge"].add(result);
    for (const std::string& alarm : result.alarms) ++(right(result.outcome) ? out.by_check[alarm].right : out.by_check[alarm].wrong);
    for (const auto& [name, outcome] : result.baselines) out.baselines[name].add(outcome);
    out.cost += result.cost;
    CommitState& commit = commits[result.repo + " " + result.commit];
    ++commit.hunks;
    commit.answered += result.answered() ? 1 : 0;
    commit.right += right(result.outcome) ? 1 : 0;
  }
  out.commits = commits_of(commits);
  return out;
}

}  // namespace sluice::service::backtest
