// SPDX-License-Identifier: Apache-2.0
// G30, its five parts: each fires on its own case and keeps silent beside it.
#include <fmt/format.h>

#include "guardrails/scan/reflow.h"
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

// f.cpp conflicts in line 10; line 30 is U's own; g.cpp, t.mlir and n.md are touched by nobody.
constexpr const char* script = R"~(
  repo up; base40 f.cpp; line f.cpp 20 "int a = compute(first_value, second_value);"; line f.cpp 30 "int b = old(first, second);"
    put g.cpp "int c = compute(first_value, second_value);\nvoid g();\n"
    put t.mlir "// RUN: triton-opt %s -split-input-file | FileCheck %s\n// CHECK: tt.load\nmodule {}\n"; put n.md "a\n"; commit B "b"
  fork up down; line f.cpp 10 "int ten_down = compute(1);"; commit D "d"
  at up; line f.cpp 10 "int ten_up = compute(2);"; line f.cpp 30 "int b = fresh(first, second);"; commit U "u"
)~";

class Smell {
 public:
  Smell() : pick(script), cut(must(git::cut_regions("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp")))) { answer(both()); }
  std::string both() const { return cut.regions.at(0).ours + cut.regions.at(0).theirs; }
  std::string filled(const std::string& text) const { return git::fill_regions(cut, {text}); }
  void answer(const std::string& text) { pick.put("f.cpp", filled(text)); }
  void edit(const std::string& path, std::string_view from, std::string_view to) {
    pick.edit(path, from, to);
  }
  Judgement judged() { return pick.of("G30"); }
  std::vector<std::string> details() {
    std::vector<std::string> out;
    for (const model::VerdictItem& item : pick.rule("G30").items) out.push_back(fmt::format("{}:{} {}", item.path, item.line, item.detail));
    return out;
  }

  Pick pick;
  git::MergedFile cut;
};

using Details = std::vector<std::string>;

TEST(Smell, AnAnswerOfBothSidesSmellsOfNothing) {
  Smell smell;
  EXPECT_EQ(smell.details(), Details{});
  smell.edit("f.cpp", "line 15\n", "a real change;\n");
  EXPECT_EQ(smell.details(), Details{});
}

TEST(BothSidesDeleted, IsForAPerson) {
  Smell smell;
  smell.answer("");
  EXPECT_EQ(smell.judged(), Judgement::escalate);
  EXPECT_EQ(smell.details(), Details{"f.cpp:10 the region is empty where both sides have text"});
}

TEST(BothSidesDeleted, IsNoSmellWhereOneSideWasEmptyOrStandsElsewhere) {
  Pick pick(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; cut_lines f.cpp 10 10; commit D "d"
    at up; line f.cpp 10 "line 10 up"; commit U "u")");
  const git::MergedFile cut = must(git::cut_regions("f.cpp", pick.text(pick.facts.merge_tree, "f.cpp")));
  pick.put("f.cpp", git::fill_regions(cut, {""}));
  EXPECT_EQ(pick.of("G30"), Judgement::pass) << "the fork had deleted it";

  Smell moved;
  moved.pick.put("f.cpp", replaced(moved.filled(""), "line 35\n", "line 35\n" + moved.cut.regions[0].ours));
  EXPECT_EQ(moved.judged(), Judgement::pass) << "the fork's side moved down";
}

TEST(CodeInComments, IsFoundByLineAndByBlock) {
  Smell line;
  line.edit("f.cpp", "int a = compute", "// int a = compute");
  EXPECT_EQ(line.details(), Details{"f.cpp:21 a comment holds what was code before"});
  Smell block;
  block.edit("f.cpp", "int a = compute(first_value, second_value);\n", "/* not now\nint a = compute(first_value, second_value);\n*/\n");
  EXPECT_EQ(block.details(), Details{"f.cpp:22 a comment holds what was code before"});
  Smell region;
  region.answer("int ten_up = compute(2);\n// int ten_down = compute(1);\n");
  EXPECT_EQ(region.details(), Details{"f.cpp:11 a comment holds what was code before"});
}

TEST(CodeInComments, IsFoundBehindALineCommentThatGoesOn) {
  Smell smell;
  smell.edit("f.cpp", "int a = compute", "// see below \\\nint a = compute");
  EXPECT_EQ(smell.details(), Details{"f.cpp:22 a comment holds what was code before"});
}

TEST(CodeInComments, IsNoSmellOfCodeThatStaysOrOfUpstreamsOwnDoing) {
  Smell stays;
  stays.edit("f.cpp", "int a = compute(", "// int a = compute(first_value, second_value);\nint a = compute(");
  EXPECT_EQ(stays.details(), Details{}) << "the code is there as well";
  Smell prose;
  prose.edit("f.cpp", "line 15\n", "// line 15 says (more) than it did\n");
  EXPECT_EQ(prose.details(), Details{});
  Pick upstream(R"(
    repo up; base40 f.cpp; line f.cpp 20 "call(first);"; commit B "b"
    fork up down; line f.cpp 10 "int down;"; commit D "d"
    at up; line f.cpp 10 "int up;"; line f.cpp 20 "// call(first);"; commit U "u")");
  const git::MergedFile cut = must(git::cut_regions("f.cpp", upstream.text(upstream.facts.merge_tree, "f.cpp")));
  upstream.put("f.cpp", git::fill_regions(cut, {"int down;\nint up;\n"}));
  EXPECT_EQ(upstream.of("G30"), Judgement::pass);
}

