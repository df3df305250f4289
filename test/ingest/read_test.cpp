// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test/ingest/world.h"

namespace sluice::ingest::testing {
namespace {

TEST(Read, FactsOfAWindowAreWhatTheHistorySays) {
  History h(R"~(
    repo up
      base40 f.cpp                                    ; commit B 'base'
    fork up down
      put z '1\n'                                     ; commit D 'fork'
    at up
      line f.cpp 10 'int tileSize(int n);'            ; commit A 'tile: add the size (#12)'
      revert_of R A
      move f.cpp g.cpp ; runnable g.cpp               ; commit M 'tile: move'
      put .github/workflows/ci.yml 'on: push\n'       ; commit C 'ci'
  )~");
  World world(h);
  world.read_all();
  EXPECT_EQ(world.line.base, h.id("B"));
  EXPECT_EQ(world.line.line, world.ids({"A", "R", "M", "C"}));
  EXPECT_EQ(world.line.added, 4);

  const auto a = world.facts("A");
  EXPECT_EQ(a.position, 1);
  EXPECT_EQ(a.pr, 12);
  EXPECT_EQ(a.parent, h.id("B"));
  EXPECT_EQ(a.tree, h.tree("A"));
  ASSERT_EQ(a.files.size(), 1U);
  ASSERT_EQ(a.files[0].hunks.size(), 1U);
  EXPECT_EQ(a.files[0].hunks[0].old_start, 10U);
  EXPECT_EQ(a.symbols_defined, std::vector<std::string>{"tileSize"});

  const auto r = world.facts("R");
  ASSERT_EQ(r.reverts.size(), 1U);
  EXPECT_EQ(r.reverts[0].oid, h.id("A"));
  EXPECT_EQ(r.reverts[0].kind, model::RevertLink::Kind::revert);
  EXPECT_EQ(r.files[0].removed_sha, a.files[0].added_sha);
  EXPECT_EQ(r.files[0].added_sha, a.files[0].removed_sha);

  const auto m = world.facts("M");
  ASSERT_EQ(m.files.size(), 1U);
  EXPECT_EQ(m.files[0].old_path, "f.cpp");
  EXPECT_EQ(m.files[0].new_mode, 0100755U);
  EXPECT_EQ(world.facts("C").kind, model::CommitKind::ci);
}

TEST(Read, ASecondCallComputesOnlyWhatIsNew) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 a ; commit A a
  )~");
  World world(h);
  world.read_all();
  EXPECT_EQ(world.line.added, 1);
  world.read_all();
  EXPECT_EQ(world.line.added, 0);
  h.run("at up ; line f 20 b ; commit A2 b ; at up ; line f 30 c ; commit A3 c");
  world.read_all();
  EXPECT_EQ(world.line.added, 2);
  EXPECT_EQ(world.facts("A3").position, 3);
}

TEST(Read, ALineOfManyBatchesIsContinuedWhereItStopped) {
  History h(
      "repo up\nbase40 f\ncommit B base\nfork up down\nput z '1\\n'\ncommit D d\nat up\n"
      "for i in $(seq 1 450); do echo $i >g; git add g; git -c user.name=u -c user.email=u@x commit -q -m "
      "\"c $i\"; done\n"
      "put last '1\\n'\ncommit L last");
  World world(h);
  world.fetch();
  std::vector<std::int64_t> seen;
  const auto outcome = must(read(world.repo, world.store, world.config, world.fork_tip, world.upstream_tip,
                                 [&](std::int64_t done, std::int64_t) { seen.push_back(done); }));
  EXPECT_EQ(outcome.added, 451);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 451);
  EXPECT_GE(seen.size(), 3U);
}

TEST(Read, ARewrittenUpstreamIsNamedAndChangesNothing) {  // S28
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 a ; commit A 'the vanished one'
  )~");
  World world(h);
  world.read_all();
  h.run("at up ; rewind 1 ; line f 10 a ; commit A1 'same change' ; at up ; put g '1\\n' ; commit N new");
  world.fetch();
  const auto result = world.try_read();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::conflict);
  EXPECT_TRUE(result.error().message.starts_with("upstream_rewritten: ")) << result.error().message;
  EXPECT_NE(result.error().message.find(h.id("A")), std::string::npos);
  EXPECT_NE(result.error().message.find("the vanished one"), std::string::npos);
  EXPECT_EQ(must(world.store.fact_oids()), world.ids({"A"}));
}

