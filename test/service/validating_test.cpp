// SPDX-License-Identifier: Apache-2.0
// Which stored results are believed again.
#include <gtest/gtest.h>

#include "core/file.h"
#include "service/validating.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

constexpr const char* start = R"v(
  repo up
    put keep.test "ok\n"                    ; commit B "tiles: the first version"
  fork up down
    put own.test "FAIL\n"                   ; commit Red "fork: a red test"
    put own.test "ok\n"                     ; commit Green "fork: a green test"
)v";

// Suites that a new process really executes for commit `name`.
int executed(World& w, const char* name, bool again_when_red) {
  const auto app = w.open();
  auto remotes = service::fetch_remotes(*app);
  auto validator = service::Validator::open(*app);
  if (!remotes.ok() || !validator.ok()) throw std::runtime_error("the world cannot be validated");
  const auto evidence = validator->run(w.history.tree(name), {"build", "unit"}, "test", again_when_red);
  if (!evidence.ok()) throw std::runtime_error(evidence.error().message);
  EXPECT_EQ(evidence->size(), 2u);
  return validator->runs();
}

TEST(Validating, AStoredRedOfTrunkIsRunAgainAndAStoredGreenIsNot) {
  REQUIRE_SANDBOX();
  World w(start);
  EXPECT_EQ(executed(w, "Red", true), 2);
  EXPECT_EQ(executed(w, "Red", true), 2) << "a test that failed once must not stop the fork for ever";
  EXPECT_EQ(executed(w, "Red", false), 0) << "a candidate is not tried until it passes";
  EXPECT_EQ(executed(w, "Green", true), 2);
  EXPECT_EQ(executed(w, "Green", true), 0);
}

TEST(Validating, AnotherBuildCommandMakesTheResultsOfItsSuitesOld) {
  REQUIRE_SANDBOX();
  World w(start);
  EXPECT_EQ(executed(w, "Green", false), 2);
  auto text = core::read_file(w.config_path);
  ASSERT_TRUE(text.ok());
  const std::string command = "cp -r /src/. /build/";
  text->replace(text->find(command), command.size(), command + " && true");
  ASSERT_TRUE(core::write_file(w.config_path, *text).ok());
  EXPECT_EQ(executed(w, "Green", false), 2);
}

// An unattended upgrade in the middle of a run must not be read as the fault of a commit.
TEST(Validating, AnEnvironmentThatChangesDuringTheRunBlamesNobody) {
  REQUIRE_SANDBOX();
  World w(R"v(
    repo up
      put keep.test "ok\n"          ; commit B "tiles: the first version"
    fork up down
      put own.test "ok\n"           ; commit D "fork: own test"
    at up
      put a "1\n"                   ; commit A "a"
  )v");
  const auto app = w.open();
  auto remotes = service::fetch_remotes(*app);
  auto validator = service::Validator::open(*app);
  ASSERT_TRUE(remotes.ok() && validator.ok());
  // Stands for a package that was installed: the digest covers both.
  app->config.environments.front().variables["CHANGED"] = "1";
  const auto evidence = validator->run(w.history.tree("A"), {"build"}, "test");
  ASSERT_FALSE(evidence.ok());
  EXPECT_EQ(evidence.error().kind, core::ErrorKind::transient) << evidence.error().message;
  EXPECT_NE(evidence.error().message.find("changed while"), std::string::npos) << evidence.error().message;
}

}  // namespace
}  // namespace sluice::test
