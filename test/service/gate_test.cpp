// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/file.h"
#include "service/gate.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

using model::Judgement;

constexpr const char* script = R"v(
  repo up
    base40 f                    ; commit B "tiles: the first version"
  fork up down
    insert f 30 "fork_guard(value);\nfork_more(value);\nfork_last(value);" ; commit D "fork: guards"
  at up
    line f 5 "line 5 UP"        ; commit U "tiles: line 5"
)v";

service::GateOptions options_for(const test_support::History& h, const std::string& result) {
  service::GateOptions options;
  options.upstream_repo = h.path("up");
  options.upstream = h.id("U");
  options.fork_repo = h.path("down");
  options.onto = h.id("D");
  options.result = h.id(result);
  return options;
}

TEST(Gate, AMachinePickPasses) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U");
  const auto verdict = service::gate(options_for(h, "P"));
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_EQ(verdict->judgement, Judgement::pass) << service::verdict_text(*verdict);
}

TEST(Gate, ALostForkLineIsNamedWithTheCommitThatIntroducedIt) {
  test_support::History h(std::string(script) + R"v(
    at down
      line f 5 "line 5 UP" ; swap f "fork_guard(value);\n" "" ; commit P "pick of U, one line short"
  )v");
  const auto verdict = service::gate(options_for(h, "P"));
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_GT(verdict->judgement, Judgement::pass);
  const std::string text = service::verdict_text(*verdict);
  EXPECT_NE(text.find("docs/guardrails.md"), std::string::npos) << "where to read what lifts it: " << text;
  EXPECT_NE(text.find("G23"), std::string::npos) << text;
  EXPECT_NE(text.find("fork_guard(value);"), std::string::npos) << text;
  EXPECT_NE(text.find(h.id("D")), std::string::npos) << text;
}

TEST(Gate, ALineOfUpstreamThatIsMissingIsNotCalledListedOnly) {
  test_support::History h(R"v(
    repo up
      base40 f                     ; commit B "base"
    fork up down
      line f 5 "line 5 of the fork" ; commit D "fork: line 5"
    at up
      line f 5 "line 5 of upstream" ; put .github/workflows/ci.yml "on: push\n" ; commit U "line 5, and the CI"
    at down
      put .github/workflows/ci.yml "on: push\n" ; commit P "pick of U, without its line"
  )v");
  const auto verdict = service::gate(options_for(h, "P"));
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_GT(verdict->judgement, Judgement::pass);
  const std::string text = service::verdict_text(*verdict);
  const auto listed = text.find("listed only");
  ASSERT_NE(listed, std::string::npos) << text;
  EXPECT_LT(text.rfind("G12", listed), listed) << text;
  EXPECT_EQ(text.find("listed only", listed + 1), std::string::npos) << text;
  EXPECT_NE(text.find("line 5 of upstream"), std::string::npos) << text;
}

TEST(Gate, OnlyTheNamedRulesAreJudged) {
  test_support::History h(std::string(script) + R"v(
    at down
      line f 5 "line 5 UP" ; swap f "fork_guard(value);\n" "" ; commit P "pick of U, one line short"
  )v");
  auto options = options_for(h, "P");
  options.rules = {"G20"};
  const auto verdict = service::gate(options);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->judgement, Judgement::pass);
}

TEST(Gate, RulesThatDoNotExistOrCannotJudgeAreNoPass) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U");
  auto options = options_for(h, "P");
  options.rules = {"G23", "G999"};
  const auto unknown = service::gate(options);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, ErrorKind::invalid);
  EXPECT_NE(unknown.error().message.find("G999"), std::string::npos);
  options.rules = {"G42"};
  EXPECT_FALSE(service::gate(options).ok()) << "nothing was judged";
}

TEST(Gate, AMissingObjectIsUnresolvedAndNeverAPass) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U");
  const std::string blob = h.git("up", {"rev-parse", h.id("U") + ":f"});
  const std::string other = h.git("down", {"rev-parse", h.id("D") + ":f"});
  for (const char* repo : {"up", "down"}) {
    for (const std::string& oid : {blob, other}) {
      ASSERT_TRUE(core::remove_all(h.path(repo) + "/.git/objects/" + oid.substr(0, 2) + "/" + oid.substr(2)).ok());
    }
  }
  const auto verdict = service::gate(options_for(h, "P"));
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_EQ(verdict->judgement, Judgement::unresolved);
  EXPECT_NE(service::verdict_text(*verdict).find("object_missing"), std::string::npos) << service::verdict_text(*verdict);
  EXPECT_EQ(model::exit_status(verdict->judgement), 3);
}

TEST(Gate, ABadNameSaysWhichFlagItCameFrom) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U");
  auto options = options_for(h, "P");
  options.onto = "no-such-thing";
  const auto verdict = service::gate(options);
  ASSERT_FALSE(verdict.ok());
  EXPECT_NE(verdict.error().message.find("--onto no-such-thing"), std::string::npos) << verdict.error().message;
}

}  // namespace
}  // namespace sluice::test
