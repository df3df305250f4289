// SPDX-License-Identifier: Apache-2.0
// G40 and G41: a test that counts for less, a directive that is gone; each with what comes close and is fine.
#include <fmt/format.h>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr const char* lit_test =
    "// RUN: opt %s \\\n// RUN:   | FileCheck %s\n// RUN: opt -v %s | FileCheck %s --check-prefix=V\n// "
    "REQUIRES: gpu\n\n"
    "func @f() {\n  // CHECK: add\n  // CHECK-NEXT:  mul\n  // V: add\n  // expected-error @below {{bad}}\n  "
    "x\n}\n";
constexpr const char* python_test =
    "import pytest\n\n\n@pytest.mark.parametrize(\"d\", [1, 2])\ndef test_a(d):\n    assert f(d) == 1\n    "
    "if slow():\n"
    "        pytest.skip(\"slow\")\n\n\ndef test_b():\n    assert g() == 2\n";
constexpr const char* cpp_test =
    "TEST(Sum, Adds) {\n  EXPECT_EQ(sum(1, 2), 3);\n}\nTEST(Sum, Overflows) {\n  ASSERT_TRUE(over());\n}\n";
constexpr const char* lit_config =
    "config.suffixes = ['.mlir', '.ll']\nif not config.gpu:\n    config.excludes = ['gpu']\n";

std::string quoted(std::string text) {
  std::string out;
  for (const char c : text)
    out += c == '\n'                                       ? std::string("\\n")
           : c == '"' || c == '\\' || c == '$' || c == '`' ? std::string("\\") + c
                                                           : std::string(1, c);
  return out;
}

// A clean pick of one line; the files of tests stand on both sides.
struct Tests : Pick {
  Tests()
      : Pick(
            "repo up; base40 src/f.cpp; commit B \"b\"\nfork up down; line src/f.cpp 30 \"fork 30\"; commit "
            "D \"d\"\n"
            "at up; line src/f.cpp 3 \"up 3\"; commit U \"u\"") {
    const std::vector<std::pair<std::string, std::string>> files = {
        {"test/a.mlir", lit_test},      {"python/test/test_x.py", python_test},
        {"unittest/sum.cpp", cpp_test}, {"test/lit.cfg.py", lit_config},
        {"test/run.sh", "run all\n"},   {"test/ci.yml", "steps:\n  - name: t\n"}};
    for (const auto& [path, text] : files) put(path, text);
    // They are in every tree: the pick leaves them alone.
    for (Oid* tree : {&facts.base_tree, &facts.upstream_tree, &facts.onto_tree, &facts.merge_tree}) {
      for (const auto& [path, text] : files) {
        const Oid blob = must(repo.write_blob(text));
        *tree = must(repo.write_tree(*tree, {{path, git::TreeEntry{0100644, blob}}}));
      }
    }
  }
};

