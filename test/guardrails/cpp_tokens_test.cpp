// SPDX-License-Identifier: Apache-2.0
// C++ as tokens and as facts about testing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "guardrails/scan/cpp_tokens.h"

namespace sluice::guardrails {
namespace {

using Strings = std::vector<std::string>;

Strings words(std::string_view source) {
  Strings out;
  for (const Token& token : tokenize_cpp(source).tokens) out.emplace_back(token.text);
  return out;
}
Strings facts(std::string_view source, FactKind kind) {
  Strings out;
  for (const SourceFact& fact : cpp_facts(source)) {
    if (fact.kind != kind) continue;
    std::string text = fact.context + "|" + fact.key;
    if (kind == FactKind::tolerance || kind == FactKind::count) text += fmt::format("|{:g}", fact.number);
    if (kind == FactKind::list) {
      for (const std::string& value : fact.values) text += "|" + value;
    }
    if (kind == FactKind::skip && !fact.conditional) text += "|always";
    out.push_back(text);
  }
  return out;
}

TEST(CppTokens, LiteralsCommentsAndDirectivesAreToldApart) {
  EXPECT_EQ(words("a /* b\n */ = \"x//y\"; // c\nR\"d(\"q\")d\" 'z' 1'000 1.5e-3f 0x1Fp+2 u8\"s\""),
            (Strings{"a", "=", "\"x//y\"", ";", "R\"d(\"q\")d\"", "'z'", "1'000", "1.5e-3f", "0x1Fp+2",
                     "u8\"s\""}));
  EXPECT_EQ(words("a::b->c <= d && e...; x<<=2"),
            (Strings{"a", "::", "b", "->", "c", "<=", "d", "&&", "e", "...", ";", "x", "<<=", "2"}));
  const CppTokens tokens =
      tokenize_cpp("#include <x>\n#define TOL (1e-3)\n  # pragma once\n#define F(a) \\\n  a {\nint y;\n");
  EXPECT_EQ(tokens.directives.size(), 4u);
  EXPECT_EQ(words("#define TOL (1e-3)\n#define F(a) \\\n  a {\nint y;\n"),
            (Strings{"TOL", "=", "1e-3", ";", "int", "y", ";"}));
  EXPECT_EQ(tokens.tokens.back().line, 6u);
}

TEST(CppTokens, ALineCommentGoesOnBehindABackslash) {
  EXPECT_EQ(words("a; // b \\\nc;\nd;"), (Strings{"a", ";", "d", ";"}));
  EXPECT_EQ(words("a; // b \\\r\nc; \\\r\ne;\r\nd;"), (Strings{"a", ";", "d", ";"}));
  EXPECT_EQ(tokenize_cpp("// b \\\nc;\nd;").tokens.at(0).line, 3u);
  EXPECT_EQ(words("//\\"), Strings{});
}

TEST(CppTokens, ATextGoesOnBehindAContinuationWhateverTheLineEnds) {
  EXPECT_EQ(words("x = \"a\\\r\nb\"; y"), (Strings{"x", "=", "\"a\\\r\nb\"", ";", "y"}));
  EXPECT_EQ(tokenize_cpp("x = \"a\\\r\nb\"; y").tokens.back().line, 2u);
  EXPECT_EQ(words("R\"\n(a\nb"), (Strings{"R\"", "(", "a", "b"}))
      << "a line end in front of the bracket: no raw text";
}

TEST(CppFacts, TestsAreNamedWhetherDisabledOrNot) {
  EXPECT_EQ(facts("TEST(A, b) { f(); }\nTEST_F(C, DISABLED_d) {}\nTYPED_TEST(E, f) {}\n// TEST(G, h) {}\n",
                  FactKind::test),
            (Strings{"A.b|A.b", "C.d|C.d", "E.f|E.f"}));
  EXPECT_EQ(facts("TEST_F(C, DISABLED_d) {}\nTEST(A, b) { if (!gpu()) { GTEST_SKIP() << \"no\"; } }\n"
                  "TEST(A, c) { if (!gpu()) GTEST_SKIP(); }\nTEST(A, d) { GTEST_SKIP(); }\n",
                  FactKind::skip),
            (Strings{"C.d|DISABLED_|always", "A.b|if ( ! gpu ( ) ): GTEST_SKIP",
                     "A.c|if ( ! gpu ( ) ): GTEST_SKIP", "A.d|GTEST_SKIP|always"}));
  const auto digest = [](std::string_view source) { return cpp_facts(source).at(0).values.at(0); };
  EXPECT_EQ(digest("TEST(A, b) { int x = 1; }"), digest("TEST(A, c)\n{\n  int x = 1;  // one\n}\n"));
  EXPECT_NE(digest("TEST(A, b) { int x = 1; }"), digest("TEST(A, b) { int x = 2; }"));
}

TEST(CppFacts, ChecksAreFreeOfLayoutMessagesAndTolerances) {
  const Strings want{"S.f|assert ( a < b )", "S.f|EXPECT_EQ ( g ( 1 ) , 2 )", "S.f|EXPECT_NEAR ( x , y , # )",
                     "S|static_assert ( sizeof ( int ) == 4 )"};
  EXPECT_EQ(facts("struct S { void f() { assert(a < b); EXPECT_EQ(g(1), 2); EXPECT_NEAR(x, y, 1e-3); }\n"
                  "static_assert(sizeof(int) == 4); };",
                  FactKind::check),
            want);
  EXPECT_EQ(facts("struct S {\n  void f() {\n    assert(a < b && \"why\"\n  \" not\");\n    EXPECT_EQ(\n     "
                  " g(1),\n      2);\n"
                  "    EXPECT_NEAR(x, y, 1e-2);\n  }\n  static_assert(sizeof(int) == 4, \"four\");\n};\n",
                  FactKind::check),
            want);
}

TEST(CppFacts, GuardsAreRefusalsWithTheirConditions) {
  const char* source = R"(
LogicalResult Op::verify() {
  if (a) return failure();
  if (b) { return emitOpError("x"); }
  return success();
}
void f(int i) {
  if (i >= v.size()) return;
  if (i > 3) return;
  if (bad) throw Error();
  if (other) return failure();
  if (worse) llvm::report_fatal_error("no");
  switch (i) { default: llvm_unreachable("never"); }
}
)";
  EXPECT_EQ(facts(source, FactKind::guard),
            (Strings{"|verifier Op.verify", "Op.verify|if ( a )", "Op.verify|if ( b )",
                     "f|if ( i >= v . size ( ) )", "f|if ( bad )", "f|if ( worse )", "f|report_fatal_error",
                     "f|llvm_unreachable"}));
  EXPECT_EQ(facts("def Op : A<B> { let hasVerifier = 1; }\ndef P { let hasVerifier = 0; }", FactKind::guard),
            Strings{"Op|hasVerifier"});
}

TEST(CppFacts, TolerancesListsAndCounts) {
  const char* source = R"(
constexpr float kTol = 1e-3f;
#define MAX_DIFF 0.5
void f(double eps = 1e-6) {
  std::vector<Shape> shapes = {{1, 2}, {3, 4}};
  int dtypes[] = {1, 2, 3};
  for (int i = 0; i < 10; ++i) run(i);
  for (auto seed : {7, 8}) run(seed);
  EXPECT_NEAR(a, b, 0.25);
  check(max_diff < 0.125);
}
INSTANTIATE_TEST_SUITE_P(P, S, ::testing::Values(1, 2, f(3)));
)";
  EXPECT_EQ(facts(source, FactKind::tolerance), (Strings{"|kTol|0.001", "|MAX_DIFF|0.5", "f|eps|1e-06",
                                                         "f|EXPECT_NEAR|0.25", "f|max_diff|0.125"}));
  EXPECT_EQ(facts(source, FactKind::list),
            (Strings{"f|shapes|{ 1 , 2 }|{ 3 , 4 }", "f|dtypes|1|2|3", "f|seed|7|8", "|S|1|2|f ( 3 )"}));
  EXPECT_EQ(facts(source, FactKind::count), Strings{"f|i|10"});
}

