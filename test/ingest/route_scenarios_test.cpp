// SPDX-License-Identifier: Apache-2.0
// The git shapes of the scenarios, as far as routing decides them: real histories, real picks.
#include <algorithm>

#include "test/ingest/world.h"

namespace sluice::ingest::testing {
namespace {

const model::Unit* unit_of(const RoutePlan& plan, const model::Routing& routing) {
  for (const auto& unit : plan.units)
    if (unit.id == routing.unit) return &unit;
  return nullptr;
}

TEST(RouteScenarios, S1_ARevertOfALandedCommitGoesAheadOfTheBundles) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A a
    put g '1\n' ; commit F frontier
    put h '1\n' ; commit N new
    revert_of R A
    at down
    line f 10 'line 10 A' ; commit PA pick "Upstream-Commit: $(id A)"
    put g '1\n' ; commit PF pick "Upstream-Commit: $(id F)"
  )~");
  World world(h);
  const auto plan = world.plan();
  ASSERT_EQ(plan.units.size(), 2U);
  EXPECT_EQ(plan.units[0].commits, world.ids({"R"}));
  EXPECT_EQ(plan.units[1].commits, world.ids({"N"}));
  EXPECT_EQ(world.of(plan, "R").route, Route::bundle);
  EXPECT_EQ(world.of(plan, "R").pick.status, PickStatus::clean);
  EXPECT_NE(joined(world.of(plan, "R").reasons).find(h.id("PA").substr(0, 10)), std::string::npos);
  EXPECT_TRUE(plan.settled.empty());
}

TEST(RouteScenarios, S2a_ARevertPairCancelsAndTheRelandIsPicked) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A a
    revert_of R A
    line f 10 'line 10 A' ; commit A2 'Reland "a"'
  )~");
  World world(h);
  const auto plan = world.plan();
  ASSERT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.units[0].commits, world.ids({"A2"}));
  EXPECT_EQ(world.settled(plan, "A")->disposition, Disposition::superseded);
  EXPECT_EQ(world.settled(plan, "A")->by, h.id("R"));
  EXPECT_EQ(world.settled(plan, "R")->by, h.id("A"));
  EXPECT_EQ(world.of(plan, "A").pick_trunk, PickStatus::clean) << "said of every commit, picked or not";
  EXPECT_EQ(world.of(plan, "R").pick_trunk, PickStatus::empty);
  EXPECT_EQ(world.of(plan, "A2").pick.tree, "91319af2f5" + world.of(plan, "A2").pick.tree.substr(10));
  EXPECT_EQ(world.of(plan, "A").route, Route::none);
}

TEST(RouteScenarios, S2b_ARelandThatIsInTheForkKeepsItsContent) {
  for (const char* reland :
       {"line f 10 'line 10 A' ; commit A2 'Reland \"a\"'", "revert_of A2 R 'Reapply \"a\"'"}) {
    History h(R"~(
      repo up ; base40 f ; commit B base
      fork up down ; line f 10 'line 10 A' ; commit PA pick
      at up ; line f 10 'line 10 A' ; commit A a
      revert_of R A
    )~");
    h.run(std::string("at up\n") + reland);
    World world(h);
    world.read_all();
    world.put("A", Disposition::picked, "", "PA");
    const auto plan = world.plan();
    EXPECT_TRUE(plan.units.empty()) << reland;
    ASSERT_TRUE(world.settled(plan, "R").has_value()) << reland;
    ASSERT_TRUE(world.settled(plan, "A2").has_value()) << reland;
    EXPECT_EQ(world.settled(plan, "R")->disposition, Disposition::superseded);
  }
}

TEST(RouteScenarios, S2c_ARelandWithMoreMakesTheRevertMoot) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; line f 10 'line 10 A' ; commit PA pick
    at up ; line f 10 'line 10 A' ; commit A a
    revert_of R A
    line f 10 'line 10 A' ; line f 20 'line 20 A2' ; commit A2 'Reland "a" with a fix'
  )~");
  World world(h);
  world.read_all();
  world.put("A", Disposition::picked, "", "PA");
  const auto plan = world.plan();
  ASSERT_TRUE(world.settled(plan, "R").has_value());
  EXPECT_EQ(world.settled(plan, "R")->by, h.id("A2"));
  ASSERT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.units[0].commits, world.ids({"A2"}));
  EXPECT_EQ(world.of(plan, "A2").pick.tree.substr(0, 10), "6c23ce3ef9");
}

