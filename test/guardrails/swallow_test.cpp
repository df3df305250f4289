// SPDX-License-Identifier: Apache-2.0
// G53 and G54: code that looks who is looking, and errors that nobody hears.
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr const char* python_code =
    "import os\n\n\ndef f(x, n):\n    assert x < n\n    if n > 9:\n        raise ValueError('n')\n    return "
    "g(x)\n";
constexpr const char* cpp_code =
    "int f(int x, int n) {\n  assert(x < n && \"range\");\n  static_assert(sizeof(int) == 4);\n  if (x >= "
    "v.size()) return 0;\n"
    "  switch (x) {\n  default:\n    llvm_unreachable(\"kind\");\n  }\n}\nLogicalResult Op::verify() {\n  if "
    "(bad())\n    return emitOpError(\"bad\");\n"
    "  return success();\n}\n";

struct Code : Pick {
  Code()
      : Pick(
            "repo up; base40 src/f.cpp; commit B \"b\"\nfork up down; line src/f.cpp 30 \"fork 30\"; commit "
            "D \"d\"\n"
            "at up; line src/f.cpp 3 \"up 3\"; commit U \"u\"") {
    for (Oid* tree : {&facts.base_tree, &facts.upstream_tree, &facts.onto_tree, &facts.merge_tree,
                      &facts.proposed_tree}) {
      *tree =
          must(repo.write_tree(*tree, {{"lib/a.py", blob(python_code)},
                                       {"lib/b.cpp", blob(cpp_code)},
                                       {"CMakeLists.txt", blob("set(CMAKE_CXX_FLAGS \"-Wall\")\n")},
                                       {"build.sh", blob("make all\n")},
                                       {"test/test_sum.py", blob("def test_sum():\n    assert f(1) == 2\n")},
                                       {"test/sum.mlir", blob("// RUN: opt %s\n")}}));
    }
  }
  git::TreeEntry blob(std::string_view text) { return {0100644, must(repo.write_blob(text))}; }
};

TEST(SpecialCasing, EachWayOfLookingWhoIsLookingIsStopped) {
  const Edit edits[] = {
      {"the test that runs", "lib/a.py", "    return",
       "    if os.environ.get('PYTEST_CURRENT_TEST'): return 2\n    return"},
      {"CI", "lib/a.py", "    return", "    if os.getenv(\"CI\"): return 2\n    return"},
      {"CI in C++", "lib/b.cpp", "  switch", "  if (getenv(\"CI\")) return 2;\n  switch"},
      {"CI in a script", "build.sh", "make all", "[ -n \"$CI\" ] && make all"},
      {"CI in CMake", "CMakeLists.txt", "set(", "if(DEFINED ENV{CI})\nendif()\nset("},
      {"lit", "lib/b.cpp", "  switch", "  if (getenv(\"LIT_TEST\")) return 2;\n  switch"},
      {"the name of a test", "lib/a.py", "    return", "    if name == 'test_sum': return 2\n    return"},
      {"the file of a test", "lib/b.cpp", "  switch", "  if (file == \"sum.mlir\") return 2;\n  switch"},
      {"the host", "lib/a.py", "    return", "    if socket.gethostname() == 'r1': return 2\n    return"},
      {"a harness", "lib/a.py", "import os", "import os\nimport pytest"},
      {"a loaded harness", "lib/a.py", "    return", "    if 'pytest' in sys.modules: return 2\n    return"},
      {"googletest", "lib/b.cpp", "  switch", "  ::testing::UnitTest::GetInstance();\n  switch"},
      {"a timer", "lib/a.py", "    return", "    time.perf_counter = lambda: 0\n    return"},
      {"elapsed_time", "lib/a.py", "    return", "    torch.cuda.Event.elapsed_time = fake\n    return"},
      {"a timer by setattr", "lib/a.py", "    return",
       "    setattr(torch.cuda.Event, 'elapsed_time', fake)\n    return"},
      {"all objects", "lib/a.py", "    return", "    for o in gc.get_objects(): use(o)\n    return"},
      {"a hash of an input", "lib/a.py", "    return",
       "    if sha256(x) == 'd41d8cd98f00b204e9800998ecf8427e': return 2\n    return"},
      {"CI in a test", "test/test_sum.py", "    assert", "    if os.environ['CI']: return\n    assert"},
  };
  Code pick;
  each(pick, edits, [&](const Edit& edit) {
    const model::RuleResult rule = pick.rule("G53");
    EXPECT_EQ(rule.judgement, Judgement::block) << edit.name;
    ASSERT_EQ(rule.items.size(), 1u) << edit.name << "\n" << describe(pick.judge({"G53"}));
    EXPECT_EQ(rule.items[0].path, edit.path) << edit.name;
  });
}

