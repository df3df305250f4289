// SPDX-License-Identifier: Apache-2.0
// What landed is taken back, and what is urgent goes ahead: both through the same judgement and the same swap.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n" ; put g "1\n"                 ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n" ; put own "fork only\n"                    ; commit D "fork: own test"
)v";

constexpr const char* two = R"v(
  at up
    line f 5 "line 5 A"      ; commit A "tiles: change line 5 (#12)"
    put h "new\n"            ; commit H "tiles: add h"
)v";

service::RevertRequest request(std::vector<std::string> what) {
  service::RevertRequest out;
  out.what = std::move(what);
  out.reason = "breaks the nightly\nUpstream-Commit: nobody";
  out.owner = "kim";
  out.task = "T1";
  out.who = "lee";
  out.review_at = 4'000'000'000;
  return out;
}

core::Result<service::SyncReport> revert(World& w, const service::RevertRequest& asked) {
  const auto app = w.open();
  return service::revert(*app, asked);
}

core::Result<service::SyncReport> pick(World& w, const std::string& what, bool with = false) {
  const auto app = w.open();
  service::PickRequest asked;
  asked.what = what;
  asked.reason = "a kernel hangs";
  asked.who = "lee";
  asked.with_prerequisites = with;
  return service::pick_now(*app, asked);
}

model::LedgerRow row_of(World& w, const char* name) {
  const auto app = w.open(service::Access::read);
  auto row = app->store.ledger(w.id(name));
  return row.ok() && *row ? **row : model::LedgerRow{};
}

int events_of(World& w, const std::string& type) {
  const auto app = w.open(service::Access::read);
  const auto events = app->store.events(0, 10000);
  return static_cast<int>(std::count_if(events->begin(), events->end(), [&](const auto& e) { return e.type == type; }));
}

TEST(Revert, ReturnsACommitToTheBacklogAndAPickBringsItBack) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + two);
  const auto landed = w.sync();
  ASSERT_EQ(landed.pins_after.contiguous, 2);
  const std::string carried = row_of(w, "A").downstream;
  const auto report = revert(w, request({w.id("A")}));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->outcome(), "complete");
  EXPECT_EQ(w.trunk_file("f").find("line 5 A"), std::string::npos);
  EXPECT_EQ(w.trunk_file("h"), "new") << "the other commit of the bundle stays";
  const model::LedgerRow row = row_of(w, "A");
  EXPECT_EQ(row.disposition, D::backed_out);
  EXPECT_EQ(row.owner, "kim");
  EXPECT_EQ(row.task, "T1");
  EXPECT_EQ(row.review_at, 4'000'000'000);
  EXPECT_EQ(row.by, w.trunk());
  EXPECT_EQ(report->metrics_after.backlog_commits, 1);
  EXPECT_EQ(report->pins_after.frontier, 2) << "the frontier never moves backward";
  EXPECT_EQ(report->pins_after.contiguous, 0);
  EXPECT_EQ(events_of(w, "pins.contiguous_back"), 1) << "a move backward is logged";
  const std::string message = w.history.git("down.git", {"log", "-1", "--format=%an%n%B", "main"});
  EXPECT_TRUE(message.starts_with("sluice\nRevert \"tiles: change line 5 (acme/tiles#12)\"\n\nbreaks the nightly\n> Upstream-Commit: nobody\n\nThis reverts commit " +
                                  carried + ".\n\nSluice-Reverts: " + carried + "\nSluice-Unit: r-")) << message;

  const auto again = w.sync();
  EXPECT_TRUE(again.units.empty()) << "nothing brings it back by itself";
  EXPECT_EQ(row_of(w, "A").owner, "kim") << "reading the revert on trunk takes nothing away from the record";

  const auto picked = pick(w, w.id("A"));
  ASSERT_TRUE(picked.ok()) << picked.error().message;
  EXPECT_EQ(w.disposition("A"), D::picked);
  EXPECT_NE(row_of(w, "A").reason.find("a kernel hangs (lee)"), std::string::npos);
  EXPECT_NE(w.trunk_file("f").find("line 5 A"), std::string::npos);
  EXPECT_EQ(picked->metrics_after.backlog_commits, 0);
  EXPECT_EQ(picked->pins_after.contiguous, 2);

  // The same commits once more: another fold of the same unit.
  const auto twice = revert(w, request({w.id("A")}));
  ASSERT_TRUE(twice.ok()) << twice.error().message;
  EXPECT_EQ(w.disposition("A"), D::backed_out);
}

