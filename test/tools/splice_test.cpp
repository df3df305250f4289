// SPDX-License-Identifier: Apache-2.0
// What an answer is, and how it is written into a file.
#include "tools/splice.h"

#include "test/tools/support.h"

namespace sluice::tools::testing {
namespace {

git::Region region(std::string base, std::string ours, std::string theirs) {
  git::Region out;
  out.base = std::move(base);
  out.ours = std::move(ours);
  out.theirs = std::move(theirs);
  return out;
}

TEST(LineStyle, IsThatOfMostLines) {
  EXPECT_FALSE(style_of("a\nb\n").crlf);
  EXPECT_TRUE(style_of("a\r\nb\r\n").crlf);
  EXPECT_FALSE(style_of("a\r\nb\r\n").mixed);
  EXPECT_TRUE(style_of("a\r\nb\r\nc\n").crlf);
  EXPECT_TRUE(style_of("a\r\nb\r\nc\n").mixed);
  EXPECT_TRUE(style_of("").final_newline);
  EXPECT_TRUE(style_of("a\n").final_newline);
  EXPECT_FALSE(style_of("a").final_newline);
}

TEST(Action, IsWhatTheLinesOfAnAnswerBearOut) {
  const git::Region r = region("b\n", "o1\no2\n", "t1\nt2\n");
  EXPECT_EQ(action_of(r, "o1\no2\n"), "ours");
  EXPECT_EQ(action_of(r, "  o1\n\no2"), "ours") << "blanks do not count";
  EXPECT_EQ(action_of(r, "t1\nt2\n"), "theirs");
  EXPECT_EQ(action_of(r, "o1\no2\nt1\nt2\n"), "both_ours_first");
  EXPECT_EQ(action_of(r, "t1\nt2\no1\no2\n"), "both_theirs_first");
  EXPECT_EQ(action_of(r, "o1\nt1\no2\nt2\n"), "mixed") << "both, but neither first";
  EXPECT_EQ(action_of(r, "o1\nt2\n"), "mixed");
  EXPECT_EQ(action_of(r, "b\n"), "mixed") << "the base";
  EXPECT_EQ(action_of(r, ""), "mixed");
  EXPECT_EQ(action_of(r, "o1\nn\n"), "new");
  const git::Region shared = region("", "head\no\n", "head\nt\n");
  EXPECT_EQ(action_of(shared, "head\no\nt\n"), "both_ours_first") << "what both have stands once";
  EXPECT_EQ(action_of(shared, "head\nt\no\n"), "both_theirs_first");
  EXPECT_EQ(action_of(shared, "head\no\nhead\nt\n"), "both_ours_first");
}

TEST(Action, EitherSideMayBeNamedWhereBothSayTheSame) {
  const git::Region same = region("b\n", "x\n", " x\n");
  EXPECT_TRUE(bears_out(same, "x\n", "ours"));
  EXPECT_TRUE(bears_out(same, "x\n", "theirs"));
  EXPECT_FALSE(bears_out(same, "x\n", "mixed"));
  const git::Region differ = region("b\n", "x\n", "y\n");
  EXPECT_FALSE(bears_out(differ, "x\n", "theirs"));
  EXPECT_FALSE(bears_out(differ, "x\nz\n", "mixed"));
  EXPECT_TRUE(bears_out(differ, "x\nz\n", "new"));
}

TEST(Splice, ATextEndsItsLastLine) {
  const git::Region r = region("b\n", "o\n", "t\n");
  EXPECT_EQ(must(spliced(r, "x", {})), "x\n");
  EXPECT_EQ(must(spliced(r, "x\n", {})), "x\n");
  EXPECT_EQ(must(spliced(r, "x\n\n", {})), "x\n\n") << "a blank line is the author's";
  EXPECT_EQ(must(spliced(r, "", {})), "");
  EXPECT_EQ(must(spliced(r, "x\r\ny\r\n", {})), "x\ny\n") << "the file has no CR";
  EXPECT_EQ(must(spliced(r, "x\r", {})), "x\n") << "half of a line end";
  EXPECT_EQ(must(spliced(r, "x\r\r\n", {})), "x\n");
}

TEST(Splice, AFileOfCrLfGetsCrLf) {
  const git::Region r = region("b\r\n", "o\r\n", "t\n");
  const LineStyle crlf{.crlf = true};
  EXPECT_EQ(must(spliced(r, "x\ny", crlf)), "x\r\ny\r\n");
  EXPECT_EQ(must(spliced(r, "x\r\ny\n", crlf)), "x\r\ny\r\n") << "never CR CR LF";
  EXPECT_EQ(must(spliced(r, "t\n", crlf)), "t\r\n");
  EXPECT_EQ(must(spliced(r, "a\rb\n", crlf)), "a\rb\r\n") << "a CR inside a line is a character";
}

TEST(Splice, WhereLineEndsAreMixedThoseOfTheRegionCount) {
  const LineStyle mostly_lf{.crlf = false, .mixed = true};
  EXPECT_EQ(must(spliced(region("", "o\r\n", "t\r\n"), "x", mostly_lf)), "x\r\n");
  EXPECT_EQ(must(spliced(region("", "o\n", "t\n"), "x", mostly_lf)), "x\n");
  EXPECT_EQ(must(spliced(region("", "o\r\np\n", "t\n"), "o\np\n", mostly_lf)), "o\r\np\n") << "ours stands as the fork has it";
  EXPECT_EQ(must(spliced(region("", "", "t\n"), "t", LineStyle{.crlf = true, .mixed = true})), "t\r\n");
}

TEST(Splice, RefusesWhatNoFileMayHold) {
  const git::Region r = region("b\n", "o\n", "t\n");
  EXPECT_NE(error_of(spliced(r, std::string_view("a\0b", 3), {})).find("NUL"), std::string::npos);
  EXPECT_NE(error_of(spliced(r, "a\xff", {})).find("UTF-8"), std::string::npos);
  EXPECT_TRUE(spliced(r, "a\xc3\xa9", {}).ok());
}

TEST(Splice, RefusesMarkersOfBothSizesInEveryForm) {
  const git::Region r = region("b\n", "o\n", "t\n");
  for (const std::size_t n : {7U, 31U}) {
    for (const char c : std::string("<|=>")) {
      const std::string marker(n, c);
      EXPECT_FALSE(spliced(r, "a\n" + marker + "\nb\n", {}).ok()) << marker;
      EXPECT_FALSE(spliced(r, marker, {}).ok()) << marker;
      EXPECT_FALSE(spliced(r, "a\r\n" + marker + "\r\n", {}).ok()) << marker;
      EXPECT_EQ(spliced(r, "a\n" + marker + " ours\n", {}).ok(), c == '=') << marker;
      EXPECT_TRUE(spliced(r, " " + marker + "\n", {}).ok()) << "not at the start of the line";
      EXPECT_TRUE(spliced(r, marker + c + "\n", {}).ok()) << "of another size";
      EXPECT_TRUE(spliced(r, marker + "x\n", {}).ok());
    }
  }
  EXPECT_TRUE(spliced(region("", "Install\n=======\n", "t\n"), "Install\n=======\nt\n", {}).ok()) << "a heading that a side has";
  EXPECT_FALSE(spliced(region("", "Install\n=======\n", "t\n"), ">>>>>>>\n", {}).ok()) << "a side has another";
}

TEST(Splice, RefusesWhatIsLongerThanAllSidesAndFortyLines) {
  const git::Region r = region("b\n", "o\np\n", "t\nu\nv\n");
  std::string text;
  for (int k = 0; k < 46; ++k) text += "x\n";
  EXPECT_TRUE(spliced(r, text, {}).ok());
  EXPECT_NE(error_of(spliced(r, text + "x\n", {})).find("47 lines, at most 46"), std::string::npos) << error_of(spliced(r, text + "x\n", {}));
}

}  // namespace
}  // namespace sluice::tools::testing
