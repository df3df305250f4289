// SPDX-License-Identifier: Apache-2.0
#include "test/ingest/world.h"

namespace sluice::ingest::testing {
namespace {

const char* const five = R"~(
  repo up ; base40 f ; commit B base
  fork up down ; put z '1\n' ; commit D fork
  at up
  for n in 0 1 2 3 4; do line f $((5 + 7 * n)) "up $n" ; commit u$n "change $n"; done
)~";

TEST(ImportFork, ASquashedBundleIsFiveUnorderedPicks) {  // S27, R11
  History h(five);
  h.run(R"~(
    at down
    for n in 0 1 2 3 4; do line f $((5 + 7 * n)) "up $n"; done
    commit S 'a bundle of five' "Upstream-Commit: $(id u3)\nUpstream-Commit: $(id u1)\ntext\nUpstream-Commit: $(id u0)\n---\nUpstream-Commit: $(id u4)\nreview line\nUpstream-Commit: $(id u2)\nafter"
  )~");
  World world(h);
  world.read_all();
  const auto outcome = world.import();
  EXPECT_EQ(outcome.placed, 5);
  EXPECT_EQ(outcome.unplaced, 0);
  const auto ledger = world.ledger();
  for (const char* name : {"u0", "u1", "u2", "u3", "u4"}) {
    ASSERT_TRUE(ledger.contains(h.id(name)));
    const auto& row = ledger.at(h.id(name));
    EXPECT_EQ(row.disposition, Disposition::picked);
    EXPECT_EQ(row.evidence, "trailer");
    EXPECT_EQ(row.downstream, h.id("S"));
    EXPECT_EQ(row.who, "import");
  }
  const auto at = pins(world.line.line, ledger);
  EXPECT_EQ(at.frontier, 5);
  EXPECT_EQ(at.contiguous, 5);
  EXPECT_EQ(at.frontier_oid, h.id("u4"));
  // A second look reads nothing and moves nothing.
  const auto again = world.import();
  EXPECT_EQ(again.scanned, 0);
  EXPECT_EQ(pins(world.line.line, world.ledger()).frontier, 5);
}

TEST(ImportFork, AShaFromBeforeTheBaseIsNeitherNewsNorUnknown) {
  History h(R"~(
    repo up ; base40 f ; commit old first ; line f 30 'line 30 base' ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 5 'up 0' ; commit u0 'up 0'
    at down ; line f 31 'own' ; commit E 'again' "Upstream-Commit: $(id old)\nUpstream-Commit: $(id B)\nUpstream-Commit: $(id D)"
  )~");
  World world(h);
  world.read_all();
  const auto outcome = world.import();
  EXPECT_EQ(outcome.placed, 0);
  EXPECT_EQ(outcome.unplaced, 1) << "a commit of the fork itself is not upstream's";
  ASSERT_EQ(outcome.unplaced_examples.size(), 1U);
  EXPECT_NE(outcome.unplaced_examples[0].find(h.id("D")), std::string::npos);
}

TEST(ImportFork, ShortAmbiguousAndUnknownShasAreCountedNotGuessed) {
  History h(five);
  h.run(R"~(
    at down
    line f 5 'up 0' ; commit S 'pick' "(cherry picked from commit $(id u0 | cut -c1-9))\nUpstream-Commit: 0123456789012345678901234567890123456789"
  )~");
  World world(h);
  world.read_all();
  const auto outcome = world.import();
  EXPECT_EQ(outcome.placed, 1);
  EXPECT_EQ(outcome.unplaced, 1);
  ASSERT_EQ(outcome.unplaced_examples.size(), 1U);
  EXPECT_NE(outcome.unplaced_examples[0].find("0123456789012345678901234567890123456789"), std::string::npos);
  EXPECT_EQ(world.disposition("u0"), Disposition::picked);
}

// An upstream message that names another upstream commit, or a commit of the fork, is copied by every pick.
TEST(ImportFork, WhatAPickedMessageSaysOfOtherCommitsDecidesNothing) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up
    line f 5 'up 0' ; commit u0 'never picked'
    line f 12 'up 1' ; commit u1 'picked'
    at down
    line f 12 'up 1' ; commit P1 'picked' "Upstream-Commit: $(id u1)"
    at up
    line f 19 'up 2' ; commit u2 'evil' "This reverts commit $(id P1).\n\n(cherry picked from commit $(id u0))\nUpstream-Commit: $(id u0)"
    at down
    line f 19 'up 2' ; commit S2 'evil' "This reverts commit $(id P1).\n\n(cherry picked from commit $(id u0))\n> Upstream-Commit: $(id u0)\n\nUpstream-Commit: $(id u2)\nSluice-Unit: b-1\nSluice-Resolution: clean"
  )~");
  World world(h);
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::pending);
  EXPECT_EQ(world.disposition("u1"), Disposition::picked);
  EXPECT_EQ(world.disposition("u2"), Disposition::picked);
}

