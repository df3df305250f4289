// SPDX-License-Identifier: Apache-2.0
// A branch: each commit by what it is. And landed bundles, folded.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/file.h"
#include "service/gate.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

using Kind = service::JudgedCommit::Kind;
using model::Judgement;

constexpr const char* script = R"v(
  repo up
    base40 f ; put test/t.mlir "// RUN: tool %s | FileCheck %s\n// CHECK: one\n" ; commit B "tiles: the first version"
  fork up down
    insert f 30 "fork_guard(value);\nfork_more(value);" ; put own.py "def own():\n    return 1\n" ; commit D "fork: guards"
  at up
    line f 5 "line 5 UP"   ; commit U1 "tiles: line 5 (#1)"
    line f 20 "line 20 UP" ; commit U2 "tiles: line 20 (#2)"
    line f 38 "line 38 UP" ; commit U3 "tiles: line 38 (#3)"
  at down
    branch topic
)v";

service::GateOptions options_for(const test_support::History& h) {
  service::GateOptions options;
  options.upstream_repo = h.path("up");
  options.fork_repo = h.path("down");
  options.branch = "topic";
  options.onto = "main";
  return options;
}

service::GateReport judged(const service::GateOptions& options) {
  auto report = service::gate_all(options);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
  return report.ok() ? std::move(*report) : service::GateReport{};
}

std::vector<Kind> kinds(const service::GateReport& report) {
  std::vector<Kind> out;
  for (const auto& commit : report.commits) out.push_back(commit.kind);
  return out;
}

TEST(GateBranch, EachCommitIsJudgedByWhatItIsAndTheWorstDecides) {
  test_support::History h(std::string(script) + R"v(
    pick_by_hand P1 U1
    put own.py "def own():\n    return 2\n" ; commit O "own: another number"
    line f 20 "line 20 UP" ; swap f "fork_guard(value);\n" "" ; commit P2 "pick of 2, one line short" "Upstream-Commit: $(id U2)"
  )v");
  const auto report = judged(options_for(h));
  EXPECT_EQ(kinds(report), (std::vector<Kind>{Kind::pick, Kind::own, Kind::pick})) << service::gate_text(report);
  EXPECT_EQ(report.commits[0].verdict.judgement, Judgement::pass) << service::gate_text(report);
  EXPECT_EQ(report.commits[1].verdict.judgement, Judgement::pass) << service::gate_text(report);
  EXPECT_GT(report.commits[2].verdict.judgement, Judgement::pass);
  EXPECT_EQ(report.judgement(), report.commits[2].verdict.judgement);
  const core::Json json = service::gate_json(report);
  EXPECT_EQ(json["schema"].as_string(), "sluice.gate/1");
  EXPECT_EQ(json["picks"].items()[0]["upstream"].as_string(), h.id("U1"));
  EXPECT_EQ(json["picks"].items()[0]["commit"].as_string(), h.id("P1"));
  EXPECT_EQ(json["picks"].items()[0]["verdict"]["schema"].as_string(), "sluice.verdict/1");
  EXPECT_TRUE(json["picks"].items()[1]["upstream"].is_null());
  EXPECT_NE(service::gate_text(report).find("1 of 3 commits name no upstream commit"), std::string::npos) << service::gate_text(report);
}

TEST(GateBranch, ARangeWithoutACommitIsNoPass) {
  test_support::History h(script);
  const auto report = service::gate_all(options_for(h));
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("holds no commit"), std::string::npos) << report.error().message;
}

TEST(GateBranch, OwnWorkMayTakeItsOwnLinesAwayAndMayNotLeaveMarkers) {
  test_support::History h(std::string(script) + R"v(
    swap f "fork_guard(value);\n" "" ; drop test/t.mlir ; put .github/workflows/ci.yml "on: push\n" ; commit O1 "own: the guard goes, and its test"
    append own.py "<<<<<<< HEAD\n" ; commit O2 "own: half merged"
  )v");
  const auto report = judged(options_for(h));
  ASSERT_EQ(kinds(report), (std::vector<Kind>{Kind::own, Kind::own}));
  EXPECT_EQ(report.commits[0].verdict.judgement, Judgement::pass) << service::gate_text(report);
  bool listed = false;
  for (const auto& rule : report.commits[0].verdict.rules) listed = listed || (rule.id == "G12" && rule.observed && !rule.items.empty());
  EXPECT_TRUE(listed) << "a protected path is said, and stops nobody's own work";
  EXPECT_EQ(report.commits[1].verdict.judgement, Judgement::block) << service::gate_text(report);
  EXPECT_NE(service::gate_text(report).find("own.py:3"), std::string::npos) << service::gate_text(report);
}

