// SPDX-License-Identifier: Apache-2.0
#include "service/canary/canary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "guardrails/guardrails.h"

namespace sluice::service {
namespace {

CanaryRun must_run(const model::PolicyConfig& policy, const UnitJudgement& judge = guardrails::judge_unit) {
  auto run = run_canaries(policy, judge);
  if (!run.ok()) throw std::runtime_error(run.error().message);
  return std::move(*run);
}

// A judge that has lost one rule's code: it says of every tree what it says of a sound one.
UnitJudgement blind_to(const std::string& gate) {
  return [gate](const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane, std::span<const model::Evidence> evidence,
                const model::JudgeContext& context) {
    model::Verdict verdict = guardrails::judge_unit(reader, proposal, lane, evidence, context);
    for (model::RuleResult& rule : verdict.rules) {
      if (rule.id == gate) rule.items.clear(), rule.judgement = model::Judgement::pass;
    }
    return verdict;
  };
}

TEST(Canaries, EachFaultTurnsExactlyItsGateRed) {
  const CanaryRun run = must_run({});
  for (const CanaryResult& result : run.results) {
    EXPECT_EQ(to_string(result.caught), "red") << result.gate << " " << result.fault << ": " << result.finding << " also "
                                               << (result.also.empty() ? "" : result.also.front());
    EXPECT_FALSE(result.finding.empty()) << result.gate;
  }
  EXPECT_TRUE(run.quarantined().empty());
}

TEST(Canaries, EveryRuleHasAFaultOrSaysWhyNot) {
  const CanaryRun run = must_run({});
  for (const std::string& rule : run.unproven) EXPECT_EQ(rule.find("no fault is stored"), std::string::npos) << rule;
}

TEST(Canaries, AGateWhoseCodeIsGoneIsFound) {
  const CanaryRun sound = must_run({});
  for (const guardrails::RuleInfo& rule : guardrails::catalogue()) {
    const bool proven = std::any_of(sound.results.begin(), sound.results.end(), [&](const auto& r) { return r.gate == rule.id; });
    const CanaryRun run = must_run({}, blind_to(rule.id));
    EXPECT_EQ(run.quarantined(), proven ? std::vector<std::string>{rule.id} : std::vector<std::string>{}) << rule.id;
  }
}

TEST(Canaries, ARuleThatIsOffIsNotGreen) {
  model::PolicyConfig policy;
  policy.rules["G23"].mode = model::RuleMode::off;
  policy.rules["G26"].mode = model::RuleMode::observe;
  const CanaryRun run = must_run(policy);
  for (const CanaryResult& result : run.results) {
    if (result.gate != "G23" && result.gate != "G26") continue;
    EXPECT_EQ(result.caught, result.gate == "G23" ? Caught::off : Caught::red) << result.gate << ": observed rules can object, too";
  }
  EXPECT_TRUE(run.quarantined().empty());
}

TEST(Canaries, NumbersThatSwitchAGateOffAreFound) {
  model::PolicyConfig policy;
  policy.rules["G26"].thresholds["threshold"] = 1000;
  EXPECT_EQ(must_run(policy).quarantined(), std::vector<std::string>{"G26"});
}

}  // namespace
}  // namespace sluice::service
