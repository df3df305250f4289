// SPDX-License-Identifier: Apache-2.0
#include "core/format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::core {
namespace {

struct Pair {
  const char* name;
  Language language;
  std::string a, b;
  bool equal;
};

TEST(Format, says_whether_two_texts_mean_the_same) {
  const auto py = Language::python;
  const auto c = Language::c_family;
  const std::vector<Pair> table = {
      {"python call wrapped with a trailing comma", py, "f(a, b)\n", "f(\n    a,\n    b,\n)\n", true},
      {"python quotes", py, "x = 'a'\n", "x = \"a\"\n", true},
      {"python quotes with a quote inside", py, "x = 'a\"b'\n", "x = \"a'b\"\n", false},
      {"python blanks inside a string", py, "x = 'a b'\n", "x = 'a  b'\n", false},
      {"python indentation", py, "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", false},
      {"python tabs to eight", py, "if a:\n\tb()\n", "if a:\n        b()\n", true},
      {"python tuple of one", py, "x = (a,)\n", "x = (a)\n", false},
      {"python tuple of one after return", py, "return (a,)\n", "return (a)\n", false},
      {"python tuple of one after match", py, "match (a,):\n", "match (a):\n", false},
      {"python index of one", py, "x = a[b,]\n", "x = a[b]\n", false},
      {"python list of one", py, "x = [b,]\n", "x = [b]\n", true},
      {"python tuple of two", py, "x = (a, b,)\n", "x = (a, b)\n", true},
      {"python call on a call", py, "f()(a,)\n", "f()(a)\n", true},
      {"python comma that a comment hides from the loose form", py, "f(\n  a,  # why\n)\n",
       "f(\n  a  # why\n)\n", false},
      {"python comment text", py, "a  # one\n", "a  # two\n", false},
      {"python backslash", py, "x = a + \\\n    b\n", "x = a + b\n", true},
      {"python two statements on two lines", py, "a\nb\n", "a b\n", false},
      {"python blank lines", py, "a\n\n\nb\n", "a\nb\n", true},
      {"python line end at the end of the file", py, "a\n", "a", true},
      {"python brackets opened before the fragment", py, "a,\nb)\n", "a, b)\n", false},
      {"python ends inside a docstring", py, "\"\"\"one\n", "\"\"\"one\n", false},
      {"python wrong bracket", py, "(]\n", "(]\n", false},
      {"c wrapped", c, "f(a,\n  b);\n", "f(a, b);\n", true},
      {"c brace on its own line", c, "if( a )\n{\n", "if (a) {\n", true},
      {"c character is no string", c, "x = 'a';\n", "x = \"a\";\n", false},
      {"c blanks inside a string", c, "x = \"a b\";\n", "x = \"ab\";\n", false},
      {"c comma before a brace", c, "int a[] = {1, 2,};\n", "int a[] = {1, 2};\n", true},
      {"c comma before a parenthesis", c, "f(a,);\n", "f(a);\n", false},
      {"c minus minus", c, "x = a - -b;\n", "x = a --b;\n", false},
      {"c and address", c, "x = a && b;\n", "x = a & &b;\n", false},
      {"c template closers", c, "vector<vector<int> > a;\n", "vector<vector<int>> a;\n", true},
      {"c words", c, "int x;\n", "intx;\n", false},
      {"c function-like macro", c, "#define f(x) 1\n", "#define f (x) 1\n", false},
      {"c directive keeps its line", c, "#if A\nb\n", "#if A b\n", false},
      {"c directive after code", c, "a\n#endif\n", "a #endif\n", false},
      {"c line comment hides code", c, "a; // c\nb;\n", "a; // cb;\n", false},
      {"c line comment and following code", c, "// c\nb;\n", "// c b;\n", false},
      {"c block comment blanks", c, "/* a\n   b */\n", "/* a b */\n", true},
      {"c raw string", c, "x = R\"(a  b)\";\n", "x = R\"(a b)\";\n", false},
      {"c raw string holds quotes", c, "f( R\"d(\" )d\" );\n", "f(R\"d(\" )d\");\n", true},
      {"c digit separators", c, "x = 1'000 ;\n", "x = 1'000;\n", true},
      {"c literal suffix", c, "x = \"a\"_s;\n", "x = \"a\" _s;\n", false},
      {"c begins in a comment", c, "it is */ a;\n", "it is */ a;\n", false},
      {"c unterminated string", c, "x = \"a;\n", "x = \"a;\n", false},
      {"mlir blanks", Language::mlir, "  %a   = foo\n\n", "%a = foo\n", true},
      {"mlir line structure", Language::mlir, "// CHECK: a\n// CHECK: b\n", "// CHECK: a // CHECK: b\n",
       false},
      {"mlir string", Language::mlir, "x \"a  b\"\n", "x \"a b\"\n", false},
      {"other trailing blanks", Language::other, "a  \n\nb\n", "a\nb\n", true},
      {"other inner blanks", Language::other, "a b\n", "a  b\n", false},
  };
  for (const Pair& p : table) {
    SCOPED_TRACE(p.name);
    EXPECT_EQ(format_equal(p.a, p.b, p.language), p.equal);
    EXPECT_EQ(format_equal(p.b, p.a, p.language), p.equal);
  }
}

TEST(Format, loose_form_drops_blanks_quotes_kind_and_trailing_commas) {
  EXPECT_EQ(loose_form("f( 'a',\n  [b, ],\\\n c, )\n"), "f(\"a\",[b],c)");
}

TEST(Format, language_is_read_from_the_file_name) {
  EXPECT_EQ(language_of("a/b.py"), Language::python);
  EXPECT_EQ(language_of("lib/Ops.TD"), Language::c_family);
  EXPECT_EQ(language_of("k.cuh"), Language::c_family);
  EXPECT_EQ(language_of("test/x.mlir"), Language::mlir);
  EXPECT_EQ(language_of("dir.py/Makefile"), Language::other);
}

TEST(Format, survives_any_bytes) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const Language l : {Language::python, Language::c_family, Language::mlir, Language::other}) {
    for (std::size_t cut = 0; cut <= all.size(); ++cut) {
      (void)strict_form(std::string_view(all).substr(cut), l);
      (void)strict_form(std::string_view(all).substr(0, cut), l);
    }
    (void)strict_form("'\\", l);
    (void)strict_form("R\"", l);
    (void)strict_form("// \\", l);
  }
}

}  // namespace
}  // namespace sluice::core
