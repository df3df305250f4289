// SPDX-License-Identifier: Apache-2.0
// Python as tokens and as facts about testing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "guardrails/scan/python_tokens.h"

namespace sluice::guardrails {
namespace {

using Strings = std::vector<std::string>;

Strings words(std::string_view source) {
  Strings out;
  for (const Token& token : tokenize_python(source).tokens) out.emplace_back(token.text);
  return out;
}
Strings lines(std::string_view source) {
  Strings out;
  const PythonTokens tokens = tokenize_python(source);
  for (const PythonLine& line : tokens.lines)
    out.push_back(fmt::format("{}:{}", line.indent, plain_text(tokens.tokens, line.begin, line.end)));
  return out;
}
// Facts of one kind as "context|key|values or number".
Strings facts(std::string_view source, FactKind kind) {
  Strings out;
  for (const SourceFact& fact : python_facts(source)) {
    if (fact.kind != kind) continue;
    std::string text = fact.context + "|" + fact.key;
    if (kind == FactKind::tolerance || kind == FactKind::count) text += fmt::format("|{:g}", fact.number);
    if (kind == FactKind::list) {
      for (const std::string& value : fact.values) text += "|" + value;
      if (fact.conditional) text += "|?";
    }
    if (kind == FactKind::skip && !fact.conditional) text += "|always";
    out.push_back(text);
  }
  return out;
}

TEST(PythonTokens, LiteralsCommentsAndNumbersAreToldApart) {
  EXPECT_EQ(words("a = rb'x#y' # no\nb=\"\"\"two\nlines 'q'\"\"\" + 1e-3 + .5 + 0x1F + 1_000\n"),
            (Strings{"a", "=", "rb'x#y'", "b", "=", "\"\"\"two\nlines 'q'\"\"\"", "+", "1e-3", "+", ".5", "+",
                     "0x1F", "+", "1_000"}));
  EXPECT_EQ(words("'a\\'b' f\"{x!r}\" ''"), (Strings{"'a\\'b'", "f\"{x!r}\"", "''"}));
  EXPECT_EQ(words("x<=y; p->q; r:=s; a**=2"),
            (Strings{"x", "<=", "y", ";", "p", "->", "q", ";", "r", ":=", "s", ";", "a", "**=", "2"}));
}

TEST(PythonTokens, ATextGoesOnBehindAContinuationWhateverTheLineEnds) {
  EXPECT_EQ(words("x = 'a\\\nb'; y"), (Strings{"x", "=", "'a\\\nb'", ";", "y"}));
  EXPECT_EQ(words("x = 'a\\\r\nb'; y"), (Strings{"x", "=", "'a\\\r\nb'", ";", "y"}));
  EXPECT_EQ(tokenize_python("x = 'a\\\r\nb'; y").tokens.back().line, 2u);
  EXPECT_EQ(words("assert 'x\r\ny"), (Strings{"assert", "'x", "y"}))
      << "one that nobody closes holds no line end";
  EXPECT_EQ(inner_text("rb\"\"\"x\"\"\""), "x");
  EXPECT_EQ(inner_text("'x"), "x") << "not closed: its last character is no quote";
  EXPECT_EQ(inner_text("\"\"\"xy"), "xy");
  EXPECT_EQ(inner_text("\"\""), "");
}

TEST(PythonTokens, LogicalLinesKnowTheirIndentation) {
  EXPECT_EQ(lines("def f(a,\n        b):\n\treturn [\n 1,\n]\n\n  # note\nx = 1 + \\\n  2\n"),
            (Strings{"0:def f ( a , b ) :", "8:return [ 1 ]", "0:x = 1 + 2"}));
  EXPECT_EQ(lines("x = (1,\ndef f(): pass\n"), (Strings{"0:x = ( 1 ,", "0:def f ( ) : pass"}))
      << "a bracket that nobody closes does not swallow a function";
}

TEST(PythonTokens, WhatAFormatterRewritesIsOneText) {
  const auto same = [](std::string_view a, std::string_view b) { EXPECT_EQ(lines(a), lines(b)); };
  same("f(-2**31, 1e+10, 0., 'x')", "f(-(2**31), 1e10, 0.0, \"x\",)");
  EXPECT_NE(lines("(2**3)**2"), lines("2**3**2"));
  EXPECT_NE(lines("f(2**3)"), lines("f 2**3"));
  const auto mark = [](std::string_view source) { return facts(source, FactKind::skip); };
  EXPECT_EQ(mark("def f():\n  if a and b:\n    pytest.skip()\n"),
            mark("def f():\n  if (\n    a\n    and b\n  ):\n    pytest.skip()\n"));
}

TEST(PythonFacts, TestsAreNamedByClassAndFunction) {
  EXPECT_EQ(
      facts("def test_a(): pass\nclass TestX:\n  async def test_b(self):\n    def test_inner(): pass\n  def "
            "helper(self): pass\n"
            "if cuda:\n  def test_c(): pass\ndef tests_helper(): pass\n",
            FactKind::test),
      (Strings{"test_a|test_a", "TestX.test_b|TestX.test_b", "test_c|test_c", "tests_helper|tests_helper"}));
  const auto digest = [](std::string_view source) { return python_facts(source).at(0).values.at(0); };
  EXPECT_EQ(digest("def test_a(x):\n    y = [1,2]  # c\n"),
            digest("def test_b( x ):\n  y = [\n    1,\n    2,\n  ]\n"));
  EXPECT_NE(digest("def test_a(x):\n    y = [1,2]\n"), digest("def test_a(x):\n    y = [1,3]\n"));
}

TEST(PythonFacts, MarksCarryTheirConditionsAndNotTheirWords) {
  const char* source = R"(
pytestmark = pytest.mark.skip(reason="all")
np = pytest.importorskip("numpy")
@pytest.mark.xfail
@pytest.mark.skipif(not cuda, reason="why")
def test_a():
    if is_hip():
        pytest.skip("no")
    else:
        pytest.xfail("maybe", strict=True)
class TestB(unittest.TestCase):
    @unittest.skip("x")
    def test_c(self):
        self.skipTest("y")
        raise unittest.SkipTest("z")
        it.skip(3)
)";
  EXPECT_EQ(facts(source, FactKind::skip),
            (Strings{"|pytest . mark . skip ( )|always", "|pytest . importorskip ( \"numpy\" )",
                     "test_a|pytest . mark . xfail|always", "test_a|pytest . mark . skipif ( not cuda )",
                     "test_a|if is_hip ( ): pytest . skip ( )",
                     "test_a|if is_hip ( ) else: pytest . xfail ( strict = True )",
                     "TestB.test_c|unittest . skip ( )|always", "TestB.test_c|self . skipTest ( )|always",
                     "TestB.test_c|unittest . SkipTest ( )|always"}));
  EXPECT_EQ(facts("skip = 1\nreader.skip_line()\nx = skip(2)\n# pytest.skip()\ns = 'pytest.skip()'\n",
                  FactKind::skip),
            Strings{});
  EXPECT_EQ(facts("collect_ignore = ['a.py']\n", FactKind::skip),
            Strings{"|collect_ignore = [ \"a.py\" ]|always"});
}

TEST(PythonFacts, ChecksAreFreeOfLayoutMessagesAndTolerances) {
  const Strings want{"f|assert a == b", "f|assert x", "f|self . assertEqual ( a , b )",
                     "f|pytest . raises ( ValueError )", "f|assert_close ( a , b , atol = # )"};
  EXPECT_EQ(facts("def f():\n  assert a == b\n  assert x\n  self.assertEqual(a, b)\n  with "
                  "pytest.raises(ValueError): g()\n"
                  "  assert_close(a, b, atol=1e-3)\n",
                  FactKind::check),
            want);
  EXPECT_EQ(facts("def f():\n    assert (a\n      == b), f'msg {a}'\n    assert x, 'why'\n    "
                  "self.assertEqual(\n  a,\n  b,\n )\n"
                  "    with pytest.raises(ValueError):\n      g()\n    assert_close(a, b, atol=1e-2)\n",
                  FactKind::check),
            want);
}

TEST(PythonFacts, TolerancesAreNumbersAtNamesOfTolerances) {
  const char* source = R"(
def test_a(eps=1e-6):
    torch.testing.assert_close(a, b, atol=1e-3, rtol=0)
    assert torch.allclose(a, b, 1e-2, 1e-5)
    tol: float = 1e-1 * sqrt(k / 32) if half else 1e-4
    tols = {torch.float16: 2e-2, "other": -3}
    cfg = {"atol": 5e-3, "steps": 7}
    assert max_diff(a, b) < 0.25
    assert (a - b).abs().max() <= 0.125
    np.testing.assert_almost_equal(a, b, decimal=6)
    steps = 3; symbol = 4; tolist(5); assert n < 10
)";
  EXPECT_EQ(facts(source, FactKind::tolerance),
            (Strings{"test_a|eps|1e-06", "test_a|atol|0.001", "test_a|rtol|0", "test_a|allclose|0.01",
                     "test_a|allclose|1e-05", "test_a|tol|0.1", "test_a|tol|0.0001", "test_a|tols|0.02",
                     "test_a|tols|-3", "test_a|atol|0.005", "test_a|max_diff|0.25", "test_a|max|0.125"}));
  EXPECT_EQ(facts(source, FactKind::count), Strings{"test_a|decimal|6"})
      << "fewer digits are wider, so it is a count";
}

