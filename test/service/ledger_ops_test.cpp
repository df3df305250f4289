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

}  // namespace
}  // namespace sluice::test
