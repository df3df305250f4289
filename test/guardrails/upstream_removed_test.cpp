// SPDX-License-Identifier: Apache-2.0
// G22: what upstream removes is gone.
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

// Upstream replaces a call, the fork changed the line behind it.
constexpr const char* replaced_call = R"(
  repo up; base40 f.cpp; line f.cpp 10 "old_call(1);"; line f.cpp 30 "shared(2);"; commit B "b"
  fork up down; line f.cpp 11 "line 11 of the fork"; insert f.cpp 35 "old_call(1);"; commit D "d"
  at up; line f.cpp 10 "new_call(1);"; commit U "u"
)";

struct Kept : Pick {
  // The result has both calls where upstream has one.
  explicit Kept(std::string_view at_conflict) : Pick(replaced_call) {
    put("f.cpp", replaced(this->text(history.tree("D"), "f.cpp"), "old_call(1);\n", at_conflict));
  }
};

TEST(UpstreamRemoved, DoneAndTheForksOwnUseKeptIsAPass) {
  Kept pick("new_call(1);\n");
  ASSERT_TRUE(pick.facts.conflicted);
  EXPECT_EQ(pick.of("G22"), Judgement::pass) << describe(pick.judge({"G22"}));
}

TEST(UpstreamRemoved, KeptBesideItsReplacementIsAnItem) {
  Kept pick("old_call(1);\nnew_call(1);\n");
  const model::RuleResult rule = pick.rule("G22");
  EXPECT_EQ(rule.judgement, Judgement::explain);
  ASSERT_EQ(texts(rule), std::vector<std::string>{"f.cpp: old_call(1);"});
  EXPECT_EQ(rule.items[0].line, 10);
  EXPECT_EQ(rule.items[0].account, "upstream_removed");
  EXPECT_EQ(rule.items[0].norm_sha256, core::sha256_hex("old_call(1);"));
}

TEST(UpstreamRemoved, AsOftenAsItStaysIsAsManyItems) {
  Pick pick(R"(
    repo up; base40 f.cpp; line f.cpp 10 "twice();"; line f.cpp 12 "twice();"; commit B "b"
    fork up down; line f.cpp 11 "line 11 of the fork"; commit D "d"
    at up; cut_lines f.cpp 12 12; cut_lines f.cpp 10 10; commit U "u")");
  ASSERT_TRUE(pick.facts.conflicted);
  const std::string ours = pick.text(pick.history.tree("D"), "f.cpp");
  pick.put("f.cpp", ours);
  EXPECT_EQ(pick.rule("G22").items.size(), 2u);
  pick.put("f.cpp", replaced(ours, "twice();\n", ""));
  EXPECT_EQ(pick.rule("G22").items.size(), 1u);
  pick.put("f.cpp", replaced(replaced(ours, "twice();\n", ""), "twice();\n", ""));
  EXPECT_EQ(pick.rule("G22").items.size(), 0u);
}

TEST(UpstreamRemoved, ByTheForkAlreadyLeavesTheOtherUseAlone) {
  // Base has it twice, the fork removed one and upstream one: nobody can tell whether it is the same one.
  Pick pick(R"(
    repo up; base40 f.cpp; line f.cpp 10 "twice();"; line f.cpp 30 "twice();"; commit B "b"
    fork up down; line f.cpp 30 "once();"; line f.cpp 11 "fork"; commit D "d"
    at up; cut_lines f.cpp 30 30; line f.cpp 11 "upstream"; commit U "u")");
  ASSERT_TRUE(pick.facts.conflicted);
  pick.put("f.cpp", replaced(pick.text(pick.history.tree("D"), "f.cpp"), "fork\n", "both\n"));
  EXPECT_EQ(pick.of("G22"), Judgement::pass) << describe(pick.judge({"G22"}));
}

TEST(UpstreamRemoved, ALineThatOnlyMovesIsNotRemoved) {
  Pick pick(R"(
    repo up; base40 f.cpp; line f.cpp 10 "moving();"; commit B "b"
    fork up down; line f.cpp 11 "line 11 of the fork"; commit D "d"
    at up; cut_lines f.cpp 10 10; insert f.cpp 30 "  moving();"; commit U "u")");
  ASSERT_TRUE(pick.facts.conflicted);
  const std::string ours = pick.text(pick.history.tree("D"), "f.cpp");
  pick.put("f.cpp", ours);
  EXPECT_EQ(pick.of("G22"), Judgement::pass) << "not moved: G21 knows nothing of it either, the line is there";
  pick.put("f.cpp", ours + "  moving();\n");
  EXPECT_EQ(pick.rule("G22").items.size(), 1u) << "at both places";
}

TEST(UpstreamRemoved, TheMachineMergeHoldsByDefinitionAndWhatItKeepsIsNotTheProposals) {
  constexpr const char* clean = R"(
    repo up; base40 f.cpp; line f.cpp 10 "gone();"; commit B "b"
    fork up down; line f.cpp 30 "line 30 of the fork"; commit D "d"
    at up; cut_lines f.cpp 10 10; commit U "u")";
  Pick pick(clean);
  ASSERT_FALSE(pick.facts.conflicted);
  EXPECT_TRUE(pick.rule("G22").items.empty());
  pick.put("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp") + "another();\n");
  EXPECT_TRUE(pick.rule("G22").items.empty());
  pick.put("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp") + "gone();\n");
  EXPECT_EQ(texts(pick.rule("G22")), std::vector<std::string>{"f.cpp: gone();"}) << "the proposal brings it back";
}

