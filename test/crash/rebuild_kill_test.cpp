// SPDX-License-Identifier: Apache-2.0
// kill -9 at every stored step of `ledger rebuild`; run again it ends where an undisturbed one ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "test/crash/stage.h"

namespace sluice::test {
namespace {

namespace fs = std::filesystem;

TEST(Kill, ARebuildThatIsRunAgainEndsWhereAnUndisturbedOneDoes) {
  REQUIRE_SANDBOX();
  Stage stage;
  const auto night = stage.run();
  ASSERT_TRUE(night.exit_code == 0 || night.exit_code == 4) << night.err;
  const std::string root = stage.world.history.root(), fork = stage.world.history.path("down.git");
  const auto morning = stage.run({}, {"ledger", "--json"});
  fs::copy(fork, root + "/landed", fs::copy_options::recursive);
  const auto lose_store = [&] {
    fs::remove_all(root + "/store");
    fs::remove_all(fork);
    fs::copy(root + "/landed", fork, fs::copy_options::recursive);
  };
  lose_store();
  const std::string file = root + "/rebuild-steps";
  const auto undisturbed = stage.run({{"SLUICE_STEPS", file}}, {"ledger", "rebuild"});
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.err;
  const std::string end = stage.left_behind();
  EXPECT_EQ(stage.run({}, {"ledger", "--json"}).out, morning.out) << "equal times, too: the clock is fixed";
  std::vector<std::string> steps;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) steps.push_back(line);
  ASSERT_GE(steps.size(), 5U);
  for (std::size_t k = 1; k <= steps.size(); ++k) {
    SCOPED_TRACE(fmt::format("killed at step {} ({})", k, steps[k - 1]));
    lose_store();
    const auto killed = stage.run({{"SLUICE_STOP_AT", std::to_string(k)}}, {"ledger", "rebuild"});
    ASSERT_EQ(killed.signal, SIGKILL);
    const auto again = stage.run({}, {"ledger", "rebuild"});
    if (again.exit_code != 0) {
      // Killed when all was done but the last line: then the store is whole, and a rebuild is refused.
      EXPECT_NE(again.err.find("--replace"), std::string::npos) << again.err;
    }
    const std::string now = stage.left_behind();
    EXPECT_TRUE(now == end) << difference(end, now);
  }
}

}  // namespace
}  // namespace sluice::test
