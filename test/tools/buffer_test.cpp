// SPDX-License-Identifier: Apache-2.0
// The virtual buffer of a pick: its places, their answers, and what it amounts to.
#include <algorithm>

#include "test/tools/support.h"

namespace sluice::tools::testing {
namespace {

bool has_entry(const Draft& draft, const std::string& code, const std::string& arg) {
  return std::any_of(draft.account.begin(), draft.account.end(), [&](const auto& e) { return e.code == code && e.arg == arg; });
}

TEST(Buffer, HasAPlaceForEveryRegion) {
  Pick pick(two_regions);
  ASSERT_EQ(pick.buffer().places().size(), 2U);
  EXPECT_EQ(pick.place(0).path, "f.cpp");
  EXPECT_EQ(pick.place(0).region.ours, "int ten_down;\n");
  EXPECT_EQ(pick.place(1).region.theirs, "int thirty_up;\n");
  EXPECT_EQ(pick.buffer().place(pick.id(1)), &pick.place(1));
  EXPECT_EQ(pick.buffer().place("000000000000"), nullptr);
  EXPECT_EQ(pick.proposed("f.cpp"), pick.text(pick.world.merged_tree, "f.cpp")) << "nothing is answered";
  const Draft draft = must(pick.buffer().draft());
  EXPECT_FALSE(draft.complete);
  EXPECT_EQ(draft.base, pick.world.merged_tree);
  EXPECT_TRUE(draft.resolutions.empty());
}

TEST(Buffer, AnAnswerStandsInItsPlaceAndNothingElseMoves) {
  Pick pick(two_regions);
  EXPECT_EQ(pick.resolve(pick.id(0), "int ten_down;\nint ten_up;", "both_ours_first"), "");
  const std::string half = pick.proposed("f.cpp");
  EXPECT_NE(half.find("line 9\nint ten_down;\nint ten_up;\nline 11\n"), std::string::npos) << half;
  EXPECT_NE(half.find("<<<<<<<"), std::string::npos) << "the other region still has its markers";
  EXPECT_FALSE(must(pick.buffer().draft()).complete);
  EXPECT_EQ(pick.resolve(pick.id(1), "", "mixed"), "");
  std::string want = pick.text(pick.world.ours_tree, "f.cpp");
  want.replace(want.find("int ten_down;\n"), 14, "int ten_down;\nint ten_up;\n");
  want.erase(want.find("int thirty_down;\n"), 17);
  EXPECT_EQ(pick.proposed("f.cpp"), want);
  const Draft draft = must(pick.buffer().draft());
  EXPECT_TRUE(draft.complete);
  ASSERT_EQ(draft.files.size(), 1U);
  EXPECT_EQ(draft.files[0].text, want);
  ASSERT_EQ(draft.resolutions.size(), 2U);
  EXPECT_EQ(draft.resolutions[0].action, "both");
  EXPECT_EQ(draft.resolutions[1].action, "mixed");
  EXPECT_EQ(draft.resolutions[1].region_id, pick.id(1));
  EXPECT_EQ(draft.resolutions[0].rung, Rung::model);
  EXPECT_TRUE(draft.account.empty()) << "no side was taken";
}

TEST(Buffer, AClaimThatTheTextDoesNotBearOutIsRefusedWithWhatItIs) {
  Pick pick(two_regions);
  EXPECT_NE(pick.resolve(pick.id(), "int ten_up;", "ours").find("the text is theirs"), std::string::npos);
  EXPECT_NE(pick.resolve(pick.id(), "int ten_down;", "mixed").find("the text is ours"), std::string::npos) << "a side in silence";
  EXPECT_NE(pick.resolve(pick.id(), "int ten_down;\nint ten_up;", "both_theirs_first").find("both_ours_first"), std::string::npos);
  EXPECT_NE(pick.resolve(pick.id(), "int ten_other;", "mixed").find("the text is new"), std::string::npos);
  EXPECT_NE(pick.resolve("000000000000", "", "ours").find("no conflict has the id"), std::string::npos);
  EXPECT_FALSE(must(pick.buffer().draft()).complete);
  EXPECT_EQ(pick.proposed("f.cpp"), pick.text(pick.world.merged_tree, "f.cpp")) << "a refused answer leaves nothing";
  EXPECT_EQ(pick.resolve(pick.id(), "int ten_other;", "new"), "");
}

TEST(Buffer, ASideThatWasTakenIsDeclaredWhileTheAnswerStands) {
  Pick pick(two_regions);
  ASSERT_EQ(pick.resolve(pick.id(0), "int ten_up;", "theirs"), "");
  EXPECT_TRUE(has_entry(must(pick.buffer().draft()), "SIDE", pick.id(0) + " THEIRS"));
  EXPECT_EQ(must(pick.buffer().draft()).account.front().because, "because");
  ASSERT_EQ(pick.resolve(pick.id(0), "int ten_down;", "ours"), "");
  const Draft draft = must(pick.buffer().draft());
  EXPECT_TRUE(has_entry(draft, "SIDE", pick.id(0) + " OURS"));
  EXPECT_EQ(draft.account.size(), 1U) << "the former answer's entry is gone";
  ASSERT_EQ(pick.resolve(pick.id(0), "int ten_down;\nint ten_up;", "both_ours_first"), "");
  EXPECT_TRUE(must(pick.buffer().draft()).account.empty());
}

TEST(Buffer, WithoutAnActionTrustedCodeGetsTheOneThatIsTrue) {
  Pick pick(two_regions);
  must(pick.buffer().resolve(pick.id(0), "int ten_up;\nint ten_down;\n", "", "union", Rung::candidate, "B6"));
  EXPECT_EQ(pick.place(0).action, "both_theirs_first");
  EXPECT_EQ(pick.place(0).rule, "B6");
  EXPECT_EQ(must(pick.buffer().draft()).resolutions.front().rung, Rung::candidate);
  pick.buffer().sign(pick.id(0), "default/some-model");
  EXPECT_EQ(must(pick.buffer().draft()).resolutions.front().rule, "default/some-model");
}

TEST(Buffer, ForgetsTheAnswersOfOneRung) {
  Pick pick(two_regions);
  must(pick.buffer().resolve(pick.id(0), "int ten_up;\n", "", "candidate", Rung::candidate, "B1"));
  must(pick.buffer().resolve(pick.id(1), "int thirty_down;\n", "", "remembered", Rung::remembered, "remembered"));
  must(pick.buffer().account({"proven", "f.cpp", "", 0, "FORMAT_EQUAL", pick.id(0), "equal"}));
  must(pick.buffer().account({"proven", "f.cpp", "", 0, "FORMAT_EQUAL", pick.id(1), "equal"}));
  pick.buffer().forget(Rung::candidate);
  EXPECT_FALSE(pick.place(0).answer.has_value());
  EXPECT_EQ(pick.place(0).action, "");
  EXPECT_TRUE(pick.place(1).answer.has_value());
  ASSERT_EQ(pick.buffer().entries().size(), 1U);
  EXPECT_EQ(pick.buffer().entries()[0].arg, pick.id(1));
  EXPECT_NE(pick.proposed("f.cpp").find("<<<<<<<"), std::string::npos);
}

TEST(Buffer, AnotherAnswerEndsWhatTheRecordSaidOfTheFormerOne) {
  Pick pick(two_regions);
  must(pick.buffer().resolve(pick.id(0), "int ten_down;\n", "", "the same conflict landed", Rung::remembered, "remembered"));
  must(pick.buffer().account({"side_choice", "f.cpp", "", 0, "SIDE", pick.id(0) + " OURS", "landed so"}));
  must(pick.buffer().account({"proven", "f.cpp", "", 0, "FORMAT_EQUAL", pick.id(1), "of another region"}));
  EXPECT_EQ(must(pick.buffer().draft()).account.size(), 2U) << "the side is declared once";
  ASSERT_EQ(pick.resolve(pick.id(0), "int ten_up;", "theirs"), "");
  const Draft draft = must(pick.buffer().draft());
  EXPECT_TRUE(has_entry(draft, "SIDE", pick.id(0) + " THEIRS"));
  EXPECT_FALSE(has_entry(draft, "SIDE", pick.id(0) + " OURS"));
  EXPECT_TRUE(has_entry(draft, "FORMAT_EQUAL", pick.id(1)));
}

TEST(Buffer, WhatSurerRungsAnsweredIsPartOfEveryDraft) {
  Pick pick(two_regions);
  pick.world.answered.push_back({"z.cpp", "0123456789ab", Rung::proven, "A1s", "ours", "equal"});
  pick.world.answered_account.push_back({"proven", "z.cpp", "", 0, "FORMAT_EQUAL", "0123456789ab", "equal"});
  const Draft draft = must(pick.buffer().draft());
  ASSERT_EQ(draft.resolutions.size(), 1U);
  EXPECT_EQ(draft.resolutions[0].rule, "A1s");
  EXPECT_TRUE(has_entry(draft, "FORMAT_EQUAL", "0123456789ab"));
}

TEST(Buffer, AnEntryReplacesTheOneForTheSameItem) {
  Pick pick(two_regions);
  const std::string sha = core::sha256_hex("x"), other = core::sha256_hex("y");
  must(pick.buffer().account({"upstream_added", "f.cpp", sha, 1, "DEFERRED", "12", "later"}));
  must(pick.buffer().account({"upstream_added", "f.cpp", sha, 2, "RENAMED", "a b", "renamed"}));
  must(pick.buffer().account({"upstream_added", "f.cpp", other, 1, "RENAMED", "a b", "renamed"}));
  must(pick.buffer().account({"downstream_lost", "f.cpp", sha, 1, "RENAMED", "a b", "renamed"}));
  ASSERT_EQ(pick.buffer().entries().size(), 3U);
  EXPECT_EQ(pick.buffer().entries()[0].code, "RENAMED");
  EXPECT_EQ(pick.buffer().entries()[0].count, 2);
  EXPECT_FALSE(pick.buffer().account({"upstream_added", "f.cpp", "short", 1, "RENAMED", "a b", ""}).ok());
  EXPECT_FALSE(pick.buffer().account({"upstream_added", "f.cpp", sha, 1, "SIDE", "a b", ""}).ok());
  EXPECT_FALSE(pick.buffer().account({"upstream_added", "f.cpp", sha, 1, "RENAMED", "a b", std::string("\0", 1)}).ok());
  EXPECT_EQ(pick.buffer().entries().size(), 3U);
}

TEST(Buffer, LongReasonsAreRefusedAndLongCharactersFitTheRecord) {
  Pick pick(two_regions);
  EXPECT_FALSE(pick.buffer().resolve(pick.id(0), "int ten_up;", "theirs", std::string(601, 'x')).ok());
  EXPECT_FALSE(pick.buffer().resolve(pick.id(0), "int ten_up;", "theirs", "\xff").ok());
  std::string wide;
  for (int k = 0; k < 600; ++k) wide += "\xe2\x82\xac";
  ASSERT_TRUE(pick.buffer().resolve(pick.id(0), "int ten_up;", "theirs", wide).ok());
  const std::string because = must(pick.buffer().draft()).account.at(0).because;
  EXPECT_LE(because.size(), 600U);
  EXPECT_TRUE(core::is_utf8(because));
}

// ---- line ends and ends of files ---------------------------------------------------------------------------------

TEST(Splicing, InAFileOfCrLfTheAnswerHasCrLf) {
  Pick pick(R"(
    repo up; base40 f.txt; sed -i 's/$/\r/' f.txt; commit B "b"
    fork up down; line f.txt 10 "ten down\r"; commit D "d"
    at up; line f.txt 10 "ten up\r"; commit U "u"
  )");
  ASSERT_EQ(pick.resolve(pick.id(), "ten down\nten up\nten new\n", "new"), "");
  const std::string text = pick.proposed("f.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 42);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 42);
  EXPECT_NE(text.find("ten up\r\nten new\r\nline 11\r\n"), std::string::npos);
}

TEST(Splicing, TheEndOfTheFileFollowsTheFork) {
  for (const bool fork_ends : {true, false}) {
    for (const bool upstream_ends : {true, false}) {
      const auto end = [](bool ends) { return std::string(ends ? "\\n" : ""); };
      Pick pick("repo up; put f.txt \"a\\nb\\nc\\nd\\nlast\\n\"; commit B \"b\"\n"
                "fork up down; put f.txt \"a\\nb\\nc\\nd\\nlast down" + end(fork_ends) + "\"; commit D \"d\"\n"
                "at up; put f.txt \"a\\nb\\nc\\nd\\nlast up" + end(upstream_ends) + "\"; commit U \"u\"\n");
      const std::string nl = fork_ends ? "\n" : "";
      ASSERT_EQ(pick.resolve(pick.id(), "last down", "ours"), "");
      EXPECT_EQ(pick.proposed("f.txt"), pick.text(pick.world.ours_tree, "f.txt")) << "ours is the fork's file, byte by byte";
      ASSERT_EQ(pick.resolve(pick.id(), "last up\n", "theirs"), "");
      EXPECT_EQ(pick.proposed("f.txt"), "a\nb\nc\nd\nlast up" + nl);
      ASSERT_EQ(pick.resolve(pick.id(), "last up\nlast down", "both_theirs_first"), "");
      EXPECT_EQ(pick.proposed("f.txt"), "a\nb\nc\nd\nlast up\nlast down" + nl);
      ASSERT_EQ(pick.resolve(pick.id(), "", "mixed"), "");
      EXPECT_EQ(pick.proposed("f.txt"), "a\nb\nc\nd\n") << "the line before keeps its end";
    }
  }
}

TEST(Splicing, ALastRegionOfCrLfWithoutAnEndIsWholeAgain) {
  Pick pick(R"(
    repo up; put f.txt "a\r\nb\r\nc\r\nlast\r\n"; commit B "b"
    fork up down; put f.txt "a\r\nb\r\nc\r\nlast down"; commit D "d"
    at up; put f.txt "a\r\nb\r\nc\r\nlast up\r\n"; commit U "u"
  )");
  ASSERT_EQ(pick.resolve(pick.id(), "last down", "ours"), "");
  EXPECT_EQ(pick.proposed("f.txt"), "a\r\nb\r\nc\r\nlast down");
  ASSERT_EQ(pick.resolve(pick.id(), "last up", "theirs"), "");
  EXPECT_EQ(pick.proposed("f.txt"), "a\r\nb\r\nc\r\nlast up");
}

TEST(Splicing, RegionsAtBothEndsOfAFile) {
  Pick pick(R"(
    repo up; base40 f.txt; commit B "b"
    fork up down; line f.txt 1 "first down"; line f.txt 40 "last down"; commit D "d"
    at up; line f.txt 1 "first up"; line f.txt 40 "last up"; commit U "u"
  )");
  ASSERT_EQ(pick.buffer().places().size(), 2U);
  ASSERT_EQ(pick.resolve(pick.id(0), "", "mixed"), "");
  ASSERT_EQ(pick.resolve(pick.id(1), "last up", "theirs"), "");
  const std::string text = pick.proposed("f.txt");
  EXPECT_TRUE(text.starts_with("line 2\n")) << text;
  EXPECT_TRUE(text.ends_with("line 39\nlast up\n")) << text;
  EXPECT_EQ(pick.buffer().spot(pick.id(0)).first_line, 1U);
  EXPECT_EQ(pick.buffer().spot(pick.id(0)).lines, 0U);
  EXPECT_EQ(pick.buffer().spot(pick.id(1)).first_line, 39U);
  EXPECT_EQ(pick.buffer().spot(pick.id(1)).lines, 1U);
}

// Whatever is answered: the lines outside the regions are those of the machine merge, in order.
TEST(Splicing, LinesOutsideTheRegionsNeverChange) {
  const std::vector<std::pair<std::string, std::string>> answers = {
      {"", "mixed"}, {"x", "new"}, {"x\n", "new"}, {"\n", "mixed"}, {"a\r\nb", "new"}, {"x\n\n\n", "new"}, {"\t", "mixed"}, {"  \n x", "new"}};
  for (const std::string& end : {std::string("\\n"), std::string()}) {
    for (const std::string& cr : {std::string(), std::string("\\r")}) {
      const auto file = [&](const std::string& first, const std::string& mid, const std::string& last) {
        return "\"" + first + cr + "\\nk1" + cr + "\\nk2" + cr + "\\nk3" + cr + "\\nk4" + cr + "\\n" + mid + cr + "\\nk5" + cr + "\\nk6" + cr + "\\nk7" + cr +
               "\\nk8" + cr + "\\n" + last + (end.empty() ? "" : cr) + end + "\"";
      };
      Pick pick("repo up; put f.txt " + file("f", "m", "l") + "; commit B \"b\"\nfork up down; put f.txt " + file("fd", "md", "ld") +
                "; commit D \"d\"\nat up; put f.txt " + file("fu", "mu", "lu") + "; commit U \"u\"\n");
      ASSERT_EQ(pick.buffer().places().size(), 3U);
      for (const auto& first : answers) {
        for (const auto& last : answers) {
          for (const std::size_t k : {0U, 1U}) ASSERT_EQ(pick.resolve(pick.id(k), first.first, first.second), "");
          ASSERT_EQ(pick.resolve(pick.id(2), last.first, last.second), "");
          const std::string text = pick.proposed("f.txt");
          std::string kept;
          for (const auto line : core::split_lines(text)) {
            if (line.starts_with("k")) kept += line;
          }
          const std::string c = cr.empty() ? "" : "\r";
          std::string want;
          for (int n = 1; n <= 8; ++n) want += "k" + std::to_string(n) + c;
          EXPECT_EQ(kept, want);
          EXPECT_EQ(text.find("\r\r"), std::string::npos);
          if (!last.first.empty() && !last.first.ends_with("\n\n") && last.first != "\n") {  // a blank last line is one line end itself
            EXPECT_EQ(text.ends_with('\n'), !end.empty()) << core::printable(last.first);
          }
          const auto count = [&](char what) { return std::count(text.begin(), text.end(), what); };
          EXPECT_EQ(count('\r'), cr.empty() ? 0 : count('\n'));
        }
      }
    }
  }
}

// ---- what is no region -------------------------------------------------------------------------------------------

constexpr const char* fork_deleted = R"(
  repo up; base40 f.cpp; base40 g.cpp; commit B "b"
  fork up down; drop f.cpp; commit D "d"
  at up; line f.cpp 10 "ten up"; commit U "u"
)";

TEST(WholePath, AFileThatTheForkDeletedIsKeptOrGoes) {
  Pick pick(fork_deleted);
  ASSERT_EQ(pick.buffer().places().size(), 1U);
  EXPECT_TRUE(pick.place().whole);
  EXPECT_TRUE(pick.place().ours_absent);
  EXPECT_TRUE(core::is_hex(pick.id(), 12));
  EXPECT_NE(pick.resolve(pick.id(), "", "mixed").find("ours or theirs"), std::string::npos);
  EXPECT_NE(pick.resolve(pick.id(), "int other;\n", "theirs").find("not the file"), std::string::npos);
  EXPECT_NE(pick.resolve(pick.id(), "line 1\n", "ours").find("must be empty"), std::string::npos);
  EXPECT_EQ(pick.resolve(pick.id(), "", "ours"), "");
  Draft draft = must(pick.buffer().draft());
  ASSERT_EQ(draft.files.size(), 1U);
  EXPECT_FALSE(draft.files[0].text.has_value());
  EXPECT_EQ(draft.resolutions.at(0).action, "deleted");
  EXPECT_EQ(draft.resolutions.at(0).region_id, "") << "a path as a whole";
  EXPECT_EQ(pick.proposed("f.cpp"), "(absent)");
  EXPECT_EQ(pick.resolve(pick.id(), pick.text(pick.world.theirs_tree, "f.cpp"), "theirs"), "");
  draft = must(pick.buffer().draft());
  EXPECT_TRUE(draft.files.empty()) << "the machine merge has the file already";
  EXPECT_EQ(draft.resolutions.at(0).action, "theirs");
  EXPECT_EQ(pick.proposed("f.cpp"), pick.text(pick.world.theirs_tree, "f.cpp"));
  EXPECT_TRUE(draft.complete);
  pick.buffer().forget(Rung::model);
  EXPECT_FALSE(must(pick.buffer().draft()).complete);
}

TEST(WholePath, AFileThatUpstreamDeletedIsKeptOrGoes) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; drop f.cpp; commit U "u"
  )");
  EXPECT_TRUE(pick.place().theirs_absent);
  EXPECT_EQ(pick.resolve(pick.id(), "", "theirs"), "");
  EXPECT_TRUE(pick.place().removed);
  EXPECT_EQ(must(pick.buffer().draft()).resolutions.at(0).action, "deleted");
  EXPECT_EQ(pick.resolve(pick.id(), "", "ours"), "");
  EXPECT_EQ(must(pick.buffer().draft()).resolutions.at(0).action, "ours");
}

