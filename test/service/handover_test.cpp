// SPDX-License-Identifier: Apache-2.0
// A parked unit goes to a person and comes back.
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/process.h"
#include "service/round.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;
using S = model::UnitState;

// The fork's line 20 and what upstream puts after it touch: a conflict. Both can stay.
constexpr const char* start = R"v(
  repo up
    base40 f ; put keep.test "ok\n"                                ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 FORK" ; insert f 20 "own line A"            ; commit D0 "fork: own lines"
    line f 3 "line 3 FORK"                                         ; commit D "fork: line 3"
  at up
    insert f 20 "line 20b UP"                                      ; commit C "tiles: a line after 20"
)v";
constexpr const char* both = "line 20 FORK\nown line A\nline 20b UP\n";

class HandOver : public World {
 public:
  explicit HandOver(std::string_view more = "", const std::string& config = "", const std::string& autonomy = "land",
                    std::string_view script = start)
      : World(std::string(script) + std::string(more), config, autonomy) {
    sync();
    unit = unit_of("C");
  }

  std::string unit_of(std::string_view name) {
    const auto app = open(service::Access::read);
    return (*app->store.ledger(id(name)))->unit;
  }
  std::string dir() const { return history.root() + "/wt"; }

  core::Result<service::TakeReport> try_take(service::TakeOptions options = {}) {
    options.unit = unit;
    if (options.who.empty()) options.who = "fay";
    if (options.work_tree.empty() && !options.bare) options.work_tree = dir();
    const auto app = open();
    return service::take(*app, options);
  }
  service::TakeReport take(service::TakeOptions options = {}) {
    auto report = try_take(std::move(options));
    if (!report.ok()) throw std::runtime_error(report.error().message);
    return std::move(*report);
  }
  core::Result<service::SubmitReport> try_submit(service::SubmitOptions options = {}) {
    if (options.who.empty()) options.who = "fay";
    const auto app = open();
    return service::submit(*app, options);
  }
  service::SubmitReport submit(service::SubmitOptions options = {}) {
    auto report = try_submit(std::move(options));
    if (!report.ok()) throw std::runtime_error(report.error().message);
    return std::move(*report);
  }

  // What the person does in the work tree, with their own git.
  void person(const std::string& script) {
    core::ProcessOptions options;
    options.argv = {"/bin/sh", "-ec", script};
    options.cwd = dir();
    options.extra_env = {{"GIT_AUTHOR_NAME", "Pat Person"}, {"GIT_AUTHOR_EMAIL", "pat@fork.example"}, {"GIT_COMMITTER_NAME", "Pat Person"},
                         {"GIT_COMMITTER_EMAIL", "pat@fork.example"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"HOME", history.root()}};
    const auto run = core::run_process(options);
    if (!run.ok() || !run->ok()) throw std::runtime_error("the person failed: " + (run.ok() ? run->out + run->err : run.error().message));
  }
  // Everything from the first marker to the last becomes `text`.
  void resolve(const std::string& path, const std::string& text) {
    const std::string full = dir() + "/" + path;
    std::string all = *core::read_file(full);
    const std::size_t from = all.find(std::string(31, '<'));
    const std::size_t end = all.rfind(std::string(31, '>'));
    if (from == std::string::npos || end == std::string::npos) throw std::runtime_error("no conflict in " + path);
    const std::size_t to = all.find('\n', end) + 1;
    all.replace(from, to - from, text);
    if (!core::write_file(full, all).ok()) throw std::runtime_error("cannot write " + path);
  }
  void resolve_and_commit(const std::string& text) {
    resolve("f", text);
    person("git commit -qam 'Resolve it'");
  }

