// SPDX-License-Identifier: Apache-2.0
#include "service/rebuild.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/file.h"
#include "service/ledger_log.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

// Every disposition that a small history can have: landed, adapted, parked, superseded, already, imported,
// backed out by hand and by a revert, deferred, won't-port.
constexpr const char* script = R"v(
  repo up
    base40 f ; put keep.test "ok\n" ; put g "1\n" ; base40 m.cpp ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n" ; line f 30 "line 30 FORK" ; line m.cpp 10 "int a = f(1, 2);" ; commit D "fork: own"
    put same "same\n"                                                   ; commit Dsame "fork: has it already"
  at up
    line f 5 "line 5 A"            ; commit A "tiles: change line 5"
    put h "new\n"                  ; commit H "tiles: add h"
    line f 30 "line 30 UP"         ; commit K "tiles: change line 30"
    line f 31 "line 31 UP"         ; commit K2 "tiles: change line 31"
    put x "1\n"                    ; commit X "tiles: add x"
    revert_of Y X
    line m.cpp 10 "int a = f(1,2);" ; line m.cpp 30 "int other;" ; commit Ad "tiles: spelled otherwise"
    put same "same\n"              ; commit S "tiles: same"
    put i "1\n"                    ; commit I "tiles: imported"
    put j "1\n"                    ; commit J "tiles: backed out"
    put k "1\n"                    ; commit L "tiles: deferred"
    put l "1\n"                    ; commit M "tiles: won't port"
  at down
    pick_by_hand PI I
    pick_by_hand PJ J
    revert_of RJ PJ
)v";

std::string rows_without_times(const core::Json& ledger) {
  std::string out;
  EXPECT_GT(ledger["commits"].items().size(), 10u);
  for (const core::Json& row : ledger["commits"].items()) {
    core::Json bare = core::Json::object();
    for (const auto& [key, value] : row.members()) {
      if (key != "at") bare.set(key, value);
    }
    out += bare.dump() + "\n";
  }
  return out + ledger["pins"].dump();
}

