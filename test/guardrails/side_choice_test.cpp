// SPDX-License-Identifier: Apache-2.0
// G27: a side that was taken is declared, when the other side has a change of its own.
#include <fmt/format.h>

#include "core/region_side.h"
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

using core::Relation;

// f.cpp conflicts in line 10 and in line 30.
constexpr const char* two_regions = R"(
  repo up; base40 f.cpp; commit B "b"
  fork up down; line f.cpp 10 "int ten_down;"; line f.cpp 30 "int thirty_down;"; commit D "d"
  at up; line f.cpp 10 "int ten_up;"; line f.cpp 30 "int thirty_up;"; commit U "u"
)";

class Sides {
 public:
  explicit Sides(std::string_view script = two_regions) : pick(script) {
    cut = must(git::cut_regions("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp")));
  }
  void answer(const std::vector<std::string>& answers) { pick.put("f.cpp", git::fill_regions(cut, answers)); }
  void say(std::string arg, std::string code = "SIDE", std::string kind = "side_choice") {
    pick.facts.account.push_back({std::move(kind), "f.cpp", "", 0, std::move(code), std::move(arg), "why"});
  }
  const git::Region& region(std::size_t i) const { return cut.regions.at(i); }
  model::RuleResult rule() { return pick.rule("G27"); }

  Pick pick;
  git::MergedFile cut;
};

TEST(Relation, IsComputedFromTheLines) {
  const auto of = [](std::string_view answer) { return core::relation_of("a\nb\n", "a\no\n", "t\nb\n", answer); };
  EXPECT_EQ(of("a\no\n"), Relation::ours);
  EXPECT_EQ(of("  a\n\n  o"), Relation::ours) << "indented anew";
  EXPECT_EQ(of("a\r\no\r\n"), Relation::ours);
  EXPECT_EQ(of("t\nb\n"), Relation::theirs);
  EXPECT_EQ(of("a\no\nt\nb\n"), Relation::both);
  EXPECT_EQ(of("t\nb\na\no\n"), Relation::both);
  EXPECT_EQ(of("t\no\n"), Relation::mix);
  EXPECT_EQ(of("a\nb\n"), Relation::mix) << "the base";
  EXPECT_EQ(of(""), Relation::mix);
  EXPECT_EQ(of("a\no\nnew\n"), Relation::fresh);
  EXPECT_EQ(core::relation_of("", "x\n", "x\n", "x\n"), Relation::ours) << "both sides are one";
  EXPECT_EQ(core::relation_of("b\n", "", "t\n", ""), Relation::ours);
}

TEST(Relation, ASideLeavesSomethingOnlyWhenTheOtherHasAChangeOfItsOwn) {
  const auto leaves = [](Relation relation, std::string_view base, std::string_view ours, std::string_view theirs) {
    return core::leaves_a_change(relation, base, ours, theirs, core::Language::c_family);
  };
  EXPECT_TRUE(leaves(Relation::ours, "f(1);\n", "f(2);\n", "f(3);\n"));
  EXPECT_TRUE(leaves(Relation::theirs, "f(1);\n", "f(2);\n", "f(3);\n"));
  EXPECT_FALSE(leaves(Relation::both, "f(1);\n", "f(2);\n", "f(3);\n"));
  EXPECT_FALSE(leaves(Relation::ours, "f(1, 2);\n", "f(2);\n", "f(1,\n  2);\n")) << "upstream only wrapped the line";
  EXPECT_TRUE(leaves(Relation::theirs, "f(1, 2);\n", "f(2);\n", "f(1,\n  2);\n")) << "but the fork changed it";
  EXPECT_FALSE(leaves(Relation::ours, "", "f(2);\n", "f( 2 );\n")) << "both say the same";
}

