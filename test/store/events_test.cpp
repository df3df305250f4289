// SPDX-License-Identifier: Apache-2.0
#include "core/hash.h"
#include "store/store.h"
#include "test/store/support.h"

namespace sluice::store {
namespace {

std::vector<std::string> types(Store& store) {
  std::vector<std::string> out;
  for (const Event& e : must(store.events(0, 1000))) out.push_back(e.type);
  return out;
}

void write_everything(Store& store) {
  must(store.put_ledger(ledger_row('1', 1)));
  must(store.put_unit(unit_of("b-1", 10)));
  const std::int64_t landing = must(store.put_intent(
      {0, "b-1", "refs/heads/main", oid_of('1'), oid_of('2'), oid_of('3'), "intent", "d", 50}));
  must(store.put_facts(commit_of('1', 1)));
  must(store.put_value("k", "v"));
  must(store.put_verdict("b-1", "d", core::Json::object()));
  model::Evidence evidence;
  evidence.suite = "lit";
  evidence.tree = oid_of('3');
  must(store.put_evidence("env", evidence));
  (void)landing;
}

TEST_F(StoreTest, EveryChangeOfARowIsAnEventInItsTransaction) {
  Store store = open();
  store.set_now(777);
  must(store.put_ledger(ledger_row('1', 1)));
  model::Unit unit = unit_of("b-1", 10);
  must(store.put_unit(unit));
  unit.state = model::UnitState::landed;
  must(store.put_unit(unit));
  const std::int64_t id = must(store.put_intent(
      {0, "b-1", "refs/heads/main", oid_of('1'), oid_of('2'), oid_of('3'), "intent", "d", 50}));
  must(store.close_landing(id, "landed"));
  must(store.end_run(must(store.start_run("sync", 60)), "complete", "fine", 70));
  must(store.append_event("person.paused", "fork", core::Json::object({{"who", "kim"}}), 80));
  EXPECT_EQ(types(store),
            (std::vector<std::string>{"ledger.picked", "unit.routed", "unit.landed", "landing.intent",
                                      "landing.landed", "run.complete", "person.paused"}));
  const auto events = must(store.events(0, 100));
  EXPECT_EQ(events[0].at, 1000);
  EXPECT_EQ(events[0].subject, oid_of('1'));
  EXPECT_EQ(events[0].body["reason"].as_string(), "carried by the fork");
  EXPECT_EQ(events[1].at, 777);
  EXPECT_EQ(events[1].body["commits"].items().size(), 2u);
  EXPECT_EQ(events[2].subject, "b-1");
  EXPECT_EQ(events[4].body["commit"].as_string(), oid_of('2'));
  EXPECT_EQ(events[5].at, 70);
  EXPECT_EQ(events[6].body["who"].as_string(), "kim");
  EXPECT_EQ(must(store.verify_events()), 7);
}

TEST_F(StoreTest, TheHashOfAnEventCanBeComputedFromTheDocumentedFormula) {
  Store store = open();
  must(store.append_event("t", "sub", core::Json::object({{"n", 1}}), 5));
  must(store.append_event("t", "", core::Json::object(), 12));
  const auto events = must(store.events(0, 2));
  EXPECT_EQ(events[0].hash, core::sha256_hex("0:1:11:51:t3:sub7:{\"n\":1}"));
  EXPECT_EQ(events[1].hash, core::sha256_hex("64:" + events[0].hash + "1:22:121:t0:2:{}"));
}

TEST_F(StoreTest, EventsArePagedBySequence) {
  Store store = open();
  for (int n = 0; n < 5; ++n) must(store.append_event("t", std::to_string(n), core::Json::object(), n));
  const auto page = must(store.events(2, 2));
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].seq, 3);
  EXPECT_EQ(page[1].subject, "3");
}