  S state() {
    const auto app = open(service::Access::read);
    return (*app->store.unit(unit))->state;
  }
  bool is_taken() {
    const auto app = open(service::Access::read);
    return app->store.take(unit)->has_value();
  }
  std::string text(const service::SubmitReport& report) {
    const auto app = open(service::Access::read);
    return service::submit_text(*app, report);
  }
  std::string trunk_log(const std::string& format, const std::string& rev = "main") const {
    return history.git("down.git", {"log", "-1", "--format=" + format, rev});
  }
  std::string unit;
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST(HandOver, WhatAPersonResolvesIsJudgedAndLandsWithUpstreamsAuthor) {
  REQUIRE_SANDBOX();
  HandOver w;
  ASSERT_EQ(w.state(), S::parked);
  const auto taken = w.take();
  EXPECT_EQ(w.state(), S::taken);
  ASSERT_EQ(taken.branch.paths, std::vector<std::string>{"f"});
  EXPECT_TRUE(has(*core::read_file(w.dir() + "/f"), std::string(31, '<')));
  EXPECT_EQ(w.history.git("wt", {"rev-parse", "origin/main"}), w.trunk());

  w.resolve_and_commit(both);
  const auto report = w.submit();
  ASSERT_EQ(report.outcome, "landed") << w.text(report);
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_TRUE(has(w.trunk_file("f"), both));
  EXPECT_EQ(w.trunk_log("%an"), w.history.git("up.git", {"log", "-1", "--format=%an", w.id("C")}));
  EXPECT_TRUE(has(w.trunk_log("%B"), "Sluice-Resolution: resolved"));
  EXPECT_EQ(w.disposition("C"), D::adapted);
  EXPECT_FALSE(w.is_taken());
  const auto app = w.open(service::Access::read);
  EXPECT_TRUE(app->repo.refs("refs/heads/sluice/take/")->empty());
  EXPECT_FALSE(app->repo.ref("refs/sluice/units/" + w.unit + "/submitted")->has_value());
}

TEST(HandOver, ALostForkLineIsRefusedWithTheLineItsFileAndItsItemAndTheUnitStaysTaken) {
  REQUIRE_SANDBOX();
  HandOver w;
  const std::string trunk = w.trunk();
  w.take();
  w.resolve_and_commit("line 20 FORK\nline 20b UP\n");
  const auto report = w.submit();
  EXPECT_EQ(report.outcome, "refused");
  EXPECT_EQ(report.exit_code(), 1);
  const std::string text = w.text(report);
  EXPECT_TRUE(has(text, "f:21  own line A")) << text;
  ASSERT_EQ(report.missing.items().size(), 1u);
  const std::string item = report.missing.items()[0]["item"].as_string();
  EXPECT_EQ(item.size(), 12u);
  EXPECT_TRUE(has(text, "item " + item)) << text;
  EXPECT_TRUE(has(text, w.id("D0"))) << "who wrote the line: " << text;
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(w.state(), S::taken);
  EXPECT_EQ(w.disposition("C"), D::deferred);

  // sluice leaves it alone, and the person mends it.
  w.sync();
  EXPECT_EQ(w.state(), S::taken);
  w.person("sed -i 's/^line 20 FORK$/&\\nown line A/' f && git commit -qam 'The line stays'");
  EXPECT_EQ(w.submit().outcome, "landed");
}

TEST(HandOver, AnEntryOfTheAccountIsCheckedATrueOneLandsAndALieBlocks) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit("line 20 FORK\nline 20b UP\n");
  service::SubmitOptions ask_for;
  ask_for.account_template = true;
  auto missing = w.submit(ask_for).missing.items();
  ASSERT_EQ(missing.size(), 1u);
  const auto with = [&](const std::string& code, const std::string& arg) {
    core::Json entry = missing[0];
    entry.set("reason_code", code).set("arg", arg).set("because", "a test");
    const std::string path = w.history.root() + "/account.json";
    EXPECT_TRUE(core::write_file(path, core::Json::array().push(entry).dump()).ok());
    service::SubmitOptions options;
    options.account_file = path;
    return w.submit(options);
  };
  const auto lie = with("MOVED_TO", "keep.test");
  EXPECT_EQ(lie.outcome, "refused");
  EXPECT_EQ(lie.verdict["verdict"].as_string(), "block");
  EXPECT_TRUE(has(w.text(lie), "keep.test does not have the line")) << w.text(lie);
  EXPECT_EQ(w.state(), S::taken);
  EXPECT_EQ(with("SUPERSEDED_BY_FORK", w.id("D")).outcome, "landed");
}

