// SPDX-License-Identifier: Apache-2.0
// One process works on a store; a killed one does not stand in the way of the next.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "test/crash/stage.h"

namespace sluice::test {
namespace {

std::string holder(const Stage& stage) {
  std::ifstream file(stage.world.history.root() + "/store/lock");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Until a process holds the store, or ten seconds are over.
bool wait_for_holder(const Stage& stage) {
  for (int i = 0; i < 2000; ++i) {
    if (holder(stage).starts_with("pid ")) return true;
    ::usleep(5'000);
  }
  return false;
}

TEST(Lease, ASecondProcessIsKeptOutAndNothingOfTheFirstIsDisturbed) {
  REQUIRE_SANDBOX();
  Stage stage;
  stage.reset();
  core::ProcessResult first;
  std::thread running([&] { first = stage.run(); });
  const bool held = wait_for_holder(stage);
  const auto second = stage.run();
  running.join();
  ASSERT_TRUE(held);
  if (second.exit_code != 0) {  // 0: the first one was through already, and there was nothing left to do
    EXPECT_NE(second.err.find("another sluice process (pid "), std::string::npos) << second.err;
  }
  EXPECT_EQ(first.exit_code, 4) << first.err;
  EXPECT_EQ(holder(stage), "") << "whoever ends in order leaves the lease";
}

TEST(Lease, OfAKilledHolderIsTakenOverAndSaidOnce) {
  REQUIRE_SANDBOX();
  Stage stage;
  stage.reset();
  ASSERT_EQ(stage.run({{"SLUICE_STOP_AT", "20"}}).signal, SIGKILL);
  EXPECT_TRUE(holder(stage).starts_with("pid ")) << holder(stage);
  const auto next = stage.run({}, {"sync"});
  EXPECT_EQ(next.exit_code, 4) << next.err;
  EXPECT_EQ(holder(stage), "");
  EXPECT_TRUE(stage.left_over().empty());
}

TEST(Lease, IsWaitedForWhileSomethingOfADeadHolderStillHasIt) {
  REQUIRE_SANDBOX();
  Stage stage;
  stage.reset();
  ASSERT_EQ(stage.run({{"SLUICE_STOP_AT", "20"}}).signal, SIGKILL);
  ASSERT_TRUE(holder(stage).starts_with("pid "));
  // As a child between fork and exec does: the lock is held, and the process that the file names is gone.
  const int fd = ::open((stage.world.history.root() + "/store/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
  std::thread child([fd] {
    ::usleep(300'000);
    ::close(fd);
  });
  const auto next = stage.run();
  child.join();
  EXPECT_EQ(next.exit_code, 4) << next.err;
}

}  // namespace
}  // namespace sluice::test
