// SPDX-License-Identifier: Apache-2.0
// G21, G23, G28: no side's line is lost without a word.
#include <fmt/format.h>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

// Upstream adds ten lines where the fork has changed the line before.
constexpr const char* ten_lines = R"(
  repo up; base40 f.cpp; commit B "b"
  fork up down; line f.cpp 10 "line 10 of the fork"; insert f.cpp 20 "call_three(3);"; commit D "d"
  at up; line f.cpp 10 "add_one(1);\nadd_two(2);\ncall_three(3);\nadd_four(4);\nadd_five(5);\nadd_six(6);\nadd_seven(7);\nadd_eight(8);\nadd_nine(9);\nadd_ten(10);"
    commit U "u"
)";

struct Resolved : Pick {
  explicit Resolved(std::string_view without) : Pick(ten_lines) {
    std::string text =
        replaced(this->text(history.tree("D"), "f.cpp"), "line 10 of the fork\n",
                 "line 10 of the fork\nadd_one(1);\nadd_two(2);\ncall_three(3);\nadd_four(4);\nadd_five(5);\n"
                 "add_six(6);\nadd_seven(7);\nadd_eight(8);\nadd_nine(9);\nadd_ten(10);\n");
    if (!without.empty()) text = replaced(text, std::string(without) + "\n", "");
    put("f.cpp", text);
  }
};

TEST(UpstreamAdded, WithEveryLineThereIsAPass) {
  Resolved pick("");
  ASSERT_TRUE(pick.facts.conflicted);
  EXPECT_EQ(pick.judge().judgement, Judgement::pass) << describe(pick.judge());
}

TEST(UpstreamAdded, OneOfTenDroppedIsOneItemToExplain) {
  Resolved pick("add_four(4);");
  const model::RuleResult rule = pick.rule("G21");
  EXPECT_EQ(rule.judgement, Judgement::explain);
  EXPECT_EQ(texts(rule), std::vector<std::string>{"f.cpp: add_four(4);"});
  EXPECT_EQ(rule.items[0].line, 13) << "the line in upstream's file";
}

TEST(UpstreamAdded, AnItemIsLiftedByATrueEntryAndBlockedByAFalseOne) {
  struct Row {
    const char* name;
    const char* code;
    const char* arg;
    Judgement want;
  };
  const std::string no_sha(40, '0');
  const Row rows[] = {
      {"already present, which is false", "ALREADY_PRESENT", "", Judgement::block},
      {"moved to a file that has it", "MOVED_TO", "g.cpp", Judgement::pass},
      {"moved to a file that has it not", "MOVED_TO", "f.cpp", Judgement::block},
      {"moved to no file", "MOVED_TO", "none.cpp", Judgement::block},
      {"renamed truly", "RENAMED", "add_four plus_four", Judgement::pass},
      {"renamed to nothing that is there", "RENAMED", "add_four minus_four", Judgement::block},
      {"renamed by a word that is not in the line", "RENAMED", "ad plus_four", Judgement::block},
      {"renamed without two names", "RENAMED", "add_four", Judgement::block},
      {"another number", "RENAMED", "4 4", Judgement::block},
      {"superseded by no commit", "SUPERSEDED_BY_FORK", "0000000000000000000000000000000000000000",
       Judgement::block},
      {"deleted upstream, which is false", "UPSTREAM_DELETED", "", Judgement::block},
      {"not applicable, which nobody can check", "NOT_APPLICABLE", "feature", Judgement::escalate},
      {"deferred, in a mode without a ledger", "DEFERRED", "x", Judgement::escalate},
      {"a code that is no answer to a line", "SIDE", "OURS", Judgement::block},
  };
  for (const Row& row : rows) {
    Resolved pick("");
    pick.put("f.cpp",
             replaced(pick.text(pick.facts.proposed_tree, "f.cpp"), "add_four(4);", "plus_four(4);"));
    pick.put("g.cpp", "add_four(4);\n");
    pick.account("upstream_added", "f.cpp", "  add_four( 4 );", row.code, row.arg);
    const model::RuleResult rule = pick.rule("G21");
    EXPECT_EQ(rule.judgement, row.want) << row.name;
    ASSERT_EQ(rule.items.size(), 1u) << row.name;
    EXPECT_EQ(rule.items[0].lifted_by.empty(), row.want == Judgement::block) << row.name;
  }
}

