// SPDX-License-Identifier: Apache-2.0
// What calls of a model cost, which runs there were, what was sent.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "store/agent.h"
#include "store/migrations.h"
#include "test/store/support.h"

namespace sluice::store {
namespace {

class AgentStoreTest : public StoreTest {
 protected:
  std::unique_ptr<AgentStore> agent() { return must(AgentStore::open(path())); }
  Store store_ = open();
};

std::vector<SpendScope> scopes(std::int64_t run_tokens, std::int64_t night_tokens, std::int64_t night_money = 0) {
  return {{"run", "01A", run_tokens, 0}, {"night", "2026-11-30", night_tokens, night_money}};
}

TranscriptRow run_row(const std::string& run) {
  TranscriptRow row;
  row.run = run;
  row.job = "resolve";
  row.unit = "c-1";
  row.upstream = oid_of('1');
  row.endpoint = "default";
  row.model = "m";
  row.prompt_sha256 = std::string(64, 'a');
  row.started_at = 100;
  return row;
}

TEST_F(AgentStoreTest, ACallIsChargedToEveryScopeAndSettledWithWhatItCost) {
  const auto agent = this->agent();
  const auto id = must(agent->reserve(scopes(0, 0), 1000, 500, 1));
  EXPECT_EQ(must(agent->spent("run", "01A")).tokens, 1000);
  EXPECT_EQ(must(agent->spent("night", "2026-11-30")).money, 500);
  EXPECT_EQ(must(agent->spent("night", "2026-12-01")).tokens, 0);
  must(agent->settle(id, 300, 40));
  EXPECT_EQ(must(agent->spent("run", "01A")).tokens, 300);
  EXPECT_EQ(must(agent->spent("night", "2026-11-30")).money, 40);
  EXPECT_EQ(agent->settle(id, 1, 1).error().kind, ErrorKind::conflict);
  EXPECT_EQ(must(agent->spent("run", "01A")).tokens, 300);
  EXPECT_EQ(agent->settle(id + 1, 1, 1).error().kind, ErrorKind::not_found);
}

TEST_F(AgentStoreTest, ACapHasRoomForExactlyWhatItSays) {
  const auto agent = this->agent();
  must(agent->reserve(scopes(0, 1000), 600, 0, 1));
  must(agent->reserve(scopes(0, 1000), 400, 0, 1));
  const auto denied = agent->reserve(scopes(0, 1000), 1, 0, 1);
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().kind, ErrorKind::denied);
  EXPECT_EQ(denied.error().message,
            "budget:night 2026-11-30 has 1000 of its 1000 tokens spent or reserved, and this call may need 1 more; raise the cap or wait "
            "for the next night");
}

TEST_F(AgentStoreTest, ADenialOfOneScopeChargesNone) {
  const auto agent = this->agent();
  const auto denied = agent->reserve(scopes(0, 0, 10), 5, 11, 1);
  ASSERT_FALSE(denied.ok());
  EXPECT_NE(denied.error().message.find("0.000000 of its 0.000010 in money"), std::string::npos) << denied.error().message;
  EXPECT_EQ(must(agent->spent("run", "01A")).tokens, 0);
}

TEST_F(AgentStoreTest, ACallThatCostsLessThanNothingIsRefused) {
  const auto agent = this->agent();
  EXPECT_EQ(agent->reserve(scopes(0, 0), -1, 0, 1).error().kind, ErrorKind::invalid);
  const auto id = must(agent->reserve(scopes(0, 0), 1, 0, 1));
  EXPECT_EQ(agent->settle(id, 1, std::int64_t{1} << 62).error().kind, ErrorKind::invalid);
  EXPECT_EQ(must(agent->spent("run", "01A")).tokens, 1);
}

TEST_F(AgentStoreTest, ThreadsOfTwoProcessesNeverReserveBeyondACap) {
  constexpr int threads = 4, calls = 20;
  constexpr std::int64_t a_call = 100, cap = 1550;  // room for 15
  const auto one = agent(), other = agent();
  std::atomic<int> granted = 0, denied = 0, failed = 0;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, book = t % 2 == 0 ? one.get() : other.get()] {
      for (int i = 0; i < calls; ++i) {
        const auto id = book->reserve(scopes(0, cap), a_call, 0, 1);
        if (id.ok())
          ++granted;
        else
          ++(id.error().kind == ErrorKind::denied ? denied : failed);
        if (id.ok() && !book->settle(*id, a_call, 0).ok()) ++failed;
      }
    });
  for (auto& thread : running) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(granted, 15);
  EXPECT_EQ(denied, threads * calls - 15);
  EXPECT_EQ(must(one->spent("night", "2026-11-30")).tokens, 1500);
}

