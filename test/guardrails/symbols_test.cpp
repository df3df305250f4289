// SPDX-License-Identifier: Apache-2.0
// G25 and G26: what a text merge cannot see.
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

TEST(Dangling, AFunctionThatUpstreamRemovesAndTheForkStillCalls) {
  Pick pick(R"sh(
    repo up; put lib.cpp "int helper_one(int x) {\n  return x;\n}\n\nint other_thing() {\n  return 2;\n}\n"; base40 pad.txt; commit B "b"
    fork up down; put fork.cpp "int mine() {\n  return helper_one(3);\n}\n"; commit D "d"
    at up; put lib.cpp "int other_thing() {\n  return 2;\n}\n"; commit U "u")sh");
  ASSERT_FALSE(pick.facts.conflicted);
  const model::RuleResult rule = pick.rule("G25");
  EXPECT_EQ(rule.judgement, Judgement::block);
  ASSERT_EQ(texts(rule), std::vector<std::string>{"lib.cpp: helper_one"});
  EXPECT_NE(rule.items[0].detail.find("fork.cpp:2"), std::string::npos) << rule.items[0].detail;
}

struct Row {
  const char* name;
  const char* fork;  // content of fork.<ext>
  const char* path;
};

TEST(Dangling, IsNotCriedWhereTheNameIsDefinedElsewhereOrOnlySpokenOf) {
  const Row rows[] = {
      {"in a comment", "// helper_one(1)\\n/* helper_one(2) */\\n", "fork.cpp"},
      {"in a string", "auto s = \\\"helper_one(1)\\\";\\n", "fork.cpp"},
      {"the fork declares it", "int helper_one(int);\\nint a() {\\n  return helper_one(1);\\n}\\n",
       "fork.cpp"},
      {"the fork defines it",
       "static int helper_one(int x) {\\n  return 1;\\n}\\nint a() {\\n  return helper_one(1);\\n}\\n",
       "fork.cpp"},
      {"as a variable", "int a(int helper_one) {\\n  return helper_one + 1;\\n}\\n", "fork.cpp"},
      {"in another language", "x = helper_one(1)\\n", "fork.py"},
  };
  for (const Row& row : rows) {
    Pick pick(std::string(R"sh(
      repo up; put lib.cpp "int helper_one(int x) {\n  return x;\n}\nint other_thing() {\n  return 2;\n}\n"; base40 pad.txt; commit B "b"
      fork up down; put )sh") +
              row.path + " \"" + row.fork + R"sh("; commit D "d"
      at up; put lib.cpp "int other_thing() {\n  return 2;\n}\n"; commit U "u")sh");
    EXPECT_EQ(pick.of("G25"), Judgement::pass) << row.name;
  }
}

TEST(Dangling, UpstreamLeavingTheSameUsesMeansTheDefinitionIsOutsideTheTree) {
  Pick pick(R"sh(
    repo up; put lib.cpp "void dump_state(int x) {\n  x;\n}\nvoid user() {\n  dump_state(1);\n}\n"; base40 pad.txt; commit B "b"
    fork up down; put fork.cpp "void mine() {\n  dump_state(3);\n}\n"; commit D "d"
    at up; put lib.cpp "void user() {\n  dump_state(1);\n}\n"; commit U "u")sh");
  EXPECT_EQ(pick.of("G25"), Judgement::pass);
}

TEST(Dangling, CoversPythonTypesRecordsAndBuildFunctions) {
  struct Case {
    const char* name;
    const char *path, *before, *after, *fork_path, *fork;
    Judgement want;
  };
  const Case cases[] = {
      {"python function", "a.py", "def old_helper(x):\\n    return x\\n\\ndef keep():\\n    pass\\n",
       "def keep():\\n    pass\\n", "b.py", "from a import old_helper\\nold_helper(1)\\n", Judgement::block},
      {"python attribute of something", "a.py",
       "def old_helper(x):\\n    return x\\n\\ndef keep():\\n    pass\\n", "def keep():\\n    pass\\n",
       "b.py", "import torch\\ntorch.old_helper(1)\\n", Judgement::pass},
      {"python parameter", "a.py", "def old_helper(x):\\n    return x\\n\\ndef keep():\\n    pass\\n",
       "def keep():\\n    pass\\n", "b.py", "def run(old_helper):\\n    return old_helper(1)\\n",
       Judgement::pass},
      {"type", "a.h", "struct OldThing {\\n  int x;\\n};\\nstruct Keep {};\\n", "struct Keep {};\\n", "b.cpp",
       "OldThing thing;\\n", Judgement::block},
      {"macro", "a.h", "#define OLD_MACRO(x) x\\nstruct Keep {};\\n", "struct Keep {};\\n", "b.cpp",
       "int x = OLD_MACRO(1);\\n", Judgement::block},
      {"record and the class that it makes", "Ops.td",
       "def TT_OldThingOp : Op<1>;\\ndef TT_KeepOp : Op<2>;\\n", "def TT_KeepOp : Op<2>;\\n", "b.cpp",
       "void f() {\\n  x.create<OldThingOp>();\\n}\\n", Judgement::block},
      {"cmake function", "x.cmake", "function(add_old_thing name)\\nendfunction()\\nset(a 1)\\n",
       "set(a 1)\\n", "CMakeLists.txt", "add_old_thing(foo)\\n", Judgement::block},
      {"method moved to an operand of a record", "a.h",
       "struct A {\\n  int getNumWarps() {\\n    return 1;\\n  }\\n};\\n", "struct A {\\n};\\n", "Ops.td",
       "def TT_XOp : Op<(ins I32:\\$num_warps)>;\\n", Judgement::pass},
  };
  for (const Case& c : cases) {
    Pick pick(std::string("repo up; put ") + c.path + " \"" + c.before +
              "\"; base40 pad.txt; commit B \"b\"\nfork up down; put " + c.fork_path + " \"" + c.fork +
              "\"; commit D \"d\"\nat up; put " + c.path + " \"" + c.after + "\"; commit U \"u\"\n");
    EXPECT_EQ(pick.of("G25"), c.want) << c.name;
  }
}

