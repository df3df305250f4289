// SPDX-License-Identifier: Apache-2.0
// Edits outside the regions: what is refused, what they change, and that the guardrails accept what is said of them.
#include <algorithm>

#include "test/tools/support.h"

namespace sluice::tools::testing {
namespace {

std::vector<model::AccountEntry> adapted(Pick& pick) {
  std::vector<model::AccountEntry> out = must(pick.buffer().draft()).account;
  std::erase_if(out, [](const model::AccountEntry& entry) { return entry.kind != "adapt"; });
  return out;
}

std::string sha(std::string_view line) { return core::sha256_hex(core::strip_space(line)); }

void answer_both(Pick& pick) {
  for (const std::size_t k : {0U, 1U})
    ASSERT_EQ(pick.resolve(pick.id(k), pick.place(k).region.ours + pick.place(k).region.theirs, "both_ours_first"), "");
}

TEST(Adapt, ReplacesTextThatStandsOnceOutsideTheRegions) {
  Pick pick(two_regions);
  EXPECT_EQ(pick.adapt("f.cpp", "line 20\n", "line twenty\nand more\n"), "");
  const std::string text = pick.proposed("f.cpp");
  EXPECT_NE(text.find("line 19\nline twenty\nand more\nline 21\n"), std::string::npos);
  EXPECT_NE(text.find("<<<<<<<"), std::string::npos) << "the regions wait as before";
  ASSERT_EQ(pick.buffer().adaptations().size(), 1U);
  EXPECT_EQ(pick.buffer().adaptations()[0].old_text, "line 20\n");
  EXPECT_EQ(pick.adapt("g.cpp", "int h();", "int h(int);"), "");
  EXPECT_TRUE(pick.proposed("g.cpp").starts_with("int g();\nint h(int);\n"));
  const Draft draft = must(pick.buffer().draft());
  EXPECT_EQ(draft.files.size(), 2U);
  EXPECT_EQ(draft.account.size(), 2U);
}

TEST(Adapt, RefusesTextThatIsNotThereOrNotOnlyThere) {
  Pick pick(two_regions);
  EXPECT_NE(pick.adapt("f.cpp", "line 41", "x").find("does not stand there"), std::string::npos);
  EXPECT_NE(pick.adapt("f.cpp", "line 1", "x").find("more than one place"), std::string::npos);
  EXPECT_NE(pick.adapt("f.cpp", "line 20\n", "line 20\n").find("the same"), std::string::npos);
  EXPECT_NE(pick.adapt("f.cpp", "", "x").find("empty"), std::string::npos);
  EXPECT_NE(pick.adapt("nowhere.cpp", "a", "b").find("no file nowhere.cpp"), std::string::npos);
  EXPECT_NE(pick.adapt("../f.cpp", "a", "b").find("no path"), std::string::npos);
  EXPECT_NE(pick.adapt(".git/config", "a", "b").find("no path"), std::string::npos);
  EXPECT_NE(pick.adapt("f.cpp", "line 20", "x", "BECAUSE").find("code BECAUSE"), std::string::npos);
  EXPECT_NE(pick.adapt("f.cpp", "line 20", std::string("a\0b", 3)).find("NUL"), std::string::npos);
  EXPECT_NE(pick.adapt("f.cpp", "line 20", "a\xff").find("UTF-8"), std::string::npos);
  EXPECT_NE(pick.adapt("f.cpp", "line 20\n", "line 20\n=======\n").find("marker"), std::string::npos);
  EXPECT_TRUE(pick.buffer().adaptations().empty());
  EXPECT_EQ(pick.proposed("f.cpp"), pick.text(pick.world.merged_tree, "f.cpp"));
}

TEST(Adapt, RefusesWhatTouchesARegionWhetherItIsAnsweredOrNot) {
  Pick pick(two_regions);
  for (const bool answered : {false, true}) {
    if (answered) answer_both(pick);
    EXPECT_NE(pick.adapt("f.cpp", "int ten_down;", "x").find("region " + pick.id(0)), std::string::npos);
    EXPECT_NE(pick.adapt("f.cpp", answered ? "line 9\nint ten_down;\n" : "line 9\n<<<<", "x").find("region " + pick.id(0)), std::string::npos);
    EXPECT_NE(pick.adapt("f.cpp", answered ? "int thirty_up;\nline 31\n" : "thirty_up;\n", "x").find("region " + pick.id(1)), std::string::npos);
  }
  EXPECT_EQ(pick.adapt("f.cpp", "line 9\n", "line nine\n"), "") << "up to the region";
  EXPECT_EQ(pick.adapt("f.cpp", "line 31\n", "line thirty-one\n"), "") << "right behind it";
  EXPECT_NE(pick.adapt("f.cpp", "line 29\n", "line 29").find("end it as the old one does"), std::string::npos) << "would join the region's first line";
  EXPECT_NE(pick.proposed("f.cpp").find("line nine\nint ten_down;\nint ten_up;\nline 11\n"), std::string::npos);
}

TEST(Adapt, TextAroundAnEmptyAnswerReachesIntoIt) {
  Pick pick(two_regions);
  ASSERT_EQ(pick.resolve(pick.id(0), "", "mixed"), "");
  EXPECT_NE(pick.adapt("f.cpp", "line 9\nline 11\n", "x\n").find("region " + pick.id(0)), std::string::npos);
  EXPECT_EQ(pick.adapt("f.cpp", "line 11\n", "x\n"), "");
  EXPECT_EQ(pick.adapt("f.cpp", "line 9\n", "y\n"), "");
  EXPECT_NE(pick.proposed("f.cpp").find("line 8\ny\nx\nline 12\n"), std::string::npos);
}

TEST(Adapt, RefusesProtectedPathsWithTheReason) {
  Pick pick(two_regions);
  pick.world.protected_why = [](std::string_view path) { return path == "g.cpp" ? std::string("[[path]] g.cpp is protected") : std::string(); };
  EXPECT_NE(pick.adapt("g.cpp", "int h();", "int h(int);").find("[[path]] g.cpp is protected"), std::string::npos);
  EXPECT_EQ(pick.adapt("f.cpp", "line 20\n", "x\n"), "");
}

TEST(Adapt, AWholePathConflictIsNoPlaceForIt) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; drop f.cpp; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  EXPECT_NE(pick.adapt("f.cpp", "ten up", "x").find(pick.id()), std::string::npos);
}

TEST(Adapt, AFileOfCrLfIsSpokenOfWithoutCr) {
  Pick pick(R"(
    repo up; base40 f.txt; sed -i 's/$/\r/' f.txt; commit B "b"
    fork up down; line f.txt 10 "ten down\r"; commit D "d"
    at up; line f.txt 10 "ten up\r"; commit U "u"
  )");
  EXPECT_EQ(pick.adapt("f.txt", "line 20\nline 21\n", "line 20\nnew\nline 21\n"), "");
  EXPECT_EQ(pick.adapt("f.txt", "line 30\r\n", "line thirty\r\n"), "") << "with CR it is the same text";
  const std::string text = pick.proposed("f.txt");
  EXPECT_NE(text.find("line 20\r\nnew\r\nline 21\r\n"), std::string::npos);
  EXPECT_NE(text.find("line 29\r\nline thirty\r\nline 31\r\n"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), std::count(text.begin(), text.end(), '\n'));
}

TEST(AdaptEntry, NamesTheLineOfEachChangedRange) {
  Pick pick(two_regions);
  ASSERT_EQ(pick.adapt("f.cpp", "line 20\n", "\n  line twenty\nmore\n", "INCLUDE"), "");
  ASSERT_EQ(pick.adapt("f.cpp", "line 39\n", "", "REGISTRATION"), "");
  const auto entries = adapted(pick);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].norm_sha256, sha("line twenty")) << "the first new line that says something";
  EXPECT_EQ(entries[0].code, "INCLUDE");
  EXPECT_EQ(entries[0].because, "follows the commit");
  EXPECT_EQ(entries[1].norm_sha256, sha("line 39")) << "of a removal the old one";
  EXPECT_EQ(entries[1].code, "REGISTRATION");
}

