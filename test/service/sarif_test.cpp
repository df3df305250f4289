// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0: what the standard and the hosts that read it ask of a log.
#include <gtest/gtest.h>

#include <set>

#include "service/gate.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

using core::Json;

constexpr const char* script = R"v(
  repo up
    base40 f                       ; commit B "tiles: the first version"
  fork up down
    insert f 30 "fork_guard(value);\nfork_more(value);" ; put "a dir/ü#1.py" "x = 1\n" ; commit D "fork: guards"
  at up
    line f 5 "line 5 UP"           ; commit U "tiles: line 5"
  at down
    line f 5 "line 5 UP" ; swap f "fork_guard(value);\n" "" ; append "a dir/ü#1.py" "<<<<<<< HEAD\n" ; commit P "pick of U, with faults"
)v";

service::GateReport report_of(const test_support::History& h) {
  service::GateOptions options;
  options.upstream_repo = h.path("up");
  options.fork_repo = h.path("down");
  options.upstream = {h.id("U")};
  options.result = h.id("P");
  auto report = service::gate_all(options);
  if (!report.ok()) throw std::runtime_error(report.error().message);
  return std::move(*report);
}

bool is_uri_reference(const std::string& text) {
  for (const char c : text) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("-._~/%").find(c) != std::string_view::npos;
    if (!allowed) return false;
  }
  return !text.empty();
}

// The constraints of the schema on everything that is written here.
void check(const Json& log) {
  EXPECT_EQ(log["version"].as_string(), "2.1.0");
  ASSERT_EQ(log["runs"].items().size(), 1u);
  const Json& run = log["runs"].items()[0];
  const Json& driver = run["tool"]["driver"];
  EXPECT_EQ(driver["name"].as_string(), "sluice");
  std::set<std::string> ids;
  for (const Json& rule : driver["rules"].items()) {
    EXPECT_TRUE(ids.insert(rule["id"].as_string()).second) << "rules are a set: " << rule["id"].as_string();
    EXPECT_FALSE(rule["shortDescription"]["text"].as_string().empty());
    EXPECT_FALSE(rule["help"]["text"].as_string().empty()) << rule["id"].as_string();
  }
  for (const Json& result : run["results"].items()) {
    const auto index = static_cast<std::size_t>(result["ruleIndex"].as_int(-1));
    ASSERT_LT(index, driver["rules"].items().size());
    EXPECT_EQ(driver["rules"].items()[index]["id"].as_string(), result["ruleId"].as_string());
    EXPECT_TRUE((std::set<std::string>{"none", "note", "warning", "error"}.contains(result["level"].as_string())));
    EXPECT_FALSE(result["message"]["text"].as_string().empty());
    ASSERT_EQ(result["locations"].items().size(), 1u) << "a host shows nothing without a place";
    const Json& where = result["locations"].items()[0]["physicalLocation"];
    EXPECT_TRUE(is_uri_reference(where["artifactLocation"]["uri"].as_string())) << where.pretty();
    EXPECT_GE(where["region"]["startLine"].as_int(), 1);
    EXPECT_EQ(result["partialFingerprints"]["sluiceItem/v1"].as_string().size(), 12u);
  }
}

const Json* result_of(const Json& log, const std::string& rule) {
  for (const Json& result : log["runs"].items()[0]["results"].items()) {
    if (result["ruleId"].as_string() == rule) return &result;
  }
  return nullptr;
}

TEST(Sarif, ALogHoldsWhatTheStandardAndTheHostsAskFor) {
  const test_support::History h(script);
  const Json log = service::gate_sarif(report_of(h), "1.0");
  check(log);
  EXPECT_FALSE(log["runs"].items()[0]["results"].items().empty());
  const auto back = Json::parse(log.pretty());
  ASSERT_TRUE(back.ok());
}

TEST(Sarif, AFindingNamesFileLineCommitAndItsLevel) {
  const test_support::History h(script);
  const Json log = service::gate_sarif(report_of(h), "1.0");
  const Json* lost = result_of(log, "G23");
  ASSERT_NE(lost, nullptr) << log.pretty();
  EXPECT_EQ((*lost)["level"].as_string(), "warning");
  EXPECT_NE((*lost)["message"]["text"].as_string().find("fork_guard(value);"), std::string::npos);
  EXPECT_NE((*lost)["message"]["text"].as_string().find(h.id("D")), std::string::npos);
  const Json& where = (*lost)["locations"].items()[0]["physicalLocation"];
  EXPECT_EQ(where["artifactLocation"]["uri"].as_string(), "f");
  EXPECT_EQ(where["region"]["startLine"].as_int(), 31);
  const Json* marker = result_of(log, "G20");
  ASSERT_NE(marker, nullptr);
  EXPECT_EQ((*marker)["level"].as_string(), "error");
  EXPECT_EQ((*marker)["locations"].items()[0]["physicalLocation"]["artifactLocation"]["uri"].as_string(), "a%20dir/%C3%BC%231.py");
}

TEST(Sarif, TheFingerprintIsTheIdThatTheVerdictPrints) {
  const test_support::History h(script);
  const auto report = report_of(h);
  const Json log = service::gate_sarif(report, "1.0");
  std::set<std::string> ids;
  for (const auto& rule : report.commits[0].verdict.rules) {
    for (const auto& item : rule.items) ids.insert(model::item_id(rule.id, item));
  }
  for (const Json& result : log["runs"].items()[0]["results"].items()) {
    EXPECT_TRUE(ids.contains(result["partialFingerprints"]["sluiceItem/v1"].as_string()));
  }
}

TEST(Sarif, APickWithoutAFindingIsAnEmptyListAndNoMissingOne) {
  test_support::History h(script);
  h.run("at down; branch good main~1; pick_by_hand P2 U");
  service::GateOptions options;
  options.upstream_repo = h.path("up");
  options.fork_repo = h.path("down");
  options.result = h.id("P2");
  const auto report = service::gate_all(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const Json log = service::gate_sarif(*report, "1.0");
  check(log);
  EXPECT_TRUE(log["runs"].items()[0].has("results")) << "absent would mean that nothing was looked at";
  EXPECT_TRUE(log["runs"].items()[0]["results"].items().empty()) << log.pretty();
}

}  // namespace
}  // namespace sluice::test
