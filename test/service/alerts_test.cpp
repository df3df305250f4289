// SPDX-License-Identifier: Apache-2.0
// What somebody should look at is open as long as its condition holds, once, and named with a command.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/clock.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n"      ; commit B "tiles: the first version"
  fork up down
    put own "fork only\n"                ; commit D0 "fork: own file"
  at up
    put a "1\n"                          ; commit A "a"
)v";

constexpr std::int64_t day = 86400;

class Alerts : public testing::Test {
 protected:
  Alerts() { at(0); }
  ~Alerts() override { ::unsetenv("SLUICE_NOW"); }
  // Seconds after a fixed morning, for every App that is opened from now on.
  void at(std::int64_t seconds) {
    now_ = 1772352000 + seconds;  // 2026-03-01 08:00 UTC
    ::setenv("SLUICE_NOW", std::to_string(now_).c_str(), 1);
  }
  std::vector<std::string> end_run(const service::RunFacts& words = {}) {
    const auto app = world.open();
    auto news = service::refresh_alerts(*app, words);
    EXPECT_TRUE(news.ok()) << news.error().message;
    return std::move(*news);
  }
  std::vector<store::AlertRow> open() {
    const auto app = world.open(service::Access::read);
    auto alerts = service::open_alerts(*app);
    EXPECT_TRUE(alerts.ok()) << alerts.error().message;
    text = service::alerts_text(*app, *alerts);
    json = service::alerts_json(*app, *alerts);
    std::erase_if(*alerts, [](const auto& a) { return a.kind == "sandbox" || a.kind == "disk_low"; });  // of this machine
    return std::move(*alerts);
  }
  std::string kinds() {
    std::string out;
    for (const auto& alert : open()) out += (out.empty() ? "" : " ") + alert.kind;
    return out;
  }
  void fetch() {
    const auto app = world.open();
    const auto remotes = service::fetch_remotes(*app);
    ASSERT_TRUE(remotes.ok()) << remotes.error().message;
    const auto plan = service::look(*app, *remotes);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
  }
  World world{start};
  std::int64_t now_ = 0;
  std::string text;
  core::Json json;
};

TEST_F(Alerts, AStoreInOrderHasNone) {
  fetch();
  end_run();
  EXPECT_EQ(kinds(), "");
}

TEST_F(Alerts, AFailingFetchIsOneAlertUntilItSucceedsAndAnotherOneAfterThreeDays) {
  fetch();
  end_run();
  std::filesystem::rename(world.history.root() + "/up.git", world.history.root() + "/gone.git");
  at(3600);
  fetch();  // goes on with the last known tip
  end_run({true, "", ""});
  EXPECT_EQ(kinds(), "fetch_failing");
  at(3 * day + 60);
  EXPECT_EQ(kinds(), "fetch_stale no_run") << "no run has ended well, either";
  EXPECT_NE(text.find("first: sluice doctor"), std::string::npos) << text;
  std::filesystem::rename(world.history.root() + "/gone.git", world.history.root() + "/up.git");
  fetch();
  end_run();
  EXPECT_EQ(kinds(), "");
}

TEST_F(Alerts, ARunThatDidNotEndIsOneWhenNobodyIsAtWork) {
  const auto app = world.open();
  ASSERT_TRUE(app->store.start_run("sync", now_).ok());
  EXPECT_EQ(kinds(), "") << "the process that holds the lock is at work";
  app->lock.reset();
  EXPECT_EQ(kinds(), "run_interrupted");
}

TEST_F(Alerts, NoCompleteRunForMoreThanADayIsOne) {
  end_run();
  at(25 * 3600);
  EXPECT_EQ(kinds(), "");
  at(27 * 3600);
  end_run({true, "", ""});
  EXPECT_EQ(kinds(), "no_run") << "a run that failed is not a complete one";
  end_run();
  EXPECT_EQ(kinds(), "");
}

TEST_F(Alerts, ATakeIsStaleAfterThreeDays) {
  fetch();
  {
    const auto app = world.open();
    model::Unit unit;
    unit.id = "c-0123456789";
    unit.kind = model::UnitKind::chain;
    unit.state = model::UnitState::taken;
    unit.commits = {world.id("A")};
    unit.created_at = now_;
    ASSERT_TRUE(app->store.put_unit(unit).ok());
    store::TakeRow take;
    take.unit = unit.id;
    take.owner = "kim";
    take.base = take.head = world.id("D0");
    take.branch = "refs/heads/sluice-take-c-0123456789";
    take.at = now_;
    ASSERT_TRUE(app->store.put_take(take).ok());
  }
  end_run();
  EXPECT_EQ(kinds(), "");
  at(3 * day + 3600);
  const auto news = end_run();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_NE(news.front().find("kim took c-0123456789"), std::string::npos) << news.front();
  EXPECT_TRUE(end_run().empty()) << "a notice of one run alone";
  fetch();
  EXPECT_EQ(kinds(), "take_stale");
}

