// SPDX-License-Identifier: Apache-2.0
// What a person reads in the morning: what landed, what waits, what to type next.
#include <gtest/gtest.h>

#include "service/unit_text.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n"           ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 FORK"                  ; commit D "fork: own line 20"
  at up
    put a "1\n"                               ; commit A "tiles: the clean one"
    line f 20 "line 20 UP"                    ; commit C "tiles: the stuck one"
)v";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string status_of(World& w) {
  const service::Plan plan = w.look();
  const auto app = w.open(service::Access::read);
  return service::status_text(*app, plan);
}

TEST(Text, ASyncNamesWhatLandedWhatWaitsAndWhatToType) {
  REQUIRE_SANDBOX();
  World w(start);
  const auto report = w.sync();
  const auto app = w.open(service::Access::read);  // keeps nobody out
  for (const std::string& text : {service::sync_text(*app, report), status_of(w)}) {
    EXPECT_TRUE(has(text, "tiles: the stuck one")) << text;
    EXPECT_TRUE(has(text, "sluice ledger wont-port " + w.id("C").substr(0, 10))) << text;
    EXPECT_TRUE(has(text, "/conflict")) << text;
  }
  EXPECT_TRUE(has(service::sync_text(*app, report), "tiles: the clean one"));
  EXPECT_EQ(service::sync_text(*app, report).find("autonomy"), std::string::npos) << "it lands already";
  const std::string again = service::sync_text(*app, w.sync());
  EXPECT_TRUE(has(again, "nothing to do")) << again;
  EXPECT_TRUE(has(again, "1 unit waits for a person in all: `sluice status`")) << again;
  EXPECT_TRUE(has(status_of(w), "\nsandbox               A, uid ") || has(status_of(w), "\nsandbox               B, uid ")) << status_of(w);
}

TEST(Text, WhatToTypeSpeaksOfOneUnitTheOneWithAConflict) {
  REQUIRE_SANDBOX();
  World w(R"v(
  repo up
    base40 f                                  ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 FORK"                  ; commit D "fork: own line 20"
  at up
    put red.test "FAIL\n"                     ; commit Red "tiles: the red one"
    line f 20 "line 20 UP"                    ; commit C "tiles: the stuck one"
)v");
  const auto report = w.sync();
  const auto app = w.open(service::Access::read);
  const std::string text = service::sync_text(*app, report);
  EXPECT_TRUE(has(text, "2 units wait for a person since this run")) << text;
  EXPECT_LT(text.find("tiles: the red one"), text.find("tiles: the stuck one")) << "the other one comes first\n" << text;
  EXPECT_TRUE(has(text, "sluice plan --explain " + w.id("C").substr(0, 10))) << text;
}

TEST(Text, ObserveSaysThatTrunkDidNotMoveAndHowToLand) {
  REQUIRE_SANDBOX();
  World w(start, "", "observe");
  const auto report = w.sync();
  const auto app = w.open(service::Access::read);
  const std::string text = service::sync_text(*app, report);
  EXPECT_TRUE(has(text, "(unchanged)")) << text;
  EXPECT_TRUE(has(text, "autonomy = \"land\"")) << text;
  EXPECT_TRUE(has(status_of(w), "autonomy = \"land\""));
  EXPECT_EQ(service::sync_json(*app, report)["trunk"]["after"].as_string(), w.trunk());
}

TEST(Text, ExplainOfADecidedCommitSaysTheDecisionAndNoPick) {
  World w(start);
  w.plan();
  const auto app = w.open();
  ASSERT_TRUE(service::defer(*app, w.id("C"), "", "after the release", "ann").ok());
  const auto remotes = service::known_remotes(*app);
  ASSERT_TRUE(remotes.ok());
  const auto document = service::plan_document(*app, *remotes);
  ASSERT_TRUE(document.ok());
  const auto text = service::explain_text(*app, *document, w.id("C").substr(0, 12));
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_TRUE(has(*text, "disposition deferred")) << *text;
  EXPECT_TRUE(has(*text, "after the release")) << *text;
  EXPECT_FALSE(has(*text, "unknown")) << *text;
}

TEST(Text, ALongListOfCommitsIsCutAndCounted) {
  World w(start);
  w.plan();
  const auto app = w.open();
  const std::string cut = service::commit_lines(*app, std::vector<model::Oid>(20, w.id("A")), "  ", 12);
  EXPECT_TRUE(has(cut, "and 8 more")) << cut;
  EXPECT_FALSE(has(service::commit_lines(*app, std::vector<model::Oid>(13, w.id("A")), "  ", 12), "more"));
}

}  // namespace
}  // namespace sluice::test
