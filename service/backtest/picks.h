// SPDX-License-Identifier: Apache-2.0
// A landed pick from end to end: every region through the ladder, the answers put into the machine merge, the result
// judged by the rules of a pick and compared with what landed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "git/git.h"
#include "guardrails/guardrails.h"
#include "service/backtest/baselines.h"
#include "service/backtest/history.h"
#include "service/backtest/ladder.h"
#include "service/backtest/result.h"

namespace sluice::service::backtest {

struct PickResult {
  Oid commit, upstream;
  std::int64_t date = 0;
  std::int64_t regions = 0, answered = 0;
  // not_answered: a region or another conflict is open. same: each conflicted file is what landed, byte by byte. format:
  // but for formatting. differs: some file is not. unresolved: it cannot be said (object missing).
  enum class State { not_answered, same, format, differs, unresolved } state = State::not_answered;
  std::string why;                  // not_answered, unresolved
  std::vector<std::string> rungs;   // that had a part in the answer
  std::string verdict;              // of the rules; empty where there is no whole answer
  std::vector<std::string> alarms;  // "G33 explain"
};
std::string_view to_string(PickResult::State state);
core::Json to_json(const PickResult& result);
Result<PickResult> parse_pick_result(const core::Json& json);

struct PickOutcome {
  std::vector<CaseResult> cases;  // of the regions whose truth is located
  PickResult pick;
};
core::Json to_json(const PickOutcome& outcome);
Result<PickOutcome> parse_outcome(const core::Json& json);

// One a thread.
class PickRunner {
 public:
  // `scratch_dir`: a scratch repository that sees both histories; answers are written there. Nothing is owned.
  // `baselines` may be null.
  static Result<PickRunner> open(const std::string& scratch_dir, const model::PolicyConfig& policy, const Ladder& ladder, const Baselines* baselines);
  const git::Reader& reader() const { return repo_.reader(); }
  git::Picker& picker() { return picker_; }
  // Errors: of answerers and baselines; trouble with the pick itself is its state.
  Result<PickOutcome> run(const Replay& replay);

 private:
  PickRunner(git::Repo repo, git::Picker picker, const model::PolicyConfig& policy, const Ladder& ladder, const Baselines* baselines);
  // Region id -> what was climbed.
  using Answers = std::map<std::string, Climbed>;
  Result<void> finish(const Replay& replay, const Answers& answers, PickResult& out);
  Result<Oid> write_answers(const guardrails::PickFacts& facts, const Answers& answers, guardrails::PickFacts& proposed);
  Result<PickResult::State> compare_files(const guardrails::PickFacts& facts, const Oid& proposed) const;

  git::Repo repo_;
  git::Picker picker_;
  const model::PolicyConfig& policy_;
  const Ladder& ladder_;
  const Baselines* baselines_;
  std::unique_ptr<guardrails::JudgeMemory> memory_ = std::make_unique<guardrails::JudgeMemory>();
  int judged_ = 0;  // with this memory
};

}  // namespace sluice::service::backtest
