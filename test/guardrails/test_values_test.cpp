// SPDX-License-Identifier: Apache-2.0
// G45: tolerances, lists and counts of what is tested.
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr const char* python_test =
    "DTYPES = [float16, bfloat16, float32]\n\n\n@pytest.mark.parametrize(\"m\", [16, 32, 64])\ndef test_a(m, "
    "n):\n"
    "    for seed in range(10):\n        x = f(m, seed)\n        assert_close(x, ref(m), atol=1e-3, rtol=0)\n"
    "    assert_close(x, y)\n\n\ndef test_b():\n    check(shapes=[(1, 2), (3, 4)])\n";
constexpr const char* cpp_test =
    "TEST(A, Near) {\n  for (int i = 0; i < 8; ++i) EXPECT_NEAR(f(i), g(i), 1e-6);\n}\nconst float kTol = "
    "0.5f;\n";

struct Values : Pick {
  Values()
      : Pick(
            "repo up; base40 src/f.cpp; commit B \"b\"\nfork up down; line src/f.cpp 30 \"fork 30\"; commit "
            "D \"d\"\n"
            "at up; line src/f.cpp 3 \"up 3\"; commit U \"u\"") {
    for (Oid* tree : {&facts.base_tree, &facts.upstream_tree, &facts.onto_tree, &facts.merge_tree,
                      &facts.proposed_tree}) {
      *tree = must(repo.write_tree(
          *tree, {{"python/test/test_x.py", git::TreeEntry{0100644, must(repo.write_blob(python_test))}},
                  {"unittest/near.cpp", git::TreeEntry{0100644, must(repo.write_blob(cpp_test))}},
                  {"test/tolerance.json",
                   git::TreeEntry{0100644, must(repo.write_blob("{\"atol\": 1e-3, \"size\": 3}\n"))}}}));
    }
  }
};

constexpr const char* py = "python/test/test_x.py";
constexpr const char* cc = "unittest/near.cpp";

TEST(Tolerances, AWiderToleranceAShorterListAndFewerSeedsAreThreeFindings) {
  Values pick;
  pick.edit(py, "atol=1e-3", "atol=1e-2");
  pick.edit(py, "[float16, bfloat16, float32]", "[float16, float32]");
  pick.edit(py, "range(10)", "range(1)");
  const model::RuleResult rule = pick.rule("G45");
  EXPECT_EQ(rule.judgement, Judgement::block);
  EXPECT_EQ(rule.items.size(), 3u) << describe(pick.judge({"G45"}));
}

TEST(Tolerances, EachWayOfAskingForLessIsStopped) {
  const Edit edits[] = {
      {"atol", py, "atol=1e-3", "atol=0.01"},
      {"rtol from nothing", py, "rtol=0", "rtol=1e-1"},
      {"a tolerance where none was", py, "assert_close(x, y)", "assert_close(x, y, atol=0.5)"},
      {"two where one was", py, "assert_close(x, y)", "assert_close(x, y, atol=0.5, rtol=0.5)"},
      {"a parameter less", py, "[16, 32, 64]", "[16, 32]"},
      {"another parameter", py, "[16, 32, 64]", "[16, 32, 8]"},
      {"no parameters", py, "@pytest.mark.parametrize(\"m\", [16, 32, 64])\n", ""},
      {"a shape less", py, "[(1, 2), (3, 4)]", "[(1, 2)]"},
      {"fewer seeds", py, "range(10)", "range(9)"},
      {"EXPECT_NEAR", cc, "1e-6", "1e-3"},
      {"a named constant", cc, "0.5f", "0.75f"},
      {"a C++ loop", cc, "i < 8", "i < 1"},
      {"a table", "test/tolerance.json", "1e-3", "2e-3"},
  };
  Values pick;
  each(pick, edits, [&](const Edit& edit) {
    const model::RuleResult rule = pick.rule("G45");
    EXPECT_EQ(rule.judgement, Judgement::block) << edit.name;
    ASSERT_FALSE(rule.items.empty()) << edit.name;
    EXPECT_EQ(rule.items[0].path, edit.path) << edit.name;
    EXPECT_GT(rule.items[0].line, 0) << edit.name;
  });
}