TEST(GateBranch, ACompanionIsJudgedAsOne) {
  test_support::History h(std::string(script) + R"v(
    pick_by_hand P1 U1
    put test/new.mlir "// RUN: tool %s | FileCheck %s\n// CHECK: two\n" ; commit C1 "a test for it" "Sluice-Unit: c-1\nSluice-Companion-Of: $(id U1)"
    swap f "fork_more(value);\n" "" ; commit C2 "and a line of the fork less" "Sluice-Unit: c-1\nSluice-Companion-Of: $(id U1)"
  )v");
  const auto report = judged(options_for(h));
  ASSERT_EQ(kinds(report), (std::vector<Kind>{Kind::pick, Kind::companion, Kind::companion})) << service::gate_text(report);
  EXPECT_EQ(report.commits[1].verdict.judgement, Judgement::pass) << service::gate_text(report);
  EXPECT_EQ(report.commits[1].upstream, std::vector<model::Oid>{h.id("U1")});
}

TEST(GateBranch, AMergeOfUpstreamIsJudgedAndAMergeOfTheForksOwnIsListed) {
  test_support::History h(std::string(script) + R"v(
    branch side main ; put own2.py "def more():\n    return 3\n" ; commit S "own: more"
    on topic ; put own.py "def own():\n    return 2\n" ; commit T "own: another" ; merge_branch M1 side
  )v");
  h.git("down", {"fetch", "-q", h.path("up"), "main:upstream_main"});
  h.run("at down; merge_branch M2 upstream_main");
  const auto report = judged(options_for(h));
  ASSERT_EQ(report.commits.size(), 4u) << service::gate_text(report);
  const auto kind_of = [&](const std::string& name) {
    const auto found = std::find_if(report.commits.begin(), report.commits.end(), [&](const auto& c) { return c.commit == h.id(name); });
    return found == report.commits.end() ? Kind::pick : found->kind;
  };
  EXPECT_EQ(kind_of("S"), Kind::own);
  EXPECT_EQ(kind_of("M1"), Kind::listed);
  EXPECT_EQ(kind_of("M2"), Kind::merge);
  EXPECT_EQ(report.judgement(), Judgement::pass) << service::gate_text(report);
}