class Rebuild : public ::testing::Test {
 protected:
  void fill(World& w) {
    w.plan();
    {
      const auto app = w.open();
      ASSERT_TRUE(service::defer(*app, w.id("L"), "TASK-1", "needs a design", "ann").ok());
      ASSERT_TRUE(service::wont_port(*app, w.id("M"), "CI only", "ann").ok());
    }
    w.sync();
    w.history.run("at down ; git pull -q " + w.history.path("down.git") + " main ; drop h ; commit RH 'h is too much' ; push_bare down");
    w.plan();
    const auto app = w.open();
    service::BackOut what{{w.id("H")}, w.id("RH"), "slow", "kim", "TASK-2", 1'800'000'000};
    const auto done = service::back_out(*app, what, "ann");
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  std::string ledger(World& w) { return rows_without_times(service::ledger_json(w.look())); }
  static void lose_store(World& w) { std::filesystem::remove_all(w.history.root() + "/store"); }
  static service::RebuildReport rebuild(World& w, const service::RebuildOptions& options = {}) {
    const auto app = w.open();
    auto report = service::rebuild_ledger(*app, options);
    if (!report.ok()) throw std::runtime_error(report.error().message);
    return std::move(*report);
  }
};

TEST_F(Rebuild, ALostStoreComesBackEqualInEveryFieldButTimes) {
  REQUIRE_SANDBOX();
  World w(script);
  fill(w);
  const std::string before = ledger(w);
  EXPECT_EQ(w.disposition("A"), D::picked);
  EXPECT_EQ(w.disposition("K"), D::deferred);
  EXPECT_EQ(w.disposition("Ad"), D::adapted);
  EXPECT_EQ(w.disposition("X"), D::superseded);
  EXPECT_EQ(w.disposition("S"), D::already);
  EXPECT_EQ(w.disposition("I"), D::picked);
  EXPECT_EQ(w.disposition("J"), D::backed_out);
  EXPECT_EQ(w.disposition("H"), D::backed_out);
  lose_store(w);
  const auto report = rebuild(w);
  EXPECT_FALSE(report.log_tip.empty()) << report.log_note;
  EXPECT_TRUE(report.contradictions.empty()) << report.contradictions.front();
  EXPECT_EQ(report.from_history, 0);
  EXPECT_EQ(ledger(w), before);
  EXPECT_GE(report.open_units, 1);

  // The rebuilt store works: nothing is picked again, and what is parked is still open.
  const std::string trunk = w.trunk();
  w.sync();
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(ledger(w), before);
  // Its log goes on behind the old one, and a second loss is no worse than the first.
  lose_store(w);
  rebuild(w);
  EXPECT_EQ(ledger(w), before);
}

TEST_F(Rebuild, WithoutTheLogTheHistoryAloneIsReadAndSaysWhatIsNotKnown) {
  REQUIRE_SANDBOX();
  World w(script);
  fill(w);
  lose_store(w);
  w.history.git("down.git", {"update-ref", "-d", "refs/sluice/ledger"});
  const auto report = rebuild(w);
  EXPECT_TRUE(report.log_tip.empty());
  EXPECT_NE(report.log_note.find("refs/sluice/ledger"), std::string::npos);
  EXPECT_GE(report.unknown.size(), 3u);
  EXPECT_EQ(w.disposition("A"), D::picked);
  EXPECT_EQ(w.disposition("J"), D::backed_out);
  EXPECT_EQ(w.disposition("L"), D::pending);
}

TEST_F(Rebuild, AnEmptyStoreDoesNotBeginAnewOverTheLogOfALostOne) {
  REQUIRE_SANDBOX();
  World w(script);
  w.sync();
  lose_store(w);
  const auto sync = w.try_sync();
  ASSERT_FALSE(sync.ok());
  EXPECT_EQ(sync.error().kind, core::ErrorKind::conflict);
  EXPECT_NE(sync.error().message.find("sluice ledger rebuild"), std::string::npos) << sync.error().message;
  w.history.git("down.git", {"update-ref", "-d", "refs/sluice/ledger"});
  EXPECT_TRUE(w.try_sync().ok()) << "a new beginning, asked for";
}

TEST_F(Rebuild, AStoreThatHoldsRowsIsLeftAloneWithoutReplace) {
  REQUIRE_SANDBOX();
  World w(script);
  fill(w);
  const std::string before = ledger(w);
  {
    const auto app = w.open();
    const auto refused = service::rebuild_ledger(*app, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("--replace"), std::string::npos);
  }
  service::RebuildOptions options;
  options.replace = true;
  const auto report = rebuild(w, options);
  EXPECT_TRUE(core::exists(report.kept)) << report.kept;
  EXPECT_EQ(ledger(w), before);
}

TEST_F(Rebuild, ThatCannotSucceedLeavesTheStoreThatItWasToReplace) {
  REQUIRE_SANDBOX();
  World w(script);
  w.sync();
  const std::string before = ledger(w);
  w.history.run("cd down.git && git update-ref refs/sluice/ledger main");  // no log at all
  w.history.git("store/repo.git", {"update-ref", "-d", "refs/sluice/ledger"});
  {
    const auto app = w.open();
    service::RebuildOptions options;
    options.replace = true;
    const auto refused = service::rebuild_ledger(*app, options);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("the store is as it was"), std::string::npos) << refused.error().message;
  }
  EXPECT_FALSE(core::exists(w.history.root() + "/store/sluice.db.before-rebuild-1"));
  EXPECT_EQ(ledger(w), before);
  EXPECT_TRUE(w.try_sync().ok()) << "nothing is half done";
}

TEST_F(Rebuild, ARowThatTrunkDoesNotCarryIsNamedAndBecomesWhatHistoryProves) {
  REQUIRE_SANDBOX();
  World w(script);
  w.sync();
  ASSERT_EQ(w.disposition("A"), D::picked);
  // Somebody forced trunk back to before the landing.
  w.history.git("down.git", {"update-ref", "refs/heads/main", w.id("RJ")});
  lose_store(w);
  const auto report = rebuild(w);
  ASSERT_FALSE(report.contradictions.empty());
  EXPECT_NE(report.contradictions.front().find("trunk does not carry"), std::string::npos) << report.contradictions.front();
  EXPECT_EQ(w.disposition("A"), D::backed_out);
  EXPECT_EQ(w.disposition("I"), D::picked);
}

TEST_F(Rebuild, ALogThatSomebodyForgedIsRefusedByCommitAndLine) {
  REQUIRE_SANDBOX();
  World w(script);
  w.sync();
  lose_store(w);
  {
    const auto app = w.open();
    ASSERT_TRUE(service::fetch_remotes(*app).ok());
    ASSERT_TRUE(app->repo.fetch(app->config.fork.url, service::ledger_ref, "refs/x", git::FetchLimits{}, nullptr).ok());
    const auto tip = app->repo.ref("refs/x");
    const std::string line = R"({"at":1,"body":{},"seq":1,"subject":")" + std::string(40, 'a') + R"(","type":"ledger.picked"})";
    const std::string header = R"({"from":1,"schema":"sluice.ledger-log/1","store":"0123456789abcdef","to":1})";
    const auto blob = app->repo.write_blob(header + "\n" + line + "\n");
    const auto tree = app->repo.write_tree({}, {{"events.jsonl", git::TreeEntry{0100644, *blob}}});
    git::CommitSpec spec;
    spec.tree = *tree;
    spec.parents = {**tip};
    spec.author = spec.committer = {"mallory", "m@example.com", 1, 0};
    spec.message = "Ledger\n\nSluice-Store: 0123456789abcdef\nSluice-Events: 1..1\n";
    const auto forged = app->repo.write_commit(spec);
    ASSERT_EQ(app->repo.push(app->config.fork.url, *forged, service::ledger_ref, **tip)->kind, git::PushOutcome::Kind::landed);
    const auto refused = service::rebuild_ledger(*app, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find(*forged), std::string::npos) << refused.error().message;
    EXPECT_NE(refused.error().message.find("line 2"), std::string::npos) << refused.error().message;
    EXPECT_NE(refused.error().message.find("--history-only"), std::string::npos) << refused.error().message;
    // Nothing else works on what is half done.
    EXPECT_FALSE(service::sync(*app, {}).ok());
  }
  service::RebuildOptions options;
  options.history_only = true;
  rebuild(w, options);
  EXPECT_EQ(w.disposition("A"), D::picked);
}

TEST_F(Rebuild, ALogOfAnotherStoreIsNeverOverwritten) {
  REQUIRE_SANDBOX();
  World w(script);
  w.sync();
  const std::string theirs = w.history.git("down.git", {"rev-parse", "refs/sluice/ledger"});
  lose_store(w);
  w.history.run("at up ; put n '1\\n' ; commit N 'tiles: one more' ; push_bare up");
  // The log comes back from a mirror after a new ledger was begun.
  w.history.git("down.git", {"update-ref", "-d", "refs/sluice/ledger"});
  w.plan();
  w.history.git("down.git", {"update-ref", "refs/sluice/ledger", theirs});
  w.sync();
  EXPECT_EQ(w.history.git("down.git", {"rev-parse", "refs/sluice/ledger"}), theirs);
  const auto app = w.open(service::Access::read);
  const auto alerts = app->store.alerts(true);
  ASSERT_TRUE(alerts.ok());
  const bool said = std::any_of(alerts->begin(), alerts->end(), [](const auto& alert) { return alert.key == service::ledger_not_pushed; });
  EXPECT_TRUE(said);
}

TEST_F(Rebuild, EveryChangeIsOneLineOfTheLogHoweverOftenItIsFlushed) {
  World w(script);
  w.plan();
  const auto app = w.open();
  ASSERT_TRUE(service::defer(*app, w.id("L"), "TASK-1", "needs a design", "ann").ok());
  const auto first = app->repo.ref(service::ledger_ref);
  ASSERT_TRUE(first.ok() && *first);
  ASSERT_TRUE(service::flush_ledger(*app).ok());
  EXPECT_EQ(app->repo.ref(service::ledger_ref).value(), *first);
  // A crash between the commit and whatever followed: the ref is back, and the same commit is written again.
  ASSERT_TRUE(service::wont_port(*app, w.id("M"), "CI only", "ann").ok());
  const auto second = app->repo.ref(service::ledger_ref);
  ASSERT_TRUE(app->repo.set_ref(service::ledger_ref, **first, std::nullopt).ok());
  ASSERT_TRUE(service::flush_ledger(*app).ok());
  EXPECT_EQ(app->repo.ref(service::ledger_ref).value(), *second);
  std::int64_t lines = 0;
  ASSERT_TRUE(service::read_log(app->repo.reader(), **second, [&](service::LogCommit&& commit) -> core::Result<void> {
    lines += static_cast<std::int64_t>(commit.lines.size());
    return {};
  }).ok());
  std::int64_t events = 0;
  const auto all = app->store.events(0, 1000);
  ASSERT_TRUE(all.ok());
  for (const auto& event : *all) events += event.type.starts_with("ledger.") ? 1 : 0;
  EXPECT_EQ(lines, events);
}

}  // namespace
}  // namespace sluice::test
