// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "core/file.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

// A fork with a test of its own, and an upstream that both start from.
constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n" ; put g "1\n"                 ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n" ; put own "fork only\n"                    ; commit D "fork: own test"
)v";

const model::Unit* unit_with(const service::SyncReport& report, const std::string& oid, model::UnitState state) {
  for (const model::Unit& unit : report.units) {
    if (unit.state == state && std::find(unit.commits.begin(), unit.commits.end(), oid) != unit.commits.end()) return &unit;
  }
  return nullptr;
}

TEST(Sync, LandsCleanCommitsAsOneCommitEachWithTrailersAndAuthors) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 5 "line 5 A"      ; commit A "tiles: change line 5 (#12)" "Fixes #9 for @bob."
      put h "new\n"            ; commit H "tiles: add h"
  )v");
  const auto report = w.sync();
  EXPECT_EQ(report.outcome(), "complete");
  EXPECT_EQ(w.disposition("A"), D::picked);
  EXPECT_EQ(w.disposition("H"), D::picked);
  EXPECT_EQ(w.trunk_file("h"), "new");
  EXPECT_EQ(w.trunk_file("own"), "fork only");
  const std::string log = w.history.git("down.git", {"log", "-2", "--reverse", "--format=%an|%ae|%ad|%cn%n%B", "main"});
  EXPECT_NE(log.find("Upstream-Commit: " + w.id("A")), std::string::npos) << log;
  EXPECT_NE(log.find("Sluice-Resolution: clean"), std::string::npos);
  EXPECT_NE(log.find("Sluice-Evidence: "), std::string::npos);
  EXPECT_NE(log.find("Upstream-Fixes acme/tiles#9 for @ bob."), std::string::npos) << log;
  EXPECT_EQ(w.history.git("down.git", {"log", "-1", "--format=%an %ad", "main"}), w.history.git("up.git", {"log", "-1", "--format=%an %ad", "main"}));
  EXPECT_EQ(report.metrics_after.backlog_commits, 0);
  EXPECT_EQ(report.pins_after.frontier, 2);
}

// Killed between the parking of an ejected member and the end of the bundle it left.
TEST(Sync, AUnitThatAKilledRunLeftUnderWayIsNotShownForEver) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 5 "line 5 A"      ; commit A "tiles: change line 5"
  )v");
  {
    const auto app = w.open();
    model::Unit unit;
    unit.id = "b-0123456789";
    unit.kind = model::UnitKind::bundle;
    unit.state = model::UnitState::validating;
    unit.commits = {w.id("A"), w.id("B")};
    ASSERT_TRUE(app->store.put_unit(unit).ok());
  }
  w.sync();
  const auto unit = w.open(service::Access::read)->store.unit("b-0123456789");
  ASSERT_TRUE(unit.ok() && *unit);
  EXPECT_EQ((*unit)->state, model::UnitState::dropped);
  EXPECT_EQ(w.disposition("A"), D::picked);
}

TEST(Sync, AParkedUnitIsTriedAgainWithoutWhatAPersonHasSettled) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put brokenx "BROKEN\n"        ; commit K "tiles: breaks the build"
      append brokenx "BROKEN too\n" ; commit K2 "tiles: builds on it"
  )v");
  w.sync();
  const auto unit_of = [&](const char* name) {
    const auto row = w.open(service::Access::read)->store.ledger(w.id(name));
    return row.ok() && *row ? (*row)->unit : std::string();
  };
  service::SyncOptions again;
  again.unit = unit_of("K");
  ASSERT_EQ(w.disposition("K2"), D::deferred);
  ASSERT_EQ(unit_of("K2"), again.unit);
  ASSERT_TRUE(service::wont_port(*w.open(), w.id("K2"), "not here", "owner").ok());
  w.sync(again);
  EXPECT_EQ(w.disposition("K"), D::deferred);
  EXPECT_EQ(w.disposition("K2"), D::wont_port) << "an owner's decision is not undone by a second try";
  w.sync();
  const auto old = w.open(service::Access::read)->store.unit(again.unit);
  ASSERT_TRUE(old.ok() && *old);
  EXPECT_EQ((*old)->state, model::UnitState::dropped);
}

TEST(Sync, NothingLandsWhereNoSuiteWouldHaveRun) {
  World w(std::string(start) + R"v(
    at up
      put a "1\n"              ; commit A "a"
  )v");
  const std::string trunk = w.trunk();
  auto text = core::read_file(w.config_path);
  ASSERT_TRUE(text.ok());
  for (std::size_t at = 0; (at = text->find("[[suite]]\n", at)) != std::string::npos; at += 10)
    text->insert(at + 10, "required_for = [\"chain\"]\n");
  ASSERT_TRUE(core::write_file(w.config_path, *text).ok());
  const auto report = w.try_sync();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, core::ErrorKind::invalid);
  EXPECT_NE(report.error().message.find("required for a bundle"), std::string::npos) << report.error().message;
  EXPECT_EQ(w.trunk(), trunk);
}

