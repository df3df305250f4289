// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <chrono>
#include <cstdio>

#include "test/store/support.h"

namespace sluice::store {
namespace {

const std::string odd_bytes("a/\xff\xfe \0 b", 9);  // a path that is not UTF-8, with NUL

TEST_F(StoreTest, FactsComeBackAsTheyWentIn) {
  model::UpstreamCommit c = commit_of('1', 3);
  c.parents = {oid_of('9'), oid_of('8')};
  c.kind = model::CommitKind::pin;
  c.evil_merge = true;
  c.files[0].path = odd_bytes;
  c.files[0].status = model::ChangeStatus::renamed;
  c.files[0].binary = true;
  c.symbols_defined = {"one"};
  c.symbols_removed = {"two", "three"};
  c.reverts = {{model::RevertLink::Kind::reland, oid_of('5'), "Reland \xff"}, {}};
  {
    Store store = open();
    must(store.put_facts(c));
  }
  Store store = open();
  const auto got = must(store.facts(c.oid));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->oid, c.oid);
  EXPECT_EQ(got->parent, c.parent);
  EXPECT_EQ(got->parents, c.parents);
  EXPECT_EQ(got->tree, c.tree);
  EXPECT_EQ(got->position, 3);
  EXPECT_EQ(got->author, c.author);
  EXPECT_EQ(got->committer, c.committer);
  EXPECT_EQ(got->subject, c.subject);
  EXPECT_EQ(got->message, c.message);
  EXPECT_EQ(got->pr, 42);
  EXPECT_EQ(got->kind, model::CommitKind::pin);
  EXPECT_TRUE(got->evil_merge);
  ASSERT_EQ(got->files.size(), 1u);
  EXPECT_EQ(got->files[0].path, odd_bytes);
  EXPECT_EQ(got->files[0].old_path, "lib/a.cpp");
  EXPECT_EQ(got->files[0].status, model::ChangeStatus::renamed);
  EXPECT_TRUE(got->files[0].binary);
  EXPECT_EQ(got->files[0].old_mode, 0100644u);
  EXPECT_EQ(got->files[0].new_mode, 0100644u);
  EXPECT_EQ(got->files[0].old_blob, oid_of('3'));
  EXPECT_EQ(got->files[0].new_blob, oid_of('4'));
  EXPECT_EQ(got->files[0].removed_sha, c.files[0].removed_sha);
  EXPECT_EQ(got->files[0].added_sha, c.files[0].added_sha);
  ASSERT_EQ(got->files[0].hunks.size(), 2u);
  EXPECT_EQ(got->files[0].hunks[1].old_start, 4000000000u);
  EXPECT_EQ(got->files[0].hunks[1].new_count, 1u);
  EXPECT_EQ(got->symbols_defined, c.symbols_defined);
  EXPECT_EQ(got->symbols_removed, c.symbols_removed);
  EXPECT_EQ(got->symbols_named, c.symbols_named);
  ASSERT_EQ(got->reverts.size(), 2u);
  EXPECT_EQ(got->reverts[0].kind, model::RevertLink::Kind::reland);
  EXPECT_EQ(got->reverts[0].oid, oid_of('5'));
  EXPECT_EQ(got->reverts[0].text, "Reland \xff");
}

TEST_F(StoreTest, FactsAreListedByPosition) {
  Store store = open();
  must(store.put_facts_many({commit_of('1', 2), commit_of('2', 1)}));
  EXPECT_EQ(must(store.fact_oids()), (std::vector<Oid>{oid_of('2'), oid_of('1')}));
  const auto all = must(store.facts_many());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].position, 1);
  EXPECT_EQ(must(store.committer_times()),
            (std::map<Oid, std::int64_t>{{oid_of('1'), 1700000002}, {oid_of('2'), 1700000001}}));
  must(store.clear_facts());
  EXPECT_TRUE(must(store.fact_oids()).empty());
  EXPECT_FALSE(must(store.facts(oid_of('1'))).has_value());
}

