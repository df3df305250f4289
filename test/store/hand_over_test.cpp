// SPDX-License-Identifier: Apache-2.0
// Takes, alerts, and what a back-out adds to a ledger row.
#include "test/store/support.h"

namespace sluice::store {
namespace {

class HandOverTest : public StoreTest {};

TEST_F(HandOverTest, ATakeNamesItsOwnerUntilItIsReleased) {
  Store store = open();
  must(store.put_take({"c-1", "ada", oid_of('1'), oid_of('2'), "refs/heads/take/c-1", "/home/ada/c-1", 100}));
  must(store.put_take({"c-1", "ada", oid_of('1'), oid_of('2'), "refs/heads/take/c-1", "/home/ada/c-1", 200}));  // the same take
  const auto take = must(store.take("c-1"));
  ASSERT_TRUE(take.has_value());
  EXPECT_EQ(take->owner, "ada");
  EXPECT_EQ(take->at, 100);
  EXPECT_EQ(must(store.takes()).size(), 1u);
  must(store.remove_take("c-1", "released"));
  EXPECT_FALSE(must(store.take("c-1")).has_value());
  const auto events = must(store.events(0, 10));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, "take.taken");
  EXPECT_EQ(events[1].type, "take.released");
}

TEST_F(HandOverTest, AnAlertRaisedEveryNightIsOneAlert) {
  Store store = open();
  EXPECT_TRUE(must(store.raise_alert({"fetch", "fetch_failing", "no answer", "sluice doctor", 100, 0})));
  EXPECT_FALSE(must(store.raise_alert({"fetch", "fetch_failing", "no answer for 2 days", "sluice doctor", 200, 0})));
  auto open_ones = must(store.alerts(true));
  ASSERT_EQ(open_ones.size(), 1u);
  EXPECT_EQ(open_ones[0].opened_at, 100);
  EXPECT_EQ(open_ones[0].text, "no answer for 2 days");
  EXPECT_TRUE(must(store.close_alert("fetch", 300)));
  EXPECT_FALSE(must(store.close_alert("fetch", 301)));
  EXPECT_TRUE(must(store.alerts(true)).empty());
  EXPECT_TRUE(must(store.raise_alert({"fetch", "fetch_failing", "again", "sluice doctor", 400, 0})));
  EXPECT_EQ(must(store.alerts(false)).size(), 1u);
  EXPECT_EQ(must(store.alerts(true))[0].opened_at, 400);
}

TEST_F(HandOverTest, ALedgerRowKeepsOwnerAndReviewDay) {
  Store store = open();
  model::LedgerRow row;
  row.upstream = oid_of('1');
  row.disposition = model::Disposition::backed_out;
  row.owner = "ada";
  row.review_at = 1767571200;
  must(store.put_ledger(row));
  const auto stored = must(store.ledger(oid_of('1')));
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->owner, "ada");
  EXPECT_EQ(stored->review_at, 1767571200);
  row.review_at += 86400;  // another day is another decision
  must(store.put_ledger(row));
  EXPECT_EQ(must(store.events(0, 10)).size(), 2u);
  row.disposition = model::Disposition::pending;
  must(store.put_ledger(row));
  EXPECT_TRUE(must(store.ledger_all()).empty());
  EXPECT_EQ(must(store.ledger_offered()).size(), 1u);
}

}  // namespace
}  // namespace sluice::store