TEST(RouteScenarios, S3_ABackedOutCommitClosesWithItsUpstreamRevertAndTheRelandIsPicked) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down
    at up ; line f 10 'line 10 A' ; commit A a
    at down ; line f 10 'line 10 A' ; commit PA pick "Upstream-Commit: $(id A)"
    revert_of BO PA
    at up ; revert_of R A
    line f 10 'line 10 A' ; commit L 'Reland "a"'
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.disposition("A"), Disposition::backed_out);
  EXPECT_EQ(world.settled(plan, "R")->disposition, Disposition::superseded);
  EXPECT_EQ(world.settled(plan, "A")->disposition, Disposition::reverted_upstream);
  ASSERT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.units[0].commits, world.ids({"L"}));
  EXPECT_EQ(world.of(plan, "L").pick.status, PickStatus::clean);
  EXPECT_EQ(world.of(plan, "L").pick.tree.substr(0, 10), "40fef1bb0d");
}

TEST(RouteScenarios, S3_WhatIsOfferedAgainIsAChainForAPerson) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down
    at up ; line f 10 'line 10 A' ; commit A a
    at down ; put z '1\n' ; commit D fork
  )~");
  World world(h);
  world.read_all();
  auto in = world.input();
  in.offered_again[h.id("A")] = "backed out on Monday: broke the build";
  const auto plan = world.route_with(in);
  EXPECT_EQ(world.of(plan, "A").route, Route::chain);
  EXPECT_EQ(world.of(plan, "A").reasons.front(), "backed out on Monday: broke the build");
}

TEST(RouteScenarios, S4_AnOriginalThatWasNeverPickedAndItsRevertCancel) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put g '1\n' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A a
    revert_of R A
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_TRUE(plan.units.empty());
  EXPECT_EQ(world.settled(plan, "A")->disposition, Disposition::superseded);
  EXPECT_EQ(world.settled(plan, "R")->disposition, Disposition::superseded);
}

TEST(RouteScenarios, ARevertOfADeferredCommitClosesTheDeferral) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 10 'line 10 FORK' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A a
    revert_of R A
  )~");
  World world(h);
  world.read_all();
  world.put("A", Disposition::deferred, "c-0123456789");
  const auto plan = world.plan();
  EXPECT_TRUE(plan.units.empty());
  EXPECT_EQ(world.settled(plan, "A")->disposition, Disposition::superseded);
  EXPECT_EQ(world.settled(plan, "R")->disposition, Disposition::superseded);
  EXPECT_TRUE(plan.joined.empty());
}

TEST(RouteScenarios, S5_ARevertOfAnAdaptedPickIsAChainThatSaysWhatToCompare) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 10 'line 10 A adapted' ; commit PA pick
    at up ; line f 10 'line 10 A' ; commit A a
    revert_of R A
  )~");
  World world(h);
  world.read_all();
  world.put("A", Disposition::adapted, "", "PA");
  const auto plan = world.plan();
  const auto& r = world.of(plan, "R");
  EXPECT_EQ(r.route, Route::chain);
  EXPECT_EQ(r.pick.status, PickStatus::conflict);
  EXPECT_EQ(r.handling, model::Handling::semantic_adapt);
  EXPECT_NE(joined(r.reasons).find("compare with the revert of the fork's own pick"), std::string::npos);
}

TEST(RouteScenarios, ARevertPairWithADependentBetweenIsAChainNotACancellation) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A a
    line f 12 'line 12 C' ; commit C 'on top'
    revert_of R A
    put g '1\n' ; commit N other
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_TRUE(plan.settled.empty());
  EXPECT_EQ(unit_of(plan, world.of(plan, "A"))->commits, world.ids({"A", "C", "R"}));
  EXPECT_EQ(world.of(plan, "C").route, Route::chain);
  EXPECT_NE(joined(world.of(plan, "R").reasons).find("cannot cancel"), std::string::npos);
  EXPECT_EQ(world.of(plan, "N").route, Route::bundle);
}

