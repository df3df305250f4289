// SPDX-License-Identifier: Apache-2.0
// Which failure is the same one.
#include "guardrails/failure.h"

#include <gtest/gtest.h>

#include "guardrails/guardrails.h"

namespace sluice::guardrails::testing {
namespace {

TEST(Failure, WhatChangesFromRunToRunIsNotPartOfIt) {
  const std::tuple<const char*, const char*, bool> rows[] = {
      {"/tmp/run-12/src/lib/fold.cpp:31: expected 3", "/build/lib/fold.cpp:48: expected 5", true},
      {"at 0x7ffd12ab34 in thread 7", "at 0x55aa00 in thread 12", true},
      {"took 0.31 s", "took 12.5 s", true},
      {"12:03:44 \x1b[31merror\x1b[0m: bad  fold", "23:59:01 error: bad\nfold", true},
      {"object 63068fcc2ab1", "object 0a1b2c3d4e5f", true},
      {"lib/fold.cpp: wrong", "lib/join.cpp: wrong", false},
      {"expected true", "expected false", false},
      {"dead code", "feed code", false},
      {"/a/fold.cpp: x", "/a/join.cpp: x", false},
  };
  for (const auto& [a, b, same] : rows) {
    EXPECT_EQ(failure_text(a) == failure_text(b), same) << failure_text(a) << " | " << failure_text(b);
  }
  EXPECT_EQ(failure_text("/tmp/x/lib/fold.cpp:31: Failure at 0x12ab"), "fold.cpp:#: Failure at #");
}

TEST(Failure, ItsFingerprintKnowsTheStateAndIsEmptyWhenItSaysNothing) {
  const model::TestRecord failed{"a", model::TestState::fail, "x.cpp:3: wrong"}, crashed{"a", model::TestState::crash, "x.cpp:3: wrong"};
  const std::string print = failure_fingerprint(failed);
  EXPECT_EQ(print.size(), 14u);
  EXPECT_TRUE(print.starts_with("f-"));
  EXPECT_EQ(print, failure_fingerprint({"b", model::TestState::fail, "x.cpp:99:  wrong"}));
  EXPECT_NE(print, failure_fingerprint(crashed));
  EXPECT_EQ(failure_fingerprint({"a", model::TestState::fail, " \n"}), "");
}

TEST(Failure, AnyBytesHaveAText) {
  for (const char* bytes : {"", "/", "//", "0x", "\x1b", "\x1b[", "\xff\xfe/\xff", "/a", "0", "a/", "/ /"}) {
    EXPECT_EQ(failure_text(failure_text(bytes)), failure_text(bytes)) << bytes;
  }
}

}  // namespace
}  // namespace sluice::guardrails::testing
