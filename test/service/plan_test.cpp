// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "test/service/world.h"

namespace sluice::test {
namespace {

constexpr const char* script = R"v(
  repo up
    base40 f ; put h.h "int f(int);\n" ; put keep.test "ok\n"   ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 FORK" ; put own.test "ok\n"              ; commit D "fork: own line 20"
  at up
    put a "1\n"                                                 ; commit A "a (#7)"
    line f 20 "line 20 UP"                                      ; commit C "conflict"
    line f 20 "line 20 UP 2"                                    ; commit C2 "on top of the conflict"
    line f 35 "line 35 UP"                                      ; commit E "elsewhere in the file"
)v";

const core::Json& commit_of(const core::Json& plan, const std::string& oid) {
  for (const core::Json& commit : plan["commits"].items()) {
    if (commit["oid"].as_string() == oid) return commit;
  }
  static const core::Json none;
  return none;
}

TEST(Plan, SaysForEveryCommitWhereItGoesAndWhy) {
  World w(script);
  const core::Json plan = w.plan();
  EXPECT_EQ(plan["schema"].as_string(), "sluice.plan/1");
  EXPECT_EQ(plan["commits"].items().size(), 4u);
  const core::Json& a = commit_of(plan, w.id("A"));
  EXPECT_EQ(a["route"].as_string(), "bundle");
  EXPECT_EQ(a["pick"].as_string(), "clean");
  EXPECT_EQ(a["pr"].as_int(), 7);
  const core::Json& c = commit_of(plan, w.id("C"));
  EXPECT_EQ(c["route"].as_string(), "chain");
  EXPECT_EQ(c["pick"].as_string(), "conflict");
  EXPECT_EQ(c["pick_trunk"].as_string(), "conflict");
  ASSERT_EQ(c["conflicts"].items().size(), 1u);
  EXPECT_EQ(c["conflicts"].items()[0]["path"].as_string(), "f");
  EXPECT_EQ(c["conflicts"].items()[0]["kind"].as_string(), "contents");
  const core::Json& c2 = commit_of(plan, w.id("C2"));
  EXPECT_EQ(c2["unit"].as_string(), c["unit"].as_string());
  ASSERT_EQ(c2["depends_on"].items().size(), 1u);
  EXPECT_EQ(c2["depends_on"].items()[0].as_string(), w.id("C"));
  const core::Json& e = commit_of(plan, w.id("E"));
  EXPECT_EQ(e["route"].as_string(), "bundle") << "the same file, lines far away: no dependency";
  EXPECT_EQ(e["unit"].as_string(), a["unit"].as_string());
}

TEST(Plan, AForkFileOfProseNamesNoSymbolAndOneOfCodeDoes) {
  World w(R"v(
    repo up
      put f "1\n" ; put h.h "int first(int);\nint other(int);\n" ; put keep.test "ok\n"        ; commit B "base"
    fork up down
      put NOTES.md "the first of our own files\n" ; put own.h "// first\nint use() { return other(1); }\n" ; commit D "own"
    at up
      put h.h "long first(long);\nint other(int);\n"                                           ; commit P "first"
      put h.h "long first(long);\nlong other(long);\n"                                         ; commit C "other"
  )v");
  const core::Json plan = w.plan();
  EXPECT_EQ(commit_of(plan, w.id("P"))["route"].as_string(), "bundle") << "`first` stands in prose and a comment";
  EXPECT_EQ(commit_of(plan, w.id("C"))["route"].as_string(), "chain");
}

TEST(Plan, TheSameInputsGiveTheSameBytes) {
  World w(script);
  const std::string first = w.plan().dump();
  EXPECT_EQ(w.plan().dump(), first);
  World other(script);
  // Another directory, another store: everything but the ages of the fetches is equal.
  core::Json a = w.plan(), b = other.plan();
  a.set("upstream", nullptr);
  b.set("upstream", nullptr);
  EXPECT_EQ(a.dump(), b.dump());
}

TEST(Plan, WritesNothingOutsideTheStoreAndKeepsNoPicks) {
  World w(script);
  const std::string before = w.history.git("down.git", {"for-each-ref"}) + w.history.git("down.git", {"count-objects"});
  w.plan();
  EXPECT_EQ(w.history.git("down.git", {"for-each-ref"}) + w.history.git("down.git", {"count-objects"}), before);
  const auto app = w.open(service::Access::read);
  const auto plan = w.plan();
  const std::string tree = commit_of(plan, w.id("A"))["tree"].as_string();
  ASSERT_FALSE(tree.empty());
  EXPECT_FALSE(app->repo.reader().has(tree)) << "a plan picks into a scratch directory";
}

TEST(Plan, MetricsFollowTheDefinitions) {
  World w(script);
  const core::Json plan = w.plan();
  // Four commits, 60 s apart, none settled: the frontier is the fork base.
  EXPECT_EQ(plan["metrics"]["distance"].as_int(), 4);
  EXPECT_EQ(plan["metrics"]["not_reached"].as_int(), 4);
  EXPECT_EQ(plan["metrics"]["backlog_commits"].as_int(), 0);
  EXPECT_GT(plan["metrics"]["days_behind"].as_double(), 0.0);
}

TEST(Plan, PicksThatTheForkAlreadyCarriesAreRecognisedByTheirTrailers) {
  World w(std::string(script) + R"v(
    at down
      pick_by_hand P A
  )v");
  w.history.run("at down; push_bare down");
  const core::Json plan = w.plan();
  EXPECT_EQ(plan["imported"]["placed"].as_int(), 1);
  EXPECT_EQ(plan["pins"]["contiguous"]["oid"].as_string(), w.id("A"));
  EXPECT_EQ(plan["commits"].items().size(), 3u) << "the plan starts at the first commit that is not settled";
  EXPECT_EQ(w.disposition("A"), model::Disposition::picked);
}

TEST(Plan, ExplainNamesReasonsDependenciesAndConflicts) {
  World w(script);
  const core::Json plan = w.plan();
  const auto app = w.open();
  const auto text = service::explain_text(*app, plan, w.id("C2").substr(0, 12));
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_NE(text->find("depends on  " + w.id("C")), std::string::npos) << *text;
  const auto nothing = service::explain_text(*app, plan, "0123456789");
  EXPECT_FALSE(nothing.ok());
}

}  // namespace
}  // namespace sluice::test
