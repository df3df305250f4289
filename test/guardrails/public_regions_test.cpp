// SPDX-License-Identifier: Apache-2.0
// The rules on conflict regions, on a public fork.
#include "test/guardrails/public_support.h"

namespace sluice::guardrails::testing {
namespace {

class PublicRegions : public PublicFork {
 protected:
  model::RuleResult judge(const std::string& id, const std::string& landed, const std::string& upstream) {
    return rule(PublicFork::judge(landed, upstream, {{id}, {}}), id);
  }
};

TEST_F(PublicRegions, TheFormatterThatFoldedRunLinesIsSmelt) {
  const model::RuleResult rule = judge("G30", "1e4c71e9b17fe30970f6a2a048a1bf978ff77652", "09f5416b620d08a70f19924bf16314a57f5b21b0");
  EXPECT_EQ(rule.judgement, Judgement::escalate);
  const auto folded = std::find_if(rule.items.begin(), rule.items.end(), [](const model::VerdictItem& item) {
    return item.path == "test/TritonGPU/load-mma-specialization.mlir" && item.line == 1;
  });
  ASSERT_NE(folded, rule.items.end());
  EXPECT_NE(folded->detail.find("a formatter"), std::string::npos) << folded->detail;
}

TEST_F(PublicRegions, TheNameThatWentWithTheDroppedCallIsNamed) {
  const model::RuleResult rule = judge("G33", "69e895ea5d8bd5ddd8c3551d5c2417b1cadbe30b", "af6b560cb244cb0633d5916a76798f430351fee1");
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].detail, "fork change dropped: narrowIntervalForSubview");
}

TEST_F(PublicRegions, TheFileThatHoldsABlockTwiceIsLongerThanBothSides) {
  const model::RuleResult rule = judge("G32", "b43d69357c42dd4a6dfd98bcf64d2c6f343c76c6", "218560e29b4e08ae207815472b9caa29bed52f38");
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].path, "python/test/gluon/test_core.py");
}

}  // namespace
}  // namespace sluice::guardrails::testing
