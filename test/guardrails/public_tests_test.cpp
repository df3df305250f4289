// SPDX-License-Identifier: Apache-2.0
// What happened to tests of a public fork.
#include "test/guardrails/public_support.h"

namespace sluice::guardrails::testing {
namespace {

class PublicTests : public PublicFork {
 protected:
  // Items of a rule that are the proposal's, as "path: text".
  static std::vector<std::string> found(const model::Verdict& verdict, const std::string& id,
                                        std::string_view path, std::string_view detail = "") {
    std::vector<std::string> out;
    for (const model::RuleResult& rule : verdict.rules) {
      if (rule.id != id) continue;
      for (const model::VerdictItem& item : rule.items) {
        if (item.origin != "upstream" && item.path == path && item.detail.find(detail) != std::string::npos)
          out.push_back(std::string(core::trim(item.text)));
      }
    }
    return out;
  }
};

TEST_F(PublicTests, AnUndeclaredExpectedFailureAndThreeLostChecksAreNamed) {
  const model::Verdict verdict = judge("ba165ee2fe4fb68c06571992e7e3de4050d4b509",
                                       "0f765ca6bd6647ba607e447e282a602638cb2893", {{"G40", "G41"}, {}});
  EXPECT_EQ(found(verdict, "G40", "test/Conversion/reduce_inner_tree_to_llvm.mlir"),
            std::vector<std::string>{"// XFAIL: *"});
  std::vector<std::string> lost = found(verdict, "G41", "test/TLX/insert_cluster_sync_ops.mlir");
  std::sort(lost.begin(), lost.end());
  EXPECT_EQ(lost,
            (std::vector<std::string>{"// CHECK: nvvm.cluster.arrive {aligned}",
                                      "// CHECK: nvvm.cluster.wait {aligned}", "// CHECK: tcgen05.commit"}));
}

TEST_F(PublicTests, ThreePipelinesThatAFormatterCutAreNamedThoughTheCountsAreEqual) {
  const model::Verdict verdict = judge("1e4c71e9b17fe30970f6a2a048a1bf978ff77652",
                                       "09f5416b620d08a70f19924bf16314a57f5b21b0", {{"G40", "G41"}, {}});
  const std::vector<std::string> pipelines =
      found(verdict, "G41", "test/TritonGPU/load-mma-specialization.mlir", "RUN pipeline");
  ASSERT_EQ(pipelines.size(), 3u);
  for (const std::string& pipeline : pipelines)
    EXPECT_NE(pipeline.find("| FileCheck %s"), std::string::npos) << pipeline;
  EXPECT_EQ(
      found(verdict, "G40", "test/TritonGPU/load-mma-specialization.mlir", "3 of 3 pipes into FileCheck")
          .size(),
      1u);
}

TEST_F(PublicTests, ExpectedFailuresThatUpstreamAddsAreListedAndDoNotFire) {
  const model::Verdict verdict =
      judge("6440b589d1f9780a694b27f59c794d83671f76f4", "6cb844590c72cd8e0e827007c2d5cd04fc64b1bb",
            {{"G40", "G41"}, {"test/Plugins/**"}});
  int listed = 0;
  for (const model::RuleResult& rule : verdict.rules) {
    EXPECT_TRUE(rule.judgement == Judgement::pass) << rule.id << "\n" << describe(verdict);
    for (const model::VerdictItem& item : rule.items)
      listed += item.origin == "upstream" && item.text == "// XFAIL: *" ? 1 : 0;
  }
  EXPECT_EQ(listed, 2);
}

}  // namespace
}  // namespace sluice::guardrails::testing
