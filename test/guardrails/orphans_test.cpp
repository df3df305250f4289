// SPDX-License-Identifier: Apache-2.0
// G24: what stays defined and is used no more.
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

// The fork calls its own function where upstream changes the line before.
constexpr const char* own_call = R"sh(
  repo up; base40 f.cpp; commit B "b"
  fork up down
    insert f.cpp 20 "  y = narrowInterval(value);"; line f.cpp 1 "void narrowInterval(int value) {\n}"; commit D "d"
  at up; line f.cpp 20 "line 20 of upstream"; commit U "u"
)sh";

std::string without(std::string text, std::string_view line) {
  const std::size_t at = text.find(line);
  if (at == std::string::npos) throw std::runtime_error("no such text: " + std::string(line));
  return text.erase(at, line.size());
}

struct Orphaned : Pick {
  explicit Orphaned(const char* script = own_call) : Pick(script) {
    put("f.cpp", without(this->text(history.tree("D"), "f.cpp"), "  y = narrowInterval(value);\n"));
  }
};

TEST(Orphans, AFunctionWhoseOnlyCallIsDropped) {
  Orphaned pick;
  const model::RuleResult rule = pick.rule("G24");
  EXPECT_EQ(rule.judgement, Judgement::escalate);
  ASSERT_EQ(texts(rule), std::vector<std::string>{"f.cpp: narrowInterval"});
  EXPECT_EQ(rule.items[0].line, 1) << "where it stays defined";
  EXPECT_NE(rule.items[0].detail.find("f.cpp:22"), std::string::npos) << rule.items[0].detail;
}

TEST(Orphans, IsNotCriedWhileAnythingUsesTheName) {
  struct Row {
    const char* name;
    const char *path, *text;
    Judgement want;
  };
  const Row rows[] = {
      {"a call elsewhere in the tree", "lib/deep/g.cpp", "void g() {\n  narrowInterval(2);\n}\n", Judgement::pass},
      {"its address", "g.cpp", "auto p = &narrowInterval;\n", Judgement::pass},
      {"as a template argument", "g.cpp", "run<narrowInterval>();\n", Judgement::pass},
      {"in a binding's text", "g.py", "lib = load()\ngetattr(lib, 'narrowInterval')\n", Judgement::pass},
      {"as an attribute", "g.py", "import f\nf.narrowInterval(2)\n", Judgement::pass},
      {"as an argument on a line of its own", "g.py", "patched = patch(\n    narrowInterval,\n)\n", Judgement::pass},
      {"a comment is no use", "g.cpp", "// narrowInterval(2) was here\n/* narrowInterval */\n", Judgement::escalate},
      {"a docstring is no use", "g.py", "def g():\n    \"\"\"narrowInterval(2) was here\"\"\"\n", Judgement::escalate},
      {"a declaration is no use", "g.h", "void narrowInterval(int value);\n", Judgement::escalate},
      {"a longer name is no use", "g.cpp", "void g() {\n  narrowIntervals(2);\n}\n", Judgement::escalate},
      {"prose is no use", "README.md", "narrowInterval(value) narrows\n", Judgement::escalate},
  };
  for (const Row& row : rows) {
    Orphaned pick;
    pick.put(row.path, row.text);
    EXPECT_EQ(pick.of("G24"), row.want) << row.name;
  }
}

TEST(Orphans, WithTheDefinitionGoneAsWellAreNone) {
  Orphaned pick;
  pick.put("f.cpp", without(pick.text(pick.facts.proposed_tree, "f.cpp"), "void narrowInterval(int value) {\n}\n"));
  EXPECT_EQ(pick.of("G24"), Judgement::pass) << describe(pick.judge({"G24"}));
}

TEST(Orphans, OfShortNamesAreNotLookedFor) {
  Orphaned pick;
  pick.policy.rules["G24"].thresholds["min_length"] = 15;
  EXPECT_EQ(pick.of("G24"), Judgement::pass);
  pick.policy.rules["G24"].thresholds["min_length"] = 14;
  EXPECT_EQ(pick.of("G24"), Judgement::escalate);
}