TEST_F(Alerts, AReviewDayThatHasComeIsOneUntilTheDecisionIsMade) {
  fetch();
  const auto decide = [&](model::Disposition disposition) {
    const auto app = world.open();
    model::LedgerRow row;
    row.upstream = world.id("A");
    row.position = 1;
    row.disposition = disposition;
    row.reason = "breaks the tuner";
    row.owner = "kim";
    row.review_at = 1772352000 + day;
    row.at = now_;
    ASSERT_TRUE(app->store.put_ledger(row).ok());
  };
  decide(model::Disposition::backed_out);
  EXPECT_TRUE(end_run().empty());
  at(day);
  EXPECT_EQ(end_run().size(), 1u);
  ASSERT_EQ(kinds(), "review_due");
  EXPECT_NE(text.find("owner: kim"), std::string::npos) << text;
  decide(model::Disposition::wont_port);
  end_run();
  EXPECT_EQ(kinds(), "");
}

TEST_F(Alerts, WhatARunSaidOfThePushAndOfTrunkStaysOpenUntilARunSaysNothingOfIt) {
  EXPECT_TRUE(end_run({true, "the fork refused the push of b-1: protected branch", "trunk abc is red itself: unit (1 of 3 failed)"}).empty())
      << "the run itself has said it";
  EXPECT_EQ(kinds(), "push_refused trunk_red");
  end_run();
  EXPECT_EQ(kinds(), "");
}

TEST_F(Alerts, AUnitThatIsValidatedAgainAndAgainCrossesItsBound) {
  fetch();
  const auto validate = [&](int times) {
    const auto app = world.open();
    model::Unit unit;
    unit.id = "b-0123456789";
    unit.kind = model::UnitKind::bundle;
    unit.commits = {world.id("A")};
    unit.created_at = now_;
    for (int k = 0; k < times; ++k) {
      unit.state = model::UnitState::routed;
      ASSERT_TRUE(app->store.put_unit(unit).ok());
      unit.state = model::UnitState::validating;
      ASSERT_TRUE(app->store.put_unit(unit).ok());
    }
  };
  validate(static_cast<int>(service::alert_validations));
  EXPECT_TRUE(end_run().empty());
  validate(1);
  ASSERT_EQ(end_run().size(), 1u);
  EXPECT_EQ(kinds(), "validations");
}

TEST_F(Alerts, AStopAndALongPauseAreToldWithTheirAge) {
  {
    const auto app = world.open();
    ASSERT_TRUE(service::stop_line(*app, "TRUNK_REWOUND: main was at 1 and is now at 2").ok());
  }
  end_run();
  at(2 * 3600);
  ASSERT_EQ(kinds(), "trunk_rewound");
  EXPECT_EQ(json.items().front()["age_s"].as_int(), 7200);
  EXPECT_NE(text.find("(2 h)"), std::string::npos) << text;
}

TEST_F(Alerts, TheDiskIsNearlyFullBelowOneGibibyteOrFivePercent) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(service::disk_words(10 * gib, 100 * gib), "");
  EXPECT_NE(service::disk_words(4 * gib, 100 * gib), "");
  EXPECT_NE(service::disk_words(gib / 2, 2 * gib), "");
  EXPECT_EQ(service::disk_words(2 * gib, 3 * gib), "");
}

TEST_F(Alerts, StatusShowsThemFirst) {
  fetch();
  end_run({true, "the fork refused the push of b-1: protected branch", ""});
  const auto app = world.open(service::Access::read);
  const auto plan = world.look();
  EXPECT_TRUE(service::status_text(*app, plan).find("push_refused") < service::status_text(*app, plan).find("Days Behind"));
  const core::Json status = service::status_json(*app, plan);
  const auto& alerts = status["alerts"].items();
  EXPECT_TRUE(std::any_of(alerts.begin(), alerts.end(), [](const auto& a) { return a["kind"].as_string() == "push_refused"; }));
}

TEST_F(Alerts, ANewOneMakesASyncExitWithFourOnce) {
  REQUIRE_SANDBOX();
  world.sync();
  {
    const auto app = world.open();
    auto row = app->store.ledger(world.id("A"));
    ASSERT_TRUE(row.ok() && *row);
    (*row)->disposition = model::Disposition::backed_out;
    (*row)->review_at = now_ - 1;
    ASSERT_TRUE(app->store.put_ledger(**row).ok());
  }
  EXPECT_EQ(world.sync().exit_code(), 4);
  EXPECT_EQ(world.sync().exit_code(), 0);
}

}  // namespace
}  // namespace sluice::test