TEST(HandOver, MissingEntriesAreAskedForOneByOneAndWhatWasFilledInIsKept) {
  REQUIRE_SANDBOX();
  HandOver w("at down; insert f 21 'own line B' ; commit D2 'fork: another'; line f 36 'line 36 FORK'; commit D3 'fork: line 36'; at up");
  w.take();
  w.resolve_and_commit("line 20 FORK\nline 20b UP\n");
  int asked = 0;
  service::SubmitOptions options;
  const auto fill = [&](const std::string& form) {
    std::string out = form;
    out.replace(out.find("code: \n"), 7, "code: SUPERSEDED_BY_FORK\n");
    out.replace(out.find("arg: \n"), 6, "arg: " + w.id("D3") + "\n");
    return out;
  };
  options.ask = [&](const std::string&, const std::string& form) -> core::Result<std::string> {
    EXPECT_TRUE(has(form, "own line ")) << form;
    return ++asked == 1 ? fill(form) : form;  // the second is left empty
  };
  const auto first = w.submit(options);
  EXPECT_EQ(first.outcome, "refused");
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(first.missing.items().size(), 1u) << "the first entry counts";
  options.ask = [&](const std::string&, const std::string& form) -> core::Result<std::string> {
    ++asked;
    return fill(form);
  };
  EXPECT_EQ(w.submit(options).outcome, "landed");
  EXPECT_EQ(asked, 3) << "what was filled in is not asked for again";
}

TEST(HandOver, WhenTrunkMovesMeanwhileTheAnswerFollowsByAThreeWayMerge) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit(both);
  w.history.run("at down; git pull -q $VERBS_ROOT/down.git main; line f 3 \"line 3 of a colleague\"; commit Col \"fork: line 3\"; push_bare down");
  const auto report = w.submit();
  ASSERT_EQ(report.outcome, "landed") << w.text(report);
  EXPECT_TRUE(has(w.trunk_file("f"), both));
  EXPECT_TRUE(has(w.trunk_file("f"), "line 3 of a colleague"));
}

TEST(HandOver, AnAnswerThatDoesNotFitOnTrunkAnyMoreIsTakenAgainThere) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit(both);
  w.history.run("at down; git pull -q $VERBS_ROOT/down.git main; line f 21 \"own line COL\"; commit Col \"fork: line 21 again\"; push_bare down");
  const auto report = w.submit();
  EXPECT_EQ(report.outcome, "refused");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_TRUE(has(report.why, "--refresh")) << report.why;
  service::TakeOptions refresh;
  refresh.refresh = true;
  const auto again = w.take(refresh);
  EXPECT_EQ(again.row.base, w.trunk());
  EXPECT_FALSE(again.kept.empty());
  EXPECT_TRUE(has(w.history.git("wt", {"show", again.kept + ":f"}), both)) << "what was there is kept";
  w.resolve_and_commit("line 20 FORK\nown line COL\nline 20b UP\n");
  const auto landed = w.submit();
  EXPECT_EQ(landed.outcome, "landed") << w.text(landed);
}

