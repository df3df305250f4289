// SPDX-License-Identifier: Apache-2.0
// G29, and the invariants that a lost line proposes.
#include "core/regex.h"
#include "guardrails/invariants.h"
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr const char* conflicted = R"(
  repo up; base40 lib/f.cpp; put lib/g.cpp "int g;\n"; commit B "b"
  fork up down; line lib/f.cpp 10 "  override_one(1);"; put lib/g.cpp "override_one(2);\nint g;\n"; commit D "d"
  at up; line lib/f.cpp 10 "line 10 of upstream"; commit U "u"
)";

struct Lost : Pick {
  Lost() : Pick(conflicted) {
    put("lib/f.cpp", this->text(history.tree("U"), "lib/f.cpp"));  // upstream's side: the fork's line is gone
  }
};

TEST(Invariants, ThatThePickBreaksBlockAndSayWhy) {
  Lost pick;
  EXPECT_EQ(pick.of("G29"), Judgement::pass) << "none are configured";
  pick.policy.invariants = {{"lib/*.cpp", "override_\\w+\\(", 2, "without it views are copied"}};
  const model::RuleResult rule = pick.rule("G29");
  EXPECT_EQ(rule.judgement, Judgement::block);
  ASSERT_EQ(texts(rule), std::vector<std::string>{"lib/f.cpp: override_\\w+\\("});
  EXPECT_NE(rule.items[0].detail.find("1 lines of lib/*.cpp match, the fork had 2 and must have 2: without it views are copied"),
            std::string::npos)
      << rule.items[0].detail;
}

TEST(Invariants, ThatStillHoldOrNeverHeldPass) {
  struct Row {
    const char* name;
    model::InvariantConfig invariant;
  };
  const Row rows[] = {
      {"one is enough", {"lib/*.cpp", "override_", 1, ""}},
      {"the fork does not meet it either", {"lib/*.cpp", "override_", 3, ""}},
      {"another file", {"lib/g.cpp", "override_", 1, ""}},
      {"another pattern", {"lib/*.cpp", "int g", 1, ""}},
      {"no such file", {"src/*.cpp", "override_", 1, ""}},
      {"of a line that is not there", {"lib/*.cpp", "^override_two", 1, ""}},
  };
  for (const Row& row : rows) {
    Lost pick;
    pick.policy.invariants = {row.invariant};
    EXPECT_TRUE(pick.rule("G29").items.empty()) << row.name;
  }
}

TEST(Invariants, OfALineThatMovesToAnotherFileOfTheGlobHold) {
  Lost pick;
  pick.policy.invariants = {{"lib/*.cpp", "override_", 2, ""}};
  pick.put("lib/h.cpp", "override_one(1);\n");
  EXPECT_EQ(pick.of("G29"), Judgement::pass);
  pick.put("lib/h.cpp", "");
  pick.put("src/h.cpp", "override_one(1);\n");
  EXPECT_EQ(pick.of("G29"), Judgement::block) << "the glob says where";
}

TEST(Invariants, OfACleanMergeAreLookedAtToo) {
  // Upstream removes the function around the fork's line, cleanly, by removing the whole file.
  Pick pick(R"(
    repo up; base40 pad.txt; put f.cpp "int f;\n"; commit B "b"
    fork up down; put own.cpp "keep_me();\n"; commit D "d"
    at up; line pad.txt 3 "x"; commit U "u")");
  pick.policy.invariants = {{"own.cpp", "keep_me", 1, ""}};
  EXPECT_EQ(pick.of("G29"), Judgement::pass);
  pick.drop("own.cpp");
  EXPECT_EQ(pick.of("G29"), Judgement::block);
}

TEST(Invariants, AreProposedByEveryLineThatIsLost) {
  Lost pick;
  const model::RuleResult lost = pick.rule("G23");
  ASSERT_EQ(lost.items.size(), 1u);
  const std::string& entry = lost.items[0].proposes;
  EXPECT_EQ(entry, "[[invariant]]\npath = \"/lib/f.cpp\"\npattern = 'override_one\\(1\\);'\nwhy = \"fork commit " +
                       pick.history.id("D") + "\"\n");
  EXPECT_NE(to_json(pick.judge()).dump().find("\"proposes\""), std::string::npos);
  pick.policy.invariants = {{"/lib/f.cpp", "override_one\\(1\\);", 1, ""}};
  EXPECT_EQ(pick.of("G29"), Judgement::block) << "it would have kept the line";
  pick.account("downstream_lost", "lib/f.cpp", "override_one(1);", "MOVED_TO", "lib/h.cpp");
  pick.put("lib/h.cpp", "override_one(1);\n");
  EXPECT_EQ(pick.rule("G23").items.size(), 0u) << "moved, not lost";
}

TEST(Invariants, ProposedForALineMatchTheLineHoweverItIsSpaced) {
  const std::string lines[] = {R"(  if (a[i] == '\'' && x*y > 2)  {)", R"(s = "a\"b";)", "na\xC3\xAFve(^$|?+.{})", "x",
                               "it's 'quoted'  twice", std::string(400, 'y')};
  for (const std::string& line : lines) {
    const std::string entry = proposed_invariant("a b/[c]*.txt", line, "");
    EXPECT_NE(entry.find("path = \"/a b/?c??.txt\""), std::string::npos) << entry;
    EXPECT_EQ(entry.find("why"), std::string::npos);
    std::string pattern = entry.substr(entry.find("pattern = ") + 10);
    pattern.pop_back();
    const bool literal = pattern.front() == '\'';
    pattern = pattern.substr(1, pattern.size() - 2);
    std::string plain;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (!literal && pattern[i] == '\\') ++i;
      plain += pattern[i];
    }
    const core::Regex regex = must(core::Regex::compile(plain));
    EXPECT_TRUE(regex.search(line)) << plain;
    EXPECT_TRUE(regex.search("\t" + line + " // more")) << plain;
    EXPECT_FALSE(regex.search("something else")) << plain;
  }
  EXPECT_EQ(proposed_invariant("a", "   ", ""), "");
}

}  // namespace
}  // namespace sluice::guardrails::testing