TEST(SwitchedOff, ANewIfZeroIsNamed) {
  Smell smell;
  smell.edit("f.cpp", "line 15\n", "#if 0\nline 15\n#endif\n");
  EXPECT_EQ(smell.details(), Details{"f.cpp:16 a new block is switched off"});
  Smell region;
  region.answer("#  if 0  // later\n" + region.both() + "#endif\n");
  EXPECT_EQ(region.judged(), Judgement::escalate);
}

TEST(SwitchedOff, AnyOtherConditionOrFileIsNone) {
  Smell smell;
  smell.edit("f.cpp", "line 15\n", "#if 01\nline 15\n#endif\n#if ZERO\n#endif\n");
  smell.edit("n.md", "a\n", "#if 0\n");
  EXPECT_EQ(smell.details(), Details{});
}

TEST(FormattedAgain, AChangeOfLineBreaksOrBlanksAloneIsNamed) {
  Smell wrap;
  wrap.edit("f.cpp", "int a = compute(first_value, second_value);\n", "int a = compute(first_value,\n                second_value);\n");
  EXPECT_EQ(wrap.details(), Details{"f.cpp:21 changed in whitespace or line breaks alone, outside upstream's change"});
  Smell other;
  other.edit("g.cpp", "void g();", "void  g();");
  EXPECT_EQ(other.details(), Details{"g.cpp:2 changed in whitespace or line breaks alone, outside upstream's change"});
  Smell indented;
  indented.edit("f.cpp", "line 15\n", "    line 15\n");
  EXPECT_EQ(indented.details().size(), 1u);
}

TEST(FormattedAgain, UpstreamsOwnHunkTheConflictAndRealChangesAreExempt) {
  Smell upstream;
  upstream.edit("f.cpp", "int b = fresh(first, second);\n", "int b =\n    fresh(first, second);\n");
  EXPECT_EQ(upstream.details(), Details{});
  Smell region;
  region.answer("int ten_down =\n    compute(1);\nint ten_up = compute(2);\n");
  EXPECT_EQ(region.details(), Details{});
  Smell blank;
  blank.edit("f.cpp", "line 15\n", "line 15\n\n");
  EXPECT_EQ(blank.details(), Details{}) << "a blank line more";
  Smell real;
  real.edit("f.cpp", "compute(first_value, second_value);\n", "compute(first_value,\n  other_value);\n");
  EXPECT_EQ(real.details(), Details{});
}

TEST(ForeignFormatter, AReflowedCommentOfATestIsNamed) {
  Smell smell;
  smell.edit("t.mlir", "// RUN: triton-opt %s -split-input-file | FileCheck %s\n// CHECK: tt.load\n",
             "// RUN: triton-opt %s -split-input-file |\n// FileCheck %s CHECK: tt.load\n");
  EXPECT_EQ(smell.details(), Details{"t.mlir:1 the words stand on other lines, as a formatter puts them that does not know such files"});
}

TEST(ForeignFormatter, IsFoundInsideAConflictToo) {
  Pick pick(R"(
    repo up; put t.mlir "a\nb\nc\n// RUN: one | FileCheck %s\nd\ne\nf\n"; commit B "b"
    fork up down; put t.mlir "a\nb\nc\n// RUN: one --down | FileCheck %s\nd\ne\nf\n"; commit D "d"
    at up; put t.mlir "a\nb\nc\n// RUN: one --up | FileCheck %s\nd\ne\nf\n"; commit U "u")");
  const git::MergedFile cut = must(git::cut_regions("t.mlir", pick.text(pick.facts.merge_tree, "t.mlir")));
  pick.put("t.mlir", git::fill_regions(cut, {"// RUN: one --down |\n// FileCheck %s\n"}));
  EXPECT_EQ(pick.of("G30"), Judgement::escalate);
  pick.put("t.mlir", git::fill_regions(cut, {cut.regions[0].ours}));
  EXPECT_EQ(pick.of("G30"), Judgement::pass);
  pick.put("t.mlir", git::fill_regions(cut, {"// RUN: one --up --down | FileCheck %s\n"}));
  EXPECT_EQ(pick.of("G30"), Judgement::pass) << "other words";
}

TEST(ReflowForm, KeepsTheWordsAndDropsWhereTheyStand) {
  const auto same = [](std::string_view a, std::string_view b, std::string_view path) { return reflow_form(a, path) == reflow_form(b, path); };
  EXPECT_TRUE(same("// a b\n// c\n", "// a\n//   b c\n", "f.mlir"));
  EXPECT_TRUE(same("#x = <a, b>\n", "#x = \\\n   <a,   \\\n b>\n", "f.mlir"));
  EXPECT_TRUE(same("# a b\n", "# a\n# b\n", "f.py"));
  EXPECT_FALSE(same("// a b\n", "// a d\n", "f.cpp"));
  EXPECT_FALSE(same("// f(x);\n", "f(x);\n", "f.cpp")) << "what was a comment is code now";
  EXPECT_FALSE(same("f(x);\n// a\n", "// f(x); a\n", "f.cpp"));
  EXPECT_FALSE(same("# a\n", "a\n", "f.py"));
}

}  // namespace
}  // namespace sluice::guardrails::testing
