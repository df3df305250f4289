// SPDX-License-Identifier: Apache-2.0
// Outside failures that are no kill: a full disk, a store that cannot be written, a git that dies, a sandbox that
// vanishes, a clock that jumps. Each run says what failed; when the trouble is over, the next one ends where an
// undisturbed run ends.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/file.h"
#include "test/crash/stage.h"

namespace sluice::test {
namespace {

namespace fs = std::filesystem;

// A run that got over the trouble by itself must have ended as an undisturbed one; else the next one must.
void expect_end(Stage& stage, const core::ProcessResult& run, const std::string& undisturbed, const std::string& after) {
  if (run.exit_code != 0 && run.exit_code != 4) {
    const auto again = stage.run();
    EXPECT_TRUE(again.exit_code == 0 || again.exit_code == 4) << after << ": the next run ends with " << again.exit_code << "\n" << again.out << again.err;
  }
  const std::string end = stage.left_behind();
  EXPECT_TRUE(undisturbed == end) << after << ", which ended with " << run.exit_code << "\n" << run.out << run.err << difference(undisturbed, end);
  for (const std::string& path : stage.left_over()) ADD_FAILURE() << after << " left " << path;
}

std::string undisturbed_end(Stage& stage) {
  stage.reset();
  stage.run();
  return stage.left_behind();
}

// A directory first in PATH whose `name` dies by SIGKILL at its `at`th call and is the real program otherwise.
class Dying {
 public:
  Dying(const std::string& root, const std::string& name, const std::string& word) : dir_(root + "/dying-" + name) {
    fs::create_directories(dir_);
    std::ofstream(dir_ + "/" + name) << fmt::format(
        "#!/bin/sh\nn=$(cat {0}/count 2>/dev/null || echo 0)\ncase \"$*\" in *{2}*) n=$((n + 1)); echo $n > {0}/count;; esac\n"
        "case \"$*\" in *{2}*) [ \"$n\" = \"$(cat {0}/at)\" ] && kill -9 $$;; esac\n"
        "exec /usr/bin/{1} \"$@\"\n", dir_, name, word);
    fs::permissions(dir_ + "/" + name, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec | fs::perms::group_read | fs::perms::others_read);
  }
  std::map<std::string, std::string> at(int call) const {
    fs::remove(dir_ + "/count");
    std::ofstream(dir_ + "/at") << call << "\n";
    return {{"PATH", dir_ + ":/usr/bin:/bin"}};
  }
  int calls() const {
    int n = 0;
    std::ifstream(dir_ + "/count") >> n;
    return n;
  }