TEST(CppFacts, HandlersAndSuppressions) {
  EXPECT_EQ(
      facts("void f() { try { a(); } catch (...) { } try { b(); } catch (...) { log(); throw; }\n"
            "try { c(); } catch (const std::exception& e) { log(e); } try { d(); } catch (const Own&) {} }",
            FactKind::handler),
      (Strings{"f|catch ( ... )", "f|catch ( std::exception )"}));
  EXPECT_EQ(facts("#pragma GCC diagnostic ignored \"-Wall\"\n#pragma once\nvoid f(int) noexcept;\nS(S&&) "
                  "noexcept;\n~S() noexcept;\n"
                  "void g() noexcept(false);\n",
                  FactKind::suppress),
            (Strings{"|#pragmaGCCdiagnosticignored\"-Wall\"", "|noexcept f"}));
}

TEST(CppFacts, AnAssertionThatIsMadeNothingIsASuppression) {
  EXPECT_EQ(facts("#undef EXPECT_EQ\n#  define EXPECT_EQ(a, b)\n#define assert(x) ((void)0)\n#define NDEBUG\n#undef NDEBUG\n"
                  "#define EXPECT_OURS(a) EXPECT_TRUE(a)\n#define TEST_SIZE 4\n",
                  FactKind::suppress),
            (Strings{"|#undef EXPECT_EQ", "|#define EXPECT_EQ", "|#define assert", "|#define NDEBUG"}));
}

TEST(CppFacts, AreTotalAndLinearOnAnyBytes) {
  for (const char* piece : {"(",          "{",           "}",
                            "f(){",       "if(",         "for(",
                            "for(;",      "catch(...){", "TEST(a,b){",
                            "EXPECT_EQ(", "assert(",     "/*",
                            "R\"(",       "R\"",         "'",
                            "\"",         "#",           "#define A 1\n",
                            "#\\\n",      "noexcept ",   "tol=",
                            "tol=1 ",     "shapes={",    "INSTANTIATE_TEST_SUITE_P(a,",
                            "a::",        "struct A{",   "GTEST_SKIP();",
                            "if(a){",     ";",           "EXPECT_NEAR(1,1,"}) {
    std::string source;
    while (source.size() < 200000) source += piece;
    EXPECT_NO_THROW(cpp_facts(source)) << piece;
  }
  std::string noise;
  for (unsigned i = 0; i < 300000; ++i) noise += static_cast<char>((i * 2654435761u) >> 13);
  EXPECT_NO_THROW(cpp_facts(noise));
  EXPECT_TRUE(cpp_facts("").empty());
}

}  // namespace
}  // namespace sluice::guardrails
