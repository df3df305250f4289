// SPDX-License-Identifier: Apache-2.0
// Machines that can contain less, or nothing, made with bubblewrap itself: this program runs its own DISABLED_
// cases in a user namespace in which no further one can be made, with or without Landlock.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/fd.h"
#include "runners/landlock.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

// A system call filter that knows no Landlock.
core::Fd without_landlock() {
  const sock_filter code[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                              {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, landlock::call_create_ruleset},
                              {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
                              {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  core::Fd fd(memfd_create("filter", MFD_CLOEXEC));
  if (write(fd.get(), code, sizeof code) != sizeof code || lseek(fd.get(), 0, SEEK_SET) != 0) fd.close();
  return fd;
}

enum class Landlock { there, missing };

core::ProcessResult run_inside(const std::string& filter, Landlock landlock, std::vector<std::string> more) {
  core::ProcessOptions options;
  core::Fd calls;
  if (landlock == Landlock::missing) {
    calls = without_landlock();
    options.keep_fds = {calls.get()};
    more.insert(more.end(), {"--seccomp", std::to_string(calls.get())});
  }
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
    const auto probe = probe_sandbox(Backend::bubblewrap);
    if (!probe.usable) GTEST_SKIP() << "no bubblewrap to build such a machine with: " << core::join(probe.problems, "; ");
  }
};

TEST_F(WithoutSandbox, the_probe_tells_what_to_do_and_no_runner_is_made) {
  const auto inside = run_inside("Inside.DISABLED_refuses", Landlock::missing, {"--uid", "1000", "--gid", "1000"});
  EXPECT_TRUE(inside.ok()) << inside.out;
  EXPECT_NE(inside.out.find("[  PASSED  ] 1 test"), std::string::npos) << inside.out;
}

TEST_F(WithoutSandbox, without_namespaces_the_weaker_backend_contains_and_says_so) {
  if (landlock::probe_abi() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  const auto inside = run_inside("Inside.DISABLED_takes_the_weaker_backend", Landlock::there, {"--uid", "1000", "--gid", "1000"});
  EXPECT_TRUE(inside.ok()) << inside.out;
  EXPECT_NE(inside.out.find("[  PASSED  ] 1 test"), std::string::npos) << inside.out;
}

TEST_F(WithoutSandbox, an_allowed_run_says_on_its_record_that_nothing_contained_it) {
  const auto inside = run_inside("Inside.DISABLED_runs_when_allowed", Landlock::missing, {"--uid", "1000", "--gid", "1000"});
  EXPECT_TRUE(inside.ok()) << inside.out;
  EXPECT_NE(inside.out.find("[  PASSED  ] 1 test"), std::string::npos) << inside.out;
}

TEST_F(WithoutSandbox, a_superuser_without_the_build_user_is_told_to_make_one) {
  if (geteuid() != 0) GTEST_SKIP() << "needs the superuser";
  auto dir = core::TempDir::create("sluice-nss-");
  ASSERT_TRUE(dir.ok());
  put_file(dir->path() + "/passwd", "root:x:0:0:root:/root:/bin/sh\n");
  const auto inside = run_inside("Inside.DISABLED_misses_the_build_user", Landlock::there, {"--ro-bind", dir->path() + "/passwd", "/etc/passwd"});
  EXPECT_TRUE(inside.ok()) << inside.out;
  EXPECT_NE(inside.out.find("[  PASSED  ] 1 test"), std::string::npos) << inside.out;
}

TEST(Inside, DISABLED_refuses) {
  const auto probe = probe_sandbox();
  EXPECT_FALSE(probe.usable);
  EXPECT_EQ(probe.backend, "none");
  ASSERT_EQ(probe.problems.size(), 2u);
  EXPECT_NE(probe.problems[0].find("user namespaces"), std::string::npos) << probe.problems[0];
  EXPECT_NE(probe.problems[1].find("has no Landlock"), std::string::npos) << probe.problems[1];
  const core::FakeClock clock(1);
  const auto runner = make_local_runner({}, clock);
  ASSERT_FALSE(runner.ok());
  EXPECT_EQ(runner.error().kind, ErrorKind::denied);
  EXPECT_NE(runner.error().message.find("allow_unsandboxed"), std::string::npos);
}

// A build of one step that reads its source.
model::Evidence build_with(const LocalOptions& options) {
  const core::FakeClock clock(1);
  const auto runner = make_local_runner(options, clock);
  auto dir = core::TempDir::create("sluice-bare-");
  if (!runner.ok() || !dir.ok()) {
    ADD_FAILURE() << (runner.ok() ? dir.error().message : runner.error().message);
    return {};
  }
  put_file(dir->path() + "/src/a.txt", "content\n");
  std::filesystem::create_directory(dir->path() + "/build");
  model::RunRequest request;
  request.suite.id = "build";
  request.suite.kind = "build";
  request.suite.steps = {{"sh", "-c", "cat /src/a.txt; echo made > /build/made; cat /build/made; cat /etc/passwd"}};
  request.source_dir = dir->path() + "/src";
  request.build_dir = dir->path() + "/build";
  const auto evidence = (*runner)->run(request, nullptr);
  if (evidence.ok()) return *evidence;
  ADD_FAILURE() << evidence.error().message;
  return {};
}

TEST(Inside, DISABLED_runs_when_allowed) {
  LocalOptions options;
  options.allow_unsandboxed = true;
  const auto evidence = build_with(options);
  EXPECT_EQ(evidence.sandbox, "none (allow_unsandboxed)");
  EXPECT_EQ(evidence.grade, "self-reported");
  EXPECT_EQ(evidence.exit_code, 0);
  EXPECT_NE(evidence.log.find("content\nmade\n"), std::string::npos) << evidence.log;
}

TEST(Inside, DISABLED_takes_the_weaker_backend) {
  const auto probe = probe_sandbox();
  EXPECT_TRUE(probe.usable);
  EXPECT_EQ(probe.backend, "B");
  ASSERT_EQ(probe.problems.size(), 2u);
  EXPECT_NE(probe.problems[0].find("user namespaces"), std::string::npos) << probe.problems[0];
  EXPECT_NE(probe.problems[1].find("runs suites as the user who started"), std::string::npos) << probe.problems[1];
  const auto evidence = build_with({});
  EXPECT_TRUE(evidence.sandbox.starts_with("B landlock:")) << evidence.sandbox;
  EXPECT_NE(evidence.sandbox.find("uid:caller"), std::string::npos) << evidence.sandbox;
  EXPECT_NE(evidence.log.find("content\nmade\n"), std::string::npos) << evidence.log;
  EXPECT_NE(evidence.log.find("/etc/passwd: Permission denied"), std::string::npos) << evidence.log;
  EXPECT_FALSE(make_local_runner({.force = Backend::bubblewrap}, core::FakeClock(1)).ok()) << "a forced backend must not be another";
  EXPECT_FALSE(make_local_runner({.allow_unsandboxed = true, .force = Backend::bubblewrap}, core::FakeClock(1)).ok());
}

TEST(Inside, DISABLED_misses_the_build_user) {
  const auto probe = probe_sandbox();
  EXPECT_FALSE(probe.usable);
  ASSERT_EQ(probe.problems.size(), 1u);
  EXPECT_NE(probe.problems[0].find("scripts/setup"), std::string::npos) << probe.problems[0];
}

}  // namespace
}  // namespace sluice::runners