TEST(RouteScenarios, S6_ASeriesRevertWithoutAShaCancelsByTreesAlone) {
  const char* const series = R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 'line 10 A' ; base40 so.cpp ; commit A 'feature (#7)'
    line so.cpp 5 'line 5 B' ; commit Bf 'fix'
    drop so.cpp ; line f 10 'line 10' ; commit R 'undo' "SUBJECT"
  )~";
  for (const bool partial : {false, true}) {
    std::string script = series;
    script.replace(script.find("SUBJECT"), 7,
                   partial ? "Partially revert #7" : "This reverts #7 and follow up fixes");
    History h(script);
    World world(h);
    const auto plan = world.plan();
    if (partial) {
      EXPECT_TRUE(plan.settled.empty()) << "a partial revert never closes its original";
      EXPECT_EQ(plan.units[0].commits, world.ids({"A", "Bf", "R"}));
    } else {
      EXPECT_TRUE(plan.units.empty());
      EXPECT_EQ(world.settled(plan, "A")->by, h.id("R"));
      EXPECT_EQ(world.settled(plan, "Bf")->by, h.id("R"));
      EXPECT_EQ(world.settled(plan, "R")->disposition, Disposition::superseded);
    }
  }
}

TEST(RouteScenarios, S6_ARevertThatNamesALandedPullRequestGoesAhead) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 10 'line 10 A' ; commit PA pick
    at up ; put g '1\n' ; commit N 'before (#6)'
    line f 10 'line 10 A' ; commit A 'feature (#7)'
    line f 10 'line 10' ; commit R 'Revert "feature" (#8)' 'Reverts tile/tile#7'
  )~");
  World world(h);
  world.read_all();
  world.put("A", Disposition::picked, "", "PA");
  const auto plan = world.plan();
  ASSERT_EQ(plan.units.size(), 2U);
  EXPECT_EQ(plan.units[0].commits, world.ids({"R"}));
  EXPECT_EQ(plan.units[1].commits, world.ids({"N"}));
}

TEST(RouteScenarios, S7b_TheSameFixIsAlreadyThereByItsTree) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 7 'line 7 DOWN' ; line f 10 'line 10 FIX' ; insert f 0 '// hdr' ; commit D fork
    at up ; line f 10 'line 10 FIX' ; commit X fix
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.of(plan, "X").pick.status, PickStatus::empty);
  EXPECT_EQ(world.settled(plan, "X")->disposition, Disposition::already);
  EXPECT_EQ(world.settled(plan, "X")->evidence, "tree");
  EXPECT_TRUE(plan.units.empty());
}

TEST(RouteScenarios, S7a_AnAdjacentChangeIsNotGuessedToBeAlready) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 9 'line 9 DOWN' ; line f 10 'line 10 FIX' ; insert f 0 '// hdr' ; commit D fork
    at up ; line f 10 'line 10 FIX' ; commit X fix
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.of(plan, "X").route, Route::chain);
  EXPECT_EQ(world.of(plan, "X").pick.status, PickStatus::conflict);
  EXPECT_TRUE(plan.settled.empty());
}

TEST(RouteScenarios, S8a_ASquashOfTwoCommitsIsAlreadyBoth) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 10 'line 10 A' ; line f 20 'line 20 B' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A a
    line f 20 'line 20 B' ; commit Bq b
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.settled(plan, "A")->disposition, Disposition::already);
  EXPECT_EQ(world.settled(plan, "Bq")->disposition, Disposition::already);
  EXPECT_TRUE(plan.units.empty());
}

TEST(RouteScenarios, S8b_TheEndOfAChainThatIsThereSettlesTheWholeChain) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 10 'line 10 FINAL' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A a
    put other '1\n' ; commit O other
    line f 10 'line 10 FINAL' ; commit A2 final
  )~");
  World world(h);
  const auto plan = world.plan();
  ASSERT_TRUE(world.settled(plan, "A").has_value());
  EXPECT_EQ(world.settled(plan, "A")->disposition, Disposition::already);
  EXPECT_EQ(world.settled(plan, "A")->by, h.id("A2"));
  EXPECT_EQ(world.settled(plan, "A2")->disposition, Disposition::already);
  ASSERT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.units[0].commits, world.ids({"O"}));
}

TEST(RouteScenarios, S8b_ARangeThatTheForkLacksIsRefutedWithoutAMerge) {
  History h(R"~(
    repo up ; base40 f ; put g '1\n' ; commit B base
    fork up down ; line f 10 'line 10 FINAL' ; commit D fork
    at up ; line f 10 'line 10 A' ; put g '2\n' ; commit A a
    line f 10 'line 10 FINAL' ; commit A2 final
    line f 20 'line 20 new' ; line f 10 'line 10 FINAL' ; commit A3 more
  )~");
  World world(h);
  world.read_all();
  auto scratch = must(world.repo.scratch());
  auto picker = must(git::Picker::open(scratch, world.config.policy.paths));
  const auto in = world.input();
  RangePicks ranges(scratch, picker, in.policy, in.commits);
  // g is as it was in the fork: nothing that git could merge would leave it so.
  EXPECT_EQ(ranges.pick(world.ids({"A", "A2"}), in.trunk_tree).status, PickStatus::unknown);
  EXPECT_EQ(ranges.merges(), 0);
  EXPECT_NE(pick_range(scratch, picker, world.ids({"A", "A2"}), in.trunk_tree).status, PickStatus::empty);
  // The fork's f lacks a line that the range adds.
  EXPECT_EQ(ranges.pick(world.ids({"A2", "A3"}), in.trunk_tree).status, PickStatus::unknown);
  EXPECT_EQ(ranges.merges(), 0);
  EXPECT_NE(pick_range(scratch, picker, world.ids({"A2", "A3"}), in.trunk_tree).status, PickStatus::empty);
}

