// SPDX-License-Identifier: Apache-2.0
// The rungs on real conflicts of real picks.
#include <algorithm>
#include <optional>
#include <set>

#include "agent/agent.h"
#include "test/ingest/world.h"

namespace sluice::agent::testing {
namespace {

using ingest::testing::must;
using ingest::testing::World;
using model::PickStatus;
using model::Rung;
using test_support::History;

class Bench {
 public:
  explicit Bench(const std::string& script) : history(script), world(history) {
    world.read_all();
    picker_.emplace(must(git::Picker::open(world.repo, world.config.policy.paths)));
  }
  model::Pick pick(const std::string& name, const std::string& onto = "D") {
    return picker_->pick(history.id(name), history.tree(onto));
  }
  Answer propose(const std::string& name, const model::Pick& pick) {
    return must(agent::propose(world.repo, world.store, sure_rungs(world.config.policy), world.facts(name), pick));
  }
  std::string content(const model::Oid& tree, const std::string& path) {
    return must(world.repo.reader().file(tree, path)).value_or("(absent)");
  }

  // Every region of the machine merge has one record, and no record has no region (G28).
  void expect_every_region_answered_once(const model::Pick& pick, const Answer& answer) {
    std::multiset<std::string> want, have;
    for (const auto& conflict : pick.conflicts) {
      if (conflict.regions == 0) {
        want.insert(conflict.path + " ");
        continue;
      }
      const auto merged = must(git::cut_regions(conflict.path, content(pick.tree, conflict.path)));
      for (const auto& region : merged.regions) want.insert(conflict.path + " " + region.id);
    }
    for (const auto& resolution : answer.resolutions)
      have.insert(resolution.path + " " + resolution.region_id);
    EXPECT_EQ(have, want);
  }

  void land(const std::string& unit, const std::string& upstream, const model::Pick& pick,
            const model::Oid& tree, const std::vector<model::Resolution>& resolutions = {}) {
    model::ProposalMember member;
    member.upstream = world.facts(upstream);
    member.pick = pick;
    member.tree = tree;
    member.resolved = true;
    member.resolutions = resolutions;
    must(remember(world.repo, world.store, unit, member, 1));
  }

  History history;
  World world;