TEST(HandOver, ASubmitThatIsCutShortIsFinishedByTheNextRun) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit(both);
  {
    const auto app = w.open();
    std::atomic<bool> cancel{false};
    app->cancel = &cancel;
    app->progress = [&](const std::string& step, std::int64_t, std::int64_t) { cancel = cancel || has(step, w.unit + " (1 commits)"); };
    service::SubmitOptions options;
    options.who = "fay";
    const auto report = service::submit(*app, options);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->outcome, "undecided");
    EXPECT_EQ(report->exit_code(), 3);
  }
  EXPECT_EQ(w.disposition("C"), D::deferred);
  EXPECT_TRUE(w.is_taken());
  w.sync();
  EXPECT_EQ(w.disposition("C"), D::adapted);
  EXPECT_EQ(w.state(), S::landed);
  EXPECT_FALSE(w.is_taken());
}

TEST(HandOver, ARefreshKeepsEveryAnswerAlsoOneThatIsNotCheckedOut) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit(both);
  service::TakeOptions refresh;
  refresh.refresh = true;
  const std::string first = w.take(refresh).kept;
  w.resolve_and_commit("line 20 FORK\nown line A\nline 20b OTHER\n");
  w.person("git checkout -q --detach origin/main");
  const std::string second = w.take(refresh).kept;
  EXPECT_TRUE(has(w.history.git("wt", {"show", first + ":f"}), both)) << first;
  EXPECT_TRUE(has(w.history.git("wt", {"show", second + ":f"}), "line 20b OTHER")) << second;
  w.resolve_and_commit(both);
  EXPECT_EQ(w.submit().outcome, "landed");
}

TEST(HandOver, AnAnswerThatWaitsDoesNotLandOnceSomebodyElseHasTakenOver) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit(both);
  {
    const auto app = w.open();
    std::atomic<bool> cancel{false};
    app->cancel = &cancel;
    app->progress = [&](const std::string& step, std::int64_t, std::int64_t) { cancel = cancel || has(step, w.unit + " (1 commits)"); };
    service::SubmitOptions options;
    options.who = "fay";
    ASSERT_EQ(service::submit(*app, options)->outcome, "undecided");
  }
  service::TakeOptions steal;
  steal.who = "kim";
  steal.steal = true;
  steal.reason = "fay's answer is wrong";
  ASSERT_EQ(w.take(steal).done, "stolen");
  w.sync();
  EXPECT_EQ(w.state(), S::taken);
  EXPECT_EQ(w.disposition("C"), D::deferred);
  service::SubmitOptions options;
  options.who = "kim";  // the same work tree: fay's commits are there, and are kim's answer now
  EXPECT_EQ(w.submit(options).outcome, "landed");
}

TEST(HandOver, AnAnswerThatARuleCannotLookAtStaysWithThePersonAndIsTriedAgain) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit(both);
  {
    const auto app = w.open();
    std::atomic<bool> cancel{false};
    app->cancel = &cancel;
    app->progress = [&](const std::string& step, std::int64_t, std::int64_t) { cancel = cancel || has(step, w.unit + " (1 commits)"); };
    service::SubmitOptions options;
    options.who = "fay";
    ASSERT_EQ(service::submit(*app, options)->outcome, "undecided");
    // The round goes on under a tip whose objects are not there: the rule of provenance cannot answer.
    auto round = service::open_round(*app);
    ASSERT_TRUE(round.ok() && *round);
    (*round)->upstream_tip = std::string(40, '1');
    ASSERT_TRUE(service::put_round(*app, **round).ok());
  }
  const auto report = w.sync();
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_TRUE(has(report.errors[0], "the answer to " + w.unit + " waits")) << report.errors[0];
  // The same run's own round knows the tip, and lands it. Between the two nobody has lost it.
  EXPECT_EQ(w.state(), S::landed);
  const auto app = w.open(service::Access::read);
  const auto events = app->store.events(0, 1000);
  ASSERT_TRUE(events.ok());
  for (const store::Event& event : *events) EXPECT_FALSE(event.type == "unit.dropped" && event.subject == w.unit);
}