TEST(RouteScenarios, S9_ACommitOnADeferredOneJoinsItsChainAndNamesIt) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 'line 10 A' ; commit A 'the prerequisite'
    line f 13 'line 13 W' ; commit W 'never wanted'
    line f 10 'line 10 A then B' ; commit Bp 'the dependent'
    put g '1\n' ; commit N other
  )~");
  World world(h);
  world.read_all();
  world.put("A", Disposition::deferred, "c-0123456789");
  world.put("W", Disposition::wont_port);
  auto plan = world.plan();
  const auto& bp = world.of(plan, "Bp");
  EXPECT_EQ(bp.route, Route::chain);
  EXPECT_EQ(bp.unit, "c-0123456789");
  EXPECT_EQ(bp.pick.status, PickStatus::conflict);
  EXPECT_EQ(bp.depends_on, world.ids({"A"})) << "not the commit that is won't-port";
  EXPECT_NE(joined(bp.reasons).find("the prerequisite"), std::string::npos);
  EXPECT_EQ(joined(bp.reasons).find("never wanted"), std::string::npos);
  ASSERT_EQ(plan.joined.size(), 1U);
  EXPECT_EQ(plan.joined[0].upstream, h.id("Bp"));
  EXPECT_EQ(plan.joined[0].disposition, Disposition::deferred);
  EXPECT_EQ(plan.joined[0].evidence, "dep-blocked(" + h.id("A") + ")");
  EXPECT_EQ(plan.joined[0].unit, "c-0123456789");
  EXPECT_EQ(world.of(plan, "N").route, Route::bundle);

  // When A has landed, Bp is an ordinary commit again.
  h.run("at down ; line f 10 'line 10 A' ; commit PA pick \"Upstream-Commit: $(id A)\"");
  plan = world.plan();
  EXPECT_EQ(world.of(plan, "Bp").route, Route::bundle);
  EXPECT_EQ(world.of(plan, "Bp").pick.tree.substr(0, 10), "93a19e9a02");
}

TEST(RouteScenarios, S10_PinPathsGoToThePinLaneAlsoWhenTheyMergeCleanly) {
  for (const bool conflict : {false, true}) {
    History h(std::string(R"~(
      repo up ; put cmake/llvm-hash.txt '1111111111111111111111111111111111111111\n' ; commit B base
      fork up down ; )~") +
              (conflict ? "put cmake/llvm-hash.txt '3333333333333333333333333333333333333333\\n'"
                        : "put z '1\\n'") +
              R"~( ; commit D fork
      at up ; put cmake/llvm-hash.txt '2222222222222222222222222222222222222222\n' ; commit P 'pin'
      put g '1\n' ; commit N other
    )~");
    World world(h);
    world.config.policy.paths = {
        {.glob = "cmake/llvm-hash.txt", .klass = model::PathClass::pin, .owner = {}}};
    const auto plan = world.plan();
    const auto& p = world.of(plan, "P");
    EXPECT_EQ(p.route, Route::pin);
    EXPECT_EQ(p.handling, model::Handling::toolchain);
    EXPECT_EQ(p.pick.status, conflict ? PickStatus::conflict : PickStatus::clean);
    EXPECT_EQ(unit_of(plan, p)->kind, UnitKind::pin);
    EXPECT_EQ(world.of(plan, "N").route, Route::bundle);
  }
}

TEST(RouteScenarios, S11_ASubmoduleLinkIsAPinAndNeverAlready) {
  History h(R"~(
    repo up ; put f '1\n' ; gitlink sub 1111111111111111111111111111111111111111 ; commit B base
    fork up down ; gitlink sub 3333333333333333333333333333333333333333 ; commit D fork
    at up ; gitlink sub 2222222222222222222222222222222222222222 ; commit P link
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.of(plan, "P").route, Route::pin);
  EXPECT_EQ(world.of(plan, "P").pick.status, PickStatus::conflict);
  EXPECT_TRUE(plan.settled.empty());
}