TEST(PythonFacts, ListsAndCountsOfWhatIsTested) {
  const char* source = R"(
dtypes = [torch.float16, torch.bfloat16,
          torch.float32]
NUM_SEEDS = 10
@pytest.mark.parametrize("m, n", [(16, 32), (64, 8)])
@pytest.mark.parametrize(["k"], list(product([1, 2], (3,))))
@pytest.mark.parametrize("v", VALUES)
@pytest.mark.parametrize("w", [f(x) for x in [5, 6]])
def test_a(m, n):
    @pytest.fixture(scope="module", params=["x", "y"])
    def given(): pass
    for seed in range(10):
        for shape in [(1, 2), (3, 4)]:
            run(range(2, 12, 2), n_iters=5, sizes=(1,))
    for i in range(n): pass
)";
  EXPECT_EQ(facts(source, FactKind::list),
            (Strings{"|dtypes|torch . float16|torch . bfloat16|torch . float32",
                     "test_a|parametrize m,n|( 16 , 32 )|( 64 , 8 )", "test_a|parametrize k|1|2|3",
                     "test_a|parametrize v|?", "test_a|parametrize w|5|6",
                     "test_a.given|fixture params|\"x\"|\"y\"", "test_a|shape|( 1 , 2 )|( 3 , 4 )",
                     "test_a|sizes|1"}));
  EXPECT_EQ(facts(source, FactKind::count),
            (Strings{"|NUM_SEEDS|10", "test_a|seed|10", "test_a|n_iters|5", "test_a|range|5"}));
}