TEST(Sync, ASecondRunChangesNothing) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 5 "line 5 A"      ; commit A "tiles: change line 5"
      put other "1\n"          ; commit O "tiles: other"
      put own "upstream\n"     ; commit C "tiles: own of another kind"
  )v");
  w.sync();
  const std::string trunk = w.trunk();
  const auto again = w.sync();
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(again.exit_code(), 0) << "nothing new waits for a person";
  EXPECT_TRUE(again.units.empty());
  EXPECT_EQ(again.suite_runs, 0);
  EXPECT_EQ(w.disposition("C"), D::deferred);
}

TEST(Sync, AConflictNeverStopsCommitsThatDoNotDependOnIt) {
  REQUIRE_SANDBOX();
  // R8: ten commits, the third conflicts, the seventh depends on it.
  World w(std::string(R"v(
    repo up
      base40 f ; put keep.test "ok\n" ; commit B "tiles: the first version"
    fork up down
      line f 20 "line 20 FORK" ; commit D "fork: own line 20"
    at up
      put a1 "1\n"             ; commit U1 "one"
      put a2 "1\n"             ; commit U2 "two"
      line f 20 "line 20 UP"   ; commit U3 "three: the conflict"
      put a4 "1\n"             ; commit U4 "four"
      put a5 "1\n"             ; commit U5 "five"
      put a6 "1\n"             ; commit U6 "six"
      line f 20 "line 20 UP and more" ; commit U7 "seven: on top of three"
      put a8 "1\n"             ; commit U8 "eight"
      put a9 "1\n"             ; commit U9 "nine"
      put a10 "1\n"            ; commit U10 "ten"
  )v"));
  const auto report = w.sync();
  for (const char* name : {"U1", "U2", "U4", "U5", "U6", "U8", "U9", "U10"}) EXPECT_EQ(w.disposition(name), D::picked) << name;
  EXPECT_EQ(w.disposition("U3"), D::deferred);
  EXPECT_EQ(w.disposition("U7"), D::deferred);
  EXPECT_NE(unit_with(report, w.id("U3"), model::UnitState::parked), nullptr);
  EXPECT_EQ(unit_with(report, w.id("U3"), model::UnitState::parked), unit_with(report, w.id("U7"), model::UnitState::parked));
  EXPECT_EQ(report.pins_after.frontier, 10);
  EXPECT_EQ(report.pins_after.contiguous, 2);
  EXPECT_EQ(report.metrics_after.backlog_commits, 2);
  EXPECT_EQ(report.metrics_after.distance, 0);
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_EQ(w.trunk_file("f").find("line 20 UP"), std::string::npos);
}

TEST(Sync, TheRawConflictIsKeptForAPerson) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at down
      line f 20 "line 20 FORK" ; commit D2 "fork: own line 20"
    at up
      line f 20 "line 20 UP"   ; commit C "tiles: line 20"
  )v");
  const auto report = w.sync();
  const model::Unit* unit = unit_with(report, w.id("C"), model::UnitState::parked);
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->rule, "conflict");
  const auto app = w.open(service::Access::read);
  const auto ref = app->repo.ref("refs/sluice/units/" + unit->id + "/conflict");
  ASSERT_TRUE(ref.ok() && ref->has_value());
  const auto file = app->repo.reader().file(*app->repo.reader().tree_of(**ref), "f");
  ASSERT_TRUE(file.ok() && file->has_value());
  EXPECT_NE((*file)->find("line 20 FORK"), std::string::npos);
  EXPECT_NE((*file)->find(std::string(31, '<')), std::string::npos);
}

TEST(Sync, ARedBundleIsBisectedTheCulpritAndItsDependentsAreEjectedAndTheRestLandsInTheSameRun) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put a "1\n"                       ; commit A "a"
      put b "1\n"                       ; commit Bq "b"
      put keep.test "FAIL\n"            ; commit Bad "breaks a test"
      put c "1\n"                       ; commit C "c"
      put keep.test "FAIL more\n"       ; commit Dep "on top of the breaker"
      put d "1\n"                       ; commit Dq "d"
      put broken1 "BROKEN\n"            ; commit Worse "does not build"
      put e "1\n"                       ; commit E "e"
  )v");
  const auto report = w.sync();
  for (const char* name : {"A", "Bq", "C", "Dq", "E"}) EXPECT_EQ(w.disposition(name), D::picked) << name;
  for (const char* name : {"Bad", "Dep", "Worse"}) EXPECT_EQ(w.disposition(name), D::deferred) << name;
  const model::Unit* bad = unit_with(report, w.id("Bad"), model::UnitState::parked);
  const model::Unit* worse = unit_with(report, w.id("Worse"), model::UnitState::parked);
  ASSERT_NE(bad, nullptr);
  ASSERT_NE(worse, nullptr);
  EXPECT_EQ(bad->rule, "unit");
  EXPECT_EQ(worse->rule, "build");
  EXPECT_EQ(bad, unit_with(report, w.id("Dep"), model::UnitState::parked));
  EXPECT_EQ(w.trunk_file("keep.test"), "ok");
  EXPECT_EQ(w.trunk_file("broken1"), "<absent>");
}