 private:
  std::optional<git::Picker> picker_;
};

const char* const crlf = R"~(
  repo up ; base40 f.txt ; commit B base
  fork up down ; sed -i 's/$/\r/' f.txt ; commit D 'crlf'
  at up ; line f.txt 10 'line 10 FIX' ; commit X fix
)~";

TEST(Proven, S19_TheForksLineEndsAreKeptAndTheFixArrivesOnce) {
  Bench bench(crlf);
  const auto pick = bench.pick("X");
  ASSERT_EQ(pick.status, PickStatus::conflict);
  const auto answer = bench.propose("X", pick);
  ASSERT_TRUE(answer.complete) << answer.open.front();
  const std::string text = bench.content(answer.tree, "f.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 40);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_NE(text.find("line 10 FIX\r\n"), std::string::npos);
  EXPECT_EQ(text.find("FIX"), text.rfind("FIX"));
  EXPECT_EQ(answer.resolutions.front().rung, Rung::proven);
  EXPECT_EQ(answer.resolutions.front().rule, "EOL");
  bench.expect_every_region_answered_once(pick, answer);
}

TEST(Proven, S19b_AByteOrderMarkIsKept) {
  Bench bench(R"~(
    repo up ; base40 f.txt ; commit B base
    fork up down ; { printf '\xef\xbb\xbf' ; seq -f 'line %.0f' 1 40 ; } | put f.txt ; commit D bom
    at up ; line f.txt 1 'line 1 UP' ; commit X1 first
    line f.txt 20 'line 20 UP' ; commit X2 second
  )~");
  const auto pick = bench.pick("X1");
  ASSERT_EQ(pick.status, PickStatus::conflict);
  const auto answer = bench.propose("X1", pick);
  ASSERT_TRUE(answer.complete) << answer.open.front();
  EXPECT_TRUE(bench.content(answer.tree, "f.txt").starts_with("\xef\xbb\xbfline 1 UP\nline 2\n"));
  bench.expect_every_region_answered_once(pick, answer);
  const auto second = bench.pick("X2");
  EXPECT_EQ(second.status, PickStatus::clean);
  EXPECT_EQ(second.tree.substr(0, 10), "8c9c0c1eda");
}

TEST(Proven, S19_UpstreamsOwnChangeOfLineEndsIsNotDecidedByTheRule) {
  Bench bench(R"~(
    repo up ; base40 f.txt ; commit B base
    fork up down ; line f.txt 10 'line 10 DOWN' ; commit D fork
    at up ; sed -i 's/$/\r/' f.txt ; commit X crlf
  )~");
  const auto answer = bench.propose("X", bench.pick("X"));
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(answer.open.size(), 1U);
}

TEST(Proven, S19_ARealConflictUnderTheLineEndsStaysOpen) {
  Bench bench(R"~(
    repo up ; base40 f.txt ; commit B base
    fork up down ; line f.txt 10 'line 10 DOWN' ; sed -i 's/$/\r/' f.txt ; commit D 'crlf'
    at up ; line f.txt 10 'line 10 FIX' ; commit X fix
  )~");
  EXPECT_FALSE(bench.propose("X", bench.pick("X")).complete);
}

TEST(Proven, S21_TheFinalNewlineOfTheForkAndTheLineOfUpstreamAreBothKept) {
  Bench bench(R"~(
    repo up ; put f 'a\nb' ; commit B base
    fork up down ; put f 'a\nb\n' ; commit D newline
    at up ; put f 'a\nb\nc' ; commit X c
  )~");
  const auto pick = bench.pick("X");
  ASSERT_EQ(pick.status, PickStatus::conflict);
  const auto answer = bench.propose("X", pick);
  ASSERT_TRUE(answer.complete) << answer.open.front();
  EXPECT_EQ(bench.content(answer.tree, "f"), "a\nb\nc\n");
  EXPECT_EQ(answer.resolutions.front().rule, "EOF");
  bench.expect_every_region_answered_once(pick, answer);
}

TEST(Proven, S21_ANewlineThatUpstreamAddsIsKeptBesideTheForksLine) {
  Bench bench(R"~(
    repo up ; put f 'a\nb' ; commit B base
    fork up down ; put f 'a\nb\nd' ; commit D line
    at up ; put f 'a\nb\n' ; commit X newline
  )~");
  const auto answer = bench.propose("X", bench.pick("X"));
  ASSERT_TRUE(answer.complete) << answer.open.front();
  EXPECT_EQ(bench.content(answer.tree, "f"), "a\nb\nd\n");
}

TEST(Proven, A1s_BothSidesSayTheSameSoTheForksSpellingStays) {
  Bench bench(R"~(
    repo up ; base40 f.cpp ; commit B base
    fork up down ; line f.cpp 10 'int a = f(1, 2);' ; commit D fork
    at up ; line f.cpp 10 'int a = f(1,2);' ; line f.cpp 30 'int other;' ; commit X up
  )~");
  const auto pick = bench.pick("X");
  ASSERT_EQ(pick.status, PickStatus::conflict);
  const auto answer = bench.propose("X", pick);
  ASSERT_TRUE(answer.complete) << answer.open.front();
  const std::string text = bench.content(answer.tree, "f.cpp");
  EXPECT_NE(text.find("int a = f(1, 2);\n"), std::string::npos);
  EXPECT_NE(text.find("int other;\n"), std::string::npos);
  ASSERT_EQ(answer.account.size(), 1U);
  EXPECT_EQ(answer.account[0].kind, "proven");
  EXPECT_EQ(answer.account[0].code, "FORMAT_EQUAL");
  EXPECT_EQ(answer.account[0].arg, answer.resolutions[0].region_id);
  EXPECT_EQ(answer.resolutions[0].rule, "A1s");
  bench.expect_every_region_answered_once(pick, answer);
}

TEST(Proven, S15_KeepDeletedNeedsThePolicy) {
  const char* const script = R"~(
    repo up ; base40 ci.yml ; put f '1\n' ; commit B base
    fork up down ; drop ci.yml ; commit D fork
    at up ; line ci.yml 20 Y ; put f '2\n' ; commit Y both
  )~";
  Bench bench(script);
  const auto pick = bench.pick("Y");
  ASSERT_EQ(pick.status, PickStatus::conflict);
  const auto without = bench.propose("Y", pick);
  EXPECT_FALSE(without.complete);
  EXPECT_NE(without.open.front().find("ci.yml"), std::string::npos);
  bench.world.config.policy.paths = {{.glob = "ci.yml", .klass = model::PathClass::deleted, .owner = {}}};
  const auto with = bench.propose("Y", pick);
  ASSERT_TRUE(with.complete);
  EXPECT_EQ(bench.content(with.tree, "ci.yml"), "(absent)");
  EXPECT_EQ(bench.content(with.tree, "f"), "2\n");
  EXPECT_EQ(with.account.front().code, "DROPPED_BY_POLICY");
  bench.expect_every_region_answered_once(pick, with);
}

TEST(Open, S18_S25_BinaryAndAddAddSayWhatAPersonCanDo) {
  Bench bench(R"~(
    repo up ; put f 'a\0001\0' ; commit B base
    fork up down ; put f 'a\0002\0' ; base40 n.cpp ; line n.cpp 2 'line 2 D' ; commit D fork
    at up ; put f 'a\0003\0' ; base40 n.cpp ; commit X up
  )~");
  const auto pick = bench.pick("X");
  const auto answer = bench.propose("X", pick);
  EXPECT_FALSE(answer.complete);
  EXPECT_TRUE(answer.tree.empty());
  ASSERT_EQ(answer.open.size(), 2U);
  EXPECT_TRUE(answer.open[0].starts_with("f (")) << answer.open[0];
  EXPECT_NE(answer.open[1].find("keep the fork's"), std::string::npos) << answer.open[1];
}

TEST(Open, ACleanPickIsNoQuestion) {
  Bench bench(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 a ; commit X up
  )~");
  const auto result =
      agent::propose(bench.world.repo, bench.world.store, {}, bench.world.facts("X"), bench.pick("X"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::invalid);
}

// The same conflict in two files, so that the second answer can only be remembered.
const char* const twice = R"~(
  repo up ; base40 f.cpp ; base40 lib/g.cpp ; commit B base
  fork up down ; line f.cpp 10 'int down = 1;' ; line lib/g.cpp 10 'int down = 1;' ; commit D fork
  at up ; line f.cpp 10 'int up = 2;' ; commit X1 first
  line lib/g.cpp 10 'int up = 2;' ; commit X2 second
)~";

model::Oid resolved(Bench& bench, const model::Pick& pick, const std::string& path, const std::string& line) {
  const auto merged = must(git::cut_regions(path, bench.content(pick.tree, path)));
  const std::string text = git::fill_regions(merged, {line});
  const auto blob = must(bench.world.repo.write_blob(text));
  return must(bench.world.repo.write_tree(pick.tree, {{path, git::TreeEntry{0100644, blob}}}));
}

TEST(Remembered, AnAnswerThatLandedIsGivenAgainInAnotherFile) {
  Bench bench(twice);
  const auto first = bench.pick("X1"), second = bench.pick("X2");
  EXPECT_FALSE(bench.propose("X2", second).complete);
  bench.land("c-1", "X1", first, resolved(bench, first, "f.cpp", "int down = 1, up = 2;\n"));
  const auto answer = bench.propose("X2", second);
  ASSERT_TRUE(answer.complete) << answer.open.front();
  EXPECT_NE(bench.content(answer.tree, "lib/g.cpp").find("line 9\nint down = 1, up = 2;\nline 11\n"),
            std::string::npos);
  EXPECT_EQ(answer.resolutions.front().rung, Rung::remembered);
  bench.expect_every_region_answered_once(second, answer);
}

std::vector<std::string> sides_in(const Answer& answer) {
  std::vector<std::string> out;
  for (const auto& entry : answer.account) {
    if (entry.kind == "side_choice") out.push_back(entry.path + ": " + entry.code + " " + entry.arg);
  }
  return out;
}

TEST(Remembered, AnAnswerThatWasOneSideSaysSoAgain) {
  Bench bench(twice);
  const auto first = bench.pick("X1"), second = bench.pick("X2");
  bench.land("c-1", "X1", first, resolved(bench, first, "f.cpp", "int down = 1;\n"));
  const auto answer = bench.propose("X2", second);
  ASSERT_TRUE(answer.complete) << answer.open.front();
  EXPECT_EQ(sides_in(answer), std::vector<std::string>{"lib/g.cpp: SIDE " + answer.resolutions.at(0).region_id + " OURS"});
  EXPECT_NE(answer.account.front().because.find("c-1"), std::string::npos);
}

TEST(Person, WhoeverTookOneSideByHandIsNotAskedWhetherTheyDid) {
  Bench bench(twice);
  const auto pick = bench.pick("X1");
  const auto by = [&](const std::string& text) {
    return must(by_person(bench.world.repo, bench.world.store, sure_rungs(bench.world.config.policy), bench.world.facts("X1"), pick,
                          resolved(bench, pick, "f.cpp", text)));
  };
  const Answer theirs = by("int up = 2;\n");
  EXPECT_EQ(theirs.resolutions.at(0).action, "theirs");
  EXPECT_EQ(sides_in(theirs), std::vector<std::string>{"f.cpp: SIDE " + theirs.resolutions[0].region_id + " THEIRS"});
  EXPECT_EQ(sides_in(by("int down = 1;\n")), std::vector<std::string>{"f.cpp: SIDE " + theirs.resolutions[0].region_id + " OURS"});
  EXPECT_EQ(sides_in(by("int down = 1, up = 2;\n")), std::vector<std::string>{});
  EXPECT_EQ(sides_in(by("int down = 1;\nint up = 2;\n")), std::vector<std::string>{});
}

TEST(Person, AnEditAwayFromTheConflictHidesNoAnswer) {
  Bench bench(twice);
  const auto pick = bench.pick("X1");
  const auto tree = resolved(bench, pick, "f.cpp", "int up = 2;\n");
  std::string text = bench.content(tree, "f.cpp");
  text.replace(text.find("line 30\n"), 8, "line thirty\n");
  const auto blob = must(bench.world.repo.write_blob(text));
  const Answer answer = must(by_person(bench.world.repo, bench.world.store, sure_rungs(bench.world.config.policy), bench.world.facts("X1"), pick,
                                       must(bench.world.repo.write_tree(tree, {{"f.cpp", git::TreeEntry{0100644, blob}}}))));
  EXPECT_EQ(answer.resolutions.at(0).action, "theirs");
  EXPECT_EQ(sides_in(answer).size(), 1U);
}

TEST(Remembered, TwoDifferentAnswersAreNoAnswer) {
  Bench bench(twice);
  const auto first = bench.pick("X1"), second = bench.pick("X2");
  bench.land("c-1", "X1", first, resolved(bench, first, "f.cpp", "int both;\n"));
  bench.land("c-2", "X1", first, resolved(bench, first, "f.cpp", "int other;\n"));
  const auto answer = bench.propose("X2", second);
  EXPECT_FALSE(answer.complete);
  EXPECT_NE(answer.open.front().find("two different ways"), std::string::npos) << answer.open.front();
}

TEST(Remembered, AnAnswerWhoseUnitWasBackedOutIsNotUsed) {
  Bench bench(twice);
  const auto first = bench.pick("X1"), second = bench.pick("X2");
  model::Unit unit;
  unit.kind = model::UnitKind::chain;
  unit.state = model::UnitState::landed;
  unit.commits = {bench.history.id("X1")};
  unit.id = model::unit_id(unit.kind, unit.commits);
  must(bench.world.store.put_unit(unit));
  bench.world.put("X1", model::Disposition::adapted, unit.id);
  bench.land(unit.id, "X1", first, resolved(bench, first, "f.cpp", "int both;\n"));
  EXPECT_TRUE(bench.propose("X2", second).complete);
  bench.world.put("X1", model::Disposition::backed_out, unit.id);
  const auto answer = bench.propose("X2", second);
  EXPECT_FALSE(answer.complete);
  EXPECT_NE(answer.open.front().find("backed out"), std::string::npos) << answer.open.front();
}

TEST(Remembered, AFileThatWasEditedOutsideItsRegionsTeachesNothing) {
  Bench bench(twice);
  const auto first = bench.pick("X1");
  const auto blob = must(bench.world.repo.write_blob("something else\n"));
  bench.land("c-1", "X1", first,
             must(bench.world.repo.write_tree(first.tree, {{"f.cpp", git::TreeEntry{0100644, blob}}})));
  EXPECT_FALSE(bench.propose("X2", bench.pick("X2")).complete);
}

TEST(Remembered, AnotherIndentationIsNotAnsweredWithTheOldOne) {
  Bench bench(R"~(
    repo up ; base40 f.py ; base40 g.py ; commit B base
    fork up down ; line f.py 10 'down = 1' ; line g.py 10 '    down = 1' ; commit D fork
    at up ; line f.py 10 'up = 2' ; commit X1 first
    line g.py 10 '    up = 2' ; commit X2 second
  )~");
  const auto first = bench.pick("X1"), second = bench.pick("X2");
  bench.land("c-1", "X1", first, resolved(bench, first, "f.py", "down = 1\nup = 2\n"));
  const auto answer = bench.propose("X2", second);
  EXPECT_FALSE(answer.complete);
  EXPECT_NE(answer.open.front().find("other whitespace"), std::string::npos) << answer.open.front();
}

}  // namespace
}  // namespace sluice::agent::testing
