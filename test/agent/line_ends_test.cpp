// SPDX-License-Identifier: Apache-2.0
#include "agent/line_ends.h"

#include <gtest/gtest.h>

#include "agent/memory.h"
#include "agent/pieces.h"

namespace sluice::agent {
namespace {

using Ending = TextStyle::Ending;

// Enough of a merge for these texts: the side that changed wins.
Result<std::string> one_side(std::string_view base, std::string_view ours, std::string_view theirs,
                             bool& clean) {
  clean = ours == base || theirs == base || ours == theirs;
  return std::string(theirs == base ? ours : theirs);
}

std::string merged(std::string_view base, std::string_view ours, std::string_view theirs) {
  auto result = merge_styled(base, ours, theirs, one_side);
  EXPECT_TRUE(result.ok());
  return *result ? (*result)->text : "(none)";
}

TEST(LineEnds, AStyleIsReadFromTheBytes) {
  EXPECT_EQ(style_of("a\nb\n").ending, Ending::lf);
  EXPECT_EQ(style_of("a\r\nb\r\n").ending, Ending::crlf);
  EXPECT_EQ(style_of("a\r\nb\n").ending, Ending::mixed);
  EXPECT_EQ(style_of("a\rb").ending, Ending::none);
  EXPECT_TRUE(style_of("").final_newline);
  EXPECT_FALSE(style_of("a").final_newline);
  EXPECT_TRUE(style_of("\xef\xbb\xbf"
                       "a")
                  .bom);
}

TEST(LineEnds, ATableOfSides) {
  struct Case {
    const char *base, *ours, *theirs, *want;
  };
  for (const Case& c : {Case{"a\nb\n", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
                        Case{"a\r\nb\r\n", "a\nb\n", "a\r\nc\r\n", "a\nc\n"},
                        Case{"a\n",
                             "\xef\xbb\xbf"
                             "a\n",
                             "b\n",
                             "\xef\xbb\xbf"
                             "b\n"},
                        Case{"a\nb", "a\nb\n", "a\nb\nc", "a\nb\nc\n"},
                        Case{"a\nb\n", "a\nb", "a\nb\nc\n", "a\nb\nc"}, Case{"a", "a\r\n", "b", "b\r\n"},
                        Case{"a\nb\n", "a\nb\n", "a\r\nb\r\n", "(none)"},  // upstream changed the ends
                        Case{"a\nb\n", "a\r\nb\n", "a\nc\n", "(none)"},    // mixed
                        Case{"a\n", "b\n", "c\n", "(none)"},               // nothing of the kind differs
                        Case{"a\n", "b\r\n", "c\n", "(none)"},             // a real conflict underneath
                        Case{"a\n", "b\n",
                             "\xef\xbb\xbf"
                             "a\n",
                             "(none)"}})  // upstream added the mark
    EXPECT_EQ(merged(c.base, c.ours, c.theirs), c.want) << c.base << "|" << c.ours << "|" << c.theirs;
}

git::MergedFile file_of(std::vector<std::string> text) {
  git::MergedFile out;
  out.regions.resize(text.size() - 1);
  out.text = std::move(text);
  return out;
}

TEST(Pieces, AnswersAreCutOutBetweenWhatDidNotConflict) {
  using Answers = std::vector<std::string>;
  EXPECT_EQ(answers_in(file_of({"a\n", "b\n", "c\n"}), "a\nX\nb\nY\nc\n", Cut::only_way),
            (Answers{"X\n", "Y\n"}));
  EXPECT_EQ(answers_in(file_of({"a\n", "c\n"}), "a\nc\n", Cut::only_way), Answers{""});
  EXPECT_FALSE(answers_in(file_of({"a\n", "c\n"}), "z\nX\nc\n", Cut::any).has_value());
  EXPECT_FALSE(answers_in(file_of({"a\n", "a\n"}), "a\n", Cut::any).has_value())
      << "head and tail may not overlap";
  EXPECT_FALSE(answers_in(file_of({"a\n", "b\n", "c\n"}), "a\nb\nX\nb\nc\n", Cut::only_way).has_value())
      << "two ways to cut";
  EXPECT_TRUE(answers_in(file_of({"a\n", "b\n", "c\n"}), "a\nb\nX\nb\nc\n", Cut::any).has_value());
}

TEST(Memory, TheKeyIgnoresWhitespaceAndPathButNotTheExtension) {
  git::Region a, b;
  a.base = "x = 1;\n";
  a.ours = "x = 2;\n\n";
  a.theirs = "x = 3;\n";
  b.base = "x=1;\n";
  b.ours = "  x = 2;\n";
  b.theirs = "x = 3;";
  EXPECT_EQ(memory_key("lib/a.cpp", a), memory_key("other/b.cpp", b));
  EXPECT_NE(memory_key("a.cpp", a), memory_key("a.py", a));
  std::swap(b.ours, b.theirs);
  EXPECT_NE(memory_key("a.cpp", a), memory_key("a.cpp", b));
}

}  // namespace
}  // namespace sluice::agent