TEST(HandOver, AnAnswerWithAHugeFileIsRefusedAndNotLeftUndecided) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit(both);
  w.person("yes 'a line of a log' | head -c 70000000 > trace.log && git add -A && git commit -qm 'Add a log' -m 'Sluice-Companion-Of: it'");
  const auto report = w.submit();
  EXPECT_EQ(report.outcome, "refused") << w.text(report);
  EXPECT_TRUE(has(w.text(report), "trace.log")) << w.text(report);
  EXPECT_EQ(w.state(), S::taken);
}

TEST(HandOver, TheFileOfTheAccountMayStandInTheWorkTree) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve_and_commit("line 20 FORK\nline 20b UP\n");
  w.person(": > account.json");  // what a shell does before `sluice submit --account-template > account.json`
  service::SubmitOptions options;
  options.account_template = true;
  auto missing = w.submit(options).missing.items();
  ASSERT_EQ(missing.size(), 1u);
  missing[0].set("reason_code", "SUPERSEDED_BY_FORK").set("arg", w.id("D")).set("because", "a test");
  EXPECT_FALSE(w.try_submit().ok()) << "nobody said what the file is";
  options.account_template = false;
  options.account_file = w.dir() + "/account.json";
  ASSERT_TRUE(core::write_file(options.account_file, core::Json::array().push(missing[0]).dump()).ok());
  const auto landed = w.submit(options);
  EXPECT_EQ(landed.outcome, "landed") << w.text(landed);
  EXPECT_EQ(w.trunk_file("account.json"), "<absent>");
}

TEST(HandOver, AWorkTreeThatIsGoneIsNamedWithTheWayOut) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.person("rm -rf \"$PWD\"");
  const auto gone = w.try_submit();
  ASSERT_FALSE(gone.ok());
  EXPECT_TRUE(has(gone.error().message, "sluice take " + w.unit)) << gone.error().message;
  w.take();
  w.resolve_and_commit(both);
  EXPECT_EQ(w.submit().outcome, "landed");
}

TEST(HandOver, WhatAPersonAddsToACleanPickBecomesACompanionOfTheirOwn) {
  REQUIRE_SANDBOX();
  // The pick is clean and breaks the build; the person's fix stands beside it.
  HandOver w("put broken1 \"BROKEN\\n\" ; commit Bad \"tiles: breaks the fork's build\"");
  w.unit = w.unit_of("Bad");
  ASSERT_EQ(w.state(), S::parked);
  w.take();
  w.person("echo fixed > broken1 && git commit -qam 'Mend the build for the fork\n\nUpstream spells it differently.'");
  const auto report = w.submit();
  ASSERT_EQ(report.outcome, "landed") << w.text(report);
  EXPECT_EQ(w.trunk_file("broken1"), "fixed");
  EXPECT_EQ(w.trunk_log("%an <%ae>"), "Pat Person <pat@fork.example>");
  EXPECT_TRUE(has(w.trunk_log("%B"), "Sluice-Companion-Of: " + w.id("Bad")));
  EXPECT_TRUE(has(w.trunk_log("%B", "main~1"), "Upstream-Commit: " + w.id("Bad")));
  EXPECT_EQ(w.history.git("down.git", {"show", "main~1:broken1"}), "BROKEN") << "the pick itself is the machine merge";
  EXPECT_EQ(w.disposition("Bad"), D::picked);
}

TEST(HandOver, ARedSuiteRefusesTheAnswerWithItsFirstComplaintAndNothingIsParked) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.resolve("f", both);
  w.person("echo FAIL > keep.test && git add -A && git commit -qm 'Resolve it' -m 'Sluice-Companion-Of: nothing yet' && git log -1 --format=%h");
  // The marked commit holds the resolution too: that is said.
  EXPECT_FALSE(w.try_submit().ok());
  w.person("git reset -q --soft HEAD~1 && git commit -qm 'Resolve it' f && git commit -qm 'Another expectation\n\nSluice-Companion-Of: it'");
  const auto report = w.submit();
  EXPECT_EQ(report.outcome, "refused");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_TRUE(has(report.why, "unit")) << report.why;
  EXPECT_TRUE(has(report.why, "keep")) << report.why;
  EXPECT_EQ(w.state(), S::taken);
  EXPECT_EQ(w.disposition("C"), D::deferred);
}