TEST_F(StoreTest, ThreeThousandCommitsOfManyHunksComeBack) {
  std::vector<model::UpstreamCommit> commits;
  for (int n = 0; n < 3000; ++n) {
    model::UpstreamCommit c = commit_of('1', n);
    const std::string number = std::to_string(10000 + n);
    c.oid.replace(0, number.size(), number);
    c.files.assign(5, c.files[0]);
    for (model::FileChange& f : c.files) f.hunks.assign(8, {100, 2, 101, 3});
    c.symbols_named.assign(60, "an_identifier_of_a_usual_length");
    commits.push_back(std::move(c));
  }
  Store store = open();
  const auto start = std::chrono::steady_clock::now();
  must(store.put_facts_many(commits));
  const auto written = std::chrono::steady_clock::now();
  const auto all = must(store.facts_many());
  const auto read = std::chrono::steady_clock::now();
  ASSERT_EQ(all.size(), commits.size());
  EXPECT_EQ(all.back().oid, commits.back().oid);
  EXPECT_EQ(all.back().files.size(), 5u);
  const auto ms = [](auto duration) {
    return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
  };
  std::printf("3000 commits: written in %ld ms, read in %ld ms\n", ms(written - start), ms(read - written));
}

TEST_F(StoreTest, LedgerRowsComeBackByPositionWithoutPendingOnes) {
  Store store = open();
  model::LedgerRow full = ledger_row('1', 5);
  full.reason = odd_bytes;
  full.unit = "c-0123456789";
  full.task = "issue 7";
  full.by = oid_of('e');
  must(store.put_ledger(full));
  must(store.put_ledger(ledger_row('2', 4)));
  model::LedgerRow pending = ledger_row('3', 3);
  pending.disposition = model::Disposition::pending;
  must(store.put_ledger(pending));
  const auto rows = must(store.ledger_all());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].upstream, oid_of('2'));
  const model::LedgerRow& got = rows[1];
  EXPECT_EQ(got.upstream, full.upstream);
  EXPECT_EQ(got.position, 5);
  EXPECT_EQ(got.disposition, model::Disposition::picked);
  EXPECT_EQ(got.evidence, full.evidence);
  EXPECT_EQ(got.reason, odd_bytes);
  EXPECT_EQ(got.unit, full.unit);
  EXPECT_EQ(got.task, full.task);
  EXPECT_EQ(got.by, full.by);
  EXPECT_EQ(got.downstream, full.downstream);
  EXPECT_EQ(got.who, full.who);
  EXPECT_EQ(got.at, 1000);
  EXPECT_EQ(must(store.ledger(oid_of('3')))->disposition, model::Disposition::pending);
  EXPECT_FALSE(must(store.ledger(oid_of('4'))).has_value());
}

TEST_F(StoreTest, ALedgerRowIsReplaced) {
  Store store = open();
  must(store.put_ledger(ledger_row('1', 5)));
  model::LedgerRow row = ledger_row('1', 5);
  row.disposition = model::Disposition::backed_out;
  row.at = 2000;
  must(store.put_ledger_many({row}));
  EXPECT_EQ(must(store.ledger(row.upstream))->disposition, model::Disposition::backed_out);
  EXPECT_EQ(must(store.ledger(row.upstream))->at, 2000);
  EXPECT_EQ(must(store.ledger_all()).size(), 1u);
}

TEST_F(StoreTest, UnitsComeBackNewestFirstAndKeepTheirPlaceWhenUpdated) {
  Store store = open();
  model::Unit first = unit_of("b-0000000001", 10);
  must(store.put_unit(first));
  must(store.put_unit(unit_of("c-0000000002", 20)));
  must(store.put_unit(unit_of("c-0000000003", 20)));
  first.kind = model::UnitKind::chain;
  first.state = model::UnitState::parked;
  first.commits = {oid_of('5')};
  first.reason = odd_bytes;
  first.rule = "G26";
  first.base = oid_of('a');
  first.landed = oid_of('b');
  first.validations = 3;
  must(store.put_unit(first));
  const auto units = must(store.units());
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].id, "c-0000000003");
  EXPECT_EQ(units[1].commits, (std::vector<Oid>{oid_of('1'), oid_of('2')}));
  const model::Unit& got = units[2];
  EXPECT_EQ(got.id, first.id);
  EXPECT_EQ(got.kind, model::UnitKind::chain);
  EXPECT_EQ(got.state, model::UnitState::parked);
  EXPECT_EQ(got.commits, first.commits);
  EXPECT_EQ(got.reason, odd_bytes);
  EXPECT_EQ(got.rule, "G26");
  EXPECT_EQ(got.base, first.base);
  EXPECT_EQ(got.landed, first.landed);
  EXPECT_EQ(got.created_at, 10);
  EXPECT_EQ(got.validations, 3);
  EXPECT_FALSE(must(store.unit("b-none")).has_value());
}

