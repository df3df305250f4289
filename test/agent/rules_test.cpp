// SPDX-License-Identifier: Apache-2.0
// Each rule on one conflict that it answers and on its nearest neighbour that it leaves alone.
#include "agent/rules/rules.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace sluice::agent {
namespace {

using core::Language;

std::string repeated(std::string_view piece, int times) {
  std::string out;
  for (int k = 0; k < times; ++k) out += piece;
  return out;
}

struct Hunk {
  std::string base, ours, theirs;
  Language language = Language::c_family;
};

// "B4: text", or "none".
std::string answer_to(const Hunk& hunk, std::span<const std::string_view> wanted = {}) {
  const auto answer = first_answer({hunk.base, hunk.ours, hunk.theirs, hunk.language}, wanted);
  return answer ? std::string(answer->rule) + ": " + answer->text : "none";
}

std::string answer_of(std::string_view rule, const Hunk& hunk) {
  const std::array<std::string_view, 1> only = {rule};
  return answer_to(hunk, only);
}

TEST(RuleTable, knows_fourteen_rules_of_which_one_is_proven) {
  ASSERT_EQ(region_rules().size(), 14u);
  int proven = 0;
  for (const RuleInfo& rule : region_rules()) {
    proven += rule.proven ? 1 : 0;
    EXPECT_EQ(region_rule(rule.id), &rule);
    EXPECT_FALSE(rule.meaning.empty());
    EXPECT_EQ(rule.unseen_answers > 0, rule.unseen_precision > 0);
  }
  EXPECT_EQ(proven, 1);
  EXPECT_TRUE(region_rule("A1s")->proven);
  EXPECT_EQ(region_rule("C9"), nullptr);
}

TEST(RuleTable, says_how_far_a_rule_can_be_trusted) {
  EXPECT_EQ(standing_of(*region_rule("B6")), "candidate, rule B6, right in 56 % of unseen cases");
  EXPECT_EQ(standing_of(*region_rule("A1s")), "proven, rule A1s, right in 99 % of unseen cases");
  EXPECT_EQ(standing_of({"Z1", "a rule", false, 0, 0}), "candidate, rule Z1, not measured on unseen cases");
}

TEST(RuleA1s, keeps_the_forks_spelling_where_both_sides_say_the_same) {
  const Hunk hunk{"", "f(a,\n  b);\n", "f(a, b);\n"};
  EXPECT_EQ(answer_to(hunk), "A1s: f(a,\n  b);\n");
}

TEST(RuleA1s, leaves_alone_what_differs_inside_a_string) {
  const Hunk hunk{"", "f(\"a b\");\n", "f(\"ab\");\n"};
  EXPECT_EQ(answer_of("A1s", hunk), "none");
}

TEST(RuleA1f, equates_what_the_strict_form_keeps_apart) {
  EXPECT_EQ(answer_to({"", "c = 'a';\n", "c = \"a\";\n"}), "A1f: c = 'a';\n");
  EXPECT_EQ(answer_of("A1f", {"", "c = 'a';\n", "c = \"b\";\n"}), "none");
}

TEST(RuleA2, takes_the_larger_version) {
  const Hunk hunk{"version = 1.2.3\n", "version = 1.10.0\n", "version = 1.9.7\n"};
  EXPECT_EQ(answer_to(hunk), "A2: version = 1.10.0\n");
  EXPECT_EQ(answer_of("A2", {"", "tag 7\n", "tag 12\n"}), "A2: tag 12\n");
}

TEST(RuleA2, is_silent_where_no_word_speaks_of_versions_or_each_side_has_a_larger_number) {
  EXPECT_EQ(answer_of("A2", {"x = 1\n", "x = 2\n", "x = 3\n"}), "none");
  EXPECT_EQ(answer_of("A2", {"", "requires a 2, b 1\n", "requires a 1, b 2\n"}), "none");
  EXPECT_EQ(answer_of("A2", {"", "version 1.2\n", "version 1.3 beta\n"}), "none");
}

TEST(RuleA2, compares_numbers_of_any_length_as_numbers) {
  const std::string nines = repeated("9", 400), zeros = "1" + repeated("0", 400);
  EXPECT_EQ(answer_of("A2", {"", "release " + nines + "\n", "release " + zeros + "\n"}), "A2: release " + zeros + "\n");
  EXPECT_EQ(answer_of("A2", {"", "release 0010\n", "release 9\n"}), "A2: release 0010\n");
}

TEST(RuleA3, takes_the_side_that_made_the_single_edit_of_the_other_and_more) {
  const Hunk hunk{"call(a, b, c);\n", "call(x, b, c);\n", "call(x, b, z);\n"};
  EXPECT_EQ(answer_to(hunk), "A3: call(x, b, z);\n");
  EXPECT_EQ(answer_of("A3", {hunk.base, hunk.theirs, hunk.ours}), "A3: call(x, b, z);\n");
}

TEST(RuleA3, is_silent_where_the_common_edits_are_two_or_differ) {
  EXPECT_EQ(answer_of("A3", {"f(a, b, c, d);\n", "f(x, y, c, d);\n", "f(x, y, c, e);\n"}), "none");
  EXPECT_EQ(answer_of("A3", {"f(a, b, c);\n", "f(x, b, c);\n", "f(y, b, z);\n"}), "none");
}

TEST(RuleB3, takes_the_side_with_all_edits_of_the_other_and_more) {
  EXPECT_EQ(answer_to({"f(a, b, c, d);\n", "f(x, y, c, d);\n", "f(x, y, c, e);\n"}), "B3: f(x, y, c, e);\n");
  EXPECT_EQ(answer_of("B3", {"f(a, b, c, d);\n", "f(x, y, c, d);\n", "f(x, w, c, e);\n"}), "none");
}

TEST(RuleA4, takes_the_other_side_where_one_only_formatted_other_lines) {
  const Hunk hunk{"a = 'x'\nb = 1\n", "a = \"x\"\nb = 1\n", "a = 'x'\nb = 2\n", Language::python};
  EXPECT_EQ(answer_of("A4", hunk), "A4: a = 'x'\nb = 2\n");
  const Hunk same_line{"a = g('x')\n", "a = g(\"x\")\n", "a = h('x')\n", Language::python};
  EXPECT_EQ(answer_of("A4", same_line), "none");
}

TEST(RuleA4, leaves_imports_alone) {
  const Hunk hunk{"import a\nimport  b\n", "import a\nimport b\n", "import c\nimport  b\n", Language::python};
  EXPECT_EQ(answer_of("A4", hunk), "none");
}

TEST(RuleB2, takes_the_other_side_where_one_only_formatted) {
  const Hunk hunk{"a = g('x')\n", "a = g(\"x\")\n", "a = h('x')\n", Language::python};
  EXPECT_EQ(answer_to(hunk), "B2: a = h('x')\n");
  EXPECT_EQ(answer_of("B2", {hunk.base, hunk.theirs, hunk.ours, Language::python}), "B2: a = h('x')\n");
  EXPECT_EQ(answer_of("B2", {"a = g('x')\n", "a = g(\"y\")\n", "a = h('x')\n", Language::python}), "none");
}

TEST(RuleA5, merges_lines_without_regard_to_whitespace) {
  const Hunk hunk{"one;\ntwo;\nthree;\n", "  one;\n  two;\n  three;\n", "one;\ntwo;\nfour;\n"};
  EXPECT_EQ(answer_of("A5", hunk), "A5:   one;\n  two;\nfour;\n");
}

TEST(RuleA5, is_silent_in_python_where_whitespace_is_meaning_and_where_one_line_changed_twice) {
  EXPECT_EQ(answer_of("A5", {"a\nb\n", "  a\nb\n", "a\nc\n", Language::python}), "none");
  EXPECT_EQ(answer_of("A5", {"a\nb\n", "a\nx\n", "a\ny\n"}), "none");
}

TEST(RuleB4, applies_edits_of_lines_that_touch) {
  EXPECT_EQ(answer_of("B4", {"a;\nb;\nc;\n", "A;\nb;\nc;\n", "a;\nB;\nc;\n"}), "B4: A;\nB;\nc;\n");
}

TEST(RuleB4, is_silent_where_edits_meet) {
  EXPECT_EQ(answer_of("B4", {"a;\nb;\n", "x;\nb;\n", "y;\nb;\n"}), "none");
  EXPECT_EQ(answer_of("B4", {"a;\nb;\n", "a;\nx;\nb;\n", "a;\ny;\nb;\n"}), "none") << "two insertions at one place";
  EXPECT_EQ(answer_of("B4", {"a;\nb;\n", "a;\nx;\nb;\n", "a;\nB;\n"}), "none") << "an insertion where an edit begins";
  EXPECT_EQ(answer_of("B4", {"", "a;\n", "b;\n"}), "none") << "nothing to edit";
}

TEST(RuleB4, carries_blank_lines_through) {
  const Hunk hunk{"a;\n\nb;\n\n\nc;\nd;\n\n", "A;\n\nb;\n\n\nc;\nd;\n\n", "a;\n\nb;\n\nc;\nx;\n\ny;\nd;\n\n"};
  EXPECT_EQ(answer_of("B4", hunk), "B4: A;\n\nb;\n\nc;\nx;\n\ny;\nd;\n\n");
}

TEST(RuleB4, keeps_the_indentation_of_each_place) {
  const Hunk hunk{"if (a) {\n  f();\n}\ng();\n", "if (a) {\n  f();\n}\nh();\n",
                  "if (b) {\n  f();\n  }\ng();\n"};
  EXPECT_EQ(answer_of("B4", hunk), "B4: if (b) {\n  f();\n  }\nh();\n");
  const Hunk twice{"{\n  {\n  }\n}\nf();\ng();\n", "{\n  {\n  }\n}\nF();\ng();\n", "{\n  {\n  }\n}\nf();\nG();\n"};
  EXPECT_EQ(answer_of("B4", twice), "B4: {\n  {\n  }\n}\nF();\nG();\n");
}

TEST(RuleB4, prints_an_edit_of_both_sides_once) {
  EXPECT_EQ(answer_of("B4", {"a;\nb;\nc;\nd;\n", "A;\nb;\nC;\nd;\n", "A;\nb;\nc;\nD;\n"}), "B4: A;\nb;\nC;\nD;\n");
}

TEST(RuleB1, applies_edits_where_the_fork_only_inserts) {
  const Hunk hunk{"f(a);\ng(b);\n", "f(a, x);\ng(b);\n", "f(a);\nh(b);\n"};
  EXPECT_EQ(answer_of("B1", hunk), "B1: f(a, x);\nh(b);\n");
  EXPECT_EQ(answer_of("B1", {"f(a);\ng(b);\n", "f(x);\ng(b);\n", "f(a);\nh(b);\n"}), "none") << "a replacement";
  EXPECT_EQ(answer_of("B1", {hunk.base, hunk.ours, hunk.theirs, Language::python}), "none");
}

TEST(RuleB5, carries_a_rename_over_to_the_other_side) {
  const Hunk hunk{"old(a);\nreturn old;\n", "fresh(a);\nreturn fresh;\n", "old(a, b);\nreturn old + old;\n"};
  EXPECT_EQ(answer_of("B5", hunk), "B5: fresh(a, b);\nreturn fresh + fresh;\n");
  EXPECT_EQ(answer_of("B5", {hunk.base, hunk.theirs, hunk.ours}), "B5: fresh(a, b);\nreturn fresh + fresh;\n");
}

TEST(RuleB5, is_silent_where_a_name_is_left_or_becomes_two_or_is_no_name) {
  EXPECT_EQ(answer_of("B5", {"f(a, a);\n", "f(b, a);\n", "g[a, a];\n"}), "none");
  EXPECT_EQ(answer_of("B5", {"f(a, a);\n", "f(b, c);\n", "g[a, a];\n"}), "none");
  EXPECT_EQ(answer_of("B5", {"f(a);\n", "f(1);\n", "g[a];\n"}), "none");
  EXPECT_EQ(answer_of("B5", {"f(a);\n", "f(b);\n", "g[c];\n"}), "none") << "the other side does not hold it";
}

TEST(RuleB6, merges_edits_of_one_line) {
  const Hunk hunk{"int f(int a, int b) const;\n", "long f(int a, int b) const;\n", "int f(int a, int c) const;\n"};
  EXPECT_EQ(answer_of("B6", hunk), "B6: long f(int a, int c) const;\n");
  EXPECT_EQ(answer_of("B6", {"f(a);\n", "f(b);\n", "f(c);\n"}), "none");
  EXPECT_EQ(answer_of("B6", {"\n", "a\n", "b\n"}), "none") << "a base of blank lines";
}

TEST(RuleB6, keeps_line_ends_of_two_characters) {
  const Hunk hunk{"f(a, b);\r\ng();\r\n", "f(x, b);\r\ng();\r\n", "f(a, y);\r\ng();\r\n"};
  EXPECT_EQ(answer_of("B6", hunk), "B6: f(x, y);\r\ng();\r\n");
}

TEST(RuleB7, takes_the_side_that_holds_every_line_of_the_other) {
  EXPECT_EQ(answer_of("B7", {"", "a;\nc;\n", "a;\nb;\nc;\n"}), "B7: a;\nb;\nc;\n");
  EXPECT_EQ(answer_of("B7", {"", "a;\nb;\nc;\n", "a;\nc;\n"}), "B7: a;\nb;\nc;\n");
  EXPECT_EQ(answer_of("B7", {"", "c;\na;\n", "a;\nb;\nc;\n"}), "none") << "another order";
  EXPECT_EQ(answer_of("B7", {"z;\n", "a;\n", "a;\nb;\n"}), "none") << "a line of base is gone";
}

TEST(RuleC1, merges_edits_where_one_side_also_wrapped_the_line_anew) {
  const Hunk hunk{"call(1, 2, 3, 4);\n", "call(1,\n     2, 3, 5);\n", "call(1, 7, 3, 4);\n"};
  EXPECT_EQ(answer_to(hunk), "C1: call(1, 7, 3, 5);\n");
  EXPECT_EQ(answer_of("C1", {hunk.base, "call(1, 2,\n     3, 4);\n", "call(1, 7, 3, 5);\n"}), "C1: call(1, 7,\n     3, 5);\n") << "a wrap where nobody edits stays";
  EXPECT_EQ(answer_of("C1", {hunk.base, hunk.ours, "call(1, 2, 3, 6);\n"}), "none");
  EXPECT_EQ(answer_of("C1", {hunk.base, hunk.ours, hunk.theirs, Language::python}), "none");
}

TEST(Rules, the_first_that_answers_wins_and_others_can_be_left_out) {
  const Hunk hunk{"call(a, b, c);\n", "call(x, b, c);\n", "call(x, b, z);\n"};
  const std::array<std::string_view, 2> two = {"B6", "B3"};
  EXPECT_EQ(answer_to(hunk).substr(0, 2), "A3");
  EXPECT_EQ(answer_to(hunk, two).substr(0, 2), "B3");
}

TEST(Rules, are_silent_where_each_side_wrote_something_else) {
  EXPECT_EQ(answer_to({"", "a();\n", "b();\n"}), "none");
  EXPECT_EQ(answer_to({"a();\n", "b();\n", "c();\n"}), "none");
}

TEST(Rules, stay_total_on_hostile_bytes) {
  std::string bytes;
  for (int k = 0; k < 256; ++k) bytes += static_cast<char>(k);
  const std::array<std::string, 8> texts = {"",    "\n",           std::string("\0\0\n", 3), bytes, bytes + "\n", "\xff\xfe\xc0\n",
                                            "\\\n", "\"\n'\n(((\n"};
  int answered = 0;
  for (const std::string& base : texts)
    for (const std::string& ours : texts)
      for (const std::string& theirs : texts)
        for (const Language language : {Language::python, Language::c_family, Language::mlir, Language::other})
          if (first_answer({base, ours, theirs, language})) ++answered;
  EXPECT_GT(answered, 0);
}

TEST(Rules, end_a_last_line_that_has_no_line_end_before_they_go_on) {
  EXPECT_EQ(answer_of("B4", {"a;\nb;", "a;\nB;", "x;\na;\nb;"}), "B4: x;\na;\nB;\n");
}

// The matching is cubic in the worst case; these would take hours without a cap on its work.
TEST(Rules, give_up_on_texts_that_are_made_to_take_long) {
  const Hunk one_token{repeated("x ", 200000) + "\n", repeated("x ", 199999) + "y\n", repeated("x ", 199998) + "z\n"};
  EXPECT_EQ(answer_to(one_token), "none");
  std::string alternating, other;
  for (int k = 0; k < 100; ++k) {
    alternating += repeated("a b ", 200) + "c\n";
    other += repeated("b a ", 200) + "d\n";
  }
  EXPECT_EQ(answer_to({alternating, other, alternating + "e\n" + other}), "none");
}

TEST(Rules, look_at_huge_texts_for_equality_alone) {
  const std::string huge = repeated("int value = 0;\n", 400000);
  EXPECT_EQ(first_answer({"", huge, huge, Language::other})->rule, "A1s");
  EXPECT_EQ(answer_to({"", huge, huge + "more();\n", Language::other}), "none");
}

}  // namespace
}  // namespace sluice::agent