TEST(Sync, ATestThatVanishesBehindAGreenSuiteIsBisectedToo) {
  REQUIRE_SANDBOX();
  // `hide` makes the suite report one test less while everything that runs passes (G43).
  World w(std::string(start) + R"v(
    at up
      put a "1\n"                       ; commit A "a"
      put hide "1\n"                    ; commit Hide "hides a test"
      put b "1\n"                       ; commit Bq "b"
  )v", R"(
[[suite]]
id = "hidden"
kind = "junit"
needs = "build"
results = "hidden.xml"
command = ["/bin/sh", "-c", "{ echo '<testsuite><testcase classname=\"a\" name=\"one\"/>'; [ -f /src/hide ] || echo '<testcase classname=\"a\" name=\"two\"/>'; echo '</testsuite>'; } > /build/hidden.xml"]
)");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("A"), D::picked) << service::sync_text(*w.open(service::Access::read), report);
  EXPECT_EQ(w.disposition("Bq"), D::picked);
  EXPECT_EQ(w.disposition("Hide"), D::deferred);
  const model::Unit* unit = unit_with(report, w.id("Hide"), model::UnitState::parked);
  ASSERT_NE(unit, nullptr);
  EXPECT_NE(unit->reason.find("G43"), std::string::npos) << unit->rule << " " << unit->reason;
}

TEST(Sync, ARevertPairInsideTheWindowCancels) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 10 "line 10 A"    ; commit A "tiles: A"
      revert_of R A
      line f 10 "line 10 A"    ; commit A2 "tiles: A again"
  )v");
  w.sync();
  EXPECT_EQ(w.disposition("A"), D::superseded);
  EXPECT_EQ(w.disposition("R"), D::superseded);
  EXPECT_EQ(w.disposition("A2"), D::picked);
  EXPECT_NE(w.trunk_file("f").find("line 10 A"), std::string::npos);
}

TEST(Sync, ARevertOfALandedPickIsPickedAndItsOriginalBecomesRevertedUpstream) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 10 "line 10 A"    ; commit A "tiles: A"
  )v");
  w.sync();
  EXPECT_EQ(w.disposition("A"), D::picked);
  w.more("at up; revert_of R A");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("A"), D::reverted_upstream);
  EXPECT_EQ(w.disposition("R"), D::picked);
  EXPECT_EQ(report.pins_after.contiguous, 2);
}

TEST(Sync, APinMoveGoesToThePinLaneAndCountsInTheBacklog) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put cmake/llvm-hash.txt "1111\n"   ; commit P "bump llvm"
      put x "1\n"                        ; commit X "x"
  )v", "[[path]]\nglob = \"cmake/llvm-hash.txt\"\nclass = \"pin\"\n");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("P"), D::deferred);
  EXPECT_EQ(w.disposition("X"), D::picked);
  EXPECT_EQ(w.trunk_file("cmake/llvm-hash.txt"), "<absent>");
  EXPECT_EQ(report.metrics_after.backlog_commits, 1);
}

TEST(Sync, ObserveJudgesEverythingAndTouchesNothingOutside) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put a "1\n"                       ; commit A "a"
      put keep.test "FAIL\n"            ; commit Bad "breaks a test"
  )v", "", "observe");
  const std::string trunk = w.trunk();
  const auto report = w.sync();
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(w.disposition("A"), D::pending);
  EXPECT_NE(unit_with(report, w.id("A"), model::UnitState::cleared), nullptr);
  EXPECT_NE(unit_with(report, w.id("Bad"), model::UnitState::parked), nullptr);
}

TEST(Sync, ATrunkThatIsRedItselfBlamesNobody) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at down
      put own.test "FAIL\n"  ; commit D2 "fork: red"
    at up
      put a "1\n"            ; commit A "a"
  )v");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("A"), D::pending);
  EXPECT_EQ(report.exit_code(), 4);
  ASSERT_FALSE(report.notices.empty());
  EXPECT_NE(report.notices.front().find("red itself"), std::string::npos);
}

TEST(Sync, ATrunkWhoseReportNamesAFailureIsRedWhateverTheExitStatus) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put a "1\n"            ; commit A "a"
  )v", R"(
[[suite]]
id = "always-zero"
kind = "junit"
needs = "build"
results = "zero.xml"
command = ["/bin/sh", "-c", "echo '<testsuite><testcase classname=\"a\" name=\"one\"><failure/></testcase></testsuite>' > /build/zero.xml"]
)");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("A"), D::pending) << "nobody's commit is to blame for what trunk has";
  ASSERT_FALSE(report.notices.empty());
  EXPECT_NE(report.notices.front().find("red itself: always-zero"), std::string::npos) << report.notices.front();
}

TEST(Sync, DryRunChangesNothing) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      put a "1\n"            ; commit A "a"
  )v");
  const std::string trunk = w.trunk();
  service::SyncOptions options;
  options.dry_run = true;
  const auto report = w.sync(options);
  EXPECT_EQ(report.units.size(), 1u);
  options.unit = "b-0000000000";
  const auto unknown = w.try_sync(options);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("b-0000000000"), std::string::npos) << unknown.error().message;
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(w.disposition("A"), D::pending);
}

}  // namespace
}  // namespace sluice::test
