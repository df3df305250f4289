// SPDX-License-Identifier: Apache-2.0
// Comments, strings, roles of identifiers, folded paths.
#include <gtest/gtest.h>

#include <algorithm>

#include "guardrails/scan/lexical.h"
#include "guardrails/scan/line_set.h"
#include "guardrails/scan/path_names.h"

namespace sluice::guardrails {
namespace {

TEST(Blanking, KeepsLengthAndLinesAndDropsCommentsAndStrings) {
  struct Row {
    Family family;
    std::string text, want;
  };
  const Row rows[] = {
      {Family::c, "a(); // b()\nc();", "a();       \nc();"},
      {Family::c, "a(); // b() \\\nc();\nd();", "a();         \n    \nd();"},
      {Family::c, "a(); // b() \\\r\nc();\nd();", "a();          \n    \nd();"},
      {Family::c, "a(/* b()\n c() */ d);", "a(      \n        d);"},
      {Family::c, "s = \"b() \\\" c()\"; d();", "s = \"          \"; d();"},
      {Family::c, "x = '\"'; y();", "x = ' '; y();"},
      {Family::c, "n = 1'000'000; y();", "n = 1'000'000; y();"},
      {Family::c, "r = R\"x(b() \" )x\"; d();", "r = R\"          \"; d();"},
      {Family::c, "s = \"open\nnext();", "s = \"    \nnext();"},
      {Family::c, "s = \"a\\\nb()\"; c();", "s = \"  \n   \"; c();"},
      {Family::c, "s = \"a\\\r\nb()\"; c();", "s = \"   \n   \"; c();"},
      {Family::c, "r = R\"\n(a()", "r = R\"\n(a()"},
      {Family::python, "s = 'a\\\r\nb()'; c()", "s = '   \n   '; c()"},
      {Family::python, "a() # b()\nc('d()') + '''e()\nf()'''", "a()      \nc('   ') + '''   \n   '''"},
      {Family::cmake, "add(a) # b\n#[[ c\n d ]]e", "add(a)    \n     \n     e"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.want.size(), row.text.size()) << row.text;
    EXPECT_EQ(blank_comments(row.text, row.family), row.want) << row.text;
  }
}

Role role_in(std::string_view text, std::string_view name, Family family) {
  for (const Occurrence& seen : occurrences(text, family, 1)) {
    if (seen.name == name) return seen.role;
  }
  ADD_FAILURE() << name << " does not occur in " << text;
  return Role::mention;
}

TEST(Roles, AreReadFromOneLineAndTheOneBefore) {
  struct Row {
    Family family;
    std::string text;
    Role want;
  };
  const Family c = Family::c, py = Family::python, cm = Family::cmake;
  const Role def = Role::definition, local = Role::local, call = Role::call, mention = Role::mention;
  const Row rows[] = {
      {c, "static int NAME(int x) {", def},
      {c, "LogicalResult Foo::NAME(Op op) {", def},
      {c, "NAME(int x) {", def},
      {c, "  unsigned NAME() const;", def},
      {c, "  SmallVector<int>\n  NAME(int x);", def},
      {c, "  std::vector<A *> NAME(B b) const {", def},
      {c, "class NAME : public A {", def},
      {c, "enum class NAME {", def},
      {c, "struct API NAME final {", def},
      {c, "#define NAME(x) x", def},
      {c, "using NAME = int;", def},
      {c, "typedef int NAME;", def},
      {c, "def NAME : Op {", def},
      {c, "  return NAME(x);", call},
      {c, "  NAME(x);", call},
      {c, "  auto y = NAME(x);", call},
      {c, "  a.NAME(x);", call},
      {c, "  a->NAME(x);", call},
      {c, "  foo(NAME(x));", call},
      {c, "  if (NAME(x))", call},
      {c, "  a && NAME(x);", call},
      {c, "  else\n  NAME(x);", call},
      {c, "  new NAME(x);", call},
      {c, "  !NAME(x);", call},
      {c, "  int NAME = 1;", local},
      {c, "void f(Type &NAME) {", local},
      {c, "  auto NAME = [&](int x) {", local},
      {c, "  Arg:$NAME,", mention},
      {c, "  x = NAME;", mention},
      {c, "  foo(NAME);", mention},
      {py, "def NAME(x):", def},
      {py, "    def NAME(self):", local},
      {py, "class NAME(Base):", def},
      {py, "NAME(x)", call},
      {py, "y = NAME(x)", call},
      {py, "@NAME(x)", call},
      {py, "from a import NAME", call},
      {py, "import a as NAME", local},
      {py, "NAME = 1", local},
      {py, "if NAME == 1:", mention},
      {py, "f(NAME=1)", local},
      {py, "def f(a, NAME):", local},
      {py, "for NAME in x:", local},
      {cm, "function(NAME a)", mention},
      {cm, "add_library(NAME a.cpp)", def},
      {cm, "target_link_libraries(a NAME)", mention},
  };
  for (const Row& row : rows) {
    const bool accessor = row.text.find("$NAME") != std::string::npos;
    const bool lowered = row.text.starts_with("function");
    const std::string_view name = accessor ? "getNAME" : lowered ? "name" : "NAME";
    const Role want = accessor ? Role::local : lowered ? Role::definition : row.want;
    EXPECT_EQ(static_cast<int>(role_in(row.text, name, row.family)), static_cast<int>(want)) << row.text;
  }
}

TEST(Lines, ThatSayNothingAreNotCounted) {
  for (const char* line :
       {"", "}", "};", "else", "else:", "#endif", "return", "pass", "try:", "\"\"\"", "/*", "*/", "ab"})
    EXPECT_FALSE(significant(line)) << line;
  for (const char* line : {"abc", "}];", "#else", "return;"}) EXPECT_TRUE(significant(line)) << line;
  LineCounts counts;
  count_lines("  a b c\nabc\n}\n", counts);
  EXPECT_EQ(count_of(counts, "abc"), 2);
  EXPECT_TRUE(take(counts, "abc"));
  EXPECT_TRUE(take(counts, "abc"));
  EXPECT_FALSE(take(counts, "abc"));
}

TEST(Paths, FoldCaseAndUnicodeForms) {
  EXPECT_EQ(folded_path("A/B.TXT"), folded_path("a/b.txt"));
  EXPECT_EQ(folded_path("\xC3\xA9.txt"), folded_path("e\xCC\x81.txt"));
  EXPECT_NE(folded_path("\xC3\xA9.txt"), folded_path("e.txt"));
  EXPECT_NE(folded_path("\xC3\x98"), folded_path("O"));
  for (const char* path : {"", "a//b", "../a", "a/..", "./a", ".git/config", "a/.GIT/x", "git~1"})
    EXPECT_TRUE(unsafe_path(path)) << path;
  for (const char* path : {"a", "a/b..c", ".github/x", "a.git"}) EXPECT_FALSE(unsafe_path(path)) << path;
}

}  // namespace
}  // namespace sluice::guardrails