TEST(TestWeakened, EachWayOfMakingATestCountForLessIsStopped) {
  const Edit edits[] = {
      {"XFAIL", "test/a.mlir", "// REQUIRES: gpu\n", "// REQUIRES: gpu\n// XFAIL: *\n"},
      {"XFAIL in the middle of a line", "test/a.mlir", "func @f() {", "func @f() { // see XFAIL: gpu\n"},
      {"UNSUPPORTED", "test/a.mlir", "// REQUIRES: gpu\n", "// REQUIRES: gpu\n// UNSUPPORTED: gpu\n"},
      {"a further REQUIRES", "test/a.mlir", "// REQUIRES: gpu\n", "// REQUIRES: gpu, tpu\n"},
      {"ALLOW_RETRIES", "test/a.mlir", "// REQUIRES: gpu\n", "// REQUIRES: gpu\n// ALLOW_RETRIES: 2\n"},
      {"END.", "test/a.mlir", "// RUN: opt -v", "// END.\n// RUN: opt -v"},
      {"a RUN pipeline less", "test/a.mlir", "// RUN: opt -v %s | FileCheck %s --check-prefix=V\n", ""},
      {"a RUN line that became a comment", "test/a.mlir", "// RUN:   | FileCheck %s", "//   | FileCheck %s"},
      {"a pipe into FileCheck less", "test/a.mlir", " | FileCheck %s --check-prefix=V", " > %t"},
      {"not", "test/a.mlir", "opt -v %s", "not opt -v %s"},
      {"|| true", "test/a.mlir", "--check-prefix=V", "--check-prefix=V || true"},
      {"--allow-empty", "test/a.mlir", "--check-prefix=V", "--check-prefix=V --allow-empty"},
      {"--allow-unused-prefixes", "test/a.mlir", "--check-prefix=V",
       "--check-prefix=V --allow-unused-prefixes"},
      {"config.unsupported", "test/lit.cfg.py", "config.suffixes",
       "config.unsupported = True\nconfig.suffixes"},
      {"config.suffixes", "test/lit.cfg.py", "['.mlir', '.ll']", "['.ll']"},
      {"config.excludes without its condition", "test/lit.cfg.py", "if not config.gpu:", "if True:"},
      {"skip", "python/test/test_x.py", "def test_b", "@pytest.mark.skip\ndef test_b"},
      {"skipif", "python/test/test_x.py", "def test_b", "@pytest.mark.skipif(True, reason='r')\ndef test_b"},
      {"xfail", "python/test/test_x.py", "def test_b", "@pytest.mark.xfail(strict=False)\ndef test_b"},
      {"importorskip", "python/test/test_x.py", "import pytest\n",
       "import pytest\npytest.importorskip('nothere')\n"},
      {"a skip without its condition", "python/test/test_x.py", "    if slow():\n        pytest",
       "    if True:\n        pytest"},
      {"a whole file skipped", "python/test/test_x.py", "import pytest\n",
       "import pytest\npytestmark = pytest.mark.skip\n"},
      {"a test renamed away", "python/test/test_x.py", "def test_b", "def check_b"},
      {"a test removed", "python/test/test_x.py", "def test_b():\n    assert g() == 2\n", ""},
      {"GTEST_SKIP", "unittest/sum.cpp", "  ASSERT_TRUE", "  GTEST_SKIP();\n  ASSERT_TRUE"},
      {"DISABLED_", "unittest/sum.cpp", "Overflows", "DISABLED_Overflows"},
      {"a C++ test removed", "unittest/sum.cpp", "TEST(Sum, Overflows) {\n  ASSERT_TRUE(over());\n}\n", ""},
      {"|| true in a script", "test/run.sh", "run all", "run all || true"},
      {"if: false", "test/ci.yml", "  - name: t\n", "  - name: t\n    if: false\n"},
  };
  Tests pick;
  each(pick, edits, [&](const Edit& edit) {
    const model::RuleResult rule = pick.rule("G40");
    EXPECT_EQ(rule.judgement, Judgement::block) << edit.name;
    ASSERT_FALSE(rule.items.empty()) << edit.name;
    EXPECT_EQ(rule.items[0].path, edit.path) << edit.name;
  });
}

TEST(TestWeakened, LayoutWordsAndMoreTestsAreFine) {
  const Edit edits[] = {
      {"nothing", "test/a.mlir", "x", "x"},
      {"a pipeline on more lines", "test/a.mlir", "// RUN: opt -v %s | FileCheck %s",
       "// RUN: opt -v %s \\\n// RUN:  | FileCheck %s"},
      {"a further pipeline that expects a failure", "test/a.mlir", "// REQUIRES",
       "// RUN: not opt -z %s | FileCheck %s\n// REQUIRES"},
      {"an XFAIL less", "test/a.mlir", "// REQUIRES: gpu\n", ""},
      {"words about xfail", "test/a.mlir", "func @f", "// this would XFAIL on a small machine\nfunc @f"},
      {"an option of a tool", "test/a.mlir", "opt -v %s", "opt -v -q %s"},
      {"another reason", "python/test/test_x.py", "\"slow\"", "'takes an hour'"},
      {"black", "python/test/test_x.py", "        pytest.skip(\"slow\")\n",
       "        pytest.skip(\n            \"slow\",\n        )\n"},
      {"another test", "python/test/test_x.py", "def test_b", "def test_c():\n    pass\n\n\ndef test_b"},
      {"a better name", "python/test/test_x.py", "def test_b", "def test_that_g_is_two"},
      {"a C++ test in other layout", "unittest/sum.cpp", "TEST(Sum, Overflows) {",
       "// new\nTEST(Sum,\n     Overflows)\n{"},
      {"a comment in a configuration", "test/lit.cfg.py", "config.suffixes", "# see docs\nconfig.suffixes"},
      {"another || in a script", "test/run.sh", "run all", "run all || exit 1"},
      {"a condition of a workflow", "test/ci.yml", "  - name: t\n", "  - name: t\n    if: success()\n"},
  };
  Tests pick;
  each(pick, edits, [&](const Edit& edit) {
    EXPECT_EQ(pick.of("G40"), Judgement::pass) << edit.name << "\n" << describe(pick.judge({"G40"}));
  });
}

