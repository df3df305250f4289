// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sluice::core {
namespace {

TEST(Clock, utc_texts_and_seconds_are_inverse) {
  const std::pair<UnixTime, const char*> table[] = {{0, "1970-01-01T00:00:00Z"},
                                                    {1796032800, "2026-11-30T10:00:00Z"},
                                                    {951782400, "2000-02-29T00:00:00Z"},
                                                    {-1, "1969-12-31T23:59:59Z"},
                                                    {4102444799, "2099-12-31T23:59:59Z"}};
  for (const auto& [seconds, text] : table) {
    EXPECT_EQ(format_utc(seconds), text);
    const auto back = parse_utc(text);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, seconds);
  }
}

TEST(Clock, reads_seconds_and_plain_dates) {
  EXPECT_EQ(parse_utc("86400").value_or(-1), 86400);
  EXPECT_EQ(parse_utc("1970-01-02").value_or(-1), 86400);
  EXPECT_EQ(parse_utc("-5").value_or(0), -5);
}

TEST(Clock, refuses_what_is_no_time) {
  for (const char* text : {"", "x", "2026-13-01", "2026-02-30", "2025-02-29", "2026-00-10",
                           "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "12:00",
                           "9999999999999999999", "1e9", "2026-1-1", " 5"}) {
    const auto at = parse_utc(text);
    EXPECT_FALSE(at.ok()) << text;
    if (at.ok()) continue;
    EXPECT_EQ(at.error().kind, ErrorKind::invalid);
  }
}

TEST(Clock, sluice_now_fixes_the_system_clock) {
  ::setenv("SLUICE_NOW", "2026-11-30T08:00:00Z", 1);
  const auto fixed = SystemClock::from_environment();
  ::setenv("SLUICE_NOW", "tomorrow", 1);
  const auto wrong = SystemClock::from_environment();
  ::unsetenv("SLUICE_NOW");
  const auto wall = SystemClock::from_environment();
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(format_utc(fixed->now()), "2026-11-30T08:00:00Z");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("SLUICE_NOW"), std::string::npos);
  ASSERT_TRUE(wall.ok());
  EXPECT_GT(wall->now(), 1'700'000'000);
}

}  // namespace
}  // namespace sluice::core