TEST(RouteScenarios, S13_TextualDuplicatesAreNotRoutingsBusiness) {
  History h(R"~(
    repo up ; base40 f.cpp ; commit B base
    fork up down ; insert f.cpp 30 'void verify() {\n  check();\n}' ; commit D fork
    at up ; insert f.cpp 5 'void verify() {\n  check();\n}' ; commit X x
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.of(plan, "X").pick.status, PickStatus::clean);
  EXPECT_EQ(world.of(plan, "X").pick.tree.substr(0, 10), "b9c97bf4de")
      << "the guardrail G26 gets this tree to judge";
}

TEST(RouteScenarios, S14_AVanishedDirectoryThatHoldsForkFilesIsAChain) {
  History h(R"~(
    repo up ; base40 lib/old/a.cpp ; base40 lib/old/b.cpp ; append lib/old/b.cpp 'b\n' ; commit B base
    fork up down ; put lib/old/mine.cpp 'mine\n' ; commit D fork
    at up ; move lib/old lib/new ; commit X 'move the directory'
  )~");
  World world(h);
  const auto plan = world.plan();
  const auto& x = world.of(plan, "X");
  EXPECT_EQ(x.route, Route::chain);
  EXPECT_EQ(x.pick.status, PickStatus::conflict);
  EXPECT_NE(joined(x.reasons).find("mine.cpp"), std::string::npos) << joined(x.reasons);
}

TEST(RouteScenarios, S15_WhatTheForkDeletedByPolicyStaysDeleted) {
  for (const bool policy : {true, false}) {
    History h(R"~(
      repo up ; base40 .github/workflows/ci.yml ; put f '1\n' ; commit B base
      fork up down ; drop .github/workflows/ci.yml ; commit D fork
      at up ; line .github/workflows/ci.yml 10 X ; commit X 'ci only'
      line .github/workflows/ci.yml 20 Y ; put f '2\n' ; commit Y 'ci and code'
    )~");
    World world(h);
    if (policy)
      world.config.policy.paths = {
          {.glob = ".github/workflows/", .klass = model::PathClass::deleted, .owner = {}}};
    const auto plan = world.plan();
    if (policy) {
      EXPECT_EQ(world.settled(plan, "X")->disposition, Disposition::wont_port);
      EXPECT_EQ(world.settled(plan, "X")->evidence, "policy");
      EXPECT_EQ(world.of(plan, "Y").route, Route::bundle);
      EXPECT_EQ(world.of(plan, "Y").pick.dropped.size(), 1U);
      EXPECT_NE(joined(world.of(plan, "Y").reasons).find("ci.yml"), std::string::npos);
    } else {
      EXPECT_EQ(world.of(plan, "X").route, Route::chain);
      EXPECT_NE(joined(world.of(plan, "X").reasons).find("the fork deleted .github/workflows/ci.yml"),
                std::string::npos);
      EXPECT_EQ(world.of(plan, "Y").route, Route::chain);
    }
  }
}

TEST(RouteScenarios, S16_AChangedSignatureWithAForkOnlyCallerIsAChainThatListsIt) {
  History h(R"~(
    repo up ; put h.h 'int f(int);\n' ; put u.c 'int a(){return f(1);}\n' ; commit B base
    fork up down ; put d.c 'int b(){return f(2);}\n' ; commit D fork
    at up ; put h.h 'int f(int,int);\n' ; put u.c 'int a(){return f(1,0);}\n' ; commit X 'new argument'
  )~");
  World world(h);
  world.read_all();
  auto in = world.input();
  in.files_naming = [](const std::string& symbol) {
    return symbol == "f" ? std::vector<std::string>{"d.c"} : std::vector<std::string>{};
  };
  const auto plan = world.route_with(in);
  const auto& x = world.of(plan, "X");
  EXPECT_EQ(x.pick.status, PickStatus::clean);
  EXPECT_EQ(x.pick.tree.substr(0, 10), "97674a1e45");
  EXPECT_EQ(x.route, Route::chain);
  EXPECT_NE(joined(x.reasons).find("d.c"), std::string::npos);
}