TEST(Read, ATipPinnedByIdMayLieBeforeWhatIsStored) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 a ; commit A a
    line f 20 b ; commit A2 b
  )~");
  World world(h);
  world.read_all();
  world.upstream_branch = world.config.upstream.branch = h.id("A");
  world.read_all();
  EXPECT_EQ(world.line.line, world.ids({"A"}));
  EXPECT_EQ(must(world.store.fact_oids()).size(), 2U);
}

TEST(Read, AnUnrelatedForkIsAClearError) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    repo down ; put z '1\n' ; commit D fork
  )~");
  World world(h);
  world.fetch();
  const auto result = world.try_read();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::not_found);
}

TEST(Read, AnEvilMergeIsRecognisedAndAPlainOneIsNot) {  // S22
  History h(R"~(
    repo up ; put f '1\n' ; commit B base
    fork up down ; put g '1\n' ; commit D fork
    at up
    branch topic ; put h '1\n' ; commit T topic
    on main ; put k '1\n' ; commit K k
    merge_branch M topic
    branch evil ; put h2 '1\n' ; commit T2 topic2
    on main ; put k2 '1\n' ; commit K2 k2
    git merge -q --no-ff --no-commit evil ; put f 'edited\n' ; git add f ; git commit -q -m evil
    put l '1\n' ; commit L last
  )~");
  World world(h);
  world.read_all();
  ASSERT_EQ(world.line.line.size(), 5U);  // K, M, K2, evil merge, L
  EXPECT_EQ(world.facts("M").kind, model::CommitKind::merge);
  EXPECT_FALSE(world.facts("M").evil_merge);
  EXPECT_EQ(world.facts("M").parent, h.id("K"));
  const auto evil = must(world.store.facts(world.line.line[3]));
  ASSERT_TRUE(evil.has_value());
  EXPECT_TRUE(evil->evil_merge);
}

TEST(Read, BytesThatAreNotUtf8Survive) {  // S23
  History h(R"~(
    repo up ; put f '1\n' ; commit B base
    fork up down ; put g '1\n' ; commit D fork
    at up
    put 'd/caf\xe9.mlir' 'x\n' ; commit P 'path'
    encoding ISO-8859-1 ; author 'Ren\xe9' 'r@x'
    put k '1\n' ; commit M 'caf\xe9 subject'
  )~");
  const bool literal = !h.git("up", {"ls-tree", "-r", "-z", "--name-only", h.id("P")}).empty();
  ASSERT_TRUE(literal);
  World world(h);
  world.read_all();
  const auto m = world.facts("M");
  EXPECT_EQ(m.subject, "caf\xc3\xa9 subject");
  EXPECT_EQ(m.author.name, "Ren\xc3\xa9");
  h.run(R"~(
    at up ; p=$(printf 'd/caf\xe9-raw') ; printf 'y\n' >"$p" ; git add -A ; put k '2\n' ; encoding ; author ; commit Q 'raw path'
  )~");
  world.read_all();
  const auto q = world.facts("Q");
  const bool found =
      std::any_of(q.files.begin(), q.files.end(), [](const auto& f) { return f.path == "d/caf\xe9-raw"; });
  EXPECT_TRUE(found);
}

TEST(Read, TheBaseStaysWhenTheForkMergesUpstream) {
  History h(R"~(
    repo up ; base40 f ; commit B base
    fork up down ; put z '1\n' ; commit D fork
    at up ; line f 10 a ; commit A a
    line f 20 b ; commit A2 b
    line f 30 c ; commit A3 c
  )~");
  World world(h);
  world.read_all();
  h.run("at down ; git fetch -q ../up ; git branch up $(id A2) ; merge_branch DM up");
  world.read_all();
  EXPECT_EQ(world.line.base, h.id("B"));
  EXPECT_EQ(world.line.line.size(), 3U);
  world.import();
  EXPECT_EQ(world.disposition("A"), Disposition::picked);
  EXPECT_EQ(world.disposition("A2"), Disposition::picked);
  EXPECT_EQ(world.disposition("A3"), Disposition::pending);
  EXPECT_EQ(pins(world.line.line, world.ledger()).frontier, 2);
}

}  // namespace
}  // namespace sluice::ingest::testing