TEST(UpstreamAdded, ALineThatTheForkHadIsAlreadyPresent) {
  // Upstream adds the line twice more, the fork had it once, the result keeps one.
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "line 10 fork"; insert f.cpp 30 "twice(2);"; commit D "d"
    at up; line f.cpp 10 "twice(2);\nline 10 up\ntwice(2);"; commit U "u")");
  pick.put("f.cpp", replaced(pick.text(pick.history.tree("D"), "f.cpp"), "line 10 fork\n",
                             "line 10 fork\nline 10 up\n"));
  EXPECT_EQ(texts(pick.rule("G21")), std::vector<std::string>{"f.cpp: twice(2);"});
  pick.account("upstream_added", "f.cpp", "twice(2);", "ALREADY_PRESENT");
  const model::RuleResult lifted = pick.rule("G21");
  EXPECT_EQ(lifted.judgement, Judgement::pass);
  EXPECT_EQ(lifted.items.at(0).lifted_by, "ALREADY_PRESENT");
  pick.facts.account[0].count = 2;
  EXPECT_EQ(pick.of("G21"), Judgement::block) << "the fork has it once, not twice";
}

TEST(UpstreamAdded, OneEntryAnswersNoMoreItemsThanItCounts) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "line 10 fork"; commit D "d"
    at up; line f.cpp 10 "same(1);\nx1(1);\nx2(1);\nx3(1);\nx4(1);\nx5(1);\nx6(1);\nx7(1);\nx8(1);\nsame(1);"; commit U "u")");
  std::string text = pick.text(pick.history.tree("D"), "f.cpp");
  text += "x1(1);\nx2(1);\nx3(1);\nx4(1);\nx5(1);\nx6(1);\nx7(1);\nx8(1);\n";
  pick.put("f.cpp", text);
  pick.put("moved.cpp", "same(1);\n");
  pick.account("upstream_added", "f.cpp", "same(1);", "MOVED_TO", "moved.cpp");
  const model::RuleResult rule = pick.rule("G21");
  ASSERT_EQ(rule.items.size(), 2u);
  EXPECT_EQ(rule.items[0].judgement, Judgement::pass);
  EXPECT_EQ(rule.items[1].judgement, Judgement::explain);
}

TEST(UpstreamAdded, MoreThanAQuarterMissingOrAWholeFileNeedsAPerson) {
  const auto with = [](int kept) {
    Pick pick(R"(
      repo up; base40 f.cpp; commit B "b"
      fork up down; line f.cpp 10 "line 10 fork"; commit D "d"
      at up; line f.cpp 10 "u1(1);\nu2(1);\nu3(1);\nu4(1);"; commit U "u")");
    std::string text = pick.text(pick.history.tree("D"), "f.cpp");
    for (int i = 1; i <= kept; ++i) text += fmt::format("u{}(1);\n", i);
    pick.put("f.cpp", text);
    return pick.of("G21");
  };
  EXPECT_EQ(with(4), Judgement::pass);
  EXPECT_EQ(with(3), Judgement::explain) << "exactly a quarter";
  EXPECT_EQ(with(2), Judgement::escalate);
  Pick file(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "line 10 fork"; commit D "d"
    at up; line f.cpp 10 "u1(1);"; put new.cpp "int fresh();\n"; commit U "u")");
  file.put("f.cpp", file.text(file.history.tree("D"), "f.cpp") + "u1(1);\n");
  EXPECT_EQ(file.of("G21"), Judgement::pass);
  file.drop("new.cpp");
  EXPECT_EQ(file.of("G21"), Judgement::escalate);
}

TEST(UpstreamAdded, IsFollowedThroughARenamingOfTheFork) {
  Pick pick(R"(
    repo up; base40 old.cpp; commit B "b"
    fork up down; move old.cpp new.cpp; line new.cpp 10 "line 10 fork"; commit D "d"
    at up; line old.cpp 10 "line 10 up"; commit U "u")");
  ASSERT_TRUE(pick.facts.conflicted);
  pick.put("new.cpp", pick.text(pick.history.tree("D"), "new.cpp"));
  EXPECT_EQ(texts(pick.rule("G21")), std::vector<std::string>{"new.cpp: line 10 up"});
}

