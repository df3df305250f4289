// SPDX-License-Identifier: Apache-2.0
// The accounting record of people: where it may stand, how an item is lifted, and what is wrong with a bad one.
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "service/gate.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

using core::Json;
using model::Judgement;

// Both sides change line 10; the person takes upstream's and loses a line of the fork, twice.
constexpr const char* script = R"v(
  repo up
    base40 f                                       ; commit B "tiles: the first version"
  fork up down
    line f 10 "fork_guard(value);\nfork_guard(value);\nfork_other(value);" ; commit D0 "fork: guards"
    line f 30 "line 30 FORK" ; commit D "fork: line 30"
  at up
    line f 10 "line 10 UP"                         ; commit U "tiles: line 10"
  at down
    line f 10 "line 10 UP" ; cut_lines f 11 12     ; commit P "pick of U" "Upstream-Commit: $(id U)"
)v";

service::GateOptions options_for(const test_support::History& h) {
  service::GateOptions options;
  options.upstream_repo = h.path("up");
  options.fork_repo = h.path("down");
  options.upstream = {h.id("U")};
  options.result = h.id("P");
  options.rules = {"G23"};
  return options;
}

service::GateReport judged(const service::GateOptions& options) {
  auto report = service::gate_all(options);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
  return report.ok() ? std::move(*report) : service::GateReport{};
}

std::string lost_line(const std::string& line, int count, const std::string& code, const std::string& arg = "") {
  return Json::object({{"kind", "downstream_lost"}, {"path", "f"}, {"norm_sha256", core::sha256_hex(core::strip_space(line))},
                       {"count", count}, {"reason_code", code}, {"arg", arg}, {"because", "told by the team"}}).dump();
}

void write(const std::string& path, const std::string& text) {
  const auto written = core::write_file(path, text);
  ASSERT_TRUE(written.ok());
}

std::size_t open_items(const model::Verdict& verdict) {
  std::size_t n = 0;
  for (const auto& rule : verdict.rules) {
    for (const auto& item : rule.items) n += item.judgement == Judgement::explain ? 1 : 0;
  }
  return n;
}

TEST(GateAccount, EachMissingEntryIsPrintedOnceWithItsCount) {
  const test_support::History h(script);
  const auto report = judged(options_for(h));
  EXPECT_EQ(report.judgement(), Judgement::explain) << service::gate_text(report);
  const Json missing = service::gate_template(report);
  ASSERT_EQ(missing.items().size(), 2u) << missing.pretty();
  EXPECT_EQ(missing.items()[0]["count"].as_int(), 2);
  EXPECT_EQ(missing.items()[0]["text"].as_string(), "fork_guard(value);");
  EXPECT_EQ(missing.items()[0]["reason_code"].as_string(), "");
  EXPECT_EQ(missing.items()[0]["line"].as_int(), 10);
  EXPECT_EQ(missing.items()[1]["count"].as_int(), 1);
}

TEST(GateAccount, TheFilledTemplateIsTakenAsItIs) {
  const test_support::History h(script);
  auto options = options_for(h);
  const Json missing = service::gate_template(judged(options));
  Json filled = Json::array();
  for (Json entry : missing.items()) {
    filled.push(entry.set("reason_code", "SUPERSEDED_BY_FORK").set("arg", h.id("D")).set("because", "the guard moved into the caller"));
  }
  options.account_file = h.root() + "/account.json";
  write(options.account_file, filled.pretty());
  const auto report = judged(options);
  EXPECT_EQ(report.judgement(), Judgement::pass) << service::gate_text(report);
  EXPECT_TRUE(report.notes.empty()) << report.notes.front();
  const Json verdict = service::gate_json(report);
  bool lifted = false;
  for (const Json& rule : verdict["rules"].items()) {
    for (const Json& item : rule["items"].items()) lifted = lifted || item["lifted_by"].as_string() == "SUPERSEDED_BY_FORK " + h.id("D");
  }
  EXPECT_TRUE(lifted) << verdict.pretty();
}

TEST(GateAccount, AnEntryLiftsAsManyItemsAsItCounts) {
  const test_support::History h(script);
  auto options = options_for(h);
  options.account_file = h.root() + "/account.json";
  write(options.account_file, "[" + lost_line("fork_guard(value);", 1, "SUPERSEDED_BY_FORK", h.id("D")) + "]");
  const auto report = judged(options);
  EXPECT_EQ(report.judgement(), Judgement::explain);
  EXPECT_EQ(open_items(report.commits[0].verdict), 2u) << service::gate_text(report) << "one of the two guards, and the other line";
}