TEST(AdaptEntry, WhatIsPutBackNeedsNone) {
  Pick pick(two_regions);
  ASSERT_EQ(pick.adapt("g.cpp", "int h();", "int h(int);"), "");
  ASSERT_EQ(pick.adapt("g.cpp", "int h(int);", "int h();"), "");
  EXPECT_TRUE(adapted(pick).empty());
}

TEST(AdaptEntry, ARenamingIsWorkedOutAndNamesEveryNewLine) {
  Pick pick(two_regions);
  EXPECT_NE(pick.adapt("g.cpp", "int g();", "int g(int);", "API_RENAME").find("one name"), std::string::npos);
  EXPECT_NE(pick.adapt("g.cpp", "int h();\n", "", "API_RENAME").find("one name"), std::string::npos) << "a removal renames nothing";
  ASSERT_EQ(pick.adapt("g.cpp", "int g();\n", "int renamed();\n", "API_RENAME"), "");
  ASSERT_EQ(pick.adapt("g.cpp", "{ return g(); }", "{ return renamed(); }", "API_RENAME"), "");
  const auto entries = adapted(pick);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].arg, "g renamed");
  EXPECT_EQ(entries[0].norm_sha256, sha("int renamed();"));
  EXPECT_EQ(entries[1].norm_sha256, sha("int g_user() { return renamed(); }")) << "the whole line";
}

// ---- what the guardrails make of it ------------------------------------------------------------------------------

