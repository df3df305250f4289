// SPDX-License-Identifier: Apache-2.0
// How a rule starts, and what the policy makes of it.
#include "guardrails/rules/rule.h"
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr Rule rule_of(int version, int calibrated) {
  Rule rule;
  rule.id = "G99";
  rule.version = version;
  rule.calibrated = calibrated;
  return rule;
}

TEST(Modes, ARuleOfTheMeasuredVersionIsEnforced) { EXPECT_EQ(mode_of({}, rule_of(2, 2)), model::RuleMode::enforce); }

TEST(Modes, AChangedRuleObservesUntilItIsMeasuredOnTheFork) {
  model::PolicyConfig policy;
  EXPECT_EQ(mode_of(policy, rule_of(3, 2)), model::RuleMode::observe);
  policy.rules["G99"].calibrated = 2;
  EXPECT_EQ(mode_of(policy, rule_of(3, 2)), model::RuleMode::observe);
  policy.rules["G99"].calibrated = 3;
  EXPECT_EQ(mode_of(policy, rule_of(3, 2)), model::RuleMode::enforce);
}

TEST(Modes, TheWordOfThePolicyIsLast) {
  model::PolicyConfig policy;
  policy.rules["G99"].mode = model::RuleMode::enforce;
  EXPECT_EQ(mode_of(policy, rule_of(3, 2)), model::RuleMode::enforce);
  policy.rules["G99"].mode = model::RuleMode::off;
  EXPECT_EQ(mode_of(policy, rule_of(2, 2)), model::RuleMode::off);
}

TEST(Modes, WhatIsOnlyObservedDoesNotStopAPick) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 3 "line 3 of the fork"; commit D "fork"
    at up; line f.cpp 20 "line 20 up"; commit U "change"
  )");
  pick.put("g.txt", "<<<<<<< ours\n");
  EXPECT_EQ(pick.judge({"G20"}).judgement, Judgement::block);
  pick.policy.rules["G20"].mode = model::RuleMode::observe;
  const model::Verdict observed = pick.judge({"G20"});
  EXPECT_EQ(observed.judgement, Judgement::pass);
  EXPECT_EQ(pick.of("G20"), Judgement::block) << "the finding itself stays";
}

TEST(Modes, ANumberThatARuleDoesNotHaveIsNamedWithItsLine) {
  model::PolicyConfig policy;
  policy.rules["G26"].line = 7;
  policy.rules["G26"].thresholds["treshold"] = 4;
  const auto wrong = check_policy(policy);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("line 7: [rules.G26] treshold"), std::string::npos) << wrong.error().message;
  EXPECT_NE(wrong.error().message.find("known here: mode, calibrated, threshold"), std::string::npos) << wrong.error().message;
}

TEST(Modes, EveryRuleOfTheCatalogueHasAJudge) {
  for (const Rule* rule : rules()) EXPECT_TRUE(rule->pick != nullptr || rule->unit != nullptr) << rule->id;
}

}  // namespace
}  // namespace sluice::guardrails::testing
