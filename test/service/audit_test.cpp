// SPDX-License-Identifier: Apache-2.0
#include "service/audit.h"

#include <gtest/gtest.h>

#include <functional>

#include "service/ledger_log.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

constexpr const char* script = R"v(
  repo up
    base40 f ; put keep.test "ok\n"   ; commit B "tiles: the first version"
  fork up down
    put own.test "ok\n"               ; commit D "fork: own test"
  at up
    line f 5 "line 5 A"               ; commit A "tiles: change line 5"
    put h "new\n"                     ; commit H "tiles: add h"
)v";

service::Audit audit(World& w) {
  const auto app = w.open(service::Access::read);
  auto done = service::audit_verify(*app);
  if (!done.ok()) throw std::runtime_error(done.error().message);
  return std::move(*done);
}

// As somebody with the file in their hands would.
void edit(World& w, const std::string& sql) {
  w.history.run("sqlite3 '" + w.history.root() + "/store/sluice.db' \"" + sql + "\"");
}

bool has_sqlite(World& w) { return w.history.run("command -v sqlite3 || echo no").find("no") != 0; }

bool finds(const service::Audit& audit, const std::string& check) {
  for (const auto& finding : audit.findings) {
    if (finding.check == check && finding.wrong) return !finding.where.empty() && !finding.what.empty() && !finding.action.empty();
  }
  return false;
}

TEST(Audit, WhatWaitsToBeWrittenToTheLogIsNoFindingAndACutLogIs) {
  REQUIRE_SANDBOX();
  World w(std::string(script) + "at down ; line f 5 'line 5 D' ; commit D2 'fork: line 5'\n");
  w.sync();
  {
    const auto app = w.open();
    service::TakeOptions options;
    options.unit = (*app->store.ledger(w.id("A")))->unit;
    options.who = "kim";
    options.bare = true;
    const auto taken = service::take(*app, options);
    ASSERT_TRUE(taken.ok()) << taken.error().message;
  }
  EXPECT_EQ(audit(w).judgement(), model::Judgement::pass) << service::audit_text(audit(w));
  w.history.git("store/repo.git", {"update-ref", "refs/sluice/ledger", "refs/sluice/ledger~1"});
  EXPECT_TRUE(finds(audit(w), "log"));
}