TEST(AdaptEntry, ADeclaredRenamingPassesOutsideTheConflictAndAnUndeclaredOneDoesNot) {
  for (const std::string to : {"renamed", "ns::g", "tile.g"}) {
    Pick pick(two_regions);
    RuleChecks checks(pick);
    answer_both(pick);
    const std::string use = "{ return " + to + "(); }";
    ASSERT_EQ(pick.adapt("g.cpp", "{ return g(); }", use, "API_RENAME"), "") << to;
    Draft draft = must(pick.buffer().draft());
    EXPECT_EQ(checks.of("G10", draft), Judgement::pass) << to;
    EXPECT_EQ(checks.of("G28", draft), Judgement::pass);
    draft.account.clear();
    EXPECT_EQ(checks.of("G10", draft), Judgement::explain) << to;
  }
}

TEST(AdaptEntry, ADeclaredRenamingPassesFarFromTheRegionsOfAFile) {
  for (const std::string to : {"renamed", "ns::call"}) {
    Pick pick(R"(
      repo up; base40 f.cpp; append f.cpp "x\nx\nx\nx\nx\nx\nx\nx\nint one = call(1);\nint two = call(2);\nmid\nint one = call(1);\n"; commit B "b"
      fork up down; line f.cpp 10 "int ten_down;"; line f.cpp 30 "int thirty_down;"; commit D "d"
      at up; line f.cpp 10 "int ten_up;"; line f.cpp 30 "int thirty_up;"; commit U "u"
    )");
    RuleChecks checks(pick);
    answer_both(pick);
    ASSERT_EQ(pick.adapt("f.cpp", "int one = call(1);\nint two = call(2);\nmid\nint one = call(1);\n",
                         "int one = " + to + "(1);\nint two = " + to + "(2);\nmid\nint one = " + to + "(1);\n", "API_RENAME"),
              "");
    Draft draft = must(pick.buffer().draft());
    EXPECT_EQ(checks.of("G11", draft), Judgement::pass) << to;
    draft.account.clear();
    EXPECT_EQ(checks.of("G11", draft), Judgement::explain) << to;
  }
}

TEST(AdaptEntry, TwoRenamingsThatMeetInOneLineAreNoLie) {
  Pick pick(R"(
    repo up; base40 f.cpp; append f.cpp "x\nx\nx\nx\nx\nx\nx\nx\nint one = call(arg);\n"; put g.cpp "int one = call(arg);\n"; commit B "b"
    fork up down; line f.cpp 10 "int ten_down;"; line f.cpp 30 "int thirty_down;"; commit D "d"
    at up; line f.cpp 10 "int ten_up;"; line f.cpp 30 "int thirty_up;"; commit U "u"
  )");
  RuleChecks checks(pick);
  answer_both(pick);
  for (const char* path : {"f.cpp", "g.cpp"}) {
    ASSERT_EQ(pick.adapt(path, "call(arg)", "made(arg)", "API_RENAME"), "");
    ASSERT_EQ(pick.adapt(path, "made(arg)", "made(it)", "API_RENAME"), "");
  }
  const Draft draft = must(pick.buffer().draft());
  EXPECT_EQ(checks.of("G11", draft), Judgement::pass) << "the entries of a range are read together";
  EXPECT_EQ(checks.of("G10", draft), Judgement::escalate) << "line by line no single renaming makes it: a person looks";
}

TEST(AdaptEntry, WhatNoProgramCanCheckGoesToAPersonAndBlocksNothing) {
  Pick pick(two_regions);
  RuleChecks checks(pick);
  answer_both(pick);
  ASSERT_EQ(pick.adapt("g.cpp", "int h();\n", "int h(int);\n", "SIGNATURE"), "");
  ASSERT_EQ(pick.adapt("g.cpp", "int g_user()", "int g_user(int)", "SIGNATURE"), "");
  ASSERT_EQ(pick.adapt("f.cpp", "line 1\n", "line one\n", "REGISTRATION"), "") << "within ten lines";
  const Draft draft = must(pick.buffer().draft());
  EXPECT_EQ(checks.of("G10", draft), Judgement::escalate);
  EXPECT_EQ(checks.of("G11", draft), Judgement::pass);
}

TEST(AdaptEntry, ASideThatWasTakenIsDeclaredToTheGuardrails) {
  Pick pick(two_regions);
  RuleChecks checks(pick);
  ASSERT_EQ(pick.resolve(pick.id(0), "int ten_down;", "ours"), "");
  ASSERT_EQ(pick.resolve(pick.id(1), "int thirty_up;", "theirs"), "");
  Draft draft = must(pick.buffer().draft());
  EXPECT_EQ(checks.of("G27", draft), Judgement::pass);
  EXPECT_EQ(checks.of("G28", draft), Judgement::pass);
  draft.account.clear();
  EXPECT_EQ(checks.of("G27", draft), Judgement::explain);
}

}  // namespace
}  // namespace sluice::tools::testing
