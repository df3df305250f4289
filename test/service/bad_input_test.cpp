// SPDX-License-Identifier: Apache-2.0
// What comes from outside is broken or hostile: each time one clear error, and nothing is lost.
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/text.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n"     ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n"                 ; commit D0 "fork: own test"
  at up
    put a "1\n"                         ; commit A "a"
)v";

// A world whose suites are the given one instead of the usual two.
std::string suite(const std::string& command, const std::string& more = "") {
  return "[[suite]]\nid = \"extra\"\nkind = \"junit\"\nneeds = \"build\"\nresults = \"extra.xml\"\ncommand = " + command + "\n" + more;
}

TEST(BadInput, AnUnknownKeyNamesFileLineAndKey) {
  World w(start, "[landing_]\nx = 1\n");
  const auto app = service::open_app(w.config_path, service::Access::write);
  ASSERT_FALSE(app.ok());
  EXPECT_NE(app.error().message.find("sluice.toml"), std::string::npos) << app.error().message;
  EXPECT_NE(app.error().message.find("landing_"), std::string::npos) << app.error().message;
}

TEST(BadInput, AnUnreadableConfigurationNamesFileAndLine) {
  World w(start, "[[path]\nglob = \n");
  const auto app = service::open_app(w.config_path, service::Access::write);
  ASSERT_FALSE(app.ok());
  EXPECT_NE(app.error().message.find("sluice.toml:"), std::string::npos) << app.error().message;
}

TEST(BadInput, ARepositoryWithoutTheBranchIsNamedWithTheBranch) {
  World w(start);
  auto text = *core::read_file(w.config_path);
  const auto at = text.find("branch = \"main\"");
  text.replace(at, 15, "branch = \"trunk\"");
  ASSERT_TRUE(core::write_file(w.config_path, text).ok());
  const auto report = w.try_sync();
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("trunk"), std::string::npos) << report.error().message;
}

TEST(BadInput, RewrittenUpstreamHistoryStopsTheRunAndChangesNothing) {
  REQUIRE_SANDBOX();
  World w(start);
  w.sync();
  const std::string trunk = w.trunk();
  w.history.run("at up; rewind 1; put a \"1\\n\"; put b \"1\\n\"; commit A2 \"a, again\"; push_bare up");
  const auto report = w.try_sync();
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("upstream_rewritten"), std::string::npos) << report.error().message;
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(w.disposition("A"), D::picked);
  // What was known is still shown, and that it is old: now is when somebody looks.
  const auto plan = w.look();
  EXPECT_EQ(plan.pins.frontier, 1);
  EXPECT_TRUE(plan.remotes.upstream_stale);
  EXPECT_NE(plan.remotes.upstream_error.find("upstream_rewritten"), std::string::npos);
}

TEST(BadInput, NonUtf8PathsAndMessagesLandWithTheirBytes) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      encoding raw
      put "$(printf 'd/caf\xe9.mlir')" "x\n"   ; commit Latin "$(printf 'caf\xe9 subject')"
  )v");
  w.sync();
  EXPECT_EQ(w.disposition("Latin"), D::picked);
  EXPECT_NE(w.history.git("down.git", {"ls-tree", "-r", "-z", "--name-only", "main"}).find("d/caf\xe9.mlir"), std::string::npos);
  const core::Json plan = w.plan();
  EXPECT_TRUE(core::is_utf8(plan.dump()));
}

TEST(BadInput, AMissingObjectLeavesTheCommitPendingAndTheOthersLand) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      line f 3 "line 3 UP"  ; commit M "its blob is lost"
      put z "1\n"           ; commit Z "z"
  )v");
  w.plan();
  // The blob vanishes from sluice's own store: packed objects are unpacked first.
  const std::string blob = w.history.git("up.git", {"rev-parse", w.id("M") + ":f"});
  const std::string store = w.history.root() + "/store/repo.git";
  w.history.run("cd " + store + " && mkdir -p ../packs && find objects/pack -name '*.pack' -exec mv {} ../packs/ \\; && rm -f objects/pack/* && "
                "for p in ../packs/*.pack; do [ -e \"$p\" ] && git --git-dir=. unpack-objects -q < \"$p\"; done; rm -f objects/" +
                blob.substr(0, 2) + "/" + blob.substr(2));
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("M"), D::pending);
  EXPECT_EQ(w.disposition("Z"), D::picked);
  EXPECT_EQ(report.exit_code(), 3);
  bool named = false;
  for (const std::string& error : report.errors) named = named || error.find("object_missing") != std::string::npos;
  EXPECT_TRUE(named);
}

TEST(BadInput, ASuiteCommandThatIsNotThereIsNamed) {
  REQUIRE_SANDBOX();
  World w(start, suite("[\"/usr/bin/no-such-tool\"]"));
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("A"), D::pending);
  ASSERT_FALSE(report.notices.empty());
  EXPECT_NE(report.notices.front().find("no-such-tool"), std::string::npos) << report.notices.front();
}

TEST(BadInput, ASuiteThatPrintsAGigabyteIsCappedAndStillJudged) {
  REQUIRE_SANDBOX();
  World w(start, suite("[\"/bin/sh\", \"-c\", \"head -c 1000000000 /dev/zero | tr '\\\\\\\\0' x; echo '<testsuite><testcase classname=\\\"a\\\" name=\\\"b\\\"/></testsuite>' > /build/extra.xml\"]"));
  const auto report = w.sync();
  EXPECT_EQ(report.outcome(), "complete") << (report.notices.empty() ? "" : report.notices.front());
  EXPECT_EQ(w.disposition("A"), D::picked);
}

TEST(BadInput, ASuiteThatForksForEverIsStoppedAndLeavesNoProcess) {
  REQUIRE_SANDBOX();
  World w(start, suite("[\"/bin/sh\", \"-c\", \"b() { b | b & }; b; sleep 60\"]", "timeout = 5\npids = 64\n"));
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("A"), D::pending);
  EXPECT_NE(report.exit_code(), 0);
}

TEST(BadInput, AnEmptyResultFileIsRed) {
  REQUIRE_SANDBOX();
  World w(std::string(start) + R"v(
    at up
      drop keep.test  ; commit Gone "drops a test"
  )v", suite("[\"/bin/sh\", \"-c\", \"if [ -f /src/keep.test ]; then echo '<testsuite><testcase classname=\\\"a\\\" name=\\\"b\\\"/></testsuite>'; else echo '<testsuite></testsuite>'; fi > /build/extra.xml\"]"));
  w.sync();
  EXPECT_EQ(w.disposition("A"), D::picked);
  EXPECT_EQ(w.disposition("Gone"), D::deferred) << "zero tests run is never green";
}

TEST(BadInput, ASecondProcessIsKeptOut) {
  World w(start);
  const auto first = w.open();
  const auto second = service::open_app(w.config_path, service::Access::write);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another sluice process"), std::string::npos) << second.error().message;
  EXPECT_TRUE(service::open_app(w.config_path, service::Access::read).ok()) << "status may look at any time";
}

}  // namespace
}  // namespace sluice::test