TEST(SpecialCasing, OrdinaryCodeIsFine) {
  const Edit edits[] = {
      {"a comment", "lib/a.py", "    return", "    # CI sets PYTEST_CURRENT_TEST; see test_sum\n    return"},
      {"a name with CI", "lib/b.cpp", "  switch", "  CI.build();\n  switch"},
      {"another variable", "lib/a.py", "    return", "    os.getenv('HOME')\n    return"},
      {"time that is read", "lib/a.py", "    return", "    t = time.perf_counter()\n    return"},
      {"time that is compared", "lib/a.py", "    return",
       "    ok = a.elapsed_time == b.elapsed_time\n    return"},
      {"a keyword that is called like a timer", "lib/a.py", "    return",
       "    report(elapsed_time=3)\n    return"},
      {"a function called test_", "lib/a.py", "    return", "    test_bit(x)\n    return"},
      {"a digest of nothing hashed", "lib/a.py", "    return",
       "    revision = 'd41d8cd98f00b204e9800998ecf8427e'\n    return"},
      {"a test that names a test", "test/test_sum.py", "    assert", "    run('test_sum')\n    assert"},
      {"a test's own harness", "test/test_sum.py", "def", "import pytest\n\n\ndef"},
  };
  Code pick;
  each(pick, edits, [&](const Edit& edit) {
    EXPECT_EQ(pick.of("G53"), Judgement::pass) << edit.name << "\n" << describe(pick.judge({"G53"}));
  });
  Code prose;
  prose.put("docs/ci.md", "Set CI and PYTEST_CURRENT_TEST.\n");
  EXPECT_EQ(prose.of("G53"), Judgement::pass);
  Code moved;
  moved.put("lib/c.py", "import os\n\n\ndef h():\n    return os.getenv('CI')\n");
  for (Oid* tree :
       {&moved.facts.base_tree, &moved.facts.upstream_tree, &moved.facts.onto_tree, &moved.facts.merge_tree})
    *tree = must(moved.repo.write_tree(
        *tree, {{"lib/old.py", moved.blob("import os\n\n\ndef h():\n    return os.getenv('CI')\n")}}));
  EXPECT_EQ(moved.of("G53"), Judgement::pass) << "it stood in lib/old.py\n" << describe(moved.judge({"G53"}));
}

TEST(Swallowing, EachWayOfNotHearingAnErrorIsStopped) {
  const Edit edits[] = {
      {"except", "lib/a.py", "    return g(x)",
       "    try:\n        return g(x)\n    except:\n        return 0"},
      {"except Exception", "lib/a.py", "    return g(x)",
       "    try:\n        return g(x)\n    except Exception as e:\n        log(e)"},
      {"suppress", "lib/a.py", "    return g(x)",
       "    with contextlib.suppress(Exception):\n        return g(x)"},
      {"catch", "lib/b.cpp", "  switch", "  try { g(); } catch (...) {}\n  switch"},
      {"a pragma", "lib/b.cpp", "int f(", "#pragma GCC diagnostic ignored \"-Wall\"\nint f("},
      {"noexcept", "lib/b.cpp", "int f(int x, int n) {", "int f(int x, int n) noexcept {"},
      {"|| true", "build.sh", "make all", "make all || true"},
      {"-w", "CMakeLists.txt", "-Wall", "-Wall -w"},
      {"-Wno", "CMakeLists.txt", "-Wall", "-Wall -Wno-unused"},
      {"-DNDEBUG", "CMakeLists.txt", "-Wall", "-Wall -DNDEBUG"},
      {"an assert less", "lib/a.py", "    assert x < n\n", ""},
      {"an assert that cannot fail", "lib/a.py", "assert x < n", "assert True"},
      {"a raise less", "lib/a.py", "    if n > 9:\n        raise ValueError('n')\n", ""},
      {"a C++ assert less", "lib/b.cpp", "  assert(x < n && \"range\");\n", ""},
      {"a static_assert less", "lib/b.cpp", "  static_assert(sizeof(int) == 4);\n", ""},
      {"an unreachable less", "lib/b.cpp", "    llvm_unreachable(\"kind\");\n", "    break;\n"},
      {"a bounds check less", "lib/b.cpp", "  if (x >= v.size()) return 0;\n", ""},
      {"a verifier's refusal less", "lib/b.cpp", "  if (bad())\n    return emitOpError(\"bad\");\n", ""},
  };
  Code pick;
  each(pick, edits, [&](const Edit& edit) {
    const model::RuleResult rule = pick.rule("G54");
    EXPECT_EQ(rule.judgement, Judgement::block) << edit.name;
    ASSERT_EQ(rule.items.size(), 1u) << edit.name << "\n" << describe(pick.judge({"G54"}));
    EXPECT_EQ(rule.items[0].path, edit.path) << edit.name;
  });
}

