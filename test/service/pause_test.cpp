// SPDX-License-Identifier: Apache-2.0
// Stop and go: the operator's pause, and the branch that needs no sluice.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/file.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n"                                ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n"                                            ; commit D0 "fork: own test"
  at up
    put a "1\n"                                                    ; commit A "a"
    put b "1\n"                                                    ; commit Bq "b"
)v";

// A suite that runs until somebody puts /build/go beside it; on trunk, which lacks `a`, it does not wait.
constexpr const char* gate_suite =
    "[[suite]]\nid = \"gate\"\nkind = \"junit\"\nneeds = \"build\"\nresults = \"gate.xml\"\ncommand = [\"/bin/sh\", \"-c\", "
    "\"echo '<testsuite name=\\\"g\\\"><testcase classname=\\\"g\\\" name=\\\"t\\\"/></testsuite>' > /build/gate.xml; "
    "test ! -e /src/a || { : > /build/started; until [ -e /build/go ]; do :; done; }\"]\n";

// Directory that the sandbox of process `pid` has as /build, once the gate has started in it; empty before.
std::string started_in(const std::string& root, pid_t pid) {
  namespace fs = std::filesystem;
  const std::string prefix = "sluice-run-" + std::to_string(pid) + "-";
  std::error_code none;
  for (const std::string& parent : {root + "/store/work", std::string("/var/tmp")}) {
    for (const auto& run : fs::directory_iterator(parent, none)) {
      if (!run.path().filename().string().starts_with(prefix)) continue;
      for (const auto& dir : fs::directory_iterator(run.path(), none)) {
        if (fs::exists(dir.path() / "started", none)) return dir.path().string();
      }
    }
  }
  return {};
}

int events_of(World& w, const std::string& type) {
  const auto app = w.open(service::Access::read);
  const auto events = app->store.events(0, 10000);
  return static_cast<int>(std::count_if(events->begin(), events->end(), [&](const auto& e) { return e.type == type; }));
}

TEST(Pause, ALinkToNowhereIsAFileThatCannotBeRead) {
  REQUIRE_SANDBOX();
  World w(start);
  w.sync();
  w.more("at up ; put later \"1\\n\" ; commit Later \"later\"");
  std::filesystem::create_symlink(w.history.root() + "/gone", w.history.root() + "/store/paused");
  EXPECT_EQ(w.sync().outcome(), "stopped");
  EXPECT_EQ(w.disposition("Later"), D::pending);
  std::string still;
  ASSERT_TRUE(*service::resume_line(w.config_path, "kim", still));
  EXPECT_EQ(w.sync().outcome(), "complete");
  EXPECT_EQ(w.disposition("Later"), D::picked);
}

TEST(Pause, ByAnotherProcessWhileASuiteRunsLetsNothingLand) {
  REQUIRE_SANDBOX();
  World w(start, gate_suite);
  const std::string trunk = w.trunk();
  const pid_t worker = ::getpid();
  const pid_t other = ::fork();
  ASSERT_GE(other, 0);
  if (other == 0) {
    std::string build;
    while (build.empty()) {
      if (::getppid() != worker) ::_exit(2);
      build = started_in(w.history.root(), worker);
    }
    const auto paused = service::pause_line(w.config_path, "a release is cut", "kim", "");
    const bool go = core::write_file(build + "/go", "").ok();
    ::_exit(paused.ok() && go ? 0 : 1);
  }
  const auto report = w.sync();
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_EQ(status, 0) << "the pause was set while the store was locked";
  EXPECT_EQ(report.outcome(), "stopped");
  EXPECT_EQ(report.exit_code(), 3);
  EXPECT_NE(report.stopped.find("by kim: a release is cut"), std::string::npos) << report.stopped;
  EXPECT_TRUE(report.errors.empty()) << "an operator's pause is no failure";
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(events_of(w, "line.paused"), 1) << "the process at work logs what it noticed";

  EXPECT_EQ(w.sync().outcome(), "stopped") << "also at the start";
  std::string still;
  const auto resumed = service::resume_line(w.config_path, "kim", still);
  ASSERT_TRUE(resumed.ok());
  EXPECT_TRUE(*resumed);
  EXPECT_EQ(still, "");
  const auto next = w.sync();
  EXPECT_EQ(next.outcome(), "complete");
  EXPECT_EQ(next.suite_runs, 0) << "what was validated is not run again";
  EXPECT_EQ(w.disposition("A"), D::picked);
  EXPECT_EQ(events_of(w, "line.unpaused"), 1);
}

