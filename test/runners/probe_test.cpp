// SPDX-License-Identifier: Apache-2.0
// Machines that cannot contain anything, made with bubblewrap itself: this program runs its own DISABLED_
// cases in a user namespace in which no further one can be made.
#include <unistd.h>

#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

core::ProcessResult run_inside(const std::string& filter, const std::vector<std::string>& more) {
  core::ProcessOptions options;
  options.argv = {"/usr/bin/bwrap", "--unshare-user", "--disable-userns", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"};
  options.argv.insert(options.argv.end(), more.begin(), more.end());
  options.argv.insert(options.argv.end(), {"--", std::filesystem::read_symlink("/proc/self/exe").string(), "--gtest_also_run_disabled_tests",
                                           "--gtest_filter=" + filter});
  options.timeout_ms = 60'000;
  options.merge_stderr = true;
  auto result = core::run_process(options);
  if (result.ok()) return std::move(*result);
  core::ProcessResult failed;
  failed.out = result.error().message;
  return failed;
}

class WithoutSandbox : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = probe_sandbox();
    if (!probe.usable) GTEST_SKIP() << "no bubblewrap to build such a machine with: " << core::join(probe.problems, "; ");
  }
};

TEST_F(WithoutSandbox, the_probe_tells_what_to_do_and_no_runner_is_made) {
  const auto inside = run_inside("Inside.DISABLED_refuses", {"--uid", "1000", "--gid", "1000"});
  EXPECT_TRUE(inside.ok()) << inside.out;
  EXPECT_NE(inside.out.find("[  PASSED  ] 1 test"), std::string::npos) << inside.out;
}

TEST_F(WithoutSandbox, an_allowed_run_says_on_its_record_that_nothing_contained_it) {
  const auto inside = run_inside("Inside.DISABLED_runs_when_allowed", {"--uid", "1000", "--gid", "1000"});
  EXPECT_TRUE(inside.ok()) << inside.out;
  EXPECT_NE(inside.out.find("[  PASSED  ] 1 test"), std::string::npos) << inside.out;
}

TEST_F(WithoutSandbox, a_superuser_without_the_build_user_is_told_to_make_one) {
  if (geteuid() != 0) GTEST_SKIP() << "needs the superuser";
  auto dir = core::TempDir::create("sluice-nss-");
  ASSERT_TRUE(dir.ok());
  put_file(dir->path() + "/passwd", "root:x:0:0:root:/root:/bin/sh\n");
  const auto inside = run_inside("Inside.DISABLED_misses_the_build_user", {"--ro-bind", dir->path() + "/passwd", "/etc/passwd"});
  EXPECT_TRUE(inside.ok()) << inside.out;
  EXPECT_NE(inside.out.find("[  PASSED  ] 1 test"), std::string::npos) << inside.out;
}

TEST(Inside, DISABLED_refuses) {
  const auto probe = probe_sandbox();
  EXPECT_FALSE(probe.usable);
  EXPECT_EQ(probe.backend, "none");
  ASSERT_EQ(probe.problems.size(), 1u);
  EXPECT_NE(probe.problems[0].find("user namespaces"), std::string::npos) << probe.problems[0];
  const core::FakeClock clock(1);
  const auto runner = make_local_runner({}, clock);
  ASSERT_FALSE(runner.ok());
  EXPECT_EQ(runner.error().kind, ErrorKind::denied);
  EXPECT_NE(runner.error().message.find("allow_unsandboxed"), std::string::npos);
}

TEST(Inside, DISABLED_runs_when_allowed) {
  const core::FakeClock clock(1);
  LocalOptions options;
  options.allow_unsandboxed = true;
  const auto runner = make_local_runner(options, clock);
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  auto dir = core::TempDir::create("sluice-bare-");
  ASSERT_TRUE(dir.ok()) << dir.error().message;
  put_file(dir->path() + "/src/a.txt", "content\n");
  std::filesystem::create_directory(dir->path() + "/build");
  model::RunRequest request;
  request.suite.id = "build";
  request.suite.kind = "build";
  request.suite.steps = {{"sh", "-c", "cat /src/a.txt; env"}};
  request.source_dir = dir->path() + "/src";
  request.build_dir = dir->path() + "/build";
  const auto evidence = (*runner)->run(request, nullptr);
  ASSERT_TRUE(evidence.ok()) << evidence.error().message;
  EXPECT_EQ(evidence->sandbox, "none (allow_unsandboxed)");
  EXPECT_EQ(evidence->grade, "self-reported");
  EXPECT_EQ(evidence->exit_code, 0);
  EXPECT_NE(evidence->log.find("content\n"), std::string::npos) << evidence->log;
}

TEST(Inside, DISABLED_misses_the_build_user) {
  const auto probe = probe_sandbox();
  EXPECT_FALSE(probe.usable);
  ASSERT_EQ(probe.problems.size(), 1u);
  EXPECT_NE(probe.problems[0].find("scripts/setup"), std::string::npos) << probe.problems[0];
}

}  // namespace
}  // namespace sluice::runners