TEST(Duplicate, ABlockThatBothSidesHaveOnceAndTheResultTwice) {
  constexpr const char* script = R"sh(
    repo up; base40 f.cpp                                           ; commit B "b"
    fork up down; insert f.cpp 30 "void verify() {\n  check_one();\n  check_two();\n  check_three();\n}"; commit D "d"
    at up; insert f.cpp 5 "void verify() {\n  check_one();\n  check_two();\n  check_three();\n}" ; commit U "u")sh";
  Pick pick(script);
  ASSERT_FALSE(pick.facts.conflicted) << "the merge is clean: that is the point";
  const model::RuleResult rule = pick.rule("G26");
  EXPECT_EQ(rule.judgement, Judgement::escalate);
  EXPECT_EQ(texts(rule).at(0), "f.cpp: void verify() {");
}

TEST(Duplicate, TwoLinesAreTooFewAndThreeAreEnough) {
  for (const auto& [block, want] : {std::pair{"alpha(1);\\nbeta(2);", Judgement::pass},
                                    std::pair{"alpha(1);\\nbeta(2);\\ngamma(3);", Judgement::escalate}}) {
    Pick pick(std::string("repo up; base40 f.txt; commit B \"b\"\nfork up down; insert f.txt 30 \"") + block +
              "\"; commit D \"d\"\nat up; insert f.txt 5 \"" + block + "\"; commit U \"u\"\n");
    EXPECT_EQ(pick.of("G26"), want) << block;
  }
}

TEST(Duplicate, WhatOneSideRepeatsItselfIsItsOwnStyle) {
  Pick pick(R"(
    repo up; base40 f.txt; commit B "b"
    fork up down; line f.txt 1 "fork"; commit D "d"
    at up; insert f.txt 5 "alpha(1);\nbeta(2);\ngamma(3);"; insert f.txt 30 "alpha(1);\nbeta(2);\ngamma(3);"; commit U "u")");
  EXPECT_EQ(pick.of("G26"), Judgement::pass);
}

TEST(Duplicate, NamesOfBindingsTestsFunctionsAndTargets) {
  struct Case {
    const char* name;
    const char* path;
    const char *fork, *up;
    Judgement want;
    const char* text;
  };
  const Case cases[] = {
      {"binding", "ir.cc", ".def(\\\"create_gather\\\", &gather_a)", ".def(\\\"create_gather\\\", &gather_b)",
       Judgement::escalate, "create_gather"},
      {"different bindings", "ir.cc", ".def(\\\"create_gather\\\", &a)", ".def(\\\"create_scatter\\\", &a)",
       Judgement::pass, ""},
      {"gtest case", "t.cpp", "TEST(Suite, Case) { one(); }", "TEST(Suite, Case) { two(); }",
       Judgement::escalate, "Case"},
      {"python function", "t.py", "def test_dot():\\n    one()", "def test_dot():\\n    two()",
       Judgement::escalate, "test_dot"},
      {"python methods of two classes", "t.py", "class A:\\n    def run(self):\\n        one()",
       "class C:\\n    def run(self):\\n        two()", Judgement::pass, ""},
      {"python under a condition", "t.py", "if fork:\\n    def test_dot():\\n        one()",
       "if up:\\n    def test_dot():\\n        two()", Judgement::pass, ""},
      {"library", "CMakeLists.txt", "add_library(gather a.cpp)", "add_library(gather b.cpp)",
       Judgement::escalate, "gather"},
      {"mlir test function", "t.mlir", "tt.func @dot(%a: i32) {", "tt.func @dot(%a: f32) {",
       Judgement::escalate, "dot"},
      {"mlir test functions of two modules", "t.mlir", "// -----\\ntt.func @dot(%a: i32) {",
       "// -----\\ntt.func @dot(%a: f32) {", Judgement::pass, ""},
  };
  for (const Case& c : cases) {
    Pick pick(std::string("repo up; base40 ") + c.path + "; commit B \"b\"\nfork up down; insert " + c.path +
              " 30 \"" + c.fork + "\"; commit D \"d\"\nat up; insert " + c.path + " 5 \"" + c.up +
              "\"; commit U \"u\"\n");
    const model::RuleResult rule = pick.rule("G26");
    EXPECT_EQ(rule.judgement, c.want) << c.name;
    if (c.want != Judgement::pass) {
      EXPECT_EQ(rule.items.at(0).text, c.text) << c.name;
    }
  }
}

}  // namespace
}  // namespace sluice::guardrails::testing