TEST(Revert, UpstreamsOwnRevertClosesTheBackOutAndTheRelandIsPicked) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + two);
  w.sync();
  ASSERT_TRUE(revert(w, request({w.id("A")})).ok());
  w.more("at up; revert_of R A; line f 5 \"line 5 A\"; commit L \"Reland tiles: change line 5\"");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("R"), D::superseded);
  EXPECT_EQ(w.disposition("A"), D::reverted_upstream);
  EXPECT_EQ(w.disposition("L"), D::picked);
  EXPECT_NE(w.trunk_file("f").find("line 5 A"), std::string::npos);
  EXPECT_EQ(report.metrics_after.backlog_commits, 0);
}

TEST(Revert, NamesWhatBuildsOnItAndTakesThatBackFirst) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 5 "line 5 A"      ; commit A "tiles: change line 5"
      line f 6 "line 6 N"      ; commit N "tiles: builds on line 5"
      put h "new\n"            ; commit H "tiles: add h"
  )v");
  w.sync();
  const std::string trunk = w.trunk();
  const auto refused = revert(w, request({w.id("A")}));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("builds on line 5"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("--with-dependents"), std::string::npos);
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(w.disposition("A"), D::picked);

  auto asked = request({w.id("A")});
  asked.with_dependents = true;
  const auto report = revert(w, asked);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(w.disposition("A"), D::backed_out);
  EXPECT_EQ(w.disposition("N"), D::backed_out);
  EXPECT_EQ(w.disposition("H"), D::picked);
  EXPECT_EQ(w.history.git("down.git", {"log", "-2", "--reverse", "--format=%s", "main"}),
            "Revert \"tiles: builds on line 5\"\nRevert \"tiles: change line 5\"");
}

TEST(Revert, TakesAWholeUnitBackByItsId) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + two);
  w.sync();
  const auto report = revert(w, request({row_of(w, "A").unit}));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(w.disposition("A"), D::backed_out);
  EXPECT_EQ(w.disposition("H"), D::backed_out);
  EXPECT_EQ(w.trunk_file("h"), "<absent>");
  EXPECT_EQ(report->metrics_after.backlog_commits, 2);
  const auto once_more = revert(w, request({w.id("H")}));
  ASSERT_FALSE(once_more.ok());
  EXPECT_NE(once_more.error().message.find("backed_out"), std::string::npos);
}

TEST(Revert, IsRefusedWithTheNameOfTheForkCommitInItsWay) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + two);
  w.sync();
  w.history.run("at down; git pull -q ../down.git main; line f 5 \"line 5 A and the fork\"; commit Own \"fork: builds on line 5\"; push_bare down");
  const auto refused = revert(w, request({w.id("A")}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, core::ErrorKind::conflict);
  EXPECT_NE(refused.error().message.find("fork: builds on line 5"), std::string::npos) << refused.error().message;
  EXPECT_EQ(w.disposition("A"), D::picked);
}

TEST(Revert, ThatAGuardrailStopsWaitsForAPersonAndItsCommitStaysLanded) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put a.cpp "int helper_function(int x) { return x + 1; }\n" ; commit A "tiles: add a helper"
  )v");
  w.sync();
  w.history.run("at down; git pull -q ../down.git main; put own.cpp \"int use(int y) {\\n  return helper_function(y);\\n}\\n\"; commit Own \"fork: use it\"; push_bare down");
  const auto report = revert(w, request({w.id("A")}));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->exit_code(), 4);
  ASSERT_EQ(report->units.size(), 1u);
  const model::Unit parked = report->units.front();
  EXPECT_EQ(parked.state, model::UnitState::parked);
  EXPECT_EQ(parked.rule, "G25");
  EXPECT_EQ(w.disposition("A"), D::picked);
  w.sync();
  EXPECT_EQ((*w.open(service::Access::read)->store.unit(parked.id))->state, model::UnitState::parked) << "it is not forgotten";
  ASSERT_TRUE(service::abandon_revert(*w.open(), parked.id, "lee").ok());
  EXPECT_EQ((*w.open(service::Access::read)->store.unit(parked.id))->state, model::UnitState::dropped);
}

