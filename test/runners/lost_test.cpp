// SPDX-License-Identifier: Apache-2.0
// The sandbox, or sluice itself, is killed from outside while a command runs: nobody is blamed for it, and
// nothing stays behind.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/clock.h"
#include "runners/cgroup.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

struct Process {
  pid_t pid = 0, parent = 0;
  std::string command;
};

std::vector<Process> processes() {
  std::vector<Process> all;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ec)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = get_file(entry.path() / "stat");
    const auto end = stat.rfind(')');
    if (end == std::string::npos || end + 4 > stat.size()) continue;
    all.push_back({std::stoi(name), std::atoi(stat.c_str() + end + 4), get_file(entry.path() / "cmdline")});
  }
  return all;
}

// The process of `parent` that has `mark` in its command line; 0 = none.
pid_t child_of(pid_t parent, const std::string& mark) {
  for (const Process& process : processes())
    if (process.parent == parent && process.command.find(mark) != std::string::npos) return process.pid;
  return 0;
}

// True as soon as `holds` does, false after half a minute.
bool soon(const std::function<bool()>& holds) {
  for (const auto deadline = core::steady_ms() + 30'000; core::steady_ms() < deadline; std::this_thread::yield())
    if (holds()) return true;
  return false;
}

class Lost : public RunTest, public testing::WithParamInterface<Backend> {
 protected:
  void SetUp() override {
    force_ = GetParam();
    RunTest::SetUp();
    mark_ = "sluice-lost-" + std::to_string(getpid());
  }
  // Two commands that ignore what can be ignored, one of them detached.
  std::string script() const {
    return "setsid sh -c 'trap \"\" TERM HUP INT; while :; do sleep 1; done # " + mark_ + "' </dev/null >/dev/null 2>&1 & "
           "touch /build/started; while :; do sleep 1; done # " + mark_;
  }
  // Runs it and kills the process of the sandbox that `choose` names, given the outermost one.
  model::Evidence run_and_kill(const std::function<std::vector<pid_t>(pid_t)>& choose) {
    const std::string started = path("build/started");
    std::thread killer([&] {
      if (!soon([&] { return core::exists(started); })) return;
      const pid_t outermost = child_of(getpid(), mark_);
      for (const pid_t pid : choose(outermost))
        if (pid > 0) killed_ += kill(pid, SIGKILL) == 0 ? 1 : 0;
    });
    request_.suite.kind = "lit", request_.suite.results = "r.json", request_.suite.timeout_s = 60;
    auto evidence = shell(script());
    killer.join();
    return evidence;
  }
  void nothing_stays() const {
    EXPECT_EQ(processes_with(mark_), 0);
    for (const auto& entry : std::filesystem::directory_iterator(dir_->path()))
      EXPECT_FALSE(entry.path().filename().string().starts_with("sluice-scratch")) << entry.path();
    const std::string leaf = "sluice-run-" + std::to_string(getpid()) + "-";
    for (const auto& site : find_cgroups()) {
      for (const auto& entry : std::filesystem::directory_iterator(site.directory))
        EXPECT_FALSE(entry.path().filename().string().starts_with(leaf)) << entry.path();
    }
  }
  void nobody_is_blamed(const model::Evidence& evidence) const {
    EXPECT_GT(killed_, 0) << "nothing was killed: this test shows nothing";
    EXPECT_EQ(evidence.trouble, "runner_lost") << evidence.trouble_detail;
    EXPECT_TRUE(evidence.tests.empty());
    nothing_stays();
  }
  std::string mark_;
  int killed_ = 0;
};

TEST_P(Lost, the_outermost_process_of_the_sandbox_is_killed) {
  nobody_is_blamed(run_and_kill([](pid_t outermost) { return std::vector{outermost}; }));
}

TEST_P(Lost, the_process_that_watches_over_the_command_is_killed) {
  nobody_is_blamed(run_and_kill([&](pid_t outermost) { return std::vector{child_of(outermost, mark_)}; }));
}

TEST_P(Lost, both_are_killed) {
  const auto evidence = run_and_kill([&](pid_t outermost) { return std::vector{child_of(outermost, mark_), outermost}; });
  EXPECT_EQ(evidence.trouble, "runner_lost") << evidence.trouble_detail;
  // Where neither a namespace nor a group ends them, somebody has to be left who does.
  if (GetParam() == Backend::bubblewrap || evidence.limits.find("cgroup") != std::string::npos) nobody_is_blamed(evidence);
  else for (const Process& process : processes())
    if (process.command.find(mark_) != std::string::npos) kill(process.pid, SIGKILL);
}

TEST_P(Lost, a_command_that_is_killed_by_its_own_is_red_and_not_lost) {
  const auto evidence = shell("kill -9 $$");
  EXPECT_EQ(evidence.trouble, "");
  EXPECT_EQ(evidence.exit_code, 137);
  nothing_stays();
}

TEST_P(Lost, a_lost_build_is_no_red_build_and_the_next_run_is_as_ever) {
  const std::string started = path("build/started");
  std::thread killer([&] {
    if (soon([&] { return core::exists(started); })) kill(child_of(getpid(), mark_), SIGKILL);
  });
  const auto evidence = shell(script());
  killer.join();
  EXPECT_EQ(evidence.trouble, "runner_lost") << evidence.trouble_detail;
  const auto next = shell("echo again");
  EXPECT_EQ(next.trouble, "");
  EXPECT_EQ(next.exit_code, 0);
}

TEST_P(Lost, nothing_survives_the_end_of_sluice_itself) {
  const pid_t sluice = fork();
  if (sluice == 0) {
    // As a process of its own: only fork, so the runner is made anew.
    auto runner = make_local_runner({.force = GetParam()}, clock_);
    request_.suite.steps = {{"sh", "-c", script()}};
    if (runner.ok()) (void)(*runner)->run(request_, nullptr);
    _exit(0);
  }
  ASSERT_TRUE(soon([&] { return core::exists(path("build/started")); }));
  ASSERT_GE(processes_with(mark_), 2);
  kill(sluice, SIGKILL);
  waitpid(sluice, nullptr, 0);
  EXPECT_TRUE(soon([&] { return processes_with(mark_) == 0; })) << processes_with(mark_) << " survivors";
}

INSTANTIATE_TEST_SUITE_P(Backends, Lost, testing::Values(Backend::bubblewrap, Backend::landlock),
                         [](const auto& backend) { return letter(backend.param); });

}  // namespace
}  // namespace sluice::runners
