// SPDX-License-Identifier: Apache-2.0
#include "ingest/recognise.h"

#include "test/ingest/world.h"

namespace sluice::ingest::testing {
namespace {

const char* const five = R"~(
  repo up ; base40 f ; put g '1\n' ; commit B base
  fork up down ; put z '1\n' ; commit D fork
  at up
  for n in 0 1 2 3 4; do line f $((5 + 7 * n)) "up $n" ; commit u$n "change $n (#1$n)"; done
  put g '2\n' ; commit G 'g alone'
)~";

TEST(RecogniseByTree, APickWithoutAWordOfItIsPicked) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run("at down ; pick_by_hand H u1 'something that ann typed'");
  world.read_all();
  const auto outcome = world.import();
  EXPECT_EQ(outcome.recognised, 1);
  const auto row = world.ledger().at(h.id("u1"));
  EXPECT_EQ(row.disposition, Disposition::picked);
  EXPECT_EQ(row.evidence, "tree");
  EXPECT_EQ(row.downstream, h.id("H"));
  EXPECT_EQ(world.ledger().size(), 1u);
}

TEST(RecogniseByTree, APickThatSomebodyChangedIsNotGuessed) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run("at down ; line f 12 'up 1, and more' ; commit H 'change 1, adapted'");
  world.read_all();
  EXPECT_EQ(world.import().recognised, 0);
  EXPECT_EQ(world.disposition("u1"), Disposition::pending);
}

TEST(RecogniseByTree, ASquashOfSeveralIsTheFoldOfThem) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run(R"~(
    at down
    for n in 1 2 3; do line f $((5 + 7 * n)) "up $n"; done
    commit S 'three at once'
  )~");
  world.read_all();
  EXPECT_EQ(world.import().recognised, 3);
  for (const char* name : {"u1", "u2", "u3"}) EXPECT_EQ(world.disposition(name), Disposition::picked) << name;
  EXPECT_EQ(world.disposition("u0"), Disposition::pending);
  EXPECT_EQ(world.disposition("u4"), Disposition::pending);
}

TEST(RecogniseByTree, ASquashOfAPlannedUnitWithHolesIsItsMembers) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run("at down ; line f 5 'up 0' ; line f 19 'up 2' ; line f 33 'up 4' ; put g '2\\n' ; commit S 'a unit, squashed'");
  world.read_all();
  model::Unit unit;
  unit.commits = {h.id("u0"), h.id("u2"), h.id("u4"), h.id("G")};
  unit.id = model::unit_id(unit.kind, unit.commits);
  unit.state = model::UnitState::cleared;
  must(world.store.put_unit(unit));
  EXPECT_EQ(world.import().recognised, 4);
  EXPECT_EQ(world.disposition("u2"), Disposition::picked);
  EXPECT_EQ(world.disposition("u1"), Disposition::pending);
}

TEST(RecogniseByTree, ARecognisedPickThatIsRevertedIsBackedOut) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run("at down ; pick_by_hand H u1 'ann' ; revert_of R H");
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u1"), Disposition::backed_out);
}

TEST(RecogniseByTree, ABackOutThatAPersonRecordedStaysThroughAFullScan) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run("at down ; line f 5 'up 0, here' ; commit S pick \"Upstream-Commit: $(id u0)\" ; line f 5 'line 5' ; commit X 'gone again'");
  world.read_all();
  world.import();
  auto row = world.ledger().at(h.id("u0"));
  row.disposition = Disposition::backed_out;
  row.by = h.id("X");
  row.who = "ann";
  row.owner = "kim";
  row.review_at = 77;
  must(world.store.put_ledger(row));
  world.config.trailer_patterns = {"Other: ([0-9a-f]{40})"};  // reads everything again
  world.import();
  row = world.ledger().at(h.id("u0"));
  EXPECT_EQ(row.disposition, Disposition::backed_out);
  EXPECT_EQ(row.owner, "kim");
  EXPECT_EQ(row.review_at, 77);
  h.run("at down ; line f 5 'up 0, here' ; commit Again pick \"Upstream-Commit: $(id u0)\"");
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::picked);
  EXPECT_EQ(world.ledger().at(h.id("u0")).owner, "");
}

class Match : public ::testing::Test {
 protected:
  std::vector<Oid> match(World& world, const History& h, const char* landed, std::int64_t picks = 100) {
    const auto candidates = Candidates::make(must(world.store.facts_many()));
    git::Picker picker = must(git::Picker::open(world.repo, {}));
    budget = MatchBudget{picks, 0, 0};
    const auto& reader = world.repo.reader();
    return must(match_trees(reader, must(reader.commit(h.id(landed))), candidates,
                            [&](const Oid& upstream, const Oid& onto) { return picker.pick(upstream, onto); }, budget));
  }
  MatchBudget budget;
};

TEST_F(Match, IsWhatTheTreesProveWhateverTheMessageSays) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run(R"~(
    at down
    pick_by_hand T u0
    line f 12 'up 1, adapted' ; commit P 'pattern' "Upstream-Commit: $(id u1)"
    line f 19 'up 2, adapted' ; commit S 'change 2 (#12) (#345)'
    line f 40 'own' ; commit O 'own work'
  )~");
  world.read_all();
  EXPECT_EQ(match(world, h, "T"), std::vector<Oid>{h.id("u0")});
  for (const char* adapted : {"P", "S", "O"}) EXPECT_TRUE(match(world, h, adapted).empty()) << adapted;
}

TEST_F(Match, CountsWhatItCouldNotAffordToCompare) {
  History h(five);
  World world(h);
  world.read_all();
  world.import();  // the fork's past; what comes now is new
  h.run("at down ; pick_by_hand H u4 'ann'");
  world.read_all();
  EXPECT_TRUE(match(world, h, "H", 2).empty());
  EXPECT_EQ(budget.untried, 1);
  EXPECT_FALSE(match(world, h, "H").empty());
}

}  // namespace
}  // namespace sluice::ingest::testing
