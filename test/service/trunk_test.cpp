// SPDX-License-Identifier: Apache-2.0
// Trunk moves, or is rewound, between judgement and push. The colleague with the perfect timing is the
// progress callback: it changes the fork at the moment in which the candidate's last suite starts.
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/process.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n"                                ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n"                                            ; commit D0 "fork: own test"
    put own "fork only\n"                                          ; commit D1 "fork: own file"
  at up
    put a "1\n"                                                    ; commit A "a"
    put b "1\n"                                                    ; commit Bq "b"
)v";

// Runs `script` once, at the moment in which sluice starts to validate the candidate.
struct AtValidation {
  World& w;
  std::string script;
  bool done = false;
  void operator()(const std::string& step) {
    if (done || step.find("commits): unit") == std::string::npos) return;
    done = true;
    w.history.run(script);
  }
};

core::Result<service::SyncReport> sync_with(World& w, AtValidation& hook) {
  const auto app = w.open();
  app->progress = [&](const std::string& step, std::int64_t, std::int64_t) { hook(step); };
  return service::sync(*app, {});
}

TEST(Trunk, MovedBetweenJudgementAndPushIsPickedAndJudgedAgain) {
  REQUIRE_SANDBOX();
  World w(start);
  AtValidation hook{w, "at down; put colleague \"1\\n\"; commit Col \"fork: a colleague was faster\"; push_bare down"};
  const auto report = sync_with(w, hook);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_TRUE(hook.done);
  EXPECT_EQ(report->rounds, 2);
  EXPECT_EQ(w.disposition("A"), D::picked);
  EXPECT_EQ(w.trunk_file("colleague"), "1") << "the colleague's commit is still there";
  EXPECT_EQ(w.trunk_file("a"), "1");
  EXPECT_EQ(w.history.git("down.git", {"merge-base", "--is-ancestor", w.id("Col"), "main"}), "");
}

TEST(Trunk, APersonsOwnPickOfAPendingCommitIsRecognisedOnTheWay) {
  REQUIRE_SANDBOX();
  World w(start);
  AtValidation hook{w, "at down; pick_by_hand Hand A \"A, picked by hand\"; push_bare down"};
  const auto report = sync_with(w, hook);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(w.disposition("A"), D::picked) << "known by its tree";
  EXPECT_EQ(w.disposition("Bq"), D::picked);
}

TEST(Trunk, RewoundBetweenJudgementAndPushIsRefusedWithOneNoticeAndTheDroppedCommitDoesNotReturn) {
  REQUIRE_SANDBOX();
  World w(start);
  AtValidation hook{w, "at down; rewind 1; push_bare down"};
  const auto report = sync_with(w, hook);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const std::string trunk = w.trunk();
  EXPECT_EQ(trunk, w.id("D0"));
  EXPECT_EQ(w.trunk_file("own"), "<absent>");
  EXPECT_EQ(w.disposition("A"), D::pending);

  const auto again = w.sync();
  EXPECT_EQ(w.trunk(), trunk) << "nothing lands while the line is stopped";
  const auto once_more = w.sync();
  EXPECT_EQ(w.trunk(), trunk);
  int notices = 0;
  const auto app = w.open(service::Access::read);
  const auto events = app->store.events(0, 10000);
  ASSERT_TRUE(events.ok());
  for (const auto& event : *events) notices += event.type == "line.stopped";
  EXPECT_EQ(notices, 1);
}