TEST(Audit, ARewindThatWasAcceptedStaysAcceptedWhenItsCommitsAreWorkedOnAgain) {
  REQUIRE_SANDBOX();
  World w(script);
  w.sync();
  {
    const auto app = w.open();
    service::RevertRequest request;
    request.what = {w.id("H")};
    request.reason = "slow";
    request.owner = request.who = "kim";
    request.review_at = 4'000'000'000;
    const auto done = service::revert(*app, request);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  // Somebody drops the revert and the pick before it.
  w.history.git("down.git", {"update-ref", "refs/heads/main", "main~2"});
  w.sync();
  EXPECT_TRUE(finds(audit(w), "landing")) << "nobody has accepted it";
  service::SyncOptions accept;
  accept.accept_trunk = w.trunk();
  w.sync(accept);
  EXPECT_FALSE(finds(audit(w), "landing")) << service::audit_text(audit(w));
  {
    const auto app = w.open();
    service::PickRequest request;
    request.what = w.id("H");
    request.reason = "it is wanted again";
    request.who = "kim";
    const auto done = service::pick_now(*app, request);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  ASSERT_EQ(w.disposition("H"), model::Disposition::picked);
  EXPECT_FALSE(finds(audit(w), "landing")) << service::audit_text(audit(w));
  w.history.git("down.git", {"update-ref", "refs/heads/main", "main~1"});
  w.sync();
  EXPECT_TRUE(finds(audit(w), "landing")) << "another rewind, that nobody has accepted";
}

TEST(Audit, WhatSluiceDidIsInOrderAndEveryAlterationShows) {
  REQUIRE_SANDBOX();
  World w(script);
  if (!has_sqlite(w)) GTEST_SKIP() << "there is no sqlite3 program to alter the store with";
  w.sync();
  const auto clean = audit(w);
  EXPECT_EQ(clean.judgement(), model::Judgement::pass) << service::audit_text(clean);
  EXPECT_EQ(clean.landings, 1);
  EXPECT_EQ(clean.commits, 2);
  EXPECT_GE(clean.evidence, 2);
  EXPECT_GT(clean.log_lines, 0);

  const std::string copy = w.history.root() + "/copy";
  w.history.run("cp -a '" + w.history.root() + "/store' '" + copy + "'");
  struct Case {
    const char* name;
    const char* check;
    std::string sql;
  };
  const Case cases[] = {
      {"an event's body", "events",
       "DROP TRIGGER events_no_update; UPDATE events SET body = cast(replace(cast(body AS TEXT), '\\\"position\\\":1', '\\\"position\\\":7') AS BLOB) "
       "WHERE type = 'ledger.picked'"},
      {"an event cut off", "events", "DROP TRIGGER events_no_delete; DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)"},
      {"an evidence record", "evidence", "UPDATE evidence SET record = cast(replace(cast(record AS TEXT), '\\\"warnings\\\":0', '\\\"warnings\\\":1') AS BLOB)"},
      {"evidence gone", "evidence", "DELETE FROM evidence"},
      {"a verdict record", "verdict", "UPDATE verdicts SET record = cast(replace(cast(record AS TEXT), 'policy_sha256\\\":\\\"', 'policy_sha256\\\":\\\"0') AS BLOB)"},
      {"a verdict gone", "verdict", "DELETE FROM verdicts"},
      {"a landing's tree", "landing", "UPDATE landings SET tree = '" + std::string(40, 'b') + "'"},
      {"a landing's commit", "landing", "UPDATE landings SET commit_oid = '" + w.id("D") + "'"},
      {"a landing's verdict", "landing", "UPDATE landings SET verdict_digest = '" + std::string(64, 'c') + "'"},
      {"a ledger row", "ledger", "UPDATE ledger SET downstream = '" + w.id("D") + "'"},
      {"a ledger row to nowhere", "ledger", "UPDATE ledger SET downstream = '" + std::string(40, 'b') + "'"},
  };
  for (const Case& c : cases) {
    w.history.run("rm -rf '" + w.history.root() + "/store' ; cp -a '" + copy + "' '" + w.history.root() + "/store'");
    edit(w, c.sql);
    const auto altered = audit(w);
    EXPECT_EQ(altered.judgement(), model::Judgement::block) << c.name;
    EXPECT_TRUE(finds(altered, c.check)) << c.name << "\n" << service::audit_text(altered);
  }
  const std::string git = "git --git-dir '" + w.history.root() + "/store/repo.git' ";
  const std::pair<std::string, const char*> refs[] = {
      {git + "for-each-ref --format='delete %(refname)' refs/sluice/units | head -1 | " + git + "update-ref --stdin", "refs"},
      {git + "update-ref -d refs/sluice/ledger", "log"},
      {git + "update-ref refs/sluice/ledger " + w.trunk(), "log"},
  };
  for (const auto& [command, check] : refs) {
    w.history.run("rm -rf '" + w.history.root() + "/store' ; cp -a '" + copy + "' '" + w.history.root() + "/store'");
    w.history.run(command);
    const auto altered = audit(w);
    EXPECT_TRUE(finds(altered, check)) << command << "\n" << service::audit_text(altered);
  }
}

TEST(Audit, AnOpenJournalRowIsNotCheckedRatherThanWrong) {
  World w(script);
  w.plan();
  {
    const auto app = w.open();
    store::LandingRow row;
    row.unit = "b-0123456789";
    row.commit = row.base = w.id("D");
    row.tree = w.history.tree("D");
    ASSERT_TRUE(app->store.put_intent(row).ok());
  }
  const auto open = audit(w);
  EXPECT_EQ(open.judgement(), model::Judgement::unresolved) << service::audit_text(open);
  EXPECT_EQ(model::exit_status(open.judgement()), 3);
}

TEST(Audit, ATrunkThatWasForcedBackIsSaid) {
  REQUIRE_SANDBOX();
  World w(script);
  w.sync();
  w.history.git("down.git", {"update-ref", "refs/heads/main", w.id("D")});
  w.sync();  // stops the line, lands nothing
  const auto rewound = audit(w);
  EXPECT_TRUE(finds(rewound, "landing")) << service::audit_text(rewound);
  EXPECT_TRUE(finds(rewound, "ledger")) << service::audit_text(rewound);
}

}  // namespace
}  // namespace sluice::test