 private:
  std::string dir_;
};

std::string command_line(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/cmdline", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// SIGKILL to the first process called `name` whose command line holds `root`. How many there were: 0 or 1.
int kill_one(const std::string& name, const std::string& root) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string line = command_line(pid), program = line.substr(0, line.find('\0'));
    if (program.substr(program.rfind('/') + 1) != name || line.find(root) == std::string::npos) continue;
    return ::kill(static_cast<pid_t>(std::stol(pid)), SIGKILL) == 0 ? 1 : 0;
  }
  return 0;
}

TEST(Fault, AGitProcessThatDiesIsSaidAndTheNextRunMakesUpForIt) {
  REQUIRE_SANDBOX();
  Stage stage;
  const std::string undisturbed = undisturbed_end(stage);
  for (const char* word : {"fetch", "ls-remote", "push", "merge-tree"}) {
    const Dying git(stage.world.history.root(), "git", word);
    for (const int call : {1, 2}) {
      stage.reset();
      const auto run = stage.run(git.at(call));
      ASSERT_GE(git.calls(), 1) << word << " was never called";
      EXPECT_NE(run.exit_code, 1) << run.err;
      EXPECT_LT(run.exit_code, 128) << word << ": " << run.err;
      EXPECT_FALSE(run.exit_code == 3 && run.err.empty() && run.out.empty()) << "a failure that nobody is told";
      expect_end(stage, run, undisturbed, fmt::format("git {} dead at call {}", word, call));
    }
  }
}

TEST(Fault, ASandboxThatVanishesBlamesNobody) {
  REQUIRE_SANDBOX();
  Stage stage;
  const std::string undisturbed = undisturbed_end(stage);
  stage.reset();
  std::atomic<bool> ended{false};
  int killed = 0;
  std::thread killer([&] {
    while (!ended && killed < 2) killed += kill_one("bwrap", stage.world.history.root());
  });
  const auto run = stage.run();
  ended = true;
  killer.join();
  ASSERT_GE(killed, 1) << "no sandbox was seen: the test says nothing";
  EXPECT_NE(run.exit_code, 1) << run.err;
  expect_end(stage, run, undisturbed, fmt::format("{} sandboxes killed", killed));
}

TEST(Fault, AStoreThatCannotBeWrittenIsSaidAndNothingLands) {
  REQUIRE_SANDBOX();
  if (::geteuid() == 0 && ::unshare(CLONE_NEWNS) != 0) GTEST_SKIP() << "no mount namespace of our own here: a read-only mount cannot be made";
  Stage stage;
  const std::string undisturbed = undisturbed_end(stage);
  stage.reset();
  ASSERT_EQ(stage.run({{"SLUICE_STOP_AT", "12"}}).signal, SIGKILL);
  const std::string store = stage.world.history.root() + "/store", trunk = stage.world.trunk();
  if (::geteuid() == 0) {
    ASSERT_EQ(::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(::mount(store.c_str(), store.c_str(), nullptr, MS_BIND, nullptr), 0);
    ASSERT_EQ(::mount("", store.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr), 0);
  } else {
    fs::permissions(store, fs::perms::owner_read | fs::perms::owner_exec);
  }
  const auto run = stage.run();
  EXPECT_TRUE(run.exit_code == 2 || run.exit_code == 3) << run.exit_code << run.err;
  EXPECT_NE(run.err.find(store), std::string::npos) << "the message names no path: " << run.err;
  EXPECT_EQ(stage.world.trunk(), trunk);
  if (::geteuid() == 0) {
    ASSERT_EQ(::umount(store.c_str()), 0);
  } else {
    fs::permissions(store, fs::perms::owner_all);
  }
  expect_end(stage, run, undisturbed, "a read-only store");
}

TEST(Fault, AFullDiskIsSaidAndTheNextRunMakesUpForIt) {
  REQUIRE_SANDBOX();
  if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0) GTEST_SKIP() << "a small disk of our own needs the superuser and a mount namespace";
  Stage stage;
  const std::string undisturbed = undisturbed_end(stage);
  ASSERT_EQ(::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  const std::string store = stage.world.history.root() + "/store";
  bool failed = false, went_through = false;
  for (const int kib : {300, 500, 700, 900, 1200, 1600}) {
    stage.reset();
    fs::create_directories(store);
    ASSERT_EQ(::mount("small", store.c_str(), "tmpfs", 0, fmt::format("size={}k", kib).c_str()), 0);
    const auto run = stage.run();
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4 || run.exit_code == 2 || run.exit_code == 3) << run.exit_code << run.err;
    failed = failed || run.exit_code == 3;
    went_through = went_through || run.exit_code == 4;
    EXPECT_FALSE(run.exit_code == 3 && run.err.empty() && run.out.empty()) << "a failure that nobody is told";
    ASSERT_EQ(::mount("", store.c_str(), nullptr, MS_REMOUNT, "size=64m"), 0);
    expect_end(stage, run, undisturbed, fmt::format("a disk of {} KiB", kib));
    ASSERT_EQ(::umount2(store.c_str(), MNT_DETACH), 0);
    if (HasFailure()) break;
  }
  EXPECT_TRUE(failed) << "no disk was too small: the test says nothing";
}

TEST(Fault, AClockThatJumpsChangesNothingButTimes) {
  REQUIRE_SANDBOX();
  Stage stage;
  stage.reset();
  stage.run();
  const std::string trunk_tree = stage.world.history.git("down.git", {"rev-parse", "main^{tree}"});
  for (const char* later : {"2001-01-01T00:00:00Z", "2038-01-19T03:14:08Z"}) {
    stage.reset();
    const auto killed = stage.run({{"SLUICE_STOP_AT", "before push refs/heads/main"}});
    ASSERT_EQ(killed.signal, SIGKILL);
    const auto run = stage.run({{"SLUICE_NOW", later}});
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4) << later << run.exit_code << run.err;
    EXPECT_EQ(stage.world.history.git("down.git", {"rev-parse", "main^{tree}"}), trunk_tree) << later;
    const auto again = stage.run({{"SLUICE_NOW", "2026-02-01T03:00:00Z"}});
    EXPECT_EQ(again.exit_code, 0) << "after the jump from " << later << ": " << again.out << again.err;
    EXPECT_EQ(stage.world.history.git("down.git", {"rev-parse", "main^{tree}"}), trunk_tree) << later;
  }
}

}  // namespace
}  // namespace sluice::test