TEST(TestWeakened, AFileThatMovesTakesItsTestsAlong) {
  Tests moved;
  moved.drop("test/a.mlir");
  EXPECT_EQ(texts(moved.rule("G40")), std::vector<std::string>{"test/a.mlir: "});
  moved.put("test/deep/b.mlir", lit_test);
  EXPECT_EQ(moved.of("G40"), Judgement::pass) << describe(moved.judge({"G40"}));
  EXPECT_EQ(moved.of("G41"), Judgement::pass) << describe(moved.judge({"G41"}));
  moved.put("test/deep/b.mlir", replaced(lit_test, "// REQUIRES: gpu", "// XFAIL: *"));
  EXPECT_EQ(moved.of("G40"), Judgement::block) << "a mark on the way";
  moved.drop("test/deep/b.mlir");
  moved.put("test/deep/b.mlir.off", lit_test);
  EXPECT_EQ(moved.of("G40"), Judgement::block) << "no test any more";

  Tests split;
  split.edit("python/test/test_x.py", "def test_b():\n    assert g() == 2\n", "");
  split.put("python/test/test_y.py", "def test_b():\n    assert g() == 2\n");
  EXPECT_EQ(split.of("G40"), Judgement::pass) << describe(split.judge({"G40"}));
  EXPECT_EQ(split.of("G41"), Judgement::pass) << describe(split.judge({"G41"}));
}

TEST(TestWeakened, AFileOfItsOwnMaySayWhereItRuns) {
  Tests pick;
  pick.put("test/new.mlir", "// RUN: opt %s | FileCheck %s\n// REQUIRES: gpu\n// CHECK: x\n");
  pick.put("python/test/test_new.py",
           "import pytest\nnp = pytest.importorskip('numpy')\ndef test_n():\n    pass\n");
  EXPECT_EQ(pick.of("G40"), Judgement::pass) << describe(pick.judge({"G40"}));
  pick.put("test/new.mlir", "// RUN: opt %s | FileCheck %s\n// XFAIL: *\n// CHECK: x\n");
  EXPECT_EQ(pick.of("G40"), Judgement::block) << "a test that is born failing proves nothing";
}

TEST(TestWeakened, WordsOutsideTestsAreNoMarks) {
  Tests pick;
  pick.put("docs/lit.md", "// RUN: x\n// XFAIL: *\n");
  pick.put("src/skip.py", "import pytest\npytest.skip('x')\n");
  EXPECT_EQ(pick.of("G40"), Judgement::pass);
  pick.policy.paths = {path_config("src/**", model::PathClass::test)};
  EXPECT_EQ(pick.of("G40"), Judgement::block) << "the policy says where tests are";
}

const std::string conflict_script =
    fmt::format(R"(
  repo up; put test/c.mlir "{0}"; commit B "b"
  fork up down; put test/c.mlir "{1}\n"; commit W "w"; put test/c.mlir "{1}"; commit D "d"
  at up; put test/c.mlir "{2}"; commit U "u")",
                quoted("// RUN: opt %s | FileCheck %s\n// CHECK: one\n// CHECK: two\nx\n"),
                quoted("// RUN: opt %s | FileCheck %s\n// CHECK: one\n// CHECK: fork\nx\n"),
                quoted("// RUN: opt %s | FileCheck %s\n// XFAIL: *\n// CHECK: one\n// CHECK: up\nx\n"));

TEST(TestWeakened, InAConflictEitherSideMayHaveTheMark) {
  Pick pick(conflict_script);
  ASSERT_TRUE(pick.facts.conflicted);
  const std::string run = "// RUN: opt %s | FileCheck %s\n";
  pick.put("test/c.mlir", run + "// XFAIL: *\n// CHECK: one\n// CHECK: fork\n// CHECK: up\nx\n");
  EXPECT_EQ(pick.of("G40"), Judgement::pass) << describe(pick.judge({"G40"}));
  EXPECT_EQ(pick.of("G41"), Judgement::pass) << describe(pick.judge({"G41"}));
  const model::RuleResult listed = pick.rule("G40");
  ASSERT_EQ(listed.items.size(), 1u);
  EXPECT_EQ(listed.items[0].origin, "upstream");
  pick.policy.paths = {path_config("test/**", model::PathClass::test, model::UpstreamSay::block)};
  EXPECT_EQ(pick.of("G40"), Judgement::block) << "the policy raises what upstream does";
  pick.policy.paths.clear();
  pick.put("test/c.mlir",
           run + "// XFAIL: *\n// UNSUPPORTED: gpu\n// CHECK: one\n// CHECK: fork\n// CHECK: up\nx\n");
  EXPECT_EQ(pick.of("G40"), Judgement::block) << "neither side has UNSUPPORTED";
}