TEST(Orphans, ThatUpstreamMakesItselfAreUpstreams) {
  constexpr const char* script = R"sh(
    repo up; base40 f.cpp; put g.h "int countWarps(int);\n"; line f.cpp 10 "  y = countWarps(1);"; commit B "b"
    fork up down; line f.cpp 30 "line 30 of the fork"; commit D "d"
    at up; line f.cpp 10 "  1;"; commit U "u"
  )sh";
  Pick pick(script);
  ASSERT_FALSE(pick.facts.conflicted);
  EXPECT_EQ(pick.of("G24"), Judgement::pass);
}

TEST(Orphans, OfACleanMergeAreFoundToo) {
  // Upstream calls what a library defines, the fork defines it itself; upstream stops calling it.
  Pick pick(R"sh(
    repo up; base40 f.cpp; line f.cpp 10 "  y = countWarps(1);"; commit B "b"
    fork up down; put own.h "int countWarps(int);\n"; commit D "d"
    at up; line f.cpp 10 "  1;"; commit U "u"
  )sh");
  ASSERT_FALSE(pick.facts.conflicted);
  EXPECT_EQ(texts(pick.rule("G24")), std::vector<std::string>{"own.h: countWarps"});
}

TEST(Orphans, WereUsedByCallsLaunchesAndRegistrations) {
  struct Row {
    const char* name;
    const char *path, *definition, *use;
    Judgement want;
  };
  const Row rows[] = {
      {"call of a template", "a.cpp", "template <class T> T makeLayout(T x) {\n  return x;\n}", "  auto y = makeLayout<int>(2);", Judgement::escalate},
      {"registered pattern", "a.cpp", "struct FoldConvert : Pattern {\n};", "  patterns.add<Other, FoldConvert>(context);", Judgement::escalate},
      {"launched kernel", "a.py", "def add_kernel(x):\n    pass", "    add_kernel[(1, )](x)", Judgement::escalate},
      {"an element is no call", "a.py", "def add_kernel(x):\n    pass", "    y = add_kernel[0]", Judgement::pass},
      {"a comparison is no call", "a.cpp", "int limitOf();", "  if (limitOf < 3) g(1);", Judgement::pass},
  };
  for (const Row& row : rows) {
    const auto text = [&](const std::string& use) { return std::string(row.definition) + "\n\n\nroot_of_it\n" + use + "\n\n\ntail_of_it\n"; };
    Pick pick("repo up; base40 pad.txt; commit B \"b\"\nfork up down; line pad.txt 3 fork; commit D \"d\"\nat up; line pad.txt 3 up; commit U \"u\"\n");
    // The same picked onto a fork that has the file.
    pick.put(row.path, text(row.use));
    pick.facts.onto_tree = pick.facts.merge_tree = pick.facts.proposed_tree;
    pick.put(row.path, text("  nothing;"));
    EXPECT_EQ(pick.of("G24"), row.want) << row.name;
  }
}

TEST(Orphans, InPythonAreFunctionsAndMethods) {
  constexpr const char* script = R"sh(
    repo up; base40 pad.txt; put a.py "def go(x):\n    return x\n"; commit B "b"
    fork up down; put a.py "class A:\n    def lower_dot(self):\n        pass\n\ndef load_tile():\n    pass\n\ndef go(x):\n    x.lower_dot()\n    load_tile()\n    return x\n"; commit D "d"
    at up; put a.py "def go(x):\n    return x + 1\n"; commit U "u"
  )sh";
  Pick pick(script);
  ASSERT_TRUE(pick.facts.conflicted);
  const std::string ours = pick.text(pick.history.tree("D"), "a.py");
  pick.put("a.py", ours);
  EXPECT_EQ(pick.of("G24"), Judgement::pass);
  pick.put("a.py", without(without(ours, "    load_tile()\n"), "    x.lower_dot()\n"));
  EXPECT_EQ(texts(pick.rule("G24")), (std::vector<std::string>{"a.py: load_tile", "a.py: lower_dot"}));
}

}  // namespace
}  // namespace sluice::guardrails::testing
