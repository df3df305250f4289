// SPDX-License-Identifier: Apache-2.0
// kill -9 at stored steps and at any instant; then the next start ends where an undisturbed run ends.
//
// SLUICE_CRASH_STEPS: how many steps are tried, spread over the night by a fixed seed; "all" for each of them
// (bench/crash). SLUICE_CRASH_INSTANTS: how many random instants. Defaults 40 and 4. SLUICE_CRASH_MORE: so many
// commits more, for a longer night.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

#include "test/crash/stage.h"

namespace sluice::test {
namespace {

std::size_t wanted(const char* name, std::size_t otherwise, std::size_t all) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  return std::string(text) == "all" ? all : static_cast<std::size_t>(std::atoi(text));
}

int more() { return static_cast<int>(wanted("SLUICE_CRASH_MORE", 0, 0)); }

void expect_nothing_left(Stage& stage, const std::string& when) {
  for (const std::string& path : stage.left_over()) ADD_FAILURE() << when << " left " << path;
}

// After the kill: the next start, and what is there then.
void expect_same_end(Stage& stage, const std::string& undisturbed, const std::string& when) {
  const auto again = stage.run();
  EXPECT_TRUE(again.exit_code == 0 || again.exit_code == 4) << when << ": the next run ends with " << again.exit_code << "\n" << again.out << again.err;
  const std::string end = stage.left_behind();
  EXPECT_TRUE(undisturbed == end) << when << "\n" << difference(undisturbed, end);
  expect_nothing_left(stage, when);
}

TEST(Kill, AtAStoredStepTheNextRunEndsWhereAnUndisturbedOneDoes) {
  REQUIRE_SANDBOX();
  Stage stage(more());
  const auto steps = stage.steps();
  const std::string undisturbed = stage.left_behind();
  ASSERT_NE(undisturbed.find("unit.landed"), std::string::npos) << undisturbed;
  expect_nothing_left(stage, "the undisturbed run");
  std::vector<std::size_t> order(steps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(20261130);
  std::shuffle(order.begin(), order.end(), random);
  order.resize(std::min(order.size(), wanted("SLUICE_CRASH_STEPS", 40, order.size())));
  fmt::print("killed at {} of {} stored steps\n", order.size(), steps.size());
  std::fflush(stdout);
  stage.run();
  const std::string twice = stage.left_behind();
  std::size_t done = 0;
  for (const std::size_t i : order) {
    if (done++ % 20 == 0) {
      fmt::print("  {} done\n", done - 1);
      std::fflush(stdout);
    }
    const std::string when = fmt::format("killed at step {} ({})", i + 1, steps[i]);
    SCOPED_TRACE(when);
    stage.reset();
    const auto killed = stage.run({{"SLUICE_STOP_AT", std::to_string(i + 1)}});
    ASSERT_EQ(killed.signal, SIGKILL) << when << " the run went on to " << killed.exit_code << "\n" << killed.out << killed.err;
    // With the end of the run stored, the next start is the next night.
    expect_same_end(stage, steps[i].starts_with("store run.") ? twice : undisturbed, when);
    if (HasFailure()) break;
  }
}

TEST(Kill, AtAnyInstantTheNextRunEndsWhereAnUndisturbedOneDoes) {
  REQUIRE_SANDBOX();
  Stage stage(more());
  stage.reset();
  const auto begin = std::chrono::steady_clock::now();
  stage.run();
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
  const std::string undisturbed = stage.left_behind();
  stage.run();
  const std::string twice = stage.left_behind();
  std::mt19937 random(4711);
  const std::size_t instants = wanted("SLUICE_CRASH_INSTANTS", 4, 20);
  for (std::size_t i = 0; i < instants; ++i) {
    const std::int64_t after = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(whole));
    stage.reset();
    stage.run({}, {"sync"}, after);  // killed then, unless it was faster this time
    // With the end of the run stored, the next start is the next night.
    expect_same_end(stage, stage.run_has_ended() ? twice : undisturbed, fmt::format("killed after {} ms of about {}", after, whole));
    if (HasFailure()) break;
  }
}

TEST(Kill, AParkedUnitThatWasBeingTriedAgainWaitsAsBefore) {
  REQUIRE_SANDBOX();
  Stage stage;
  stage.reset();
  stage.run();
  const auto red_unit = [&]() -> model::Unit {
    const auto app = stage.world.open(service::Access::read);
    const auto units = app->store.units();
    for (const model::Unit& unit : *units) {
      if (unit.commits == std::vector<std::string>{stage.world.id("U3")}) return unit;
    }
    return {};
  };
  const model::Unit before = red_unit();
  ASSERT_EQ(before.state, model::UnitState::parked);
  ASSERT_EQ(stage.run({{"SLUICE_STOP_AT", "store unit.validating"}}, {"sync", "--unit", before.id}).signal, SIGKILL);
  EXPECT_EQ(red_unit().state, model::UnitState::validating);
  // Under another policy the interrupted round is given up and planned anew; nobody plans a deferred commit.
  std::ofstream(stage.world.config_path, std::ios::app) << "\n[[path]]\nglob = \"nowhere/**\"\nclass = \"risk\"\n";
  stage.run();
  EXPECT_EQ(red_unit().state, model::UnitState::parked);
  EXPECT_EQ(stage.world.disposition("U3"), model::Disposition::deferred);
}

TEST(Kill, TwiceInARowIsNotWorseThanOnce) {
  REQUIRE_SANDBOX();
  Stage stage;
  const auto steps = stage.steps();
  const std::string undisturbed = stage.left_behind();
  for (const std::size_t first : {steps.size() / 3, steps.size() * 2 / 3}) {
    stage.reset();
    EXPECT_EQ(stage.run({{"SLUICE_STOP_AT", std::to_string(first)}}).signal, SIGKILL);
    EXPECT_EQ(stage.run({{"SLUICE_STOP_AT", "9"}}).signal, SIGKILL);
    expect_same_end(stage, undisturbed, fmt::format("killed at step {} and again at step 9", first));
  }
}

}  // namespace
}  // namespace sluice::test