TEST(Directives, OfBothSidesStayAndWhatUpstreamRemovesMayGo) {
  Pick pick(conflict_script);
  const std::string run = "// RUN: opt %s | FileCheck %s\n// XFAIL: *\n";
  pick.put("test/c.mlir", run + "// CHECK: one\n// CHECK: up\nx\n");
  model::RuleResult rule = pick.rule("G41");
  EXPECT_EQ(rule.judgement, Judgement::escalate) << "the fork's own check";
  EXPECT_EQ(rule.items.at(0).text, "// CHECK: fork");
  EXPECT_EQ(rule.items[0].account, "downstream_lost");
  EXPECT_EQ(rule.items[0].line, 3);
  pick.account("downstream_lost", "test/c.mlir", "// CHECK: fork", "SUPERSEDED_BY_FORK",
               pick.history.id("D"));
  EXPECT_EQ(pick.of("G41"), Judgement::pass);
  pick.facts.account[0].code = "ALREADY_PRESENT";
  pick.put("test/c.mlir", run + "// CHECK: one\n// CHECK: fork\nx\n");
  pick.facts.account.clear();
  rule = pick.rule("G41");
  EXPECT_EQ(rule.judgement, Judgement::explain) << "upstream's new check";
  EXPECT_EQ(rule.items.at(0).account, "upstream_added");
  pick.account("upstream_added", "test/c.mlir", "// CHECK: up", "ALREADY_PRESENT");
  EXPECT_EQ(pick.of("G41"), Judgement::block) << "a false entry";
  pick.facts.account.clear();
  pick.put("test/c.mlir", run + "// CHECK: fork\n// CHECK: up\nx\n");
  rule = pick.rule("G41");
  EXPECT_EQ(rule.judgement, Judgement::explain) << "a check of both sides";
  EXPECT_EQ(rule.items.at(0).text, "// CHECK: one");
}

TEST(Directives, EachKindThatIsGoneIsNamed) {
  const Edit edits[] = {
      {"a check line", "test/a.mlir", "  // CHECK: add\n", ""},
      {"a check line that demands less", "test/a.mlir", "CHECK-NEXT:  mul", "CHECK: mul"},
      {"a check line of a prefix of its own", "test/a.mlir", "  // V: add\n", ""},
      {"a check line that became prose", "test/a.mlir", "// CHECK: add", "// CHECK add"},
      {"an awaited diagnostic", "test/a.mlir", "  // expected-error @below {{bad}}\n", ""},
      {"a pipeline with another option", "test/a.mlir", "opt -v %s", "opt %s"},
      {"a REQUIRES", "test/a.mlir", "// REQUIRES: gpu\n", ""},
      {"an assert", "python/test/test_x.py", "    assert f(d) == 1\n", ""},
      {"an EXPECT_", "unittest/sum.cpp", "  EXPECT_EQ(sum(1, 2), 3);\n", ""},
  };
  Tests pick;
  each(pick, edits, [&](const Edit& edit) {
    const model::RuleResult rule = pick.rule("G41");
    EXPECT_EQ(rule.judgement, Judgement::explain) << edit.name;
    EXPECT_EQ(rule.items.size(), 1u) << edit.name << "\n" << describe(pick.judge({"G41"}));
  });
}