TEST(HandOver, SecondConflictOfAChainStandsOnTheFirstAnswerAndBothLandTogether) {
  REQUIRE_SANDBOX();
  HandOver w(R"v(
    at down ; line f 36 "line 35 FORK" ; commit D3 "fork: line 35"
    at up
    line f 24 "line 23 UP" ; line f 36 "line 35 UP" ; commit C2 "tiles: near the first, and line 35"
    line f 24 "line 23 UP3" ; append f "tail UP\n" ; commit C3 "tiles: on top of the second"
  )v");
  ASSERT_EQ(w.unit, w.unit_of("C2"));
  const auto taken = w.take();
  EXPECT_EQ(taken.branch.waiting, 2u);
  w.resolve_and_commit(both);
  const auto next = w.submit();
  ASSERT_EQ(next.outcome, "next_conflict") << w.text(next);
  EXPECT_EQ(next.next.conflicted, w.id("C2"));
  EXPECT_EQ(next.exit_code(), 1);
  EXPECT_EQ(w.state(), S::taken);
  w.resolve("f", "line 35 FORK\nline 35 UP\n");
  w.person("git commit -qam 'Resolve the second'");
  const auto report = w.submit();
  ASSERT_EQ(report.outcome, "landed") << w.text(report);
  for (const char* name : {"C", "C2"}) EXPECT_EQ(w.disposition(name), D::adapted) << name;
  EXPECT_EQ(w.disposition("C3"), D::picked);
  EXPECT_TRUE(has(w.trunk_file("f"), "tail UP"));
}

TEST(HandOver, WhatARungAnsweredInPartStandsAsADraftInACommitOfItsOwn) {
  REQUIRE_SANDBOX();
  HandOver w("", "", "land", R"v(
    repo up
      base40 g.cpp ; put keep.test "ok\n"                              ; commit B "tiles: the first version"
    fork up down
      line g.cpp 10 "x = 1;" ; line g.cpp 30 "own line"                ; commit D "fork: own lines"
    at up
      line g.cpp 10 "x  =  1;" ; line g.cpp 30 "line UP"               ; commit C "tiles: two lines"
  )v");
  ASSERT_EQ(w.state(), S::parked);
  const auto taken = w.take();
  ASSERT_TRUE(taken.branch.drafts);
  EXPECT_EQ(w.history.git("wt", {"rev-list", "--count", "origin/main..HEAD"}), "2");
  const std::string raw = w.history.git("wt", {"show", "HEAD~1:g.cpp"}), draft = *core::read_file(w.dir() + "/g.cpp");
  EXPECT_TRUE(has(raw, "x  =  1;"));
  EXPECT_FALSE(has(draft, "x  =  1;")) << draft;
  EXPECT_TRUE(has(draft, std::string(31, '<'))) << "the other region is open";
  w.resolve("g.cpp", "own line\nline UP\n");
  w.person("git commit -qam 'Resolve the rest'");
  const auto report = w.submit();
  ASSERT_EQ(report.outcome, "landed") << w.text(report);
  EXPECT_TRUE(has(w.trunk_file("g.cpp"), "own line\nline UP\n"));
  EXPECT_TRUE(has(w.trunk_file("g.cpp"), "\nx = 1;\n")) << "the draft stands";
}

