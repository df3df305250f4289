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
  options.upstream = {h.id("U")};
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
  EXPECT_NE(text.find("sluice gate --catalogue"), std::string::npos) << "where to read what each rule means: " << text;
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

TEST(Gate, WithoutAnUpstreamTheMessageSaysIt) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U");
  auto options = options_for(h, "P");
  options.upstream.clear();
  options.onto.clear();  // the result's parent
  const auto report = service::gate_all(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->judgement(), Judgement::pass) << service::gate_text(*report);
  ASSERT_EQ(report->commits.size(), 1u);
  EXPECT_EQ(report->commits[0].upstream, std::vector<model::Oid>{h.id("U")});
  EXPECT_EQ(report->base, h.id("D"));
}

TEST(Gate, AMessageThatNamesNothingAsksForTheUpstream) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U \"line 5, as I see it\"");
  auto options = options_for(h, "P");
  options.upstream.clear();
  const auto report = service::gate_all(options);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::invalid);
  EXPECT_NE(report.error().message.find("--upstream"), std::string::npos) << report.error().message;
}

TEST(Gate, OneRepositoryMayHoldBoth) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U");
  auto options = options_for(h, "P");
  options.upstream_repo.clear();
  const auto report = service::gate_all(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->judgement(), Judgement::pass) << service::gate_text(*report);
}

TEST(Gate, TheTextSaysWhatLiftsAFindingAndCutsLongLists) {
  test_support::History h(std::string(script) + R"v(
    at up
      drop f ; put g "g\n" ; commit U2 "tiles: f goes"
    at down
      swap f "fork_guard(value);\n" "" ; cut_lines f 1 30 ; put g "g\n" ; commit P "pick, and half of f gone"
  )v");
  auto options = options_for(h, "P");
  options.rules = {"G22", "G23"};
  options.upstream = {h.id("U")};
  const auto verdict = service::gate(options);
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  const std::string text = service::verdict_text(*verdict);
  EXPECT_NE(text.find("what lifts it: an entry `downstream_lost`"), std::string::npos) << text;
  EXPECT_NE(text.find("--account-template"), std::string::npos) << text;
}

TEST(Gate, TheListOfRulesSaysTheirModes) {
  const test_support::History h(script);
  service::GateOptions options;
  options.fork_repo = h.path("down");
  options.config = h.root() + "/sluice.toml";
  ASSERT_TRUE(core::write_file(options.config, "[fork]\nurl = \"down\"\nbranch = \"main\"\n[upstream]\nurl = \"up\"\nbranch = \"main\"\n[store]\npath = \"s\"\n"
                                               "[rules.G10]\nmode = \"observe\"\nthreshold = 7\n[rules.G11]\nmode = \"off\"\n").ok());
  const auto rules = service::gate_rules_json(options);
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  bool seen = false;
  for (const auto& rule : (*rules)["rules"].items()) {
    if (rule["id"].as_string() == "G10") {
      seen = true;
      EXPECT_EQ(rule["mode"].as_string(), "observe");
      EXPECT_EQ(rule["thresholds"]["threshold"].as_double(), 7.0);
    }
    if (rule["id"].as_string() == "G11") {
      EXPECT_EQ(rule["mode"].as_string(), "off");
    }
  }
  EXPECT_TRUE(seen);
  EXPECT_NE(service::gate_rules_text(options)->find("G11  off"), std::string::npos);
}

TEST(Gate, AnUnknownRuleOfAConfigurationIsAnErrorWithFileAndLine) {
  test_support::History h(std::string(script) + "at down; pick_by_hand P U");
  auto options = options_for(h, "P");
  options.config = h.root() + "/sluice.toml";
  ASSERT_TRUE(core::write_file(options.config, "[fork]\nurl = \"down\"\nbranch = \"main\"\n[upstream]\nurl = \"up\"\nbranch = \"main\"\n[store]\npath = \"s\"\n"
                                               "[rules.G99]\nmode = \"off\"\n").ok());
  const auto verdict = service::gate(options);
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().kind, ErrorKind::invalid);
  EXPECT_NE(verdict.error().message.find("sluice.toml:9: [rules.G99]"), std::string::npos) << verdict.error().message;
}

}  // namespace
}  // namespace sluice::test