TEST(Tolerances, LayoutStricterValuesAndNewTestsAreFine) {
  const Edit edits[] = {
      {"a stricter tolerance", py, "atol=1e-3", "atol=1e-4"},
      {"the same number", py, "atol=1e-3", "atol=0.001"},
      {"other layout", py, "assert_close(x, ref(m), atol=1e-3, rtol=0)",
       "assert_close(\n            x,\n            ref(m),\n            rtol=0,  # exact\n            "
       "atol=1e-3,\n        )"},
      {"a list on more lines", py, "[float16, bfloat16, float32]",
       "[\n    float16,\n    bfloat16,\n    float32,\n]"},
      {"a longer list in other order", py, "[16, 32, 64]", "[64, 8, 16, 32]"},
      {"more seeds", py, "range(10)", "range(20)"},
      {"a test of its own", py, "def test_b",
       "def test_c():\n    assert_close(a, b, atol=1)\n\n\ndef test_b"},
      {"a further comparison with a tolerance of its own", py, "    assert_close(x, y)\n",
       "    assert_close(x, y)\n    assert_close(x, z, eps=1)\n"},
      {"a number that is no tolerance", "test/tolerance.json", "3}", "4}"},
      {"a C++ line break", cc, "EXPECT_NEAR(f(i), g(i), 1e-6)",
       "EXPECT_NEAR(f(i),\n      g(i),\n      1e-6)"},
  };
  Values pick;
  each(pick, edits, [&](const Edit& edit) {
    EXPECT_EQ(pick.of("G45"), Judgement::pass) << edit.name << "\n" << describe(pick.judge({"G45"}));
  });
}

TEST(Tolerances, ATestThatMovesKeepsItsValues) {
  Values pick;
  const std::string test_b = "def test_b():\n    check(shapes=[(1, 2), (3, 4)])\n";
  pick.edit(py, test_b, "");
  pick.put("python/test/test_y.py", test_b);
  EXPECT_EQ(pick.of("G45"), Judgement::pass) << describe(pick.judge({"G45"}));
  pick.put("python/test/test_y.py", "def test_b():\n    check(shapes=[(1, 2)])\n");
  EXPECT_EQ(pick.of("G45"), Judgement::block);
}

TEST(Tolerances, WhatUpstreamWidensIsListedAndASideOfAConflictIsNoFinding) {
  Pick clean(R"(
    repo up; put test/test_t.py "def test_t():\n    close(a, b, atol=1e-3)\n\n\n\n\n\n\n\nx = 1\n"; commit B "b"
    fork up down; swap test/test_t.py "x = 1" "x = 2"; commit D "d"
    at up; swap test/test_t.py "atol=1e-3" "atol=1e-2"; commit U "u")");
  ASSERT_FALSE(clean.facts.conflicted);
  const model::RuleResult listed = clean.rule("G45");
  EXPECT_EQ(listed.judgement, Judgement::pass);
  ASSERT_EQ(listed.items.size(), 1u);
  EXPECT_EQ(listed.items[0].origin, "upstream");

  Pick conflict(R"(
    repo up; put test/test_t.py "def test_t():\n    close(a, b, atol=1e-3)\n"; commit B "b"
    fork up down; put test/test_t.py "def test_t():\n    close(a, c, atol=1e-3)\n"; commit D "d"
    at up; put test/test_t.py "def test_t():\n    close(a, d, atol=1e-2)\n"; commit U "u")");
  ASSERT_TRUE(conflict.facts.conflicted);
  for (const char* fine : {"1e-3", "1e-2"}) {
    conflict.put("test/test_t.py", std::string("def test_t():\n    close(a, e, atol=") + fine + ")\n");
    EXPECT_EQ(conflict.of("G45"), Judgement::pass) << fine;
  }
  conflict.put("test/test_t.py", "def test_t():\n    close(a, e, atol=1e-1)\n");
  EXPECT_EQ(conflict.of("G45"), Judgement::block);
}

}  // namespace
}  // namespace sluice::guardrails::testing
