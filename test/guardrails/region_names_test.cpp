// SPDX-License-Identifier: Apache-2.0
// G31, G32, G33: what an answer is made of, how long it is, and which names it leaves out.
#include <fmt/format.h>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr const char* script = R"(
  repo up; base40 f.cpp; line f.cpp 10 "call(old_name);"; line f.cpp 14 "int nearby;"; line f.cpp 26 "int far_away;"; commit B "b"
  fork up down; line f.cpp 10 "call(old_name, fork_name);"; commit D "d"
  at up; line f.cpp 10 "call(old_name, upstream_name);"; commit U "u"
)";

class Names {
 public:
  explicit Names(std::string_view history = script) : pick(history) {
    cut = must(git::cut_regions("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp")));
  }
  void answer(const std::string& text) { pick.put("f.cpp", git::fill_regions(cut, {text})); }
  void by(model::Rung rung) { pick.facts.resolutions = {{"f.cpp", cut.regions.at(0).id, rung, "rule", "mixed", ""}}; }

  Pick pick;
  git::MergedFile cut;
};

TEST(FromNowhere, ANameOfNoSideIsNamed) {
  Names names;
  names.answer("call(fork_name, thought_up, upstream_name);\n");
  const model::RuleResult rule = names.pick.rule("G31");
  EXPECT_EQ(rule.judgement, Judgement::escalate);
  EXPECT_EQ(texts(rule), std::vector<std::string>{"f.cpp: thought_up"});
  EXPECT_EQ(rule.items[0].line, 10);
  names.answer("call(upstream_name, fork_name);\n");
  EXPECT_EQ(names.pick.of("G31"), Judgement::pass);
}

TEST(FromNowhere, APersonMayTakeNamesFromTheTenLinesAround) {
  Names names;
  names.answer("call(fork_name, upstream_name, nearby);\n");
  EXPECT_EQ(names.pick.of("G31"), Judgement::pass) << "who answered is unknown";
  names.by(model::Rung::person);
  EXPECT_EQ(names.pick.of("G31"), Judgement::pass);
  names.by(model::Rung::remembered);
  EXPECT_EQ(names.pick.of("G31"), Judgement::pass) << "a person's answer, given again";
  for (const model::Rung rung : {model::Rung::candidate, model::Rung::model, model::Rung::external, model::Rung::proven}) {
    names.by(rung);
    EXPECT_EQ(names.pick.of("G31"), Judgement::escalate) << model::to_string(rung);
  }
  names.by(model::Rung::person);
  names.answer("call(fork_name, upstream_name, far_away);\n");
  EXPECT_EQ(names.pick.of("G31"), Judgement::escalate) << "16 lines off";
  names.pick.policy.rules["G31"].thresholds["threshold"] = 16;
  EXPECT_EQ(names.pick.of("G31"), Judgement::pass);
}

TEST(FromNowhere, WordsOfACommentAreNoNames) {
  Names names;
  names.answer("call(fork_name, upstream_name);  // both are wanted\n");
  EXPECT_EQ(names.pick.of("G31"), Judgement::pass);
}

TEST(Longer, AnAnswerAboveBothSidesTogetherIsNamed) {
  Names names;
  names.answer("call(fork_name);\ncall(upstream_name);\n");
  EXPECT_EQ(names.pick.of("G32"), Judgement::pass);
  names.answer("call(fork_name);\ncall(upstream_name);\ncall(old_name);\n");
  const model::RuleResult rule = names.pick.rule("G32");
  EXPECT_EQ(rule.judgement, Judgement::escalate);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].detail, "3 lines where the fork has 1 and upstream 1");
  names.pick.policy.rules["G32"].thresholds["threshold"] = 1.5;
  EXPECT_EQ(names.pick.of("G32"), Judgement::pass);
}

TEST(DroppedNames, ANameThatASideBroughtIsMissed) {
  Names names;
  names.answer(names.cut.regions[0].ours);
  const model::RuleResult theirs = names.pick.rule("G33");
  EXPECT_EQ(theirs.judgement, Judgement::explain);
  ASSERT_EQ(theirs.items.size(), 1u);
  EXPECT_EQ(theirs.items[0].detail, "upstream change dropped: upstream_name");
  EXPECT_EQ(theirs.items[0].account, "upstream_added");
  EXPECT_EQ(theirs.items[0].text, "call(old_name, upstream_name);");
  names.answer(names.cut.regions[0].theirs);
  const model::RuleResult ours = names.pick.rule("G33");
  ASSERT_EQ(ours.items.size(), 1u);
  EXPECT_EQ(ours.items[0].detail, "fork change dropped: fork_name");
  EXPECT_EQ(ours.items[0].account, "downstream_lost");
  names.answer("call(upstream_name, fork_name);\n");
  EXPECT_EQ(names.pick.of("G33"), Judgement::pass) << "old_name is of base: nobody brought it";
}

TEST(DroppedNames, AnEntryForALineThatHoldsTheNameCoversIt) {
  Names names;
  names.answer("call(old_name, fork_name, other);\n");
  names.pick.account("upstream_added", "f.cpp", "call(old_name, upstream_name);", "RENAMED", "upstream_name fork_name");
  EXPECT_EQ(names.pick.of("G33"), Judgement::block) << "no line of the result is the renamed one";
  names.answer("call(old_name, fork_name);\n");
  const model::RuleResult rule = names.pick.rule("G33");
  EXPECT_EQ(rule.judgement, Judgement::pass);
  EXPECT_EQ(rule.items.at(0).lifted_by, "RENAMED upstream_name fork_name");
  EXPECT_EQ(names.pick.of("G21"), Judgement::pass) << "the same entry answers for the line";
  names.pick.facts.account[0].code = "NOT_APPLICABLE";
  EXPECT_EQ(names.pick.of("G33"), Judgement::escalate);
  names.pick.account("upstream_added", "f.cpp", "a line without the name", "UPSTREAM_DELETED");
  names.pick.facts.account.erase(names.pick.facts.account.begin());
  EXPECT_EQ(names.pick.of("G33"), Judgement::explain);
}

TEST(DroppedNames, ANameInACommentIsNoChange) {
  Names names(R"(
    repo up; base40 f.cpp; line f.cpp 10 "call(one);"; commit B "b"
    fork up down; line f.cpp 10 "call(one, two);"; commit D "d"
    at up; line f.cpp 10 "call(one);  // explained here"; commit U "u")");
  names.answer(names.cut.regions[0].ours);
  EXPECT_EQ(names.pick.of("G33"), Judgement::pass);
}

TEST(DroppedNames, NothingIsSaidOfAnAnswerThatNobodyFinds) {
  Names names;
  std::string text = git::fill_regions(names.cut, {"call(thought_up);\none\ntwo\nthree\n"});
  names.pick.put("f.cpp", text.replace(text.find("line 11\n"), 8, "line eleven\n"));
  for (const char* id : {"G27", "G31", "G32", "G33"}) EXPECT_EQ(names.pick.of(id), Judgement::pass) << id;
}

}  // namespace
}  // namespace sluice::guardrails::testing
