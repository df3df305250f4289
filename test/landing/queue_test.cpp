// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "guardrails/testing.h"
#include "landing/landing.h"
#include "test/support/history.h"

namespace sluice::landing {
namespace {

constexpr const char* script = R"(
  repo up
    base40 f                  ; commit B "tiles: the first version"
  fork up down
    put own "1\n"             ; commit D0 "fork: own"
    put more "1\n"            ; commit D1 "fork: more"
  at up
    put a "1\n"               ; commit A "a"
  at down
    push_bare down
)";

struct Fixture {
  test_support::History h{script};
  core::FakeClock clock{1'800'000'000};
  model::Config config;
  store::Store store;
  git::Repo repo;
  model::Proposal proposal;

  Fixture() : store(*store::Store::open(h.root() + "/store")), repo(*git::Repo::open(h.root() + "/store/repo.git")) {
    config.fork = {h.path("down.git"), "main"};
    config.upstream = {h.path("up"), "main"};
    EXPECT_TRUE(repo.fetch(config.fork.url, "main", "refs/sluice/fork", {}, nullptr).ok());
    EXPECT_TRUE(repo.fetch(config.upstream.url, "main", "refs/sluice/upstream", {}, nullptr).ok());
    model::Unit unit;
    unit.id = "b-0123456789";
    EXPECT_TRUE(store.put_unit(unit).ok());
    propose();
  }

  // A picked onto D1, as one written commit.
  void propose() {
    auto picker = git::Picker::open(repo, {});
    proposal = {};
    proposal.unit = "b-0123456789";
    proposal.base = h.id("D1");
    proposal.base_tree = h.tree("D1");
    proposal.branch = "refs/heads/main";
    model::ProposalMember member;
    member.onto = proposal.base_tree;
    member.upstream.oid = h.id("A");
    member.pick = picker->pick(h.id("A"), member.onto);
    member.tree = member.pick.tree;
    git::CommitSpec spec;
    spec.tree = member.tree;
    spec.parents = {proposal.base};
    spec.author = spec.committer = {"t", "t@example.com", 1'800'000'000, 0};
    spec.message = "a\n";
    member.commit = *repo.write_commit(spec);
    proposal.tree = member.tree;
    proposal.members.push_back(member);
  }
  model::Clearance clearance() { return guardrails::clearance_for_test(proposal, "digest"); }
  std::string trunk() { return h.git("down.git", {"rev-parse", "main"}); }
  Queue queue() { return Queue(repo, store, config, clock); }
};

using Kind = LandOutcome::Kind;

TEST(Queue, LandsTheClearedCommitAndKeepsItsJournalOpenForTheCaller) {
  Fixture f;
  const auto outcome = f.queue().land(f.proposal, f.clearance());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->kind, Kind::landed) << outcome->detail;
  EXPECT_EQ(f.trunk(), f.proposal.members.back().commit);
  // Killed now, before the caller has stored what landed: a restart still learns of it.
  const auto recovered = f.queue().recover();
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  ASSERT_EQ(recovered->size(), 1u);
  EXPECT_TRUE(recovered->front().landed);
}

TEST(Queue, RefusesAClearanceForAnotherTreeOrBase) {
  Fixture f;
  const auto clearance = f.clearance();
  model::Proposal other = f.proposal;
  other.tree = f.h.tree("D1");
  other.members.back().tree = other.tree;
  const auto tree = f.queue().land(other, clearance);
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(tree.error().kind, ErrorKind::denied);
  other = f.proposal;
  other.base = f.h.id("D0");
  EXPECT_FALSE(f.queue().land(other, clearance).ok());
  EXPECT_EQ(f.trunk(), f.h.id("D1"));
}

TEST(Queue, RefusesACommitThatDoesNotHoldTheJudgedTree) {
  Fixture f;
  const auto clearance = f.clearance();
  git::CommitSpec spec;
  spec.tree = f.h.tree("D1");
  spec.parents = {f.proposal.base};
  spec.author = spec.committer = {"t", "t@example.com", 1, 0};
  spec.message = "another\n";
  f.proposal.members.back().commit = *f.repo.write_commit(spec);
  const auto outcome = f.queue().land(f.proposal, clearance);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(f.trunk(), f.h.id("D1"));
}

TEST(Queue, AMovedTrunkIsReportedAndKept) {
  Fixture f;
  f.h.run("at down; put col \"1\\n\"; commit Col \"fork: a colleague\"; push_bare down");
  const auto outcome = f.queue().land(f.proposal, f.clearance());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->kind, Kind::moved);
  EXPECT_EQ(outcome->tip, f.h.id("Col"));
  EXPECT_EQ(f.trunk(), f.h.id("Col"));
}

TEST(Queue, ARewoundTrunkIsNotGivenBackWhatSomebodyDropped) {
  Fixture f;
  f.h.run("at down; rewind 1; push_bare down");
  const auto outcome = f.queue().land(f.proposal, f.clearance());
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->kind, Kind::rewound);
  EXPECT_EQ(f.trunk(), f.h.id("D0"));
}

TEST(Queue, NothingLandsWhileTheStopBranchExists) {
  Fixture f;
  f.h.git("down.git", {"branch", "sluice-stop", "main"});
  const auto stopped = f.queue().land(f.proposal, f.clearance());
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_EQ(stopped->kind, Kind::stopped);
  EXPECT_EQ(f.trunk(), f.h.id("D1"));
  f.h.git("down.git", {"branch", "-D", "sluice-stop"});
  EXPECT_EQ(f.queue().land(f.proposal, f.clearance())->kind, Kind::landed);
}

TEST(Queue, AfterACrashTheRefDecidesWhetherItLanded) {
  Fixture f;
  store::LandingRow row;
  row.unit = f.proposal.unit;
  row.ref = "refs/heads/main";
  row.base = f.proposal.base;
  row.commit = f.proposal.members.back().commit;
  row.tree = f.proposal.tree;
  row.state = "intent";
  row.at = 1;
  // Killed before the swap: the ref is at the base.
  ASSERT_TRUE(f.store.put_intent(row).ok());
  auto recovered = f.queue().recover();
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  ASSERT_EQ(recovered->size(), 1u);
  EXPECT_FALSE(recovered->front().landed);
  ASSERT_TRUE(f.store.close_landing(recovered->front().row.id, "abandoned").ok());
  // Killed after it: the ref is at the commit, the journal is still open.
  ASSERT_TRUE(f.store.put_intent(row).ok());
  ASSERT_EQ(f.repo.push(f.config.fork.url, row.commit, row.ref, row.base)->kind, git::PushOutcome::Kind::landed);
  recovered = f.queue().recover();
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  ASSERT_EQ(recovered->size(), 1u);
  EXPECT_TRUE(recovered->front().landed);
  ASSERT_TRUE(f.store.close_landing(recovered->front().row.id, "landed").ok());
  EXPECT_TRUE(f.queue().recover()->empty()) << "once";
}

}  // namespace
}  // namespace sluice::landing
