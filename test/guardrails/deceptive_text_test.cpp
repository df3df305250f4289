// SPDX-License-Identifier: Apache-2.0
// G16: what reads otherwise than it is compiled, and what only looks foreign.
#include "guardrails/scan/deceptive_text.h"
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

using Kind = Deception::Kind;

std::optional<Kind> kind_of(std::string_view line, bool first = false) {
  const auto found = find_deception(line, first);
  return found ? std::optional(found->kind) : std::nullopt;
}

TEST(Deception, IsFoundInALine) {
  struct Row {
    const char* name;
    std::string_view line;
    Kind want;
    std::size_t at;
  };
  using namespace std::string_view_literals;
  const Row rows[] = {
      {"right-to-left override", "/* \u202E } if (admin) */", Kind::bidi, 3},
      {"isolate", "x = \"\u2066\";", Kind::bidi, 5},
      {"mark", "a\u200Fb", Kind::bidi, 1},
      {"Arabic letter mark", "a\u061Cb", Kind::bidi, 1},
      {"zero width space", "pass\u200Bword", Kind::invisible, 4},
      {"joiner in an identifier", "is\u200Dadmin", Kind::invisible, 2},
      {"non-joiner in an identifier", "is\u200Cadmin", Kind::invisible, 2},
      {"soft hyphen", "ad\u00ADmin", Kind::invisible, 2},
      {"Hangul filler as a name", "var \u3164;", Kind::invisible, 4},
      {"byte order mark within", "a\uFEFFb", Kind::invisible, 1},
      {"line separator", "// a\u2028b()", Kind::invisible, 4},
      {"tags", "eval(\"\U000E0061\")", Kind::invisible, 6},
      {"selectors that spell bytes", "x\uFE01\uFE02", Kind::invisible, 1},
      {"selectors behind a picture", "\U0001F600\uFE01\uFE02", Kind::invisible, 7},
      {"supplementary selector", "''\U000E0101", Kind::invisible, 2},
      {"NUL", "ab\0c"sv, Kind::nul, 2},
      {"Latin-1", "caf\xE9 au lait", Kind::invalid_utf8, 3},
      {"overlong", "\xC0\xAF", Kind::invalid_utf8, 0},
      {"surrogate", "\xED\xA0\x80", Kind::invalid_utf8, 0},
      {"beyond Unicode", "\xF4\x90\x80\x80", Kind::invalid_utf8, 0},
      {"cut short", "a\xE2\x82", Kind::invalid_utf8, 1},
      {"Cyrillic a in a Latin name", "if (is_\u0430dmin)", Kind::mixed_script, 4},
      {"Greek omicron", "f\u03BFo()", Kind::mixed_script, 0},
      {"Greek capital", "\u0391lpha", Kind::mixed_script, 0},
      {"Armenian", "c\u0585unt", Kind::mixed_script, 0},
      {"Cherokee", "\u13AAB", Kind::mixed_script, 0},
      {"fullwidth", "if\uFF41", Kind::mixed_script, 0},
      {"styled", "ma\U0001D422n", Kind::mixed_script, 0},
      {"at the end of the line", "x = sc\u043Epe", Kind::mixed_script, 4},
  };
  for (const Row& row : rows) {
    const auto found = find_deception(row.line, false);
    ASSERT_TRUE(found.has_value()) << row.name;
    EXPECT_EQ(static_cast<int>(found->kind), static_cast<int>(row.want)) << row.name << ": " << found->what;
    EXPECT_EQ(found->at, row.at) << row.name;
    EXPECT_TRUE(std::all_of(found->what.begin(), found->what.end(), [](char c) { return c >= ' ' && c < 0x7F; })) << row.name;
  }
}

TEST(Deception, IsNotCriedWhereWritingNeedsTheCharacter) {
  const char* lines[] = {
      "int plain = 0;",
      "// na\u00EFve caf\u00E9 \u2014 \u201Cquoted\u201D",
      "// \u4F7F\u7528GPU\u5185\u5B58, \u65E5\u672C\u8A9E",
      "\u0394t = t1 - t0; \u03BCs; \u03BB_max; sin \u03B1; \u03A3x",  // formulas
      "// \u041F\u0440\u0438\u0432\u0435\u0442, world",               // a Russian word beside an English one
      "\u043F\u0440\u0438\u0432\u0435\u0442_2 = 1",                   // an identifier of one script
      "API-\u043A\u043B\u044E\u0447",
      "// \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",          // Persian
      "// \u0915\u094D\u200D\u0937",                                  // Devanagari
      "// \U0001F469\u200D\U0001F4BB \u2764\uFE0F 1\uFE0F\u20E3 #\uFE0F\u20E3",
      "// \U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",  // England
      "\"\\u202E\"",                                                  // the escape is what one should write
      "x\u00B2 + y\u2081, 5\u00B5m",
  };
  for (const char* line : lines) EXPECT_FALSE(kind_of(line).has_value()) << line << ": " << find_deception(line, false)->what;
  EXPECT_FALSE(kind_of("\uFEFF#include <x>", true).has_value());
  EXPECT_TRUE(kind_of("\uFEFF#include <x>", false).has_value());
}

