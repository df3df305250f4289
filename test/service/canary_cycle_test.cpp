// SPDX-License-Identifier: Apache-2.0
// What a run does with its canaries.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/file.h"
#include "service/alerts.h"
#include "service/canary/hostile.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

constexpr const char* script = R"v(
  repo up
    base40 f ; put keep.test "ok\n" ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n"             ; commit D0 "fork: own test"
  at up
    put a "1\n"                     ; commit A "a"
)v";
// No block of a thousand lines stands twice anywhere: the number switches the rule off.
constexpr const char* blind = "[rules.G26]\nthreshold = 1000\n";

bool has_alert(World& w) {
  const auto app = w.open(service::Access::read);
  const auto alerts = service::open_alerts(*app);
  return std::any_of(alerts->begin(), alerts->end(), [](const auto& alert) { return alert.kind == "gate_cannot_fail"; });
}

TEST(CanaryCycle, AGateThatCannotFailStopsLandingUntilItCanAgain) {
  REQUIRE_SANDBOX();
  World w(script, blind);
  const std::string before = w.trunk();
  const auto report = w.sync();
  EXPECT_EQ(report.exit_code(), 3);
  ASSERT_FALSE(report.errors.empty());
  EXPECT_NE(report.errors.front().find("the canary of G26 was not caught"), std::string::npos) << report.errors.front();
  EXPECT_EQ(w.trunk(), before);
  EXPECT_EQ(report.suite_runs, 0);
  EXPECT_TRUE(has_alert(w));

  const auto text = core::read_file(w.config_path, 1u << 20);
  ASSERT_TRUE(text.ok());
  std::string mended = *text;
  mended.erase(mended.find(blind), std::string(blind).size());
  ASSERT_TRUE(core::write_file(w.config_path, mended).ok());
  EXPECT_EQ(w.sync().exit_code(), 0);
  EXPECT_EQ(w.trunk_file("a"), "1");
  EXPECT_FALSE(has_alert(w));
  const auto app = w.open(service::Access::read);
  const auto events = app->store.events(0, 10000);
  for (const char* type : {"gates.quarantined", "gates.proven"}) {
    EXPECT_EQ(std::count_if(events->begin(), events->end(), [&](const auto& e) { return e.type == type; }), 1) << type;
  }
}

TEST(CanaryCycle, AFailingTestThatForgesItsReportTurnsTheGateRed) {
  REQUIRE_SANDBOX();
  constexpr const char* lit = "/usr/lib/llvm-16/build/utils/lit/lit.py";
  if (!core::exists(lit)) GTEST_SKIP() << "lit 16 is not installed (llvm-16-tools)";
  World w(script, std::string("[[suite]]\nid = \"lit\"\nkind = \"lit\"\nneeds = \"build\"\nresults = \"lit.json\"\ncommand = [\"/usr/bin/python3\", \"") + lit +
                      "\", \"-o\", \"lit.json\", \"/src\"]\n");
  const auto app = w.open();
  const auto caught = service::hostile_harness(*app);
  ASSERT_TRUE(caught.ok()) << caught.error().message;
  ASSERT_TRUE(caught->has_value());
  EXPECT_EQ(to_string((*caught)->caught), "red") << (*caught)->finding;
  EXPECT_EQ((*caught)->gate, "G44");
}

TEST(CanaryCycle, WithoutALitSuiteThereIsNoHarnessToProve) {
  REQUIRE_SANDBOX();
  World w(script);
  const auto app = w.open();
  const auto caught = service::hostile_harness(*app);
  ASSERT_TRUE(caught.ok());
  EXPECT_FALSE(caught->has_value());
}

}  // namespace
}  // namespace sluice::test