TEST(SideChoice, ASideTakenInSilenceIsNamedWithWhatTheEntryMustSay) {
  Sides sides;
  sides.answer({sides.region(0).ours, sides.region(1).theirs});
  const model::RuleResult rule = sides.rule();
  EXPECT_EQ(rule.judgement, Judgement::explain);
  EXPECT_EQ(texts(rule), (std::vector<std::string>{"f.cpp: " + sides.region(0).id + " OURS", "f.cpp: " + sides.region(1).id + " THEIRS"}));
  EXPECT_EQ(rule.items[0].account, "side_choice");
  EXPECT_EQ(rule.items[0].line, 10);
  sides.say(sides.region(0).id + " OURS");
  EXPECT_EQ(sides.rule().items[0].lifted_by, "SIDE " + sides.region(0).id + " OURS");
  EXPECT_EQ(sides.rule().judgement, Judgement::explain) << "one of two";
  sides.say(sides.region(1).id + " THEIRS");
  EXPECT_EQ(sides.rule().judgement, Judgement::pass);
  EXPECT_EQ(sides.pick.of("G21"), Judgement::escalate) << "the lines that the side leaves out need their own entries";
}

TEST(SideChoice, AnAnswerOfBothSidesOrOfNewLinesIsNoChoice) {
  Sides sides;
  sides.answer({sides.region(0).ours + sides.region(0).theirs, "int something_new;\n"});
  EXPECT_EQ(sides.rule().judgement, Judgement::pass);
  EXPECT_TRUE(sides.rule().items.empty());
}

TEST(SideChoice, AFalseEntryBlocks) {
  Sides sides;
  sides.answer({sides.region(0).ours, "int something_new;\n"});
  sides.say(sides.region(0).id + " THEIRS");
  EXPECT_EQ(sides.rule().judgement, Judgement::block) << "it is OURS";
  sides.pick.facts.account.clear();
  sides.say(sides.region(0).id);
  EXPECT_EQ(sides.rule().judgement, Judgement::block) << "the side is not stated";
  sides.pick.facts.account.clear();
  sides.say(sides.region(0).id + " OURS");
  sides.say("000000000000 OURS");
  EXPECT_EQ(sides.rule().judgement, Judgement::block) << "no such region";
  sides.pick.facts.account.pop_back();
  sides.say(sides.region(1).id + " OURS");
  EXPECT_EQ(sides.rule().judgement, Judgement::block) << "it is a new line";
}

TEST(SideChoice, AnEntryForAnAnswerThatNobodyFindsIsNoProof) {
  Sides sides;
  std::string text = git::fill_regions(sides.cut, {sides.region(0).ours, sides.region(1).ours + sides.region(1).theirs});
  sides.pick.put("f.cpp", text.replace(text.find("line 11\n"), 8, "line eleven\n"));
  EXPECT_EQ(sides.rule().judgement, Judgement::pass) << "nothing is known of the region";
  sides.say(sides.region(0).id + " OURS");
  EXPECT_EQ(sides.rule().judgement, Judgement::escalate) << "nothing can check it";
}

TEST(SideChoice, ASideThatOnlyFormatsAnewIsDeclaredByTheProvenRule) {
  Sides sides(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "int f(int a,\n      int b);"; commit D "d"
    at up; line f.cpp 10 "int f(int a, int b);"; commit U "u")");
  sides.answer({sides.region(0).ours});
  EXPECT_EQ(sides.rule().judgement, Judgement::explain);
  sides.say(sides.region(0).id, "FORMAT_EQUAL", "proven");
  EXPECT_EQ(sides.rule().judgement, Judgement::pass);
  sides.answer({sides.region(0).theirs});
  EXPECT_EQ(sides.rule().judgement, Judgement::block) << "the result is upstream's spelling";
}

TEST(SideChoice, AWholePathFilterHidesTheFile) {
  Sides sides;
  sides.answer({sides.region(0).ours, sides.region(1).ours});
  const model::Verdict verdict = sides.pick.judge({"G27"}, {"g.cpp"});
  for (const model::RuleResult& rule : verdict.rules) EXPECT_TRUE(rule.items.empty());
}

}  // namespace
}  // namespace sluice::guardrails::testing