TEST(PolicyDrops, ExplainThemselves) {
  const model::PathConfig deleted = path_config("ci.yml", model::PathClass::deleted);
  Pick pick(R"(
    repo up; base40 f; put ci.yml "one: 1\n"; commit B "b"
    fork up down; drop ci.yml; commit D "d"
    at up; put ci.yml "two: 2\n"; line f 3 "line 3 up"; commit U "u")",
            {deleted});
  EXPECT_EQ(pick.judge().judgement, Judgement::pass) << describe(pick.judge());
  const model::RuleResult rule = pick.rule("G21");
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].lifted_by, "DROPPED_BY_POLICY ci.yml");
  pick.policy.paths.clear();
  EXPECT_EQ(pick.of("G21"), Judgement::block) << "no policy says so";
}

TEST(FormatEqual, LiftsTheLinesOfItsRegionAndIsCheckedAgain) {
  const auto make = [](const char* fork, const char* up) {
    return Pick(fmt::format(R"(
      repo up; base40 f.cpp; commit B "b"
      fork up down; line f.cpp 10 "{}"; commit D "d"
      at up; line f.cpp 10 "{}"; commit U "u")",
                            fork, up));
  };
  Pick same = make("int f(int a,\\n      int b);", "int f(int a, int b);");
  ASSERT_TRUE(same.facts.conflicted);
  const git::MergedFile cut = must(git::cut_regions("f.cpp", same.text(same.facts.merge_tree, "f.cpp")));
  ASSERT_EQ(cut.regions.size(), 1u);
  same.put("f.cpp", git::fill_regions(cut, {cut.regions[0].ours}));
  EXPECT_EQ(same.of("G21"), Judgement::escalate) << "one of one line";
  same.facts.account.push_back({"proven", "f.cpp", "", 0, "FORMAT_EQUAL", cut.regions[0].id, ""});
  const model::Verdict verdict = same.judge();
  EXPECT_EQ(verdict.judgement, Judgement::pass) << describe(verdict);
  EXPECT_EQ(same.rule("G21").items.at(0).lifted_by, "FORMAT_EQUAL " + cut.regions[0].id);
  same.facts.resolutions = {{"f.cpp", cut.regions[0].id, model::Rung::proven, "A1s", "ours", ""}};
  EXPECT_EQ(same.of("G28"), Judgement::pass);

  same.put("f.cpp", git::fill_regions(cut, {cut.regions[0].theirs}));
  EXPECT_EQ(same.of("G21"), Judgement::block) << "the result is not the fork's side";
  same.facts.account[0].arg = "000000000000";
  EXPECT_EQ(same.of("G21"), Judgement::block) << "no such region";

  Pick differs = make("int f(int a,\\n      int b);", "int f(int a, long b);");
  const git::MergedFile other =
      must(git::cut_regions("f.cpp", differs.text(differs.facts.merge_tree, "f.cpp")));
  differs.put("f.cpp", git::fill_regions(other, {other.regions.at(0).ours}));
  differs.facts.account.push_back({"proven", "f.cpp", "", 0, "FORMAT_EQUAL", other.regions[0].id, ""});
  EXPECT_EQ(differs.of("G21"), Judgement::block);
}

constexpr const char* narrow = R"(
  repo up; base40 f.cpp; commit B "b"
  fork up down; insert f.cpp 12 "interval = narrow(value);"; commit F "fork: narrow the interval"
    swap f.cpp "interval = narrow(value);" "    interval = narrow(value);"; line f.cpp 11 "line 11 fork"; commit D "fork: indent"
  at up; line f.cpp 11 "line 11 up"; cut_lines f.cpp 20 20; commit U "u"
)";

