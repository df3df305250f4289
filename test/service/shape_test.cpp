// SPDX-License-Identifier: Apache-2.0
// Shape merge: trunk's first-parent line holds tested trees only, and the members are found behind the merge.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/file.h"
#include "core/text.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n"                                ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n"                                            ; commit D0 "fork: own test"
  at up
    line f 5 "line 5 A"                                            ; commit A "tiles: one (#7)"
    put h "1\n"                                                    ; commit H "tiles: two"
    put i "1\n"                                                    ; commit I "tiles: three"
)v";

void set_shape(World& w) {
  auto text = core::read_file(w.config_path);
  ASSERT_TRUE(text.ok());
  text->insert(text->find("[landing]\n") + 10, "shape = \"merge\"\n");
  ASSERT_TRUE(core::write_file(w.config_path, *text).ok());
}

TEST(ShapeMerge, LandsABundleAsOneTestedCommitWithItsMembersBehindIt) {
  REQUIRE_SANDBOX();
  World w(start);
  set_shape(w);
  const std::string before = w.trunk();
  const auto report = w.sync();
  ASSERT_EQ(report.outcome(), "complete");
  EXPECT_EQ(w.history.git("down.git", {"rev-list", "--first-parent", before + "..main"}), w.trunk()) << "one commit";
  EXPECT_EQ(w.history.git("down.git", {"rev-parse", "main^1"}), before);
  EXPECT_EQ(w.history.git("down.git", {"rev-list", "--count", before + "..main^2"}), "3");
  EXPECT_EQ(w.history.git("down.git", {"rev-parse", "main^{tree}"}), w.history.git("down.git", {"rev-parse", "main^2^{tree}"}));
  const std::string message = w.history.git("down.git", {"log", "-1", "--format=%B", "main"});
  EXPECT_TRUE(message.starts_with("Merge b-")) << message;
  EXPECT_NE(message.find(": 3 upstream commits\n\n- tiles: one (acme/tiles#7)\n- tiles: two\n- tiles: three\n\nSluice-Unit: b-"), std::string::npos) << message;
  EXPECT_EQ(message.find("Upstream-Commit"), std::string::npos) << "its members carry those";
  const auto app = w.open(service::Access::read);
  const auto row = app->store.ledger(w.id("I"));
  ASSERT_TRUE(row.ok() && *row);
  EXPECT_EQ((*row)->downstream, w.history.git("down.git", {"rev-parse", "main^2"})) << "the ledger names the member";
  // Every tree of the first-parent line has evidence.
  const std::string line = w.history.git("down.git", {"rev-list", "--first-parent", before + "..main"});
  const auto landings = app->store.landings();
  ASSERT_TRUE(landings.ok());
  for (const std::string_view commit : core::split_lines(line)) {
    const std::string tree = w.history.git("down.git", {"rev-parse", std::string(commit) + "^{tree}"});
    const bool tested = std::any_of(landings->begin(), landings->end(), [&](const auto& landing) { return landing.commit == commit && landing.tree == tree; });
    EXPECT_TRUE(tested) << commit;
  }
}

TEST(ShapeMerge, AUnitOfOneStaysLinearAndAFreshStoreReadsTheMembersBehindTheMerge) {
  REQUIRE_SANDBOX();
  World w(start);
  set_shape(w);
  w.sync();
  const std::string merge = w.trunk();
  w.more("at up; put j \"1\\n\"; commit J \"tiles: four\"");
  w.sync();
  EXPECT_EQ(w.history.git("down.git", {"rev-parse", "main^@"}), merge) << "one parent";
  ASSERT_TRUE(core::remove_all(w.history.root() + "/store").ok());
  w.history.git("down.git", {"update-ref", "-d", "refs/sluice/ledger"});  // a new beginning, from history alone
  const auto anew = w.sync();
  EXPECT_TRUE(anew.units.empty());
  for (const char* name : {"A", "H", "I", "J"}) EXPECT_EQ(w.disposition(name), D::picked) << name;
  EXPECT_EQ(anew.pins_after.contiguous, 4);
}

TEST(ShapeMerge, AMemberBehindAMergeIsTakenBackAlone) {
  REQUIRE_SANDBOX();
  World w(start);
  set_shape(w);
  w.sync();
  const auto app = w.open();
  service::RevertRequest asked;
  asked.what = {w.id("A")};
  asked.reason = "slow";
  asked.owner = asked.who = "kim";
  asked.review_at = 4'000'000'000;
  const auto report = service::revert(*app, asked);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->outcome(), "complete");
  EXPECT_EQ(w.trunk_file("f").find("line 5 A"), std::string::npos);
  EXPECT_EQ(w.trunk_file("h"), "1");
}

}  // namespace
}  // namespace sluice::test