TEST(RouteScenarios, S20_AnEmptyUpstreamCommitIsPickedEmpty) {
  History h(R"~(
    repo up ; put f '1\n' ; commit B base
    fork up down ; put g '1\n' ; commit D fork
    at up ; empty_commit E 'nothing'
    put h '1\n' ; commit N other
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.settled(plan, "E")->disposition, Disposition::picked_empty);
  EXPECT_EQ(plan.units.size(), 1U);
}

TEST(RouteScenarios, S22_AMergeIsPickedAsOneAndAnEvilOneIsAChain) {
  for (const bool evil : {false, true}) {
    History h(std::string(R"~(
      repo up ; put f '1\n' ; commit B base
      fork up down ; put g '1\n' ; commit D fork
      at up
      branch topic ; put h '1\n' ; commit T topic
      on main ; put k '1\n' ; commit K k
    )~") + (evil ? "git merge -q --no-ff --no-commit topic ; put f 'edited\\n' ; git add f ; git commit -q "
                   "-m evil"
                 : "merge_branch M topic"));
    World world(h);
    const auto plan = world.plan();
    ASSERT_EQ(plan.commits.size(), 2U);
    EXPECT_EQ(plan.commits[1].route, evil ? Route::chain : Route::bundle);
    EXPECT_EQ(plan.commits[1].pick.status, PickStatus::clean);
  }
}

TEST(RouteScenarios, S25_AFileCopiedByHandIsAChainThatSaysBothAddedIt) {
  History h(R"~(
    repo up ; put f '1\n' ; commit B base
    fork up down ; base40 n.cpp ; line n.cpp 2 'line 2 D' ; commit D fork
    at up ; base40 n.cpp ; commit X add
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_EQ(world.of(plan, "X").route, Route::chain);
  EXPECT_NE(joined(world.of(plan, "X").reasons).find("both sides added n.cpp"), std::string::npos);
}

TEST(RouteScenarios, S27_PicksThatTrailersNameAreNotTriedAgain) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up
    for n in 0 1 2 3 4; do line f $((5 + 7 * n)) "up $n" ; commit u$n "change $n"; done
    at down
    for n in 0 1 2 3 4; do line f $((5 + 7 * n)) "up $n"; done
    commit S 'five' "Upstream-Commit: $(id u0)\nUpstream-Commit: $(id u1)\nUpstream-Commit: $(id u2)\nUpstream-Commit: $(id u3)\nUpstream-Commit: $(id u4)\n---\nmore"
  )~");
  World world(h);
  const auto plan = world.plan();
  EXPECT_TRUE(plan.units.empty());
  for (const auto& routing : plan.commits) EXPECT_EQ(routing.route, Route::none);
}

TEST(RouteScenarios, R8_OneConflictStopsOnlyWhatDependsOnIt) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; line f 10 'line 10 FORK' ; commit D fork
    at up
    put a1 '1\n' ; commit c1 one
    put a2 '1\n' ; commit c2 two
    line f 10 'line 10 UP' ; commit c3 three
    put a4 '1\n' ; commit c4 four
    line f 30 'line 30 UP' ; commit c5 five
    put a6 '1\n' ; commit c6 six
    line f 11 'line 11 UP' ; commit c7 seven
    put a8 '1\n' ; commit c8 eight
    put a9 '1\n' ; commit c9 nine
    put a10 '1\n' ; commit c10 ten
  )~");
  World world(h);
  const auto plan = world.plan();
  ASSERT_EQ(plan.units.size(), 2U);
  EXPECT_EQ(plan.units[0].kind, UnitKind::bundle);
  EXPECT_EQ(plan.units[0].commits, world.ids({"c1", "c2", "c4", "c5", "c6", "c8", "c9", "c10"}));
  EXPECT_EQ(plan.units[1].kind, UnitKind::chain);
  EXPECT_EQ(plan.units[1].commits, world.ids({"c3", "c7"}));
  EXPECT_EQ(world.of(plan, "c7").depends_on, world.ids({"c3"}));
  // As the pipeline would store it:
  for (const char* name : {"c1", "c2", "c4", "c5", "c6", "c8", "c9", "c10"})
    world.put(name, Disposition::picked);
  for (const char* name : {"c3", "c7"}) world.put(name, Disposition::deferred, plan.units[1].id);
  const auto ledger = world.ledger();
  EXPECT_EQ(pins(world.line.line, ledger).frontier, 10);
  EXPECT_EQ(pins(world.line.line, ledger).contiguous, 2);
  EXPECT_EQ(metrics(world.line.line, ledger, {}, 0).backlog_commits, 2);
}

}  // namespace
}  // namespace sluice::ingest::testing