TEST(ImportFork, AHandPickOfAForgedMessageCarriesWhatItsOwnLastLineSays) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up
    line f 5 'up 0' ; commit u0 'never picked'
    line f 19 'up 2' ; commit u2 'evil' "Upstream-Commit: $(id u0)\nSluice-Resolution: clean"
    at down
    pick_by_hand P2 u2
  )~");
  World world(h);
  world.read_all();
  const auto outcome = world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::pending);
  EXPECT_EQ(world.disposition("u2"), Disposition::picked);
  EXPECT_EQ(outcome.unplaced, 0);
}

// Upstream's revert names the commit that it takes out; the squash names it as well, and lands both.
TEST(ImportFork, ASquashThatNamesACommitAndItsRevertCarriesBoth) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 5 'up 0' ; commit u0 'change' ; revert_of r0 u0
    at down ; put z '2\n' ; commit S 'both' "Upstream-Commit: $(id u0)\nUpstream-Commit: $(id r0)"
  )~");
  World world(h);
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::reverted_upstream);
  EXPECT_EQ(world.disposition("r0"), Disposition::picked);
}

TEST(ImportFork, ASideCommitIsPlacedAtTheMergeThatBroughtIt) {
  History h(R"~(
    repo up ; put f '1\n' ; commit B base
    fork up down ; put g '1\n' ; commit D fork
    at up
    branch topic ; put h '1\n' ; commit T topic
    on main ; put k '1\n' ; commit K k
    merge_branch M topic
    at down
    put h '1\n' ; commit S 'pick' "(cherry picked from commit $(id T))"
  )~");
  World world(h);
  world.read_all();
  EXPECT_EQ(world.import().placed, 1);
  EXPECT_EQ(world.disposition("M"), Disposition::picked);
  EXPECT_EQ(world.disposition("K"), Disposition::pending);
}

TEST(ImportFork, TheFirstOfTwoLandingsStaysAndTheSecondIsNoted) {
  History h(five);
  h.run(R"~(
    at down
    line f 5 'up 0' ; commit S1 'single' "Upstream-Commit: $(id u0)\nSluice-Resolution: resolved"
    line f 6 'residue' ; commit S2 'again' "Upstream-Commit: $(id u0)"
  )~");
  World world(h);
  world.read_all();
  world.import();
  const auto row = world.ledger().at(h.id("u0"));
  EXPECT_EQ(row.disposition, Disposition::adapted);
  EXPECT_EQ(row.downstream, h.id("S1"));
  EXPECT_NE(row.reason.find(h.id("S2").substr(0, 10)), std::string::npos);
  EXPECT_EQ(pins(world.line.line, world.ledger()).frontier, 1);
}

TEST(ImportFork, ARevertedPickIsBackedOutAndComesBack) {  // S3
  History h(five);
  h.run(R"~(
    at down
    line f 5 'up 0' ; commit S 'pick' "Upstream-Commit: $(id u0)"
    revert_of BO S
  )~");
  World world(h);
  world.read_all();
  world.import();
  const auto row = world.ledger().at(h.id("u0"));
  EXPECT_EQ(row.disposition, Disposition::backed_out);
  EXPECT_EQ(row.by, h.id("BO"));
  const auto ledger = world.ledger();
  std::map<Oid, std::int64_t> times;
  EXPECT_EQ(metrics(world.line.line, ledger, times, 0).backlog_commits, 1);

  h.run("at down ; line f 5 'up 0' ; commit S2 'pick again' \"Upstream-Commit: $(id u0)\"");
  world.read_all();
  EXPECT_EQ(world.import().scanned, 1);
  EXPECT_EQ(world.disposition("u0"), Disposition::picked);
  EXPECT_EQ(world.ledger().at(h.id("u0")).downstream, h.id("S2"));
  EXPECT_EQ(metrics(world.line.line, world.ledger(), times, 0).backlog_commits, 0);
}

