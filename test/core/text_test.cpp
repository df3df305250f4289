// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <gtest/gtest.h>

#include "core/result.h"

namespace sluice::core {
namespace {

using Views = std::vector<std::string_view>;

TEST(Text, splits_lines) {
  EXPECT_EQ(split_lines(""), Views{});
  EXPECT_EQ(split_lines("a\n\nb"), (Views{"a", "", "b"}));
  EXPECT_EQ(split_lines("a\r\n"), (Views{"a\r"}));
  EXPECT_EQ(split_lines_keep("a\n\nb"), (Views{"a\n", "\n", "b"}));
  EXPECT_EQ(split("a,,b,", ','), (Views{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Views{""}));
}

TEST(Text, trims_joins_lowers_and_strips) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(to_lower("AbC\xC3\x84"), "abc\xC3\x84");
  EXPECT_EQ(strip_space(" a\tb \r\n"), "ab");
}

TEST(Text, knows_utf8_from_other_bytes) {
  for (const char* good : {"", "a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xFF", "a\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bad));
    EXPECT_TRUE(is_utf8(to_utf8(bad)));
  }
  EXPECT_EQ(to_utf8("a\xFF"
                    "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Text, printable_shows_controls_and_cuts_between_characters) {
  EXPECT_EQ(printable("a\x1b[31m\n"), "a\\x1B[31m\\x0A");
  EXPECT_EQ(printable("\xC2\x9B"), "\\x9B");
  EXPECT_EQ(printable("abcdefgh", 6), "abc...");
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  for (std::size_t limit = 3; limit < 12; ++limit) {
    const std::string cut = printable("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", limit);
    EXPECT_TRUE(is_utf8(cut));
    EXPECT_LE(cut.size(), std::max<std::size_t>(limit, 3));
  }
}

TEST(Text, hex_is_lower_case_of_the_right_length) {
  EXPECT_TRUE(is_hex("0af9", 4));
  EXPECT_FALSE(is_hex("0AF9", 4));
  EXPECT_FALSE(is_hex("0af", 4));
  EXPECT_FALSE(is_hex("0agg", 4));
}

TEST(Text, identifiers_are_in_order_with_repeats_and_no_numbers) {
  EXPECT_EQ(identifiers("a_1 = f(a_1, 0x1F, 2b) + _z"), (Views{"a_1", "f", "a_1", "_z"}));
  EXPECT_EQ(identifiers("ab abc abcd", 3), (Views{"abc", "abcd"}));
}

Result<int> half(int n) {
  if (n % 2 != 0) return make_error(ErrorKind::invalid, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  TRY_ASSIGN(const int h, half(n));
  TRY(half(h));
  return h / 2;
}

TEST(Result, try_hands_the_first_error_on) {
  EXPECT_EQ(quarter(8).value_or(-1), 2);
  EXPECT_FALSE(quarter(6).ok());
  EXPECT_EQ(quarter(3).error().message, "odd");
  EXPECT_EQ(to_string(ErrorKind::transient), "transient");
  EXPECT_THROW(SLUICE_CHECK(1 + 1 == 3), Bug);
}

}  // namespace
}  // namespace sluice::core
