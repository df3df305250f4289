// SPDX-License-Identifier: Apache-2.0
// What stands in P for each conflict region of M.
#include <fmt/format.h>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

// The machine merge of one conflicted file, and where the answers of a result are found.
class Located {
 public:
  explicit Located(std::string_view script, std::string path = "f.cpp") : pick_(script), path_(std::move(path)) {
    merged_ = must(git::cut_regions(path_, pick_.text(pick_.facts.merge_tree, path_)));
  }
  const git::MergedFile& merged() const { return merged_; }
  std::string filled(const std::vector<std::string>& answers) const { return git::fill_regions(merged_, answers); }
  std::vector<git::RegionResult> in(std::string_view finished) { return git::region_results(pick_.repo.reader(), merged_, finished); }
  // The answers as text; "?" for one that was not found.
  std::vector<std::string> texts_in(std::string_view finished) {
    std::vector<std::string> out;
    for (const git::RegionResult& result : in(finished)) out.push_back(result.located ? result.text : "?");
    return out;
  }

 private:
  Pick pick_;
  std::string path_;
  git::MergedFile merged_;
};

using Texts = std::vector<std::string>;

std::string conflict_at(std::initializer_list<int> lines) {
  std::string down, up;
  for (const int n : lines) {
    down += fmt::format("line f.cpp {} 'line {} down' ; ", n, n);
    up += fmt::format("line f.cpp {} 'line {} up' ; ", n, n);
  }
  return fmt::format("repo up ; base40 f.cpp ; commit B b\nfork up down ; {} commit D d\nat up ; {} commit U u\n", down, up);
}

TEST(RegionResults, AnAnswerIsFoundWhateverItSays) {
  Located file(conflict_at({10, 30}));
  ASSERT_EQ(file.merged().regions.size(), 2u);
  const std::string both = "line 10 down\nline 10 up\n", fresh = "something else\nentirely\n";
  EXPECT_EQ(file.texts_in(file.filled({both, fresh})), (Texts{both, fresh}));
  const std::vector<git::RegionResult> results = file.in(file.filled({both, fresh}));
  EXPECT_EQ(results[0].first_line, 10u);
  EXPECT_EQ(results[1].first_line, 31u);
}

TEST(RegionResults, AnEmptyAnswerIsAnAnswer) {
  Located file(conflict_at({10, 30}));
  const std::vector<git::RegionResult> results = file.in(file.filled({"", "x\n"}));
  EXPECT_TRUE(results[0].located);
  EXPECT_EQ(results[0].text, "");
  EXPECT_EQ(results[0].first_line, 10u);
  EXPECT_EQ(results[1].text, "x\n");
}

TEST(RegionResults, AnEditFurtherOffHidesNoAnswer) {
  Located file(conflict_at({10, 30}));
  const std::string text = replaced(file.filled({"a\n", "b\n"}), "line 20\n", "line twenty\nand more\n");
  EXPECT_EQ(file.texts_in(text), (Texts{"a\n", "b\n"}));
  EXPECT_EQ(file.in(text)[1].first_line, 31u);
}

TEST(RegionResults, AnEditOfTheLineBesideARegionHidesItsAnswerAlone) {
  Located file(conflict_at({10, 30}));
  EXPECT_EQ(file.texts_in(replaced(file.filled({"a\n", "b\n"}), "line 11\n", "line eleven\n")), (Texts{"?", "b\n"}));
}

TEST(RegionResults, BeginningAndEndOfAFileAreEdgesLikeOthers) {
  Located file(conflict_at({1, 40}));
  ASSERT_EQ(file.merged().regions.size(), 2u);
  EXPECT_EQ(file.texts_in(file.filled({"first\n", "last\n"})), (Texts{"first\n", "last\n"}));
  EXPECT_EQ(file.texts_in(file.filled({"", ""})), (Texts{"", ""}));
  const std::string edited = replaced(file.filled({"first\n", "last\n"}), "line 20\n", "line twenty\n");
  EXPECT_EQ(file.texts_in(edited), (Texts{"first\n", "last\n"}));
}

TEST(RegionResults, AWholeFileCanBeOneRegion) {
  Located file("repo up ; put f.cpp 'a\\n' ; commit B b\nfork up down ; put f.cpp 'b\\n' ; commit D d\nat up ; put f.cpp 'c\\n' ; commit U u");
  EXPECT_EQ(file.texts_in("anything\nat all\n"), Texts{"anything\nat all\n"});
  EXPECT_EQ(file.texts_in(""), Texts{""});
}

