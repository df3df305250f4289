// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/picks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/format.h"
#include "core/region_side.h"
#include "service/pick_facts.h"

namespace sluice::service::backtest {

namespace {

constexpr int merges_a_process = 64;  // one process a thread, all at once
constexpr int picks_a_memory = 100;   // what the rules remember of blobs grows with every pick

std::string action_of(const git::Region& region, const std::string& text) {
  switch (core::relation_of(region.base, region.ours, region.theirs, text)) {
    case core::Relation::ours: return "ours";
    case core::Relation::theirs: return "theirs";
    case core::Relation::both: return "both";
    case core::Relation::mix:
    case core::Relation::fresh: break;
  }
  return "mixed";
}

// What the rungs write into the record, for the rules to lift what is explained by it.
void add_record(guardrails::PickFacts& facts, const std::string& path, const git::Region& region, const Climbed& climbed) {
  facts.resolutions.push_back({path, region.id, climbed.rung, climbed.rule, action_of(region, climbed.text), "backtest"});
  if (climbed.rung == model::Rung::proven && climbed.rule == "A1s") {
    facts.account.push_back({"proven", path, {}, 0, "FORMAT_EQUAL", region.id, "both sides are lexically equal"});
    return;
  }
  const std::string because = fmt::format("rung {}, rule {}", model::to_string(climbed.rung), climbed.rule);
  if (auto side = model::side_entry(path, {region.id, region.base, region.ours, region.theirs}, climbed.text, because)) facts.account.push_back(std::move(*side));
}

}  // namespace

PickRunner::PickRunner(git::Repo repo, git::Picker picker, const model::PolicyConfig& policy, const Ladder& ladder, const Baselines* baselines)
    : repo_(std::move(repo)), picker_(std::move(picker)), policy_(policy), ladder_(ladder), baselines_(baselines) {}

Result<PickRunner> PickRunner::open(const std::string& scratch_dir, const model::PolicyConfig& policy, const Ladder& ladder, const Baselines* baselines) {
  TRY_ASSIGN(git::Repo repo, git::Repo::open(scratch_dir));
  TRY_ASSIGN(git::Picker picker, git::Picker::open(repo, policy.paths, merges_a_process));
  return PickRunner(std::move(repo), std::move(picker), policy, ladder, baselines);
}

Result<PickOutcome> PickRunner::run(const Replay& replay) {
  PickOutcome out;
  PickResult& pick = out.pick;
  pick.commit = replay.pick.commit;
  pick.upstream = replay.pick.upstream;
  pick.date = replay.pick.date;
  pick.regions = static_cast<std::int64_t>(replay.cases.size());
  Answers answers;
  std::set<std::string> rungs;
  for (const Case& one : replay.cases) {
    TRY_ASSIGN(Climbed climbed, climb(ladder_, one));
    if (one.located) {
      CaseResult result = result_of(one, climbed);
      if (baselines_ != nullptr) {
        TRY_ASSIGN(result.baselines, baselines_->ask(one));
      }
      out.cases.push_back(std::move(result));
    }
    if (!climbed.answered) continue;
    ++pick.answered;
    rungs.emplace(model::to_string(climbed.rung));
    answers.insert_or_assign(one.region, std::move(climbed));
  }
  pick.rungs.assign(rungs.begin(), rungs.end());
  if (!replay.other.empty()) {
    pick.why = replay.other.begin()->first;
  } else if (pick.answered < pick.regions) {
    pick.why = pick.answered == 0 ? "no region answered" : "some regions answered";
  } else {
    TRY(finish(replay, answers, pick));
  }
  return out;
}

Result<void> PickRunner::finish(const Replay& replay, const Answers& answers, PickResult& out) {
  const auto unresolved = [&](const std::string& why) -> Result<void> {
    out.state = PickResult::State::unresolved;
    out.why = why.substr(0, why.find(':'));  // the object differs from pick to pick, the reason does not
    return {};
  };
  FoundFacts found = pick_facts(repo_.reader(), picker_, replay.pick.upstream, replay.pick.parent, replay.pick.commit);
  if (!found.why.empty()) return unresolved(found.why);
  guardrails::PickFacts proposed = found.facts;
  proposed.onto_commit = replay.pick.parent;
  const auto tree = write_answers(found.facts, answers, proposed);
  if (!tree.ok()) return unresolved(tree.error().message);
  const auto state = compare_files(found.facts, *tree);
  if (!state.ok()) return unresolved(state.error().message);
  out.state = *state;
  proposed.proposed_tree = *tree;
  if (++judged_ % picks_a_memory == 0) *memory_ = guardrails::JudgeMemory();
  const model::Verdict verdict = guardrails::judge_pick(repo_.reader(), proposed, policy_, {}, guardrails::Judged::pick, memory_.get());
  out.verdict = model::to_string(verdict.judgement);
  for (const model::RuleResult& rule : verdict.rules)
    if (rule.applicable && rule.judgement != model::Judgement::pass) out.alarms.push_back(fmt::format("{} {}", rule.id, model::to_string(rule.judgement)));
  return {};
}

Result<Oid> PickRunner::write_answers(const guardrails::PickFacts& facts, const Answers& answers, guardrails::PickFacts& proposed) {
  std::vector<git::TreeUpdate> updates;
  for (const model::Conflict& conflict : facts.conflicts) {
    TRY_ASSIGN(const auto entry, repo_.reader().entry(facts.merge_tree, conflict.path));
    if (!entry) return make_error(ErrorKind::not_found, "no file in the machine merge");
    TRY_ASSIGN(const std::string text, repo_.reader().blob(entry->oid));
    TRY_ASSIGN(const git::MergedFile merged, git::cut_regions(conflict.path, text));
    std::vector<std::string> texts;
    for (const git::Region& region : merged.regions) {
      const auto answer = answers.find(region.id);
      if (answer == answers.end()) return make_error(ErrorKind::internal, "a region without an answer");
      texts.push_back(answer->second.text);
      add_record(proposed, conflict.path, region, answer->second);
    }
    TRY_ASSIGN(const Oid blob, repo_.write_blob(git::fill_regions(merged, texts)));
    updates.push_back({conflict.path, git::TreeEntry{entry->mode, blob}});
  }
  return repo_.write_tree(facts.merge_tree, updates);
}

Result<PickResult::State> PickRunner::compare_files(const guardrails::PickFacts& facts, const Oid& proposed) const {
  PickResult::State state = PickResult::State::same;
  for (const model::Conflict& conflict : facts.conflicts) {
    TRY_ASSIGN(const auto mine, repo_.reader().file(proposed, conflict.path));
    TRY_ASSIGN(const auto landed, repo_.reader().file(facts.proposed_tree, conflict.path));
    if (mine == landed) continue;
    if (!mine || !landed || core::loose_form(*mine) != core::loose_form(*landed)) return PickResult::State::differs;
    state = PickResult::State::format;
  }
  return state;
}

}  // namespace sluice::service::backtest
