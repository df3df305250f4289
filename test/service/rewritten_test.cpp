// SPDX-License-Identifier: Apache-2.0
#include "service/rewritten.h"

#include <gtest/gtest.h>

#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

constexpr const char* script = R"v(
  repo up
    base40 f                    ; commit B "tiles: the first version"
  fork up down
    put own "1\n"               ; commit D0 "fork: own"
  at up
    put a "1\n"                 ; commit A "a"
    put b "1\n"                 ; commit Bq "b"
    put c "1\n"                 ; commit C "c"
  at down
    pick_by_hand PA A
)v";

TEST(Rewritten, OldCommitsAreFoundAmongTheNewOnesAndMovedWhenAPersonSaysSo) {  // S28
  World w(script);
  w.plan();
  {
    const auto app = w.open();
    ASSERT_TRUE(service::defer(*app, w.id("Bq"), "TASK-1", "later", "ann").ok());
    ASSERT_TRUE(service::wont_port(*app, w.id("C"), "never", "ann").ok());
    EXPECT_FALSE(service::map_rewritten(*app, false, "ann").ok()) << "nothing is rewritten";
  }
  // The same a on the same base under another date, b behind something new, c gone.
  w.history.run(R"v(
    at up
      rewind 3
      put a "1\n" ; commit A2 "a"
      put new "1\n" ; commit New "new"
      put b "1\n" ; commit B2 "b"
      push_bare up
  )v");
  const auto app = w.open();
  auto remotes = service::fetch_remotes(*app);
  ASSERT_TRUE(remotes.ok());
  const auto stopped = service::look(*app, *remotes);
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().message.find("upstream_rewritten"), std::string::npos);

  auto shown = service::map_rewritten(*app, false, "ann");
  ASSERT_TRUE(shown.ok()) << shown.error().message;
  ASSERT_EQ(shown->pairs.size(), 3u);
  EXPECT_EQ(shown->pairs[0].after, w.id("A2"));
  EXPECT_EQ(shown->pairs[1].after, w.id("B2"));
  EXPECT_EQ(shown->pairs[1].how, "patch");
  EXPECT_EQ(shown->pairs[2].after, "");
  EXPECT_EQ(shown->fresh, std::vector<model::Oid>{w.id("New")});
  EXPECT_FALSE(service::look(*app, *remotes).ok()) << "shown is not applied";

  shown = service::map_rewritten(*app, true, "ann");
  ASSERT_TRUE(shown.ok()) << shown.error().message;
  const auto plan = service::look(*app, *remotes);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->ledger.at(w.id("A2")).disposition, D::picked);
  EXPECT_EQ(plan->ledger.at(w.id("A2")).downstream, w.id("PA"));
  EXPECT_EQ(plan->ledger.at(w.id("B2")).disposition, D::deferred);
  EXPECT_EQ(plan->ledger.at(w.id("B2")).task, "TASK-1");
  EXPECT_EQ(plan->ledger.at(w.id("B2")).position, 3);
  EXPECT_FALSE(plan->ledger.contains(w.id("A")));
  EXPECT_TRUE(plan->ledger.contains(w.id("C"))) << "what was decided about it is not lost";
  EXPECT_EQ(plan->pins.frontier, 1);
}

}  // namespace
}  // namespace sluice::test