TEST_F(StoreTest, TheLastEvidenceOfATreeSuiteAndEnvironmentIsGiven) {
  Store store = open();
  model::Evidence evidence;
  evidence.suite = "lit";
  evidence.kind = "lit";
  evidence.tree = oid_of('1');
  evidence.exit_code = 1;
  evidence.tests = {{"T :: a.mlir", model::TestState::fail, "boom"}};
  must(store.put_evidence("env", evidence));
  evidence.exit_code = 0;
  must(store.put_evidence("env", evidence));
  const auto got = must(store.evidence(oid_of('1'), "lit", "env"));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->exit_code, 0);
  ASSERT_EQ(got->tests.size(), 1u);
  EXPECT_EQ(got->tests[0].state, model::TestState::fail);
  EXPECT_EQ(got->id(), evidence.id());
  EXPECT_FALSE(must(store.evidence(oid_of('1'), "lit", "other")).has_value());
  EXPECT_FALSE(must(store.evidence(oid_of('2'), "lit", "env")).has_value());
  evidence.selected = {"T :: a.mlir"};
  must(store.put_evidence("env again", evidence));
  EXPECT_TRUE(must(store.evidence(oid_of('1'), "lit", "env"))->selected.empty());
  ASSERT_EQ(must(store.all_evidence(oid_of('1'), "lit", "env again")).size(), 1u);
  EXPECT_EQ(must(store.all_evidence(oid_of('1'), "lit", "env again"))[0].selected, evidence.selected);
  const auto all = must(store.all_evidence(oid_of('1'), "lit", "env"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].exit_code, 1) << "oldest first";
}

TEST_F(StoreTest, TheLastVerdictOfAUnitIsTheOnePutLast) {
  Store store = open();
  const core::Json red = core::Json::object({{"verdict", "block"}});
  const core::Json green = core::Json::object({{"verdict", "pass"}});
  must(store.put_verdict("u", "d1", red));
  must(store.put_verdict("u", "d2", green));
  must(store.put_verdict("u", "d1", red));
  must(store.put_verdict("v", "d2", green));
  EXPECT_EQ(must(store.last_verdict("u")), red);
  EXPECT_EQ(must(store.last_verdict("v")), green);
  EXPECT_EQ(must(store.verdict("d2")), green);
  EXPECT_FALSE(must(store.verdict("d3")).has_value());
}

TEST_F(StoreTest, PicksWithAnyBytesComeBackByRecipeAndTree) {
  model::Pick pick;
  pick.upstream = oid_of('1');
  pick.onto = oid_of('2');
  pick.status = model::PickStatus::conflict;
  pick.tree = oid_of('3');
  pick.cause = "limits";
  pick.detail = odd_bytes;
  pick.conflicts = {{odd_bytes, "contents", {{1, 0100644, oid_of('4'), odd_bytes}}, 2}};
  pick.renames_skipped = true;
  pick.dropped = {{"a.pdf", "*.pdf", "missing"}};
  Store store = open();
  model::Pick clean;
  clean.upstream = oid_of('6');
  clean.onto = oid_of('2');
  clean.status = model::PickStatus::clean;
  must(store.put_pick_many("r1", {pick, clean}));
  const auto got = must(store.pick("r1", oid_of('1'), oid_of('2')));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->upstream, pick.upstream);
  EXPECT_EQ(got->onto, pick.onto);
  EXPECT_EQ(got->status, model::PickStatus::conflict);
  EXPECT_EQ(got->tree, pick.tree);
  EXPECT_EQ(got->cause, "limits");
  EXPECT_EQ(got->detail, odd_bytes);
  ASSERT_EQ(got->conflicts.size(), 1u);
  EXPECT_EQ(got->conflicts[0].path, odd_bytes);
  EXPECT_EQ(got->conflicts[0].kind, "contents");
  EXPECT_EQ(got->conflicts[0].regions, 2);
  ASSERT_EQ(got->conflicts[0].stages.size(), 1u);
  EXPECT_EQ(got->conflicts[0].stages[0].path, odd_bytes);
  EXPECT_EQ(got->conflicts[0].stages[0].mode, 0100644u);
  EXPECT_TRUE(got->renames_skipped);
  ASSERT_EQ(got->dropped.size(), 1u);
  EXPECT_EQ(got->dropped[0].why, "missing");
  EXPECT_FALSE(must(store.pick("r2", oid_of('1'), oid_of('2'))).has_value());
  pick.status = model::PickStatus::empty;
  must(store.put_pick("r1", pick));
  EXPECT_EQ(must(store.pick("r1", oid_of('1'), oid_of('2')))->status, model::PickStatus::empty);
  EXPECT_EQ(must(store.pick("r1", oid_of('6'), oid_of('2')))->status, model::PickStatus::clean);
}