TEST_F(AgentStoreTest, WhatAKilledProcessReservedStaysCharged) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto book = AgentStore::open(path());
    if (!book.ok() || !(*book)->reserve(scopes(0, 0), 700, 7, 1).ok()) _exit(3);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto agent = this->agent();
  EXPECT_EQ(must(agent->spent("night", "2026-11-30")).tokens, 700);
  EXPECT_FALSE(agent->reserve(scopes(0, 1000), 301, 0, 2).ok());
  EXPECT_TRUE(agent->reserve(scopes(0, 1000), 300, 0, 2).ok());
}

TEST_F(AgentStoreTest, ARunThatEndsIsChainedIntoTheEventLogOnce) {
  const auto agent = this->agent();
  must(store_.append_event("before", "x", core::Json::object(), 50));
  TranscriptRow row = run_row("01A");
  must(agent->put_transcript(row));
  EXPECT_EQ(must(store_.events(0, 10)).size(), 1u);  // it is running
  row.outcome = "submit";
  row.last_sha256 = std::string(64, 'b');
  row.lines = 12;
  row.ended_at = 160;
  must(agent->put_transcript(row));
  must(agent->put_transcript(row));
  must(store_.append_event("after", "x", core::Json::object(), 170));
  const auto events = must(store_.events(0, 10));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].type, "model.run_ended");
  EXPECT_EQ(events[1].subject, "01A");
  EXPECT_EQ(events[1].at, 160);
  EXPECT_EQ(events[1].body["transcript_sha256"].as_string(), row.last_sha256);
  EXPECT_EQ(must(store_.verify_events()), 3);

  row.last_sha256 = std::string(64, 'c');
  EXPECT_EQ(agent->put_transcript(row).error().kind, ErrorKind::conflict);
  const auto rows = must(agent->transcripts());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].last_sha256, std::string(64, 'b'));
  EXPECT_EQ(rows[0].lines, 12);
}

TEST_F(AgentStoreTest, BothConnectionsAppendToOneChain) {
  const auto agent = this->agent();
  constexpr int each = 25;
  std::thread other([&] {
    for (int i = 0; i < each; ++i) {
      TranscriptRow row = run_row("run" + std::to_string(i));
      row.outcome = "submit";
      EXPECT_TRUE(agent->put_transcript(row).ok());
    }
  });
  for (int i = 0; i < each; ++i) must(store_.append_event("own", std::to_string(i), core::Json::object(), i));
  other.join();
  EXPECT_EQ(must(store_.verify_events()), 2 * each);
}

TEST_F(AgentStoreTest, SentPathsAreCountedByEndpoint) {
  const auto agent = this->agent();
  must(agent->add_sent("big", {"lib/a.cpp", "lib/\xff.cpp"}, 100));
  must(agent->add_sent("big", {"lib/a.cpp"}, 200));
  must(agent->add_sent("local", {"lib/a.cpp"}, 150));
  must(agent->add_sent("local", {}, 160));
  const auto rows = must(agent->sent());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].endpoint, "big");
  EXPECT_EQ(rows[0].path, "lib/a.cpp");
  EXPECT_EQ(rows[0].first_at, 100);
  EXPECT_EQ(rows[0].last_at, 200);
  EXPECT_EQ(rows[0].times, 2);
  EXPECT_EQ(rows[1].path, "lib/\xff.cpp");
  EXPECT_EQ(rows[2].endpoint, "local");
}

using AgentStoreOpenTest = StoreTest;

TEST_F(AgentStoreOpenTest, WithoutAStoreThereIsNothingToOpen) {
  const auto none = AgentStore::open(path());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  EXPECT_FALSE(core::exists(file()));
}

TEST_F(AgentStoreOpenTest, AStoreOfTheVersionBeforeIsRefusedUntilItIsMigratedAndKeepsItsRows) {
  {
    Database db = raw();
    for (std::size_t i = 0; i < 2; ++i) must(db.execute(std::string(migrations()[i].sql)));
    must(db.execute("PRAGMA user_version=2; PRAGMA application_id=1936487779;"));
    must(db.run("INSERT INTO takes VALUES ('c-1', x'61', 'b', 'h', x'72', x'', 5)"));
  }
  EXPECT_EQ(AgentStore::open(path()).error().kind, ErrorKind::invalid);
  Store store = open();
  EXPECT_EQ(must(store.takes()).size(), 1u);
  const auto agent = must(AgentStore::open(path()));
  EXPECT_TRUE(must(agent->transcripts()).empty());
}

}  // namespace
}  // namespace sluice::store