TEST(Open, RefusesWhatNoTextAnswersAndNamesThePath) {
  const char* const binary = R"(
    repo up; put bin.dat "a\0b"; commit B "b"
    fork up down; put bin.dat "a\0c"; commit D "d"
    at up; put bin.dat "a\0d"; commit U "u")";
  const char* const renames = R"(
    repo up; base40 one.txt; commit B "b"
    fork up down; move one.txt two.txt; commit D "d"
    at up; move one.txt three.txt; commit U "u")";
  const char* const latin = R"(
    repo up; base40 latin.txt; commit B "b"
    fork up down; line latin.txt 10 "ten \xe9"; commit D "d"
    at up; line latin.txt 10 "ten up"; commit U "u")";
  const char* const link = R"(
    repo up; base40 l.txt; commit B "b"
    fork up down; drop l.txt; commit D "d"
    at up; drop l.txt; symlink l.txt target; commit U "u")";
  for (const auto& [script, path] : {std::pair{binary, "bin.dat"}, std::pair{latin, "latin.txt"}, std::pair{link, "l.txt"}}) {
    Pick pick(script);
    const auto opened = Buffer::open(pick.world);
    ASSERT_FALSE(opened.ok()) << path;
    EXPECT_EQ(opened.error().kind, ErrorKind::invalid);
    EXPECT_NE(opened.error().message.find(path), std::string::npos) << opened.error().message;
  }
  Pick pick(renames);
  EXPECT_FALSE(Buffer::open(pick.world).ok());
}