TEST(Trunk, AnOperatorContinuesOnTheRewoundTrunkAndTheDroppedPickIsBackedOut) {
  REQUIRE_SANDBOX();
  World w(start);
  w.sync();
  EXPECT_EQ(w.disposition("Bq"), D::picked);
  // Somebody drops sluice's last commit from trunk.
  w.history.git("down.git", {"update-ref", "refs/heads/main", "main~1"});
  const std::string trunk = w.trunk();
  const auto stopped = w.sync();
  EXPECT_NE(stopped.exit_code(), 0);
  const std::string text = service::sync_text(*w.open(service::Access::read), stopped);
  EXPECT_EQ(text.find("nothing to do"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing was done"), std::string::npos) << text;
  EXPECT_EQ(w.trunk(), trunk);
  service::SyncOptions accept;
  accept.accept_trunk = trunk.substr(0, 10);
  const auto shortened = w.try_sync(accept);
  ASSERT_FALSE(shortened.ok());
  EXPECT_NE(shortened.error().message.find("name it in full"), std::string::npos) << shortened.error().message;
  accept.accept_trunk = trunk;
  w.sync(accept);
  EXPECT_EQ(w.disposition("Bq"), D::backed_out);
  EXPECT_EQ(w.trunk_file("b"), "<absent>") << "what somebody dropped does not return by itself";
  EXPECT_EQ(w.look().metrics.backlog_commits, 1);
}

TEST(Trunk, TheStopBranchOfTheForkStopsLandingsUntilItIsDeleted) {
  REQUIRE_SANDBOX();
  World w(start);
  const std::string trunk = w.trunk();
  w.history.git("down.git", {"branch", "sluice-stop", "main"});
  const auto first = w.sync();
  EXPECT_EQ(first.exit_code(), 3) << "work is left undone";
  EXPECT_EQ(first.outcome(), "stopped");
  EXPECT_TRUE(first.errors.empty()) << "somebody stopped it, nothing failed";
  EXPECT_NE(first.stopped.find("sluice-stop"), std::string::npos);
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(w.disposition("A"), D::pending);
  w.history.git("down.git", {"branch", "-D", "sluice-stop"});
  EXPECT_EQ(w.sync().exit_code(), 0);
  EXPECT_EQ(w.disposition("A"), D::picked);
}

TEST(Trunk, TheStopBranchMadeDuringValidationStillStops) {
  REQUIRE_SANDBOX();
  World w(start);
  const std::string trunk = w.trunk();
  AtValidation hook{w, "at down; branch sluice-stop; push_bare down"};
  const auto report = sync_with(w, hook);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_TRUE(hook.done);
  EXPECT_EQ(report->exit_code(), 3);
  EXPECT_EQ(w.trunk(), trunk);
}

// A ref lock that kill -9 left is held by nobody.
TEST(Trunk, AStaleLockOfAKilledRunStopsNothing) {
  REQUIRE_SANDBOX();
  World w(start);
  service::SyncOptions dry;
  dry.dry_run = true;
  w.sync(dry);
  const std::string refs = w.history.root() + "/store/repo.git/refs/sluice";
  ASSERT_TRUE(core::write_file(refs + "/fork.lock", "").ok());
  ASSERT_TRUE(core::write_file(refs + "/upstream.lock", "").ok());
  EXPECT_EQ(w.sync().exit_code(), 0);
  EXPECT_EQ(w.disposition("A"), D::picked);
}

TEST(Trunk, ARefusedPushIsNamedAndNotRetried) {
  REQUIRE_SANDBOX();
  World w(start);
  const std::string hook = w.history.path("down.git") + "/hooks/pre-receive";
  ASSERT_TRUE(core::make_directories(w.history.path("down.git") + "/hooks").ok());
  ASSERT_TRUE(core::write_file(hook, "#!/bin/sh\necho 'protected branch: workflow scope is missing' >&2\nexit 1\n").ok());
  core::ProcessOptions chmod;
  chmod.argv = {"chmod", "755", hook};
  ASSERT_TRUE(core::run_process(chmod).ok());
  const auto report = w.sync();
  EXPECT_EQ(report.exit_code(), 3);
  ASSERT_FALSE(report.errors.empty());
  EXPECT_NE(report.errors.front().find("workflow scope is missing"), std::string::npos) << report.errors.front();
  EXPECT_EQ(w.disposition("A"), D::pending);
}

TEST(Trunk, APersonsOwnPickOfAParkedCommitEndsItsUnit) {
  REQUIRE_SANDBOX();
  World w(start);
  w.more("at down; line f 20 \"line 20 FORK\"; commit Own \"fork: own line 20\"; push_bare down; at up; line f 20 \"line 20 UP\"; commit Stuck \"tiles: line 20\"");
  w.sync();
  ASSERT_EQ(w.disposition("Stuck"), D::deferred);
  w.history.git("down", {"pull", "-q", "--ff-only", w.history.path("down.git"), "main"});
  w.more("at down; line f 20 \"line 20 BOTH\"; commit Hand \"tiles: line 20\" \"(cherry picked from commit $(id Stuck))\"; push_bare down");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("Stuck"), D::picked);
  EXPECT_EQ(report.exit_code(), 0);
  ASSERT_EQ(report.recognised.size(), 1u);
  EXPECT_EQ(report.recognised.front().downstream, w.id("Hand"));
  for (const model::Unit& unit : w.look().stored_units) EXPECT_NE(unit.state, model::UnitState::parked) << unit.id;
}

TEST(Trunk, APersonsOwnPickOfWhatAChainBeganWithOffersTheRestAgain) {
  REQUIRE_SANDBOX();
  World w(start);
  w.more(R"v(
    at down; line f 20 "line 20 FORK"; commit Own "fork: own line 20"; push_bare down
    at up; line f 20 "line 20 UP"; commit Stuck "tiles: line 20"
    line f 22 "line 22 UP"; commit Next "tiles: two lines below"
  )v");
  w.sync();
  ASSERT_EQ(w.disposition("Stuck"), D::deferred);
  ASSERT_EQ(w.disposition("Next"), D::deferred);
  w.history.git("down", {"pull", "-q", "--ff-only", w.history.path("down.git"), "main"});
  w.more("at down; line f 20 \"line 20 BOTH\"; commit Hand \"tiles: line 20\" \"(cherry picked from commit $(id Stuck))\"; push_bare down");
  w.sync();
  EXPECT_EQ(w.disposition("Stuck"), D::picked);
  EXPECT_EQ(w.disposition("Next"), D::picked);
  EXPECT_NE(w.trunk_file("f").find("line 22 UP"), std::string::npos);
  for (const model::Unit& unit : w.look().stored_units) EXPECT_NE(unit.state, model::UnitState::parked) << unit.id;
}

}  // namespace
}  // namespace sluice::test
