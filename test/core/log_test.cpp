// SPDX-License-Identifier: Apache-2.0
#include "core/log.h"

#include <gtest/gtest.h>

namespace sluice::core {
namespace {

std::string logged(LogLevel level, std::string_view message) {
  ::testing::internal::CaptureStderr();
  log(level, message);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, writes_to_stderr_above_its_level) {
  set_log_level(LogLevel::info);
  EXPECT_NE(logged(LogLevel::warning, "disk is nearly full").find("disk is nearly full\n"),
            std::string::npos);
  EXPECT_EQ(logged(LogLevel::debug, "hidden"), "");
  set_log_level(LogLevel::off);
  EXPECT_EQ(logged(LogLevel::error, "hidden"), "");
  set_log_level(LogLevel::debug);
  EXPECT_NE(logged(LogLevel::debug, "shown"), "");
  set_log_level(LogLevel::info);
}

TEST(Log, a_line_of_progress_makes_room_before_each_line_that_is_written) {
  set_log_level(LogLevel::info);
  set_before_log([] { std::fputs("[room]", stderr); });
  EXPECT_EQ(logged(LogLevel::warning, "disk is nearly full").find("[room]"), 0u);
  EXPECT_EQ(logged(LogLevel::debug, "hidden"), "");
  set_before_log(nullptr);
  EXPECT_EQ(logged(LogLevel::warning, "again").find("[room]"), std::string::npos);
}

TEST(Log, a_terminal_does_not_obey_a_message) {
  const std::string out = logged(LogLevel::error,
                                 "a\x1b[2Jb\xC2\x9B"
                                 "c\xff{}\r");
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_NE(out.find("a\\x1B[2Jb\\x9Bc\xEF\xBF\xBD{}\\x0D"), std::string::npos) << out;
}

TEST(Log, secrets_never_appear_in_any_form) {
  register_secret("tok/en+with space");
  register_secret("short");
  EXPECT_EQ(redact("short stays"), "short stays");
  EXPECT_EQ(redact("a tok/en+with space b"), "a [redacted] b");
  EXPECT_EQ(redact("?t=tok%2Fen%2Bwith%20space&"), "?t=[redacted]&");
  EXPECT_EQ(redact("?t=tok%2fen%2bwith%20space&"), "?t=[redacted]&");
  // "tok/en+with space", "u:" and "us:" before it; an end of the encoded text may stay, a start may not
  for (const char* encoded :
       {"dG9rL2VuK3dpdGggc3BhY2U=", "dTp0b2svZW4rd2l0aCBzcGFjZQ==", "dXM6dG9rL2VuK3dpdGggc3BhY2U="}) {
    const std::string out = redact(encoded);
    EXPECT_NE(out.find("[redacted]"), std::string::npos) << encoded;
    EXPECT_LT(out.size(), std::string("xxxx[redacted]xxx").size() + 1) << out;
  }
  EXPECT_EQ(logged(LogLevel::error, "push to https://x:tok/en+with space@host").find("tok/en"),
            std::string::npos);
}

TEST(Log, the_longer_secret_wins_when_one_holds_the_other) {
  register_secret("abcdef");
  register_secret("abcdef-ghijkl");
  EXPECT_EQ(redact("abcdef-ghijkl abcdef"), "[redacted] [redacted]");
}

TEST(Log, credentials_in_urls_go_without_being_registered) {
  EXPECT_EQ(redact("cannot open https://user:s3cret@host/x and http://tok@h"), "cannot open https://[redacted]@host/x and http://[redacted]@h");
  EXPECT_EQ(redact("https://u:a@b@host:8/x"), "https://[redacted]@host:8/x");
  EXPECT_EQ(redact("ssh://git@host/x ssh://git:pw@host/x"), "ssh://git@host/x ssh://[redacted]@host/x");
  EXPECT_EQ(redact("https://host/a@b, mail a@b.c ://"), "https://host/a@b, mail a@b.c ://");
}

}  // namespace
}  // namespace sluice::core