TEST(Directives, LayoutPlaceAndFurtherOnesAreFine) {
  const Edit edits[] = {
      {"blanks", "test/a.mlir", "// CHECK-NEXT:  mul", "//   CHECK-NEXT: mul"},
      {"order", "test/a.mlir", "  // CHECK: add\n  // CHECK-NEXT:  mul\n",
       "  // CHECK-NEXT:  mul\n  // CHECK: add\n"},
      {"the place of a diagnostic", "test/a.mlir", "@below {{bad}}", "@+1 {{bad}}"},
      {"a pipeline on one line", "test/a.mlir", "%s \\\n// RUN:   | FileCheck", "%s | FileCheck"},
      {"one more", "test/a.mlir", "  // CHECK: add\n", "  // CHECK: add\n  // CHECK: sub\n"},
      {"an assertion on more lines", "unittest/sum.cpp", "EXPECT_EQ(sum(1, 2), 3);",
       "EXPECT_EQ(sum(1, 2),\n            3);  // three"},
      {"a message", "python/test/test_x.py", "assert f(d) == 1", "assert f(d) == 1, f'got {d}'"},
      {"code that is no directive", "test/a.mlir", "  x\n", "  y\n"},
  };
  Tests pick;
  each(pick, edits, [&](const Edit& edit) {
    EXPECT_EQ(pick.of("G41"), Judgement::pass) << edit.name << "\n" << describe(pick.judge({"G41"}));
  });
}

TEST(Directives, AReflowThatLeavesEveryCountEqualIsSeen) {
  Tests pick;
  pick.put("test/a.mlir", replaced(lit_test, "// RUN: opt -v %s | FileCheck %s --check-prefix=V",
                                   "// RUN: opt -v %s\n// | FileCheck %s --check-prefix=V"));
  const model::RuleResult rule = pick.rule("G41");
  ASSERT_EQ(rule.items.size(), 1u) << describe(pick.judge({"G41"}));
  EXPECT_EQ(rule.items[0].text, "opt -v %s | FileCheck %s --check-prefix=V");
  EXPECT_EQ(pick.of("G40"), Judgement::block);
}

TEST(Directives, AnEntryForEachLineAnswersAJoinedPipelineAndNoMoreThanItCounts) {
  Tests pick;
  pick.edit("test/a.mlir", "// RUN: opt %s \\\n// RUN:   | FileCheck %s\n",
            "// RUN: opt -q %s | FileCheck %s\n");
  ASSERT_EQ(pick.of("G41"), Judgement::explain);
  pick.put("notes/b.txt", "// RUN: opt %s \\\n// RUN:   | FileCheck %s\n");
  pick.account("downstream_lost", "test/a.mlir", "// RUN: opt %s \\", "MOVED_TO", "notes/b.txt");
  EXPECT_EQ(pick.of("G41"), Judgement::explain) << "half of it";
  pick.account("downstream_lost", "test/a.mlir", "// RUN:   | FileCheck %s", "MOVED_TO", "notes/b.txt");
  EXPECT_EQ(pick.of("G41"), Judgement::pass) << describe(pick.judge({"G41"}));

  Tests twice;
  const std::string text = replaced(lit_test, "  // V: add\n", "  // V: add\n  // CHECK: add\n");
  for (Oid* tree :
       {&twice.facts.base_tree, &twice.facts.upstream_tree, &twice.facts.onto_tree, &twice.facts.merge_tree})
    *tree = must(twice.repo.write_tree(
        *tree, {{"test/a.mlir", git::TreeEntry{0100644, must(twice.repo.write_blob(text))}}}));
  twice.put("test/a.mlir", replaced(lit_test, "  // CHECK: add\n", ""));
  twice.put("notes/b.txt", "// CHECK: add\n");
  ASSERT_EQ(twice.rule("G41").items.size(), 2u);
  twice.account("downstream_lost", "test/a.mlir", "// CHECK: add", "MOVED_TO", "notes/b.txt");
  EXPECT_EQ(twice.of("G41"), Judgement::explain) << "one entry, two losses";
  twice.facts.account[0].count = 2;
  EXPECT_EQ(twice.of("G41"), Judgement::pass);
}

TEST(Directives, CountThoughTheTestIsMarked) {
  Tests pick;
  const std::string marked = replaced(lit_test, "// REQUIRES: gpu", "// XFAIL: *");
  for (Oid* tree :
       {&pick.facts.base_tree, &pick.facts.upstream_tree, &pick.facts.onto_tree, &pick.facts.merge_tree})
    *tree = must(pick.repo.write_tree(
        *tree, {{"test/a.mlir", git::TreeEntry{0100644, must(pick.repo.write_blob(marked))}}}));
  pick.put("test/a.mlir", replaced(marked, "  // CHECK: add\n", ""));
  EXPECT_EQ(pick.of("G41"), Judgement::explain);
  EXPECT_EQ(pick.of("G40"), Judgement::pass);
}

}  // namespace
}  // namespace sluice::guardrails::testing