TEST(ImportFork, ARevertOfTheRevertBringsThePickBackAcrossTwoImports) {
  History h(five);
  h.run("at down ; line f 5 'up 0' ; commit S 'pick' \"Upstream-Commit: $(id u0)\" ; revert_of BO S");
  World world(h);
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::backed_out);
  h.run("at down ; revert_of BB BO");
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::picked);
}

TEST(ImportFork, ALandedUpstreamRevertMakesItsOriginalRevertedUpstream) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 a ; commit A a
    revert_of R A
    at down
    line f 10 a ; commit PA 'pick' "Upstream-Commit: $(id A)"
    line f 10 'line 10' ; commit PR 'pick of the revert' "Upstream-Commit: $(id R)"
  )~");
  World world(h);
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("A"), Disposition::reverted_upstream);
  EXPECT_EQ(world.disposition("R"), Disposition::picked);
}

TEST(ImportFork, ATrunkThatMovedBackIsReadAgain) {
  History h(five);
  h.run(R"~(
    at down
    line f 5 'up 0' ; commit S0 'pick' "Upstream-Commit: $(id u0)"
    line f 12 'up 1' ; commit S1 'pick' "Upstream-Commit: $(id u1)"
  )~");
  World world(h);
  world.read_all();
  world.import();
  EXPECT_EQ(pins(world.line.line, world.ledger()).frontier, 2);
  h.run("at down ; rewind 1 ; put y '1\\n' ; commit Y other");
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::picked);
  EXPECT_EQ(world.disposition("u1"), Disposition::backed_out);
  EXPECT_EQ(pins(world.line.line, world.ledger()).frontier, 2) << "the frontier never moves backward";
  EXPECT_EQ(pins(world.line.line, world.ledger()).contiguous, 1);
}

TEST(ImportFork, APersonsDecisionIsNotOverwrittenByAScan) {
  History h(five);
  World world(h);
  world.read_all();
  world.put("u0", Disposition::wont_port);
  world.put("u1", Disposition::deferred);
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::wont_port);
  EXPECT_EQ(world.disposition("u1"), Disposition::deferred);
}

TEST(ImportFork, ATrailerOfADeferredCommitMakesItPicked) {
  History h(five);
  World world(h);
  world.read_all();
  world.put("u0", Disposition::deferred, "c-1");
  h.run("at down ; line f 5 'up 0' ; commit S 'pick' \"Upstream-Commit: $(id u0)\"");
  world.read_all();
  world.import();
  EXPECT_EQ(world.disposition("u0"), Disposition::picked);
}

TEST(ImportFork, ConfiguredPatternsAreReadAndANewOneReadsEverythingAgain) {
  History h(five);
  h.run("at down ; line f 5 'up 0, here' ; commit S 'pick' \"Original Commit: $(id u0)\"");
  World world(h);
  world.read_all();
  EXPECT_EQ(world.import().placed, 0);
  world.config.trailer_patterns = {"Original Commit: ([0-9a-f]{40})"};
  EXPECT_EQ(world.import().placed, 1);
  EXPECT_EQ(world.disposition("u0"), Disposition::picked);
}

TEST(FindTrailers, NamesThePatternsAForkUses) {
  History h(five);
  h.run(R"~(
    at down
    line f 5 'up 0' ; commit S 'pick' "Reactor Cherry-pick Revision: $(id u0)"
    line f 12 'up 1' ; commit S1 'pick' "Reactor Cherry-pick Revision: $(id u1)\nUnrelated Key: 0123456789012345678901234567890123456789"
  )~");
  World world(h);
  world.read_all();
  const auto seen = must(find_trailers(world.repo, world.line.base, world.fork_tip, world.upstream_tip));
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].count, 2);
  EXPECT_NE(seen[0].example.find("Reactor Cherry-pick Revision"), std::string::npos);
  world.config.trailer_patterns = {seen[0].pattern};
  EXPECT_EQ(world.import().placed, 2);
}

}  // namespace
}  // namespace sluice::ingest::testing