TEST(Swallowing, LayoutEditsAndHandlersThatPassOnAreFine) {
  const Edit edits[] = {
      {"a handler that raises again", "lib/a.py", "    return g(x)",
       "    try:\n        return g(x)\n    except Exception:\n        clean()\n        raise"},
      {"a narrow handler", "lib/a.py", "    return g(x)",
       "    try:\n        return g(x)\n    except KeyError:\n        return 0"},
      {"a catch that throws", "lib/b.cpp", "  switch",
       "  try { g(); } catch (...) { clean(); throw; }\n  switch"},
      {"another message", "lib/b.cpp", "\"range\"", "\"x must be smaller\""},
      {"a stricter assert", "lib/a.py", "assert x < n", "assert 0 <= x < n"},
      {"a renamed variable", "lib/b.cpp", "assert(x < n && \"range\")", "assert(x < count && \"range\")"},
      {"layout", "lib/b.cpp", "if (x >= v.size()) return 0;",
       "if (x >=\n      v.size()) {\n    return 0;\n  }"},
      {"an assert at another place", "lib/a.py",
       "    assert x < n\n    if n > 9:\n        raise ValueError('n')\n",
       "    if n > 9:\n        raise ValueError('n')\n    assert x < n\n"},
      {"a warning that is turned on", "CMakeLists.txt", "-Wall", "-Wall -Wextra"},
      {"-w of another tool", "build.sh", "make all", "grep -w x y && make all"},
      {"a comment", "build.sh", "make all", "# not: make all || true\nmake all"},
      {"another ||", "lib/b.cpp", "  switch", "  if (a || b) g();\n  switch"},
      {"a move", "lib/b.cpp", "int f(", "S::S(S&& other) noexcept { }\nint f("},
  };
  Code pick;
  each(pick, edits, [&](const Edit& edit) {
    EXPECT_EQ(pick.of("G54"), Judgement::pass) << edit.name << "\n" << describe(pick.judge({"G54"}));
  });
}

TEST(Swallowing, ACheckThatOnlyTheForkHasIsForAPerson) {
  Code pick;
  for (Oid* tree : {&pick.facts.base_tree, &pick.facts.upstream_tree})
    *tree = must(pick.repo.write_tree(
        *tree, {{"lib/a.py", pick.blob(replaced(python_code, "    assert x < n\n", ""))}}));
  pick.edit("lib/a.py", "    assert x < n\n", "");
  EXPECT_EQ(pick.of("G54"), Judgement::escalate);
  EXPECT_EQ(pick.rule("G54").items.at(0).origin, "fork");
}

TEST(Swallowing, AFunctionThatMovesTakesItsChecksAlong) {
  Code pick;
  pick.drop("lib/a.py");
  pick.put("lib/deep/a.py", python_code);
  EXPECT_EQ(pick.of("G54"), Judgement::pass) << describe(pick.judge({"G54"}));
}

TEST(Swallowing, InAConflictOneSideMayRemoveTheCheck) {
  Pick pick(R"(
    repo up; put a.py "def f(x):\n    assert x\n    return 1\n"; commit B "b"
    fork up down; put a.py "def f(x):\n    assert x\n    return 2\n"; commit D "d"
    at up; put a.py "def f(x):\n    return 3\n"; commit U "u")");
  ASSERT_TRUE(pick.facts.conflicted);
  pick.put("a.py", "def f(x):\n    return 4\n");
  EXPECT_EQ(pick.of("G54"), Judgement::pass) << describe(pick.judge({"G54"}));
  pick.put("a.py", "def f(x):\n    try:\n        return 4\n    except Exception:\n        pass\n");
  EXPECT_EQ(pick.of("G54"), Judgement::block);
}

}  // namespace
}  // namespace sluice::guardrails::testing