TEST(GateBranch, AMergeOfUpstreamThatLosesALineOfTheForkIsCaught) {
  test_support::History h(script);
  h.git("down", {"fetch", "-q", h.path("up"), "main:upstream_main"});
  h.run("at down; on topic; merge_branch M upstream_main");
  h.git("down", {"checkout", "-q", "topic"});
  h.run("at down; swap f 'fork_guard(value);\\n' ''");
  h.git("down", {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-a", "--amend", "--no-edit"});
  const auto report = judged(options_for(h));
  ASSERT_EQ(kinds(report), std::vector<Kind>{Kind::merge}) << service::gate_text(report);
  EXPECT_GT(report.judgement(), Judgement::pass);
  EXPECT_NE(service::gate_text(report).find(h.id("D")), std::string::npos) << "whose line it was: " << service::gate_text(report);
}

TEST(GateBranch, AMergeOfMoreThanTwoIsNeverPassedOverUnseen) {
  test_support::History h(std::string(script) + R"v(
    branch side main ; put own2.py "def more():\n    return 3\n" ; commit S "own: more"
    branch other main ; put own3.py "def other():\n    return 4\n" ; commit O "own: other"
  )v");
  h.git("down", {"fetch", "-q", h.path("up"), "main:upstream_main"});
  h.git("down", {"checkout", "-q", "topic"});
  const auto merge = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"-c", "user.name=a", "-c", "user.email=a@b.example", "merge", "-q", "--no-ff", "-m", "all at once"};
    words.insert(words.end(), more.begin(), more.end());
    h.git("down", words);
  };
  merge({"side", "other"});
  auto report = judged(options_for(h));
  EXPECT_EQ(report.judgement(), Judgement::pass) << service::gate_text(report);
  h.run("at down; on topic; append own.py '<<<<<<< HEAD\n'");
  h.git("down", {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-a", "--amend", "--no-edit"});
  report = judged(options_for(h));
  EXPECT_EQ(report.judgement(), Judgement::block) << "what it adds of its own is read: " << service::gate_text(report);
  h.git("down", {"reset", "-q", "--hard", "main"});
  merge({"side", "upstream_main"});
  report = judged(options_for(h));
  EXPECT_EQ(report.judgement(), Judgement::unresolved) << service::gate_text(report);
}

TEST(GateBranch, TheForkMergedIntoUpstreamsLineIsJudgedAsTheMergeThatItIs) {
  test_support::History h(script);
  h.git("down", {"fetch", "-q", h.path("up"), "main:upstream_main"});
  h.git("down", {"checkout", "-q", "-B", "topic", "upstream_main"});
  h.git("down", {"-c", "user.name=a", "-c", "user.email=a@b.example", "merge", "-q", "--no-ff", "-m", "the fork onto upstream", "main"});
  h.run("at down; on topic; swap f 'fork_guard(value);\n' ''");
  h.git("down", {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-a", "--amend", "--no-edit"});
  const auto report = judged(options_for(h));
  EXPECT_GT(report.judgement(), Judgement::pass) << service::gate_text(report);
  EXPECT_NE(service::gate_text(report).find("fork_guard"), std::string::npos) << service::gate_text(report);
}

TEST(GateBranch, ACommitThatNamesWhatNobodyHasIsUnresolved) {
  test_support::History h(std::string(script) + R"v(
    put own.py "def own():\n    return 2\n" ; commit P "pick of something" "Upstream-Commit: 1234567890123456789012345678901234567890"
  )v");
  const auto report = judged(options_for(h));
  EXPECT_EQ(report.judgement(), Judgement::unresolved) << service::gate_text(report);
}

TEST(GateBranch, ABundleByNumbersIsFoundOnUpstreamsLineAndNeverTakenForOwnWork) {
  test_support::History h(std::string(script) + R"v(
    line f 5 "line 5 UP" ; line f 20 "line 20 UP" ; commit P "[BUNDLE] Cherry-pick 2 upstream" "Picked (2): #1 #2"
    put own.py "def own():\n    return 2\n" ; commit Q "[BUNDLE] Cherry-pick 2 upstream" "Picked (2): #77 #78"
  )v");
  const auto report = judged(options_for(h));
  ASSERT_EQ(kinds(report), (std::vector<Kind>{Kind::member, Kind::member, Kind::bundle, Kind::bundle})) << service::gate_text(report);
  EXPECT_EQ(report.commits[2].verdict.judgement, Judgement::pass) << service::gate_text(report);
  EXPECT_EQ(report.commits[3].verdict.judgement, Judgement::unresolved) << service::gate_text(report);
}

TEST(GateBranch, WordsThatUpstreamQuotesAreNotWhatThePickBrings) {
  test_support::History h(std::string(script) + R"v(
    at up
      line f 7 "line 7 UP" ; commit U4 "tiles: line 7" "(cherry picked from commit $(id U1))"
    at down
      pick_by_hand P U4
  )v");
  auto options = options_for(h);
  const auto report = judged(options);
  ASSERT_EQ(report.commits.size(), 1u);
  EXPECT_EQ(report.commits[0].upstream, std::vector<model::Oid>{h.id("U4")});
  EXPECT_EQ(report.judgement(), Judgement::pass) << service::gate_text(report);
}

TEST(GateBranch, APolicyThatTheBranchBringsIsRefusedAndOneThatStoodThereBeforeIsNot) {
  test_support::History h(std::string(script) + R"v(
    on main ; put sluice-policy.toml "[rules.G24]\nmode = \"observe\"\n" ; commit Y "policy: as agreed"
    branch same ; put own.py "def own():\n    return 2\n" ; commit S "own: another number"
    branch other ; put sluice-policy.toml "[rules.G20]\nmode = \"off\"\n" ; commit O "own: no more markers" ; put own.py "def own():\n    return 3\n" ; commit O2 "own: one more"
  )v");
  auto options = options_for(h);
  const auto with = [&](const std::string& branch, const std::string& policy) {
    options.branch = branch;
    options.policy = policy + ":sluice-policy.toml";
    return service::gate_all(options);
  };
  EXPECT_TRUE(with("other", "main").ok());
  EXPECT_TRUE(with("same", "same").ok()) << "what it says stood in main";
  for (const std::string& policy : {std::string("other"), h.id("O2"), h.id("O")}) {
    const auto refused = with("other", policy);
    ASSERT_FALSE(refused.ok()) << policy;
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
    EXPECT_NE(refused.error().message.find("must not choose their own"), std::string::npos) << refused.error().message;
  }
}

TEST(GateBranch, WithoutABaseTheConfiguredTrunkIsAsked) {
  test_support::History h(std::string(script) + "pick_by_hand P1 U1");
  auto options = options_for(h);
  options.onto.clear();
  const auto none = service::gate_all(options);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("--onto"), std::string::npos) << none.error().message;
  options.config = h.root() + "/sluice.toml";
  ASSERT_TRUE(core::write_file(options.config, "[fork]\nurl = \"down\"\nbranch = \"main\"\n[upstream]\nurl = \"up\"\nbranch = \"main\"\n[store]\npath = \"s\"\n").ok());
  const auto report = judged(options);
  EXPECT_EQ(report.base, h.id("D"));
  EXPECT_EQ(report.commits.size(), 1u);
}

// ---- bundles ----

service::GateOptions bundle_options(const test_support::History& h) {
  auto options = options_for(h);
  options.branch.clear();
  options.onto.clear();
  options.result = "topic";
  options.upstream = {h.id("U3"), h.id("U1"), h.id("U2")};  // upstream's order is found out
  return options;
}

TEST(GateBundle, AFoldThatLandedAsOneCommitPassesMemberByMember) {
  test_support::History h(std::string(script) + R"v(
    line f 5 "line 5 UP" ; line f 20 "line 20 UP" ; swap f "line 38\n" "line 38 UP\n" ; commit P "Cherry-pick 3 upstream commits"
  )v");
  const auto report = judged(bundle_options(h));
  EXPECT_EQ(report.form, "bundle");
  EXPECT_EQ(kinds(report), (std::vector<Kind>{Kind::member, Kind::member, Kind::member, Kind::bundle})) << service::gate_text(report);
  EXPECT_EQ(report.judgement(), Judgement::pass) << service::gate_text(report);
  EXPECT_EQ(report.commits[0].upstream, std::vector<model::Oid>{h.id("U1")});
  EXPECT_EQ(report.commits[3].upstream, (std::vector<model::Oid>{h.id("U1"), h.id("U2"), h.id("U3")}));
}

TEST(GateBundle, ALineOfTheForkThatIsLostInItIsNamed) {
  test_support::History h(std::string(script) + R"v(
    line f 5 "line 5 UP" ; line f 20 "line 20 UP" ; swap f "line 38\n" "line 38 UP\n" ; swap f "fork_guard(value);\n" "" ; commit P "Cherry-pick 3 upstream commits"
  )v");
  const auto report = judged(bundle_options(h));
  EXPECT_GT(report.judgement(), Judgement::pass);
  const std::string text = service::gate_text(report);
  EXPECT_NE(text.find("fork_guard(value);"), std::string::npos) << text;
  EXPECT_NE(text.find("G23"), std::string::npos) << text;
  EXPECT_NE(text.find(h.id("D")), std::string::npos) << text;
}

constexpr const char* conflicting = R"v(
    at up
      line f 31 "line 31 UP" ; put g "g\n" ; commit U4 "tiles: line 31 and g (#4)"
      line f 8 "line 8 UP" ; commit U5 "tiles: line 8 (#5)"
    at down
      on main ; line f 33 "line 31 of the fork" ; commit D2 "fork: line 31"
      branch topic2
)v";

TEST(GateBundle, AConflictInTheMiddleLeavesItsPathsToBeJudgedFolded) {
  test_support::History h(std::string(script) + conflicting + R"v(
    put g "g\n" ; line f 33 "line 31 UP and of the fork" ; line f 8 "line 8 UP" ; commit P "Cherry-pick 2 upstream commits"
  )v");
  auto options = bundle_options(h);
  options.result = "topic2";
  options.upstream = {h.id("U4"), h.id("U5")};
  const auto report = judged(options);
  ASSERT_EQ(report.commits.size(), 3u);
  EXPECT_NE(report.commits[0].note.find("conflicts on the fold in f"), std::string::npos) << report.commits[0].note;
  EXPECT_NE(report.commits[2].note.find("1 of 2 members"), std::string::npos) << report.commits[2].note;
  for (const auto& rule : report.commits[2].verdict.rules) {
    if (rule.id == "G02" || rule.id == "G20") {
      EXPECT_EQ(rule.judgement, Judgement::pass) << rule.id << ": it is no clean merge, and has no marker\n" << service::gate_text(report);
    }
  }
}

TEST(GateBundle, WhatAConflictedMemberLeftOutOfTheResultIsFound) {
  test_support::History h(std::string(script) + conflicting + R"v(
    put g "g\n" ; line f 8 "line 8 UP" ; commit P "Cherry-pick 2 upstream commits"
  )v");
  auto options = bundle_options(h);
  options.result = "topic2";
  options.upstream = {h.id("U4"), h.id("U5")};
  const auto report = judged(options);
  EXPECT_GT(report.commits[2].verdict.judgement, Judgement::pass);
  EXPECT_NE(service::gate_text(report).find("line 31 UP"), std::string::npos) << service::gate_text(report);
}

TEST(GateBundle, TheMessageMayListTheMembers) {
  test_support::History h(std::string(script) + R"v(
    line f 5 "line 5 UP" ; line f 20 "line 20 UP" ; commit P "two of upstream" "Upstream-Commit: $(id U1)\nUpstream-Commit: $(id U2)"
  )v");
  auto options = bundle_options(h);
  options.upstream.clear();
  const auto report = judged(options);
  EXPECT_EQ(report.form, "bundle");
  EXPECT_EQ(report.commits.size(), 3u);
  EXPECT_EQ(report.judgement(), Judgement::pass) << service::gate_text(report);
}

}  // namespace
}  // namespace sluice::test