TEST(Open, BytesThatAreNotUtf8OutsideTheRegionsStayAsTheyAre) {
  Pick pick(R"(
    repo up; base40 f.txt; line f.txt 1 "one \xe9"; commit B "b"
    fork up down; line f.txt 20 "twenty down"; commit D "d"
    at up; line f.txt 20 "twenty up"; commit U "u"
  )");
  ASSERT_EQ(pick.resolve(pick.id(), "twenty up", "theirs"), "");
  EXPECT_TRUE(pick.proposed("f.txt").starts_with("one \xe9\nline 2\n"));
}

TEST(Open, AMissingObjectIsAFailureAndNoAnswer) {
  Pick pick(two_regions);
  pick.world.merged_tree = std::string(40, '1');
  const auto opened = Buffer::open(pick.world);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::not_found);
}

TEST(Open, BothAddedFilesAreAnsweredRegionByRegion) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; put new.cpp "int a;\nint down;\n"; commit D "d"
    at up; put new.cpp "int a;\nint up;\n"; commit U "u"
  )");
  ASSERT_GE(pick.buffer().places().size(), 1U);
  ASSERT_EQ(pick.resolve(pick.id(), pick.place().region.ours + pick.place().region.theirs, ""), "");
  EXPECT_NE(pick.proposed("new.cpp").find("int up;"), std::string::npos);
}

}  // namespace
}  // namespace sluice::tools::testing