TEST(Pause, BetweenTwoSuitesKeepsWhatHasRun) {
  REQUIRE_SANDBOX();
  World w(start);
  {
    const auto app = w.open();
    app->progress = [&](const std::string& step, std::int64_t, std::int64_t) {
      if (step.find("commits): build") != std::string::npos) (void)service::pause_line(w.config_path, "look first", "kim", "").ok();
    };
    const auto report = service::sync(*app, {});
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->outcome(), "stopped");
    EXPECT_EQ(report->suite_runs, 3) << "two on trunk, the build of the candidate, and then no more";
  }
  std::string still;
  ASSERT_TRUE(service::resume_line(w.config_path, "kim", still).ok());
  EXPECT_EQ(w.sync().outcome(), "complete");
  EXPECT_EQ(w.disposition("Bq"), D::picked);
}

TEST(Pause, EndsByItselfAndAFileThatCannotBeReadDoesNotFailOpen) {
  World w(start);
  ASSERT_FALSE(service::pause_line(w.config_path, "late", "kim", "2020-01-01").ok());
  ASSERT_FALSE(service::pause_line(w.config_path, " ", "kim", "").ok());
  const auto set = service::pause_line(w.config_path, "over the week-end", "kim", "2100-01-01");
  ASSERT_TRUE(set.ok()) << set.error().message;
  const std::string store = w.history.root() + "/store";
  EXPECT_TRUE(service::read_pause(store, set->until - 1).has_value());
  EXPECT_FALSE(service::read_pause(store, set->until).has_value());
  ASSERT_TRUE(core::write_file(store + "/paused", "{\"reason\": ").ok());
  EXPECT_TRUE(service::read_pause(store, set->until).has_value());
  EXPECT_EQ(w.sync().outcome(), "stopped");
}

TEST(Pause, BeforeAnythingBeganIsSaidAndTheMetricsAreThoseOfNow) {
  REQUIRE_SANDBOX();
  World w(start);
  w.plan();
  ASSERT_TRUE(service::defer(*w.open(), w.id("A"), "", "not now", "ann").ok());
  ASSERT_EQ(w.sync().outcome(), "complete");
  ASSERT_TRUE(service::pause_line(w.config_path, "a release is cut", "kim", "").ok());
  service::PickRequest asked;
  asked.what = w.id("A");
  asked.reason = "a kernel hangs";
  asked.who = "lee";
  const auto app = w.open();
  const auto report = service::pick_now(*app, asked);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->outcome(), "stopped");
  EXPECT_EQ(report->metrics_before.backlog_commits, 1);
  EXPECT_EQ(report->metrics_after.backlog_commits, 1);
  EXPECT_NE(service::sync_text(*app, *report).find("Nothing was begun"), std::string::npos);
}

TEST(StopBranch, MadeDuringValidationStopsAndItsRemovalLandsWithoutAnotherRun) {
  REQUIRE_SANDBOX();
  World w(start);
  const std::string trunk = w.trunk();
  {
    const auto app = w.open();
    bool done = false;
    app->progress = [&](const std::string& step, std::int64_t, std::int64_t) {
      if (done || step.find("commits): unit") == std::string::npos) return;
      done = true;
      w.history.git("down.git", {"branch", "sluice-stop", "main"});
    };
    const auto report = service::sync(*app, {});
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_TRUE(done);
    EXPECT_EQ(report->outcome(), "stopped");
    EXPECT_NE(report->stopped.find("sluice-stop"), std::string::npos);
    EXPECT_NE(service::sync_text(*app, *report).find("stopped: the branch sluice-stop exists"), std::string::npos);
    EXPECT_NE(service::sync_text(*app, *report).find("The next sync goes on from here"), std::string::npos);
  }
  EXPECT_EQ(w.trunk(), trunk);
  const auto app = w.open(service::Access::read);
  EXPECT_TRUE(service::status_json(*app, w.look())["paused"].is_string());
  w.history.git("down.git", {"branch", "-D", "sluice-stop"});
  const auto next = w.sync();
  EXPECT_EQ(next.outcome(), "complete");
  EXPECT_EQ(next.suite_runs, 0);
  EXPECT_EQ(w.disposition("A"), D::picked);
}

}  // namespace
}  // namespace sluice::test