TEST(ForkKept, ALostLineNamesTheCommitThatWroteItNotTheOneThatIndentedIt) {
  Pick pick(narrow);
  ASSERT_TRUE(pick.facts.conflicted);
  std::string text = pick.text(pick.history.tree("D"), "f.cpp");
  text = replaced(replaced(text, "    interval = narrow(value);\n", ""), "line 11 fork\n",
                  "line 11 fork\nline 11 up\n");
  pick.put("f.cpp", replaced(text, "line 20\n", ""));
  const model::RuleResult rule = pick.rule("G23");
  EXPECT_EQ(rule.judgement, Judgement::explain);
  ASSERT_EQ(texts(rule), std::vector<std::string>{"f.cpp: interval = narrow(value);"});
  EXPECT_EQ(rule.items[0].introduced_by, pick.history.id("F"));
  EXPECT_EQ(rule.items[0].line, 13);

  pick.policy.fork_surface = {"f.cpp"};
  EXPECT_EQ(pick.of("G23"), Judgement::escalate);
  pick.account("downstream_lost", "f.cpp", "interval = narrow(value);", "UPSTREAM_DELETED");
  EXPECT_EQ(pick.of("G23"), Judgement::block) << "upstream deletes no such line";
  pick.facts.account.clear();
  pick.account("downstream_lost", "f.cpp", "interval = narrow(value);", "SUPERSEDED_BY_FORK",
               pick.history.id("D"));
  EXPECT_EQ(pick.of("G23"), Judgement::pass);
  pick.facts.account[0].arg = pick.history.id("U");
  EXPECT_EQ(pick.of("G23"), Judgement::block) << "no commit of the fork";
}

// The fork has `kept(value);` and `lost(value);`, of which only the first is left.
class Lost {
 public:
  Lost() : pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "line 10 fork\nkept(value);\nlost(value);"; commit W "wrote them"
      line f.cpp 35 "line 35 fork"; commit D "later"
    at up; line f.cpp 10 "line 10 up"; commit U "u")") {
    text = replaced(pick.text(pick.history.tree("D"), "f.cpp"), "lost(value);\n", "line 10 up\n");
    pick.put("f.cpp", text);
  }
  Judgement said(const std::string& code, const std::string& arg = "", int count = 1) {
    pick.facts.account.clear();
    pick.account("downstream_lost", "f.cpp", "lost(value);", code, arg);
    pick.facts.account[0].count = count;
    return pick.of("G23");
  }
  Pick pick;
  std::string text;
};

TEST(ForkKept, ALostLineIsNotAlreadyPresentBecauseTheForkHadIt) {
  Lost lost;
  ASSERT_EQ(lost.pick.of("G23"), Judgement::explain);
  EXPECT_EQ(lost.said("ALREADY_PRESENT"), Judgement::block);
}

TEST(ForkKept, NoCommitThatUpstreamHasTooSupersededALineOfTheFork) {
  Lost lost;
  EXPECT_EQ(lost.said("SUPERSEDED_BY_FORK", lost.pick.history.id("B")), Judgement::block);
  EXPECT_EQ(lost.said("SUPERSEDED_BY_FORK", lost.pick.history.id("D")), Judgement::pass);
}

TEST(ForkKept, TheCommitThatWroteALineHasNotSupersededIt) {
  Lost lost;
  EXPECT_EQ(lost.said("SUPERSEDED_BY_FORK", lost.pick.history.id("W")), Judgement::block);
  const model::RuleResult rule = lost.pick.rule("G23");
  EXPECT_NE(rule.items.at(0).detail.find("the commit that wrote a line has not superseded it"), std::string::npos) << rule.items[0].detail;
}

TEST(ForkKept, OfTwoEqualLinesTheOneThatStaysIsPresent) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "line 10 fork\ntwice(value);"; insert f.cpp 30 "twice(value);"; commit D "d"
    at up; line f.cpp 10 "line 10 up"; commit U "u")");
  pick.put("f.cpp", replaced(pick.text(pick.history.tree("D"), "f.cpp"), "line 10 fork\ntwice(value);\n", "line 10 fork\nline 10 up\n"));
  ASSERT_EQ(pick.of("G23"), Judgement::explain);
  pick.account("downstream_lost", "f.cpp", "twice(value);", "ALREADY_PRESENT");
  EXPECT_EQ(pick.of("G23"), Judgement::pass);
  pick.facts.account[0].count = 2;
  EXPECT_EQ(pick.of("G23"), Judgement::block) << "the result has it once";
}

