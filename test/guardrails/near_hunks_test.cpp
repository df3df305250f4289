// SPDX-License-Identifier: Apache-2.0
// G11: how far from the conflict an answer may reach.
#include <fmt/format.h>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

std::string numbered(int from, int to) {
  std::string out;
  for (int n = from; n <= to; ++n) out += fmt::format("line {}\n", n);
  return out;
}

// A file of 200 lines that conflicts in line `at`; `answer` is P, made from the fork's side.
class Near {
 public:
  explicit Near(int at = 100, std::string_view eol = "\\n")
      : pick(script(at, eol)) {
    EXPECT_TRUE(pick.facts.conflicted);
    ours = pick.text(pick.history.tree("D"), "f.cpp");
  }
  static std::string script(int at, std::string_view eol) {
    const auto text = [&](std::string_view word) {
      std::string out;
      for (int n = 1; n <= 200; ++n) out += fmt::format("line {}{}{}", n, n == at ? word : "", eol);
      return out;
    };
    return fmt::format("repo up ; put f.cpp '{}' ; commit B b\nfork up down ; put f.cpp '{}' ; commit D d\nat up ; put f.cpp '{}' ; commit U u",
                       text(""), text(" down"), text(" up"));
  }
  model::RuleResult with(std::string_view from, std::string_view to) {
    pick.put("f.cpp", replaced(ours, from, to));
    return pick.rule("G11");
  }

  Pick pick;
  std::string ours;
};

TEST(NearHunks, AnEditTenLinesOffPassesAndOneAtElevenIsNamed) {
  Near near;  // lines 90 to 99 stand between line 89 and the region, in the machine merge as in the fork
  EXPECT_EQ(near.with("line 89\n", "line 89 changed\n").judgement, Judgement::pass);
  const model::RuleResult before = near.with("line 88\n", "line 88 changed\n");
  EXPECT_EQ(before.judgement, Judgement::explain);
  ASSERT_EQ(texts(before), std::vector<std::string>{"f.cpp: line 88 changed"});
  EXPECT_EQ(before.items[0].account, "adapt");
  EXPECT_EQ(before.items[0].line, 88);
  EXPECT_NE(before.items[0].detail.find("11 lines from"), std::string::npos) << before.items[0].detail;
  EXPECT_EQ(near.with("line 111\n", "line 111 changed\n").judgement, Judgement::pass);
  EXPECT_EQ(near.with("line 112\n", "line 112 changed\n").judgement, Judgement::explain);
}

TEST(NearHunks, AnInsertionAndARemovalAreMeasuredFromTheirOwnEnds) {
  Near near;
  EXPECT_EQ(near.with("line 90\n", "new\nline 90\n").judgement, Judgement::pass) << "after line 89: ten lines between";
  EXPECT_EQ(near.with("line 89\n", "new\nline 89\n").judgement, Judgement::explain);
  EXPECT_EQ(near.with("line 110\n", "line 110\nnew\n").judgement, Judgement::pass);
  EXPECT_EQ(near.with("line 111\n", "line 111\nnew\n").judgement, Judgement::explain);
  EXPECT_EQ(near.with(numbered(80, 89), "").judgement, Judgement::pass) << "its nearer end counts";
  const model::RuleResult removed = near.with(numbered(80, 88), "");
  EXPECT_EQ(removed.judgement, Judgement::explain);
  EXPECT_EQ(texts(removed), std::vector<std::string>{"f.cpp: line 80"});
}

TEST(NearHunks, TheDistanceIsSetByThePolicy) {
  Near near;
  near.pick.policy.rules["G11"].thresholds["threshold"] = 0;
  EXPECT_EQ(near.with("line 99\n", "line 99 changed\n").judgement, Judgement::pass) << "beside the region";
  EXPECT_EQ(near.with("line 98\n", "line 98 changed\n").judgement, Judgement::explain);
}

TEST(NearHunks, ARegionAtTheBeginningOrTheEndOfAFileIsMeasuredTheSame) {
  Near first(1), last(200);
  EXPECT_EQ(first.with("line 12\n", "x\n").judgement, Judgement::pass);
  EXPECT_EQ(first.with("line 13\n", "x\n").judgement, Judgement::explain);
  EXPECT_EQ(last.with("line 189\n", "x\n").judgement, Judgement::pass);
  EXPECT_EQ(last.with("line 188\n", "x\n").judgement, Judgement::explain);
}