TEST(HandOver, UnfinishedWorkIsAClearErrorAndNothingIsLost) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  const auto error = [&](service::SubmitOptions options = {}) {
    const auto report = w.try_submit(std::move(options));
    EXPECT_FALSE(report.ok());
    return report.ok() ? std::string() : report.error().message;
  };
  EXPECT_TRUE(has(error(), "f:20 still holds a conflict marker"));
  w.resolve("f", both);
  w.person("echo x > notes.txt");
  const std::string uncommitted = error();
  EXPECT_TRUE(has(uncommitted, "M f") && has(uncommitted, "notes.txt")) << uncommitted;
  w.person("rm notes.txt; git commit -qam 'Resolve it'");
  service::SubmitOptions from;
  from.from = w.id("B");
  EXPECT_TRUE(has(error(from), "does not stand on trunk"));
  from.from = "origin/main";
  EXPECT_TRUE(has(error(from), "nothing was committed"));
  service::SubmitOptions other;
  other.who = "somebody";
  EXPECT_TRUE(has(error(other), "taken by fay"));
  EXPECT_EQ(w.submit().outcome, "landed");
}

TEST(HandOver, ATakenUnitIsGivenBackOrTakenOverButNeverTwice) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  service::TakeOptions other;
  other.who = "sam";
  other.work_tree = w.history.root() + "/sams";
  const auto refused = w.try_take(other);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(has(refused.error().message, "taken by fay")) << refused.error().message;
  EXPECT_EQ(w.take().done, "yours");
  service::SyncOptions again;
  again.unit = w.unit;
  const auto sync = w.try_sync(again);
  ASSERT_FALSE(sync.ok());
  EXPECT_TRUE(has(sync.error().message, "fay")) << sync.error().message;

  other.steal = true;
  EXPECT_FALSE(w.try_take(other).ok()) << "without a reason";
  other.reason = "fay is away";
  EXPECT_EQ(w.take(other).row.owner, "sam");
  EXPECT_TRUE(core::exists(w.history.root() + "/sams/f"));
  service::TakeOptions release;
  release.who = "sam";
  release.release = true;
  EXPECT_EQ(w.take(release).unit.state, S::parked);
  EXPECT_EQ(w.state(), S::parked);
  EXPECT_FALSE(w.is_taken());
}

TEST(HandOver, WhenSomebodyElseLandsTheCommitTheTakeIsReleasedWithANotice) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  w.history.run("at down; git pull -q $VERBS_ROOT/down.git main; insert f 21 \"line 20b UP\"; commit Hand \"tiles: a line after 20\" \"(cherry picked from commit " +
                w.id("C") + ")\"; push_bare down");
  const auto report = w.sync();
  EXPECT_FALSE(w.is_taken());
  EXPECT_EQ(w.state(), S::dropped);
  bool told = false;
  for (const std::string& notice : report.notices) told = told || (has(notice, w.unit) && has(notice, "fay"));
  EXPECT_TRUE(told);
}

TEST(HandOver, InObserveTheAnswerIsJudgedAndNotLanded) {
  REQUIRE_SANDBOX();
  HandOver w("", "", "observe");
  const std::string trunk = w.trunk();
  w.take();
  w.resolve_and_commit(both);
  const auto report = w.submit();
  EXPECT_EQ(report.outcome, "cleared") << w.text(report);
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_TRUE(has(w.text(report), "autonomy is observe"));
  EXPECT_EQ(w.trunk(), trunk);
  EXPECT_EQ(w.state(), S::taken);
}

TEST(HandOver, StatusNamesWhoHasAUnitAndForHowLong) {
  REQUIRE_SANDBOX();
  HandOver w;
  w.take();
  const auto plan = w.look();
  const auto app = w.open(service::Access::read);
  bool seen = false;
  const core::Json status = service::status_json(*app, plan);
  for (const core::Json& unit : status["units"].items()) {
    if (unit["id"].as_string() != w.unit) continue;
    seen = true;
    EXPECT_EQ(unit["taken_by"].as_string(), "fay");
    EXPECT_TRUE(unit["taken_age_s"].is_int());
  }
  EXPECT_TRUE(seen);
  EXPECT_TRUE(has(service::status_text(*app, plan), "taken by fay"));
}

}  // namespace
}  // namespace sluice::test
