// SPDX-License-Identifier: Apache-2.0
// One process works on a store; a killed one does not stand in the way of the next.
#include <fcntl.h>
#include <fmt/format.h>
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

TEST(Lease, ASecondProcessIsKeptOutAndNothingOfTheFirstIsDisturbed) {
  REQUIRE_SANDBOX();
  Stage stage;
  stage.reset();
  const std::string trunk = stage.world.trunk();
  {
    const auto first = stage.world.open();  // this process is at work
    const auto second = stage.run();
    EXPECT_EQ(second.exit_code, 3) << second.err;
    EXPECT_NE(second.err.find(fmt::format("another sluice process (pid {} since ", ::getpid())), std::string::npos) << second.err;
    EXPECT_EQ(stage.world.trunk(), trunk);
  }
  EXPECT_EQ(holder(stage), "") << "whoever ends in order leaves the lease";
  EXPECT_EQ(stage.run().exit_code, 4);
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