TEST(PythonFacts, BroadHandlersAreThoseThatDoNotRaiseAgain) {
  const char* source = R"(
try: a()
except: pass
try:
    b()
except (ValueError, Exception) as e:
    log(e)
try:
    c()
except Exception:
    clean()
    raise
try:
    d()
except ValueError:
    pass
except BaseException as e: raise Other() from e
with contextlib.suppress(Exception): x()
with contextlib.suppress(KeyError): x()
try:
    assert e()
except AssertionError:
    pass
)";
  EXPECT_EQ(facts(source, FactKind::handler),
            (Strings{"|except", "|except ( ValueError , Exception )", "|suppress ( Exception )", "|except AssertionError"}));
  EXPECT_EQ(facts("def f():\n  if i >= n:\n    raise IndexError('x')\n  raise\n", FactKind::guard),
            Strings{"f|if i >= n: raise IndexError"});
}

TEST(PythonFacts, ATestOverNoValuesIsNotRun) {
  EXPECT_EQ(facts("@pytest.mark.parametrize('a', [])\ndef test_x(a):\n  pass\n@pytest.mark.parametrize('b', ())\ndef test_y(b):\n  pass\n"
                  "@pytest.mark.parametrize('c', [1])\ndef test_z(c):\n  pass\n@pytest.mark.parametrize('d', values)\ndef test_w(d):\n  pass\n",
                  FactKind::skip),
            (Strings{"test_x|parametrize a over nothing|always", "test_y|parametrize b over nothing|always"}));
}

TEST(PythonFacts, LitConfigurationsThatTakeTestsOut) {
  EXPECT_EQ(facts("config.suffixes = ['.mlir']\nif not 'x' in config.available_features:\n  "
                  "config.unsupported = True\n"
                  "config.excludes += ['a']\nconfig.name = 'n'\n",
                  FactKind::config),
            (Strings{"|config . suffixes = [ \".mlir\" ]",
                     "|if not \"x\" in config . available_features: config . unsupported = True",
                     "|config . excludes += [ \"a\" ]"}));
}

TEST(PythonFacts, AreTotalAndLinearOnAnyBytes) {
  for (const char* piece : {"(",
                            "[[(",
                            ")",
                            "tol=",
                            "tol=1 ",
                            "shapes=[",
                            "assert (",
                            "range(",
                            "'",
                            "\"\"\"",
                            "\\",
                            "if x:\n ",
                            "@",
                            "except: ",
                            "def test_a(",
                            "a.",
                            "lambda: ",
                            "parametrize('a',[",
                            "\n\t",
                            "assert_close(1,",
                            "pytest.skipif(",
                            "suppress("}) {
    std::string source;
    while (source.size() < 300000) source += piece;
    EXPECT_NO_THROW(python_facts(source)) << piece;
  }
  std::string noise;
  for (unsigned i = 0; i < 300000; ++i) noise += static_cast<char>((i * 2654435761u) >> 13);
  EXPECT_NO_THROW(python_facts(noise));
  EXPECT_TRUE(python_facts("").empty());
}

}  // namespace
}  // namespace sluice::guardrails
