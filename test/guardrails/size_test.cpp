// SPDX-License-Identifier: Apache-2.0
// G14: a proposal of the size of its conflict.
#include <fmt/format.h>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

std::string numbered(int from, int to, std::string_view what) {
  std::string out;
  for (int i = from; i <= to; ++i) out += fmt::format("{} {}\n", what, i);
  return out;
}

// Both sides rewrite the same 30 of 40 lines.
constexpr const char* long_conflict = R"sh(
  repo up; base40 f.cpp; put g.cpp "int g;\n"; commit B "b"
  fork up down; put f.cpp "$(for i in $(seq 1 30); do echo "fork $i"; done; for i in $(seq 31 40); do echo "line $i"; done)\n"; commit D "d"
  at up; put f.cpp "$(for i in $(seq 1 30); do echo "upstream $i"; done; for i in $(seq 31 40); do echo "line $i"; done)\n"; commit U "u"
)sh";
constexpr const char* short_conflict = R"(
  repo up; base40 f.cpp; put g.cpp "int g;\n"; commit B "b"
  fork up down; line f.cpp 10 "line 10 of the fork"; commit D "d"
  at up; line f.cpp 10 "line 10 of upstream"; commit U "u"
)";

TEST(Size, AnsweringEveryRegionIsNeverTooMuch) {
  Pick pick(long_conflict);
  ASSERT_TRUE(pick.facts.conflicted);
  pick.policy.rules["G14"].thresholds = {{"threshold", 1}, {"min_lines", 0}, {"max_files", 0}};
  const std::string tail = numbered(31, 40, "line");
  const std::string answers[] = {pick.text(pick.history.tree("D"), "f.cpp"), pick.text(pick.history.tree("U"), "f.cpp"), tail,
                                 numbered(1, 30, "fork") + numbered(1, 30, "upstream") + tail};
  for (const std::string& answer : answers) {
    pick.put("f.cpp", answer);
    EXPECT_EQ(pick.of("G14"), Judgement::pass) << answer;
  }
  // Without allowances one line beside the answer is one too many.
  pick.put("f.cpp", numbered(1, 30, "new") + tail + "one more\n");
  EXPECT_EQ(pick.of("G14"), Judgement::escalate);
}

TEST(Size, FortyLinesAreAllowedWhateverTheConflict) {
  Pick pick(short_conflict);
  const std::string answer = pick.text(pick.history.tree("D"), "f.cpp");
  // The answer itself removes upstream's and the base's line.
  pick.put("f.cpp", answer);
  pick.put("g.cpp", "int g;\n" + numbered(1, 38, "int g"));
  EXPECT_EQ(pick.of("G14"), Judgement::pass);
  pick.put("g.cpp", "int g;\n" + numbered(1, 39, "int g"));
  const model::RuleResult rule = pick.rule("G14");
  EXPECT_EQ(rule.judgement, Judgement::escalate);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].path, "g.cpp") << "where most of it stands";
  EXPECT_NE(rule.items[0].detail.find("41 lines"), std::string::npos) << rule.items[0].detail;
  EXPECT_NE(rule.items[0].detail.find("limit 40"), std::string::npos) << rule.items[0].detail;
}

TEST(Size, ABigConflictAllowsThreeTimesItsLines) {
  Pick pick(long_conflict);  // 30 lines of base, ours and theirs each: 270 lines are allowed
  const std::string answer = pick.text(pick.history.tree("D"), "f.cpp");  // takes 60 away
  pick.put("f.cpp", answer);
  pick.put("g.cpp", "int g;\n" + numbered(1, 210, "int g"));
  EXPECT_EQ(pick.of("G14"), Judgement::pass);
  pick.put("g.cpp", "int g;\n" + numbered(1, 211, "int g"));
  EXPECT_EQ(pick.of("G14"), Judgement::escalate);
}

TEST(Size, TenFilesBesideTheAnswersAreAllowedAndElevenAreNot) {
  Pick pick(short_conflict);
  pick.put("f.cpp", pick.text(pick.history.tree("U"), "f.cpp"));
  for (int i = 1; i <= 11; ++i) {
    pick.put(fmt::format("n{}.cpp", i), "x;\n");
    EXPECT_EQ(pick.of("G14"), i <= 10 ? Judgement::pass : Judgement::escalate) << i;
  }
  EXPECT_EQ(pick.rule("G14").items.at(0).text, "files");
}

TEST(Size, AFileDeletedOnOneSideMayBeDeletedOrKept) {
  Pick pick(R"sh(
    repo up; put f.cpp "$(for i in $(seq 1 100); do echo "line $i"; done)\n"; put g.cpp "int g;\n"; commit B "b"
    fork up down; drop f.cpp; commit D "d"
    at up; line f.cpp 10 "line 10 of upstream"; commit U "u"
  )sh");
  ASSERT_TRUE(pick.facts.conflicted);
  pick.policy.rules["G14"].thresholds = {{"threshold", 1}, {"min_lines", 0}, {"max_files", 0}};
  pick.drop("f.cpp");
  EXPECT_EQ(pick.of("G14"), Judgement::pass);
  pick.put("f.cpp", pick.text(pick.history.tree("U"), "f.cpp"));
  EXPECT_EQ(pick.of("G14"), Judgement::pass);
  pick.put("f.cpp", numbered(1, 300, "else"));
  EXPECT_EQ(pick.of("G14"), Judgement::escalate);
}

TEST(Size, OfTheMachineMergeIsNothing) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 3 "line 3 of the fork"; commit D "d"
    at up; line f.cpp 30 "line 30 of upstream"; commit U "u")");
  pick.policy.rules["G14"].thresholds = {{"threshold", 0}, {"min_lines", 0}, {"max_files", 0}};
  EXPECT_EQ(pick.of("G14"), Judgement::pass);
}

}  // namespace
}  // namespace sluice::guardrails::testing
