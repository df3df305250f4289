// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"
#include "test/store/support.h"

namespace sluice::store {
namespace {

LandingRow intent() {
  return {0, "b-1", "refs/heads/main", oid_of('1'), oid_of('2'), oid_of('3'), "intent", "digest", 50};
}

TEST_F(StoreTest, ALandingIsOpenUntilItIsClosed) {
  Store store = open();
  const std::int64_t first = must(store.put_intent(intent()));
  LandingRow other = intent();
  other.unit = "b-2";
  const std::int64_t second = must(store.put_intent(other));
  ASSERT_NE(first, second);
  must(store.close_landing(first, "landed"));
  const auto still_open = must(store.open_landings());
  ASSERT_EQ(still_open.size(), 1u);
  EXPECT_EQ(still_open[0].id, second);
  const auto all = must(store.landings());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, second);
  EXPECT_EQ(all[1].state, "landed");
  EXPECT_EQ(all[1].ref, "refs/heads/main");
  EXPECT_EQ(all[1].base, oid_of('1'));
  EXPECT_EQ(all[1].commit, oid_of('2'));
  EXPECT_EQ(all[1].tree, oid_of('3'));
  EXPECT_EQ(all[1].verdict_digest, "digest");
  EXPECT_EQ(all[1].at, 50);
}

TEST_F(StoreTest, AnEqualIntentThatIsOpenIsNotWrittenTwice) {
  Store store = open();
  const std::int64_t first = must(store.put_intent(intent()));
  EXPECT_EQ(must(store.put_intent(intent())), first);
  must(store.close_landing(first, "abandoned"));
  EXPECT_NE(must(store.put_intent(intent())), first);
}

TEST_F(StoreTest, AClosedLandingStaysAsItIs) {
  Store store = open();
  const std::int64_t id = must(store.put_intent(intent()));
  must(store.close_landing(id, "landed"));
  must(store.close_landing(id, "landed"));
  EXPECT_EQ(store.close_landing(id, "abandoned").error().kind, ErrorKind::conflict);
  EXPECT_EQ(store.close_landing(id, "done").error().kind, ErrorKind::invalid);
  EXPECT_EQ(store.close_landing(id + 1, "landed").error().kind, ErrorKind::not_found);
  EXPECT_EQ(must(store.landings())[0].state, "landed");
}

TEST_F(StoreTest, TheLastRunOfACommandIsGiven) {
  Store store = open();
  EXPECT_FALSE(must(store.last_run("")).has_value());
  const std::int64_t sync = must(store.start_run("sync", 10));
  const std::int64_t plan = must(store.start_run("plan", 11));
  must(store.end_run(sync, "needs_person", "2 units", 20));
  const auto last = must(store.last_run("sync"));
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->id, sync);
  EXPECT_EQ(last->started, 10);
  EXPECT_EQ(last->ended, 20);
  EXPECT_EQ(last->outcome, "needs_person");
  EXPECT_EQ(last->detail, "2 units");
  EXPECT_EQ(must(store.last_run(""))->id, plan);
  EXPECT_EQ(must(store.last_run("plan"))->outcome, "");
}

TEST_F(StoreTest, ARunEndsOnce) {
  Store store = open();
  const std::int64_t id = must(store.start_run("sync", 10));
  EXPECT_EQ(store.end_run(id, "fine", "", 20).error().kind, ErrorKind::invalid);
  EXPECT_EQ(store.end_run(id + 1, "complete", "", 20).error().kind, ErrorKind::not_found);
  must(store.end_run(id, "complete", "", 20));
  must(store.end_run(id, "complete", "", 30));
  EXPECT_EQ(must(store.last_run("sync"))->ended, 20);
  EXPECT_EQ(store.end_run(id, "stopped", "", 30).error().kind, ErrorKind::conflict);
}

}  // namespace
}  // namespace sluice::store