TEST(Revert, ThatWasCutShortIsFinishedByTheNextSyncAheadOfEverything) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + two);
  w.sync();
  w.more("at up; put i \"1\\n\"; commit I \"tiles: add i\"");
  {
    const auto app = w.open();
    std::atomic<bool> cancel{false};
    app->cancel = &cancel;
    app->progress = [&](const std::string& step, std::int64_t, std::int64_t) {
      if (step.starts_with("picking r-")) cancel = true;
    };
    ASSERT_FALSE(service::revert(*app, request({w.id("A")})).ok());
  }
  EXPECT_EQ(w.disposition("A"), D::picked);
  const auto report = w.sync();
  ASSERT_GE(report.units.size(), 2u);
  EXPECT_EQ(report.units.front().kind, model::UnitKind::revert);
  EXPECT_EQ(w.disposition("A"), D::backed_out);
  EXPECT_EQ(row_of(w, "A").owner, "kim") << "what the operator said was stored before";
  EXPECT_EQ(w.disposition("I"), D::picked);
}

TEST(Revert, NeedsAReasonAnOwnerAndADayToLookAgain) {
  World w(start);
  for (const int missing : {0, 1, 2}) {
    auto asked = request({w.id("B")});
    if (missing == 0) asked.reason = " ";
    if (missing == 1) asked.owner.clear();
    if (missing == 2) asked.review_at = 0;
    const auto refused = revert(w, asked);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, core::ErrorKind::invalid);
  }
}

TEST(Pick, AheadOfTheQueueMovesNeitherFrontierNorDaysBehind) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 5 "line 5 P"      ; commit P1 "tiles: one"
      line f 6 "line 6 P"      ; commit P2 "tiles: two, on top of one"
      put h "new\n"            ; commit P3 "tiles: three"
  )v");
  w.plan();
  const auto before = w.look();
  const auto report = pick(w, w.id("P3"));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(w.disposition("P3"), D::picked);
  EXPECT_EQ(w.disposition("P1"), D::pending);
  const auto after = w.look();
  EXPECT_EQ(after.pins.frontier, before.pins.frontier);
  EXPECT_EQ(after.metrics.days_behind, before.metrics.days_behind);
  EXPECT_EQ(after.metrics.not_reached, before.metrics.not_reached - 1);
  EXPECT_EQ(after.metrics.distance, before.metrics.distance);

  const auto twice = pick(w, w.id("P3"));
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.error().message.find(w.trunk()), std::string::npos) << "says where: " << twice.error().message;

  const auto refused = pick(w, w.id("P2"));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("tiles: one"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("--with-prerequisites"), std::string::npos);
  const auto with = pick(w, w.id("P2"), true);
  ASSERT_TRUE(with.ok()) << with.error().message;
  EXPECT_EQ(w.disposition("P1"), D::picked);
  EXPECT_EQ(w.disposition("P2"), D::picked);
  EXPECT_EQ(w.look().pins.frontier, 3);
}

TEST(Pick, OfAParkedCommitLeavesNoCommitInTwoOpenUnits) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put brokenx "BROKEN\n"        ; commit K "tiles: breaks the build"
      append brokenx "BROKEN too\n" ; commit K2 "tiles: builds on it"
  )v");
  w.sync();
  const std::string whole = row_of(w, "K").unit;
  ASSERT_EQ(row_of(w, "K2").unit, whole);
  const auto frontier = w.look().pins.frontier;
  const auto report = pick(w, w.id("K"));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->exit_code(), 4) << "it is parked again, alone";
  EXPECT_EQ(w.look().pins.frontier, frontier);
  std::multiset<std::string> held;
  const auto app = w.open(service::Access::read);
  const auto units = app->store.units();
  ASSERT_TRUE(units.ok());
  for (const model::Unit& unit : *units) {
    if (unit.state != model::UnitState::parked) continue;
    held.insert(unit.commits.begin(), unit.commits.end());
  }
  EXPECT_EQ(held.count(w.id("K")), 1u);
  EXPECT_EQ(held.count(w.id("K2")), 1u);
  EXPECT_EQ((*app->store.unit(whole))->state, model::UnitState::dropped);
}

}  // namespace
}  // namespace sluice::test