TEST(Deception, OfAnyBytesIsFoundOrNotAndShownInAscii) {
  std::string line;
  std::uint32_t state = 7;
  for (int i = 0; i < 2000; ++i) {
    line.clear();
    for (int k = 0; k < 12; ++k) line += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
    const auto found = find_deception(line, i % 2 == 0);
    if (found) {
      EXPECT_LT(found->at, line.size());
    }
    for (const char c : escaped(line)) EXPECT_TRUE(c == '\t' || (c >= ' ' && c < 0x7F));
  }
  EXPECT_EQ(escaped("a\u202Eb\xFF"), "a\\u{202e}b\\xff");
}

constexpr const char* conflicted = R"(
  repo up; base40 f.cpp; put g.txt "one\ntwo\n"; commit B "b"
  fork up down; line f.cpp 10 "line 10 of the fork"; line f.cpp 30 "name = \xe2\x80\xae;"; commit D "d"
  at up; line f.cpp 10 "line 10 of upstream"; line f.cpp 20 "zero \xe2\x80\x8b width"; commit U "u"
)";

struct Answered : Pick {
  Answered() : Pick(conflicted) {
    put("f.cpp", answer("line 10 of both"));
  }
  std::string answer(const std::string& line) {
    std::string text = this->text(history.tree("D"), "f.cpp");
    text.replace(text.find("line 10 of the fork"), 19, line);
    text.replace(text.find("line 20"), 7, "zero \u200B width");
    return text;
  }
};

TEST(DeceptiveText, OfUpstreamIsListedAndOfTheForkIsItsOwn) {
  Answered pick;
  ASSERT_TRUE(pick.facts.conflicted);
  const model::RuleResult rule = pick.rule("G16");
  EXPECT_EQ(rule.judgement, Judgement::pass);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].origin, "upstream");
  EXPECT_EQ(rule.items[0].line, 20);
  EXPECT_EQ(rule.items[0].text, "zero \\u{200b} width");
  pick.policy.paths.push_back(path_config("*.cpp", model::PathClass::none, model::UpstreamSay::block));
  EXPECT_EQ(pick.of("G16"), Judgement::block) << "the policy may raise what upstream does";
}

TEST(DeceptiveText, ThatTheProposalWritesIsRefused) {
  for (const std::string line : {"line 10 \u202E of both", "l\u0456ne 10", "li\u200Bne 10", "line\xE9 10"}) {
    Answered pick;
    pick.put("f.cpp", pick.answer(line));
    const model::RuleResult rule = pick.rule("G16");
    EXPECT_EQ(rule.judgement, Judgement::block) << line;
    EXPECT_EQ(rule.items.at(0).line, 10);
  }
  Answered beside;
  beside.put("g.txt", "one\ntw\u043E\n");
  EXPECT_EQ(beside.of("G16"), Judgement::block) << "outside the conflict too";
}

TEST(DeceptiveText, OfAFileInAnotherEncodingIsItsEncoding) {
  Pick pick(R"(
    repo up; base40 f.txt; line f.txt 1 "caf\xe9"; commit B "b"
    fork up down; line f.txt 10 "line 10 of the fork"; commit D "d"
    at up; line f.txt 10 "line 10 of upstream"; commit U "u")");
  std::string text = pick.text(pick.history.tree("D"), "f.txt");
  text.replace(text.find("line 10 of the fork"), 19, "na\xEFve");
  pick.put("f.txt", text);
  EXPECT_EQ(pick.of("G16"), Judgement::pass);
}

TEST(DeceptiveText, OfABinaryFileIsNoMatterOfThisRule) {
  Answered pick;
  pick.put("x.bin", std::string_view("\0\xFF\x00\x01", 4));
  EXPECT_EQ(pick.of("G16"), Judgement::pass);
  EXPECT_EQ(pick.of("G13"), Judgement::block);
}

}  // namespace
}  // namespace sluice::guardrails::testing
