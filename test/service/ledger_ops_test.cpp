// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

constexpr const char* script = R"v(
  repo up
    base40 f                    ; commit B "tiles: the first version"
  fork up down
    put own "1\n"               ; commit D0 "fork: own"
  at up
    put a "1\n"                 ; commit A "a"
    put b "1\n"                 ; commit Bq "b"
    put c "1\n"                 ; commit C "c"
)v";

TEST(LedgerOps, DeferCountsInTheBacklogAndWontPortDoesNot) {
  World w(script);
  w.plan();
  const auto app = w.open();
  ASSERT_TRUE(service::defer(*app, w.id("A"), "TASK-1", "needs a design", "ann").ok());
  ASSERT_TRUE(service::wont_port(*app, w.id("Bq"), "CI only", "ann").ok());
  const auto plan = w.look();
  EXPECT_EQ(plan.pins.frontier, 2);
  EXPECT_EQ(plan.pins.contiguous, 0);
  EXPECT_EQ(plan.metrics.backlog_commits, 1);
  EXPECT_EQ(plan.ledger.at(w.id("A")).task, "TASK-1");
  EXPECT_EQ(plan.ledger.at(w.id("Bq")).who, "ann");
}

TEST(LedgerOps, AdoptRecordsAPickMadeByHandAndChecksThatTrunkCarriesIt) {
  World w(script);
  w.history.run("at down; pick_by_hand Hand A \"by hand\"; push_bare down; branch side D0; put z \"1\\n\"; commit Side \"not on trunk\"; push_bare down");
  w.plan();
  const auto app = w.open();
  EXPECT_FALSE(service::adopt(*app, w.id("A"), w.id("Side"), "x", "ann").ok());
  const auto done = service::adopt(*app, w.id("A"), w.id("Hand"), "", "ann");
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(w.disposition("A"), D::picked);
}

TEST(LedgerOps, EachVerbWantsAReasonAndAKnownCommit) {
  World w(script);
  w.plan();
  const auto app = w.open();
  const auto silent = service::wont_port(*app, w.id("A"), "", "ann");
  ASSERT_FALSE(silent.ok());
  EXPECT_NE(silent.error().message.find("--reason"), std::string::npos);
  EXPECT_FALSE(service::defer(*app, w.id("D0"), "", "fork's own commit", "ann").ok());
  EXPECT_FALSE(service::defer(*app, std::string(40, '0'), "", "unknown", "ann").ok());
  EXPECT_EQ(w.disposition("A"), D::pending);
}

TEST(LedgerOps, ABackOutHasAnOwnerAndADayAndIsOfferedAgainAsAChain) {  // S3, R6
  World w(script);
  w.history.run("at down; pick_by_hand Hand A; put a \"\"; commit Gone \"a is out\"; push_bare down");
  w.plan();
  ASSERT_EQ(w.disposition("A"), D::picked);
  const auto app = w.open();
  service::BackOut what{{w.id("A")}, w.id("Gone"), "broke the bench", "", "TASK-3", 1'800'000'000};
  EXPECT_FALSE(service::back_out(*app, what, "ann").ok()) << "without an owner";
  what.owner = "kim";
  what.commit = w.id("D0");
  EXPECT_FALSE(service::back_out(*app, what, "ann").ok()) << "older than the pick";
  what.commit = std::string(40, '1');
  const auto unseen = service::back_out(*app, what, "ann");
  ASSERT_FALSE(unseen.ok());
  EXPECT_NE(unseen.error().message.find("`sluice plan` fetches"), std::string::npos) << unseen.error().message;
  what.commit = w.id("Gone");
  what.upstream = {w.id("A"), w.id("Bq")};
  EXPECT_FALSE(service::back_out(*app, what, "ann").ok()) << "trunk never carried the second";
  EXPECT_EQ(w.disposition("A"), D::picked) << "all or none";
  what.upstream = {w.id("A")};
  const auto done = service::back_out(*app, what, "ann");
  ASSERT_TRUE(done.ok()) << done.error().message;
  auto plan = w.look();
  EXPECT_EQ(plan.metrics.backlog_commits, 1);
  const auto row = service::ledger_json(plan, 1'900'000'000)["commits"].items().front();
  EXPECT_EQ(row["owner"].as_string(), "kim");
  EXPECT_EQ(row["review"].as_string(), "2027-01-15T08:00:00Z");
  EXPECT_TRUE(row["overdue"].as_bool());
  EXPECT_FALSE(service::ledger_json(plan, 1'700'000'000)["commits"].items().front()["overdue"].as_bool());
  EXPECT_NE(service::ledger_text(*app, plan).find("owner kim, review on 2027-01-15"), std::string::npos);

  ASSERT_TRUE(service::reopen(*app, w.id("A"), "fixed by the new bench", "ann").ok());
  EXPECT_EQ(w.disposition("A"), D::pending);
  EXPECT_EQ(w.look().metrics.backlog_commits, 0);
  const auto remotes = service::known_remotes(*app);
  const auto again = service::make_plan(*app, *remotes);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->route.commits.front().oid, w.id("A"));
  EXPECT_EQ(again->route.commits.front().route, model::Route::chain);
  EXPECT_NE(again->route.commits.front().reasons.front().find("fixed by the new bench"), std::string::npos);
}

TEST(LedgerOps, ReopenTakesBackADeferralAndAWontPortAndNothingElse) {
  World w(script);
  w.plan();
  const auto app = w.open();
  EXPECT_FALSE(service::reopen(*app, w.id("A"), "x", "ann").ok());
  ASSERT_TRUE(service::wont_port(*app, w.id("A"), "CI only", "ann").ok());
  EXPECT_FALSE(service::reopen(*app, w.id("A"), "", "ann").ok());
  ASSERT_TRUE(service::reopen(*app, w.id("A"), "we do want it", "ann").ok());
  EXPECT_EQ(w.disposition("A"), D::pending);
  const auto remotes = service::known_remotes(*app);
  const auto plan = service::make_plan(*app, *remotes);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->route.commits.front().route, model::Route::bundle);
}

}  // namespace
}  // namespace sluice::test