TEST(NearHunks, CrLfAndAMissingNewlineAtTheEndChangeNothing) {
  Near near(100, "\\r\\n");
  EXPECT_EQ(near.with("line 89\r\n", "x\r\n").judgement, Judgement::pass);
  EXPECT_EQ(near.with("line 88\r\n", "x\r\n").judgement, Judgement::explain);
  Near cut(195);
  EXPECT_EQ(cut.with("line 200\n", "line 200").judgement, Judgement::pass) << "five lines off";
}

TEST(NearHunks, ARenamedFileIsMeasuredUnderTheNameThatTheMergeGaveIt) {
  Pick pick("repo up ; base40 f.cpp ; commit B b\nfork up down ; line f.cpp 20 'line 20 down' ; commit D d\n"
            "at up ; move f.cpp g.cpp ; line g.cpp 20 'line 20 up' ; commit U u");
  const std::string ours = pick.text(pick.history.tree("D"), "f.cpp");
  pick.put("g.cpp", replaced(ours, "line 9\n", "x\n"));
  EXPECT_EQ(pick.of("G11"), Judgement::pass);
  pick.put("g.cpp", replaced(ours, "line 8\n", "x\n"));
  EXPECT_EQ(texts(pick.rule("G11")), std::vector<std::string>{"g.cpp: x"});
}

TEST(NearHunks, ManyLinesOutsideAreForAPerson) {
  Near near;
  const auto more = [](int lines) {
    std::string out = "line 20\n";
    for (int n = 0; n < lines; ++n) out += "more\n";
    return out;
  };
  EXPECT_EQ(near.with("line 20\n", more(60)).judgement, Judgement::explain);
  const model::RuleResult rule = near.with("line 20\n", more(61));
  EXPECT_EQ(rule.judgement, Judgement::escalate);
  EXPECT_NE(rule.items.at(0).detail.find("61 such lines in all (limit 60)"), std::string::npos) << rule.items[0].detail;
}

TEST(NearHunks, ADeclaredRenamingPassesAndAnUndeclaredOneWaits) {
  Near near;
  EXPECT_EQ(near.with("line 20\n", "row 20\n").judgement, Judgement::explain);
  near.pick.account("adapt", "f.cpp", "row 20", "API_RENAME", "line row");
  const model::RuleResult rule = near.pick.rule("G11");
  EXPECT_EQ(rule.judgement, Judgement::pass);
  EXPECT_EQ(rule.items.at(0).lifted_by, "API_RENAME line row");
  near.pick.facts.account[0].arg = "line column";
  EXPECT_EQ(near.pick.of("G11"), Judgement::block) << "that renaming gives another line";
  near.pick.facts.account[0] = {"adapt", "f.cpp", core::sha256_hex("row20"), 1, "SIGNATURE", "", "why"};
  EXPECT_EQ(near.pick.of("G11"), Judgement::escalate) << "no program can check it";
  near.pick.facts.account[0].path = "g.cpp";
  EXPECT_EQ(near.pick.of("G11"), Judgement::explain) << "of another file";
}

TEST(NearHunks, OneEntryAnswersOneRange) {
  Near near;
  near.ours = replaced(near.ours, "line 40\n", "row 40\n");
  near.pick.account("adapt", "f.cpp", "row 20", "API_RENAME", "line row");
  const model::RuleResult rule = near.with("line 20\n", "row 20\n");
  EXPECT_EQ(rule.judgement, Judgement::explain);
  ASSERT_EQ(rule.items.size(), 2u);
  EXPECT_EQ(rule.items[0].judgement, Judgement::pass);
  EXPECT_EQ(rule.items[1].judgement, Judgement::explain);
}

TEST(NearHunks, APathWithoutATextConflictIsNotMeasured) {
  Pick pick("repo up ; base40 f.cpp ; commit B b\nfork up down ; drop f.cpp ; put o 'o\\n' ; commit D d\nat up ; line f.cpp 20 'line 20 up' ; commit U u");
  ASSERT_TRUE(pick.facts.conflicted);
  pick.put("f.cpp", "quite another text\n");
  EXPECT_EQ(pick.of("G11"), Judgement::pass);
}

}  // namespace
}  // namespace sluice::guardrails::testing