TEST_F(StoreTest, PuttingTheSameAgainChangesNoTable) {
  Store store = open();
  write_everything(store);
  const auto dump = [&] {
    std::string out;
    Database db = raw();
    for (const char* table : {"events", "ledger", "units", "unit_commits", "landings", "commits",
                              "key_values", "verdicts", "evidence"})
      out += std::to_string(must(db.integer(std::string("SELECT count(*) FROM ") + table))) + " ";
    return out;
  };
  const std::string before = dump();
  write_everything(store);
  EXPECT_EQ(dump(), before);
  EXPECT_EQ(before, "3 1 1 2 1 1 1 1 1 ");
}

TEST_F(StoreTest, TheSameDecisionMadeLaterKeepsItsFirstTime) {
  Store store = open();
  must(store.put_ledger(ledger_row('1', 1)));
  model::LedgerRow again = ledger_row('1', 1);
  again.at = 9999;
  must(store.put_ledger(again));
  EXPECT_EQ(must(store.ledger(oid_of('1')))->at, 1000);
  EXPECT_EQ(types(store).size(), 1u);
}

TEST_F(StoreTest, ARolledBackTransactionLeavesNoEvent) {
  Store store = open();
  {
    auto transaction = must(store.begin());
    must(store.put_ledger(ledger_row('1', 1)));
  }
  EXPECT_TRUE(types(store).empty());
  EXPECT_EQ(must(store.verify_events()), 0);
}

TEST_F(StoreTest, TheDatabaseItselfRefusesToChangeAnEvent) {
  Store store = open();
  must(store.append_event("t", "s", core::Json::object(), 1));
  Database db = raw();
  for (const char* sql : {"UPDATE events SET at = 2", "DELETE FROM events",
                          "INSERT OR REPLACE INTO events VALUES (1, 2, 't', x'', x'', '')"}) {
    const auto done = db.execute(sql);
    ASSERT_FALSE(done.ok()) << sql;
    EXPECT_NE(done.error().message.find("append-only"), std::string::npos) << done.error().message;
  }
}

// Each tampering is done by somebody who can write the file and knows about the triggers.
TEST_F(StoreTest, ATamperedLogIsFoundAndTheRowNamed) {
  const struct {
    const char* name;
    const char* sql;
    const char* want;
  } cases[] = {
      {"changed time", "UPDATE events SET at = 99 WHERE seq = 2", "event 2"},
      {"changed type", "UPDATE events SET type = 'x' WHERE seq = 2", "event 2"},
      {"changed subject", "UPDATE events SET subject = x'41' WHERE seq = 3", "event 3"},
      {"changed body", "UPDATE events SET body = x'7b7d20' WHERE seq = 1", "event 1"},
      {"changed hash", "UPDATE events SET hash = 'x' WHERE seq = 4", "event 4"},
      {"row removed", "DELETE FROM events WHERE seq = 2", "event 2"},
      {"first removed", "DELETE FROM events WHERE seq = 1", "event 1"},
      {"end cut off", "DELETE FROM events WHERE seq > 3", "end with event 5"},
      {"everything removed", "DELETE FROM events", "end with event 5"},
  };
  for (const auto& c : cases) {
    const core::TempDir dir = must(core::TempDir::create("sluice-tamper"));
    {
      Store store = must(Store::open(dir.path()));
      for (int n = 1; n <= 5; ++n) must(store.append_event("t", "s", core::Json::object({{"n", n}}), n));
      ASSERT_EQ(must(store.verify_events()), 5);
    }
    {
      Database db = must(Database::open(core::join_path(dir.path(), "sluice.db")));
      must(db.execute("DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete"));
      must(db.execute(c.sql));
    }
    Store store = must(Store::open(dir.path()));
    const auto verified = store.verify_events();
    ASSERT_FALSE(verified.ok()) << c.name;
    EXPECT_EQ(verified.error().kind, ErrorKind::invalid) << c.name;
    EXPECT_NE(verified.error().message.find(c.want), std::string::npos)
        << c.name << ": " << verified.error().message;
  }
}

}  // namespace
}  // namespace sluice::store