TEST(RegionResults, ALineEndThatNobodyChangedOnPurposeIsNotCompared) {
  const char* crlf =
      "repo up ; put f.cpp 'a\\r\\nb\\r\\nc\\r\\nd\\r\\ne\\r\\n' ; commit B b\n"
      "fork up down ; put f.cpp 'a\\r\\nb\\r\\nC down\\r\\nd\\r\\ne\\r\\n' ; commit D d\n"
      "at up ; put f.cpp 'a\\r\\nb\\r\\nC up\\r\\nd\\r\\ne\\r\\n' ; commit U u";
  Located file(crlf);
  EXPECT_EQ(file.texts_in("a\r\nb\r\nC new\r\nd\r\ne\r\n"), Texts{"C new\r\n"});
  EXPECT_EQ(file.texts_in("a\nb\nC new\nd\ne\n"), Texts{"C new\n"});
}

TEST(RegionResults, AFileWithoutANewlineAtItsEndHasItsAnswerToo) {
  Located file(
      "repo up ; put f.cpp 'a\\nb\\nc' ; commit B b\nfork up down ; put f.cpp 'a\\nb\\nc down' ; commit D d\n"
      "at up ; put f.cpp 'a\\nb\\nc up' ; commit U u");
  ASSERT_EQ(file.merged().regions.size(), 1u);
  EXPECT_EQ(file.texts_in("a\nb\nc down"), Texts{"c down"});
  EXPECT_EQ(file.texts_in("a\nb\nc down\nc up\n"), Texts{"c down\nc up\n"});
}

TEST(RegionResults, ARenamedFileIsReadUnderTheNameThatTheMergeGaveIt) {
  Located file("repo up ; base40 f.cpp ; commit B b\nfork up down ; line f.cpp 10 'line 10 down' ; commit D d\n"
               "at up ; move f.cpp g.cpp ; line g.cpp 10 'line 10 up' ; commit U u", "g.cpp");
  ASSERT_EQ(file.merged().regions.size(), 1u);
  EXPECT_EQ(file.texts_in(file.filled({"line 10 down\n"})), Texts{"line 10 down\n"});
}

TEST(RegionResults, AnAnswerThatRepeatsTheLineBeforeItIsFoundWholeOrNotAtAll) {
  const auto file = [](const char* word) { return fmt::format("a\\nb\\nc\\nd\\n}}\\n{}\\nx\\ny\\nz\\nw\\n", word); };
  Located located(fmt::format("repo up ; put f.cpp '{}' ; commit B b\nfork up down ; put f.cpp '{}' ; commit D d\nat up ; put f.cpp '{}' ; commit U u",
                              file("old"), file("down"), file("up")));
  ASSERT_EQ(located.merged().regions.size(), 1u);
  EXPECT_EQ(located.texts_in("a\nb\nc\nd\n}\none\n}\ntwo\nx\ny\nz\nw\n"), Texts{"one\n}\ntwo\n"}) << "nothing else was changed: one reading";
  const std::string found = located.texts_in("a\nb\nc\nd\n}\none\n}\ntwo\nx\ny\nz\nw changed\n").front();
  EXPECT_TRUE(found == "one\n}\ntwo\n" || found == "?") << found;
}

TEST(RegionResults, RegionsWithOneCommonLineBetweenThemAreNotMisread) {
  // The line between the two regions is also the first one of the first answer.
  const auto file = [](const char* first, const char* second) {
    return fmt::format("a\\nb\\nc\\n{}\\ncheck(\\n{}\\n)\\nd\\ne\\nf\\n", first, second);
  };
  Located located(fmt::format("repo up ; put f.cpp '{}' ; commit B b\nfork up down ; put f.cpp '{}' ; commit D d\nat up ; put f.cpp '{}' ; commit U u",
                              file("one", "two"), file("check(\\none_down\\n)", "two_down"), file("one_up", "two_up")));
  ASSERT_EQ(located.merged().regions.size(), 2u);
  const Texts answers{"check(\none_down, one_up\n)\n", "two_down, two_up\n"};
  for (const std::string& text : {located.filled(answers), replaced(located.filled(answers), "f\n", "f changed\n")}) {
    const Texts found = located.texts_in(text);
    for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_TRUE(found[i] == answers[i] || found[i] == "?") << i << ": " << found[i];
  }
}

TEST(RegionResults, AFileThatHoldsTheStandInLineIsNotMisread) {
  Located file(conflict_at({10, 30}));
  const std::string text = replaced(file.filled({"a\n", "b\n"}), "line 20\n", "\x01 region 1 \x01\n");
  const Texts found = file.texts_in(text);
  EXPECT_TRUE(found[0] == "a\n" || found[0] == "?") << found[0];
}

}  // namespace
}  // namespace sluice::guardrails::testing