TEST(UpstreamRemoved, AFileThatStaysIsOneItem) {
  Pick pick(R"(
    repo up; base40 f.cpp; put g.cpp "int g;\n"; commit B "b"
    fork up down; line f.cpp 10 "line 10 of the fork"; commit D "d"
    at up; drop f.cpp; commit U "u")");
  ASSERT_TRUE(pick.facts.conflicted);
  pick.put("f.cpp", pick.text(pick.history.tree("D"), "f.cpp"));
  EXPECT_EQ(texts(pick.rule("G22")), std::vector<std::string>{"f.cpp: "});
  EXPECT_EQ(pick.of("G22"), Judgement::explain);
  pick.account("upstream_removed", "f.cpp", "", "ALREADY_PRESENT");
  EXPECT_EQ(pick.of("G22"), Judgement::pass);
  pick.put("f.cpp", "something else\n");
  EXPECT_EQ(pick.of("G22"), Judgement::block) << "it is not the fork's file";
  pick.drop("f.cpp");
  EXPECT_TRUE(pick.rule("G22").items.empty());
}

TEST(UpstreamRemoved, AnItemIsLiftedByATrueEntryAndBlockedByAFalseOne) {
  struct Row {
    const char* name;
    const char *code, *arg;
    Judgement want;
  };
  const std::string tip = Kept("").history.id("D"), base = Kept("").history.id("B");
  const Row rows[] = {
      {"the fork has two, the result three", "ALREADY_PRESENT", "", Judgement::block},
      {"renamed: the line of the new name is there", "RENAMED", "old_call new_call", Judgement::pass},
      {"renamed to nothing that is there", "RENAMED", "old_call no_call", Judgement::block},
      {"a fork commit that touches the file", "SUPERSEDED_BY_FORK", tip.c_str(), Judgement::pass},
      {"no commit", "SUPERSEDED_BY_FORK", "0000000000000000000000000000000000000000", Judgement::block},
      {"upstream's removal is no answer to itself", "UPSTREAM_DELETED", "", Judgement::block},
      {"it has not moved", "MOVED_TO", "f.cpp", Judgement::block},
      {"nobody can check", "NOT_APPLICABLE", "feature", Judgement::escalate},
      {"nobody can check", "DEFERRED", "x", Judgement::escalate},
  };
  for (const Row& row : rows) {
    Kept pick("old_call(1);\nold_call(1);\nnew_call(1);\n");
    EXPECT_EQ(pick.rule("G22").items.size(), 1u) << "upstream removes one";
    pick.account("upstream_removed", "f.cpp", " old_call( 1 );", row.code, row.arg);
    const model::RuleResult rule = pick.rule("G22");
    EXPECT_EQ(rule.judgement, row.want) << row.name;
    EXPECT_EQ(rule.items.at(0).lifted_by.empty(), row.want == Judgement::block) << row.name;
  }
  Kept as_it_was("old_call(1);\nnew_call(1);\n");
  as_it_was.account("upstream_removed", "f.cpp", "old_call(1);", "ALREADY_PRESENT");
  EXPECT_EQ(as_it_was.rule("G22").items.at(0).lifted_by, "ALREADY_PRESENT");
  Kept other_kind("old_call(1);\nnew_call(1);\n");
  other_kind.account("upstream_added", "f.cpp", "old_call(1);", "RENAMED", "old_call new_call");
  EXPECT_EQ(other_kind.of("G22"), Judgement::explain) << "an entry of another kind answers nothing";
}

TEST(UpstreamRemoved, OfARegionThatDiffersInFormattingOnlyIsAnsweredByItsProof) {
  Pick pick(R"sh(
    repo up; put f.cpp "int a;\nvoid f(int first, int second);\nint z;\nint b;\n"; commit B "b"
    fork up down; put f.cpp "int a;\nvoid f(int first, int second);\nlong z;\nint b;\n"; commit D "d"
    at up; put f.cpp "int a;\nvoid f(int first,\n       int second);\nlong z;\nint b;\n"; commit U "u"
  )sh");
  ASSERT_TRUE(pick.facts.conflicted);
  pick.put("f.cpp", pick.text(pick.history.tree("D"), "f.cpp"));
  EXPECT_EQ(texts(pick.rule("G22")), std::vector<std::string>{"f.cpp: void f(int first, int second);"});
  const git::MergedFile cut = must(git::cut_regions("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp")));
  pick.facts.account.push_back({"proven", "f.cpp", "", 0, "FORMAT_EQUAL", cut.regions.at(0).id, "same"});
  EXPECT_EQ(pick.of("G22"), Judgement::pass);
  EXPECT_EQ(pick.rule("G22").items.at(0).lifted_by, "FORMAT_EQUAL " + cut.regions[0].id);
}

TEST(UpstreamRemoved, OfAPathThatThePolicyDropsIsNoItem) {
  Pick pick(R"(
    repo up; base40 f.cpp; put r.md "one\ntwo\nthree\n"; commit B "b"
    fork up down; line f.cpp 10 "line 10 of the fork"; line r.md 1 "uno"; commit D "d"
    at up; line f.cpp 10 "line 10 of upstream"; cut_lines r.md 2 2; commit U "u")",
            {path_config("r.md", model::PathClass::none, model::UpstreamSay::ours)});
  ASSERT_TRUE(pick.facts.conflicted);
  pick.put("f.cpp", pick.text(pick.history.tree("D"), "f.cpp"));
  EXPECT_EQ(pick.text(pick.facts.proposed_tree, "r.md"), "uno\ntwo\nthree\n");
  EXPECT_TRUE(pick.rule("G22").items.empty()) << describe(pick.judge({"G22"}));
}

}  // namespace
}  // namespace sluice::guardrails::testing
