// SPDX-License-Identifier: Apache-2.0
// Incidents of a public fork.
#include "test/guardrails/public_support.h"

namespace sluice::guardrails::testing {
namespace {

using PublicHistory = PublicFork;

TEST_F(PublicHistory, TheDroppedCallOfTheMembarAnalysisIsOneLineWithItsCommit) {
  const model::Verdict verdict =
      judge("69e895ea5d8bd5ddd8c3551d5c2417b1cadbe30b", "af6b560cb244cb0633d5916a76798f430351fee1");
  const model::RuleResult g23 = rule(verdict, "G23");
  EXPECT_EQ(texts(g23),
            std::vector<std::string>{
                "lib/Analysis/Membar.cpp: interval = narrowIntervalForSubview(value, interval);"});
  EXPECT_TRUE(g23.items.at(0).introduced_by.starts_with("d1e77f6f8")) << g23.items[0].introduced_by;
}

TEST_F(PublicHistory, TheFunctionOfTheDroppedCallIsNamedAsAnOrphan) {
  const model::Verdict verdict =
      judge("69e895ea5d8bd5ddd8c3551d5c2417b1cadbe30b", "af6b560cb244cb0633d5916a76798f430351fee1");
  const model::RuleResult g24 = rule(verdict, "G24");
  EXPECT_EQ(g24.judgement, Judgement::escalate);
  EXPECT_EQ(texts(g24), std::vector<std::string>{"lib/Analysis/Membar.cpp: narrowIntervalForSubview"});
}

TEST_F(PublicHistory, TheBindingsRegisteredTwiceAreNamed) {
  const model::Verdict verdict =
      judge("b43d69357c42dd4a6dfd98bcf64d2c6f343c76c6", "218560e29b4e08ae207815472b9caa29bed52f38");
  std::vector<std::string> named = texts(rule(verdict, "G26"));
  for (const char* name : {"create_local_gather", "create_local_scatter"}) {
    EXPECT_NE(std::find(named.begin(), named.end(), std::string("python/src/gluon_ir.cc: ") + name),
              named.end())
        << name;
  }
  EXPECT_EQ(rule(verdict, "G21").judgement, Judgement::pass);
  EXPECT_EQ(rule(verdict, "G23").judgement, Judgement::pass);
}

TEST_F(PublicHistory, TheQuietEditsBesideACleanMergeAreFound) {
  const model::Verdict verdict =
      judge("ba165ee2fe4fb68c06571992e7e3de4050d4b509", "0f765ca6bd6647ba607e447e282a602638cb2893");
  EXPECT_EQ(rule(verdict, "G02").judgement, Judgement::escalate);
  EXPECT_EQ(rule(verdict, "G10").judgement, Judgement::escalate);
  EXPECT_EQ(rule(verdict, "G10").items.size(), 4u);
  EXPECT_EQ(rule(verdict, "G23").items.size(), 4u);
}

}  // namespace
}  // namespace sluice::guardrails::testing