TEST(ForkKept, ALostLineIsRenamedToANewLineByNamesOnly) {
  Lost lost;
  EXPECT_EQ(lost.said("RENAMED", "lost kept"), Judgement::block) << "the fork had that line beside it";
  lost.pick.put("f.cpp", lost.text + "//lost(value);\nfresh(value);\n");
  EXPECT_EQ(lost.said("RENAMED", "lost //lost"), Judgement::block) << "a comment is no name";
  EXPECT_EQ(lost.said("RENAMED", "lost(value); fresh(value);"), Judgement::block) << "a statement is no name";
  EXPECT_EQ(lost.said("RENAMED", "lost fresh"), Judgement::pass);
}

TEST(ForkKept, LinesThatMoveChangeIndentationOrAreRemovedByUpstreamAreNotLost) {
  Pick pick(narrow);
  std::string text = pick.text(pick.history.tree("D"), "f.cpp");
  text = replaced(replaced(text, "    interval = narrow(value);\n", ""), "line 20\n", "");
  pick.put("f.cpp", replaced(text, "line 11 fork\n", "line 11 fork\nline 11 up\n"));
  pick.put("elsewhere.cpp", "if (x)\n        interval = narrow(value);\n");
  EXPECT_EQ(pick.of("G23"), Judgement::pass);
}

TEST(ForkKept, AWholeFileOfTheForkIsNotDroppedSilently) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "line 10 fork"; put fork.cpp "int fork_only();\n"; put empty.txt ""; commit D "d"
    at up; line f.cpp 10 "line 10 up"; commit U "u")");
  pick.put("f.cpp", replaced(pick.text(pick.history.tree("D"), "f.cpp"), "line 10 fork\n",
                             "line 10 fork\nline 10 up\n"));
  EXPECT_EQ(pick.of("G23"), Judgement::pass);
  pick.drop("fork.cpp");
  EXPECT_EQ(texts(pick.rule("G23")), std::vector<std::string>{"fork.cpp: int fork_only();"});
  pick.drop("empty.txt");
  EXPECT_EQ(pick.of("G23"), Judgement::escalate);
}

TEST(Coverage, IsOneRecordForEachConflictAndNoOther) {
  Pick pick(R"(
    repo up; base40 f.cpp; put gone.cpp "1\n2\n3\n"; commit B "b"
    fork up down; line f.cpp 10 "fork 10"; line f.cpp 30 "fork 30"; drop gone.cpp; commit D "d"
    at up; line f.cpp 10 "up 10"; line f.cpp 30 "up 30"; put gone.cpp "1\n2\n4\n"; commit U "u")");
  const git::MergedFile cut = must(git::cut_regions("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp")));
  ASSERT_EQ(cut.regions.size(), 2u);
  const model::Resolution first{"f.cpp", cut.regions[0].id, model::Rung::person, "", "ours", ""};
  const model::Resolution second{"f.cpp", cut.regions[1].id, model::Rung::person, "", "both", ""};
  const model::Resolution whole{"gone.cpp", "", model::Rung::person, "", "deleted", ""};
  pick.facts.resolutions = {first, second, whole};
  EXPECT_EQ(pick.of("G28"), Judgement::pass);
  pick.facts.resolutions = {first, whole};
  EXPECT_EQ(pick.of("G28"), Judgement::block) << "a region without a record";
  pick.facts.resolutions = {first, second};
  EXPECT_EQ(pick.of("G28"), Judgement::block) << "a deleted file without a record";
  pick.facts.resolutions = {first, second, second, whole};
  EXPECT_EQ(pick.of("G28"), Judgement::block) << "two records for one region";
  pick.facts.resolutions = {first, second, whole, {"other.cpp", "", model::Rung::person, "", "ours", ""}};
  EXPECT_EQ(pick.of("G28"), Judgement::block) << "a record for no conflict";
}

}  // namespace
}  // namespace sluice::guardrails::testing