TEST(GateAccount, AFalseEntryIsWorseThanNone) {
  const test_support::History h(script);
  auto options = options_for(h);
  options.account_file = h.root() + "/account.json";
  write(options.account_file, "[" + lost_line("fork_other(value);", 1, "MOVED_TO", "g") + "]");
  const auto report = judged(options);
  EXPECT_EQ(report.judgement(), Judgement::block) << service::gate_text(report);
  EXPECT_NE(service::gate_text(report).find("MOVED_TO g is false"), std::string::npos) << service::gate_text(report);
}

TEST(GateAccount, ACodeThatNoProgramCanCheckGoesToAPerson) {
  const test_support::History h(script);
  auto options = options_for(h);
  options.account_file = h.root() + "/account.json";
  write(options.account_file, "[" + lost_line("fork_guard(value);", 2, "NOT_APPLICABLE", "guards") + "," + lost_line("fork_other(value);", 1, "SUPERSEDED_BY_FORK", h.id("D")) + "]");
  EXPECT_EQ(judged(options).judgement(), Judgement::escalate);
}

TEST(GateAccount, TheBodyOfARequestAndTheMessageOfTheCommitMayCarryIt) {
  test_support::History h(script);
  const std::string guard = lost_line("fork_guard(value);", 2, "SUPERSEDED_BY_FORK", h.id("D"));
  const std::string other = lost_line("fork_other(value);", 1, "SUPERSEDED_BY_FORK", h.id("D"));
  auto options = options_for(h);
  options.body_file = h.root() + "/body.md";
  write(options.body_file, "Picks line 10.\n\n```sluice-account\n[" + guard + ",\n" + other + "]\n```\n");
  EXPECT_EQ(judged(options).judgement(), Judgement::pass);

  write(h.root() + "/message", "pick of U\n\n```sluice-account\n[" + other + "]\n```\n");
  h.git("down", {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--amend", "-F", h.root() + "/message"});
  write(options.body_file, "```sluice-account\n[" + guard + "]\n```\n");
  options.result = "HEAD";
  EXPECT_EQ(judged(options).judgement(), Judgement::pass) << "half of it here, half of it there";
}

TEST(GateAccount, WhatUpstreamWroteInItsOwnMessageIsNoRecord) {
  test_support::History h(script);
  const std::string block = "```sluice-account\n[" + lost_line("fork_guard(value);", 2, "SUPERSEDED_BY_FORK", h.id("D")) + ",\n" +
                            lost_line("fork_other(value);", 1, "SUPERSEDED_BY_FORK", h.id("D")) + "]\n```\n";
  write(h.root() + "/message", "tiles: line 10\n\n" + block);
  const auto amend = [&](const std::string& repo) {
    h.git(repo, {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--amend", "-F", h.root() + "/message"});
  };
  amend("up");
  amend("down");
  auto options = options_for(h);
  options.upstream = {"HEAD"};
  options.result = "HEAD";
  EXPECT_EQ(judged(options).judgement(), Judgement::explain) << "the pick quotes upstream's message";
}

TEST(GateAccount, AnEntryThatAnswersNothingIsSaid) {
  const test_support::History h(script);
  auto options = options_for(h);
  options.account_file = h.root() + "/account.json";
  write(options.account_file, "[" + lost_line("nobody wrote this", 1, "ALREADY_PRESENT") + "]");
  const auto report = judged(options);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(report.notes[0].find("account.json entry 0"), std::string::npos) << report.notes[0];
}

TEST(GateAccount, ABadRecordIsOneErrorThatNamesFileLineAndField) {
  const test_support::History h(script);
  auto options = options_for(h);
  options.account_file = h.root() + "/account.json";
  write(options.account_file, "[\n" + lost_line("x", 1, "BECAUSE_I_SAY_SO") + "\n]");
  const auto report = service::gate_all(options);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::invalid);
  EXPECT_NE(report.error().message.find("account.json:2: account entry 0: reason_code is 'BECAUSE_I_SAY_SO'"), std::string::npos) << report.error().message;
  write(options.account_file, std::string(model::account_cap + 1, ' '));
  EXPECT_FALSE(service::gate_all(options).ok());
  options.account_file = options.body_file = "-";
  EXPECT_FALSE(service::gate_all(options).ok()) << "stdin can be read once";
}

}  // namespace
}  // namespace sluice::test