TEST_F(StoreTest, RememberedValuesProposalsAndFetchesComeBack) {
  Store store = open();
  must(store.put_remembered({"key", odd_bytes, "A1s", "c-1", 7, "lib/a.cpp", "b\n", odd_bytes, "t\n"}));
  EXPECT_EQ(must(store.remembered("key"))->answer, odd_bytes);
  EXPECT_EQ(must(store.remembered("key"))->path, "lib/a.cpp");
  EXPECT_EQ(must(store.remembered("key"))->ours, odd_bytes);
  EXPECT_EQ(must(store.remembered("key"))->rule, "A1s");
  EXPECT_FALSE(must(store.remembered("other")).has_value());
  must(store.put_value("paused", ""));
  EXPECT_EQ(must(store.value("paused")), "");
  must(store.put_value("paused", odd_bytes));
  EXPECT_EQ(must(store.value("paused")), odd_bytes);
  EXPECT_FALSE(must(store.value("other")).has_value());
  must(store.put_proposal("u", core::Json::object({{"n", 1}})));
  must(store.put_proposal("u", core::Json::object({{"n", 2}})));
  EXPECT_EQ((*must(store.proposal("u")))["n"].as_int(), 2);
  must(store.put_fetch({"upstream", oid_of('1'), 5, 6, "timed out"}));
  EXPECT_EQ(must(store.fetch("upstream"))->at, 5);
  EXPECT_EQ(must(store.fetch("upstream"))->tried_at, 6);
  EXPECT_EQ(must(store.fetch("upstream"))->error, "timed out");
  EXPECT_FALSE(must(store.fetch("fork")).has_value());
}

TEST_F(StoreTest, OnlyTheNewestPlansAreKept) {
  Store store = open();
  for (int n = 0; n < 20; ++n) must(store.put_plan("inputs" + std::to_string(n), "plan" + std::to_string(n)));
  EXPECT_EQ(must(store.plan("inputs19")), "plan19");
  EXPECT_EQ(must(store.plan("inputs4")), "plan4");
  EXPECT_FALSE(must(store.plan("inputs3")).has_value());
}

TEST_F(StoreTest, ATransactionThatIsNotCommittedChangesNothing) {
  Store store = open();
  {
    auto transaction = must(store.begin());
    must(store.put_value("a", "1"));
    EXPECT_EQ(must(store.value("a")), "1");
    {
      auto inner = must(store.begin());
      must(store.put_value("b", "1"));
      must(inner.commit());  // joined: nothing is stored yet
    }
  }
  EXPECT_FALSE(must(store.value("b")).has_value());
  EXPECT_FALSE(must(store.value("a")).has_value());
  auto transaction = must(store.begin());
  must(store.put_value("a", "2"));
  must(transaction.commit());
  EXPECT_FALSE(transaction.commit().ok());
  EXPECT_EQ(must(store.value("a")), "2");
}

TEST_F(StoreTest, AJoinedTransactionThatIsGivenUpDoomsTheOuterOne) {
  Store store = open();
  {
    auto outer = must(store.begin());
    must(store.put_value("a", "1"));
    { auto inner = must(store.begin()); }
    EXPECT_FALSE(outer.commit().ok());
  }
  EXPECT_FALSE(must(store.value("a")).has_value());
}

TEST_F(StoreTest, ATransactionWithAFailedWriteCannotBeCommitted) {
  Store store = open();
  {
    auto transaction = must(store.begin());
    must(store.put_value("a", "1"));
    EXPECT_EQ(store.close_landing(99, "landed").error().kind, ErrorKind::not_found);
    EXPECT_EQ(store.put_value("b", "1").error().kind, ErrorKind::not_found);
    EXPECT_EQ(transaction.commit().error().kind, ErrorKind::not_found);
  }
  EXPECT_FALSE(must(store.value("a")).has_value());
  must(store.put_value("c", "1"));
  EXPECT_EQ(must(store.value("c")), "1");
}

TEST_F(StoreTest, AStoreMovesWhileATransactionIsOpen) {
  Store first = open();
  auto transaction = must(first.begin());
  must(first.put_value("a", "1"));
  Store second = std::move(first);
  must(transaction.commit());
  EXPECT_EQ(must(second.value("a")), "1");
}

}  // namespace
}  // namespace sluice::store
