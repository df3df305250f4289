// SPDX-License-Identifier: Apache-2.0
// Every behaviour of the stand-in model, each through a whole sync: what landed, what stopped it, what it cost.
// docs/model-outcomes.md holds the table; SLUICE_WRITE_DOCS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "core/file.h"
#include "core/text.h"
#include "test/service/model_world.h"

namespace sluice::test {
namespace {

constexpr std::string_view begin_mark = "<!-- made by test/service/model_outcomes_test.cpp -->\n", end_mark = "<!-- end -->\n";

struct Row {
  const char* did;
  Script script;
  const char* history = narrowing;
  bool may_land = false;  // the answer is right
};

std::vector<Row> rows() {
  using namespace scripts;
  return {
      {"merges both sides, checks, submits", helpful(), narrowing, true},
      {"the same in one turn of parallel calls", all_in_one_turn(), narrowing, true},
      {"the same, a byte at a time", slow(helpful(), 1), narrowing, true},
      {"the same after two answers of 529 (overloaded)", first_fails(2, Turn::error(529, "overloaded_error", "busy"), helpful()), narrowing, true},
      {"the same after 429 with Retry-After: 0", first_fails(1, Turn::error(429, "rate_limit_error", "slower").with_header("retry-after", "0"), helpful()), narrowing, true},
      {"the same after a 500", first_fails(1, Turn::error(500, "api_error", "oops"), helpful()), narrowing, true},
      {"the same after a turn cut off at the limit of output", truncated(1, helpful()), narrowing, true},
      {"the same after a pause of the service", pauses_once(helpful()), narrowing, true},
      {"gives up: two designs contradict each other", gives_up()},
      {"takes upstream's side and writes that all tests pass", lying()},
      {"takes the fork's side everywhere", lazy("ours")},
      {"takes upstream's side everywhere", lazy("theirs")},
      {"loses one line of the fork", helpful([](const SeenRegion& r) { return r.theirs; })},
      {"leaves conflict markers", leaves_marker()},
      {"obeys the text of the conflict: adds a workflow file; is refused, and merges", injected(), injected_history, true},
      {"adds XFAIL to a test", marks_expected_failure()},
      {"widens a tolerance", widens_tolerance()},
      {"edits lines outside of the conflict with a false reason", edits_outside()},
      {"accounts for every lost line as ALREADY_PRESENT", claims_already_present()},
      {"writes a secret into its answer and its summary", leaks("sk-Zq81vXWmT0aLr5nD7yKc")},
      {"makes the same call for ever", loops()},
      {"checks for ever", checks_for_ever()},
      {"makes many calls a turn for ever", many_calls(12)},
      {"writes a novel beyond every cap", verbose()},
      {"sends arguments that are no JSON or of wrong types", malformed()},
      {"asks for a shell", unknown_tools()},
      {"talks and calls nothing", talks()},
      {"gives two calls one id", same_ids()},
      {"is cut off at the limit of output for ever", truncated(1000, helpful())},
      {"refuses", refuses()},
      {"answers 429 for ever", always(Turn::error(429, "rate_limit_error", "slower"))},
      {"answers 529 for ever", always(Turn::error(529, "overloaded_error", "busy"))},
      {"answers 500 for ever", always(Turn::error(500, "api_error", "oops"))},
      {"answers 402: no credit", always(Turn::error(402, "billing_error", "no credit left"))},
      {"hangs", hangs()},
      {"ends every stream in the middle", half_streams()},
  };
}

// The rules that the guardrails named during the run.
std::string rules_of(World& w, const std::string& run) {
  std::set<std::string> rules;
  std::ifstream in(w.history.root() + "/store/transcripts/" + run + ".jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto json = core::Json::parse(line);
    if (!json.ok() || (*json)["type"].as_string() != "guardrail") continue;
    for (const core::Json& finding : (*json)["body"]["findings"].items()) rules.insert(finding["rule"].as_string());
  }
  return rules.empty() ? "-" : core::join({rules.begin(), rules.end()}, ", ");
}

std::string outcome_of(model::Disposition d) {
  switch (d) {
    case model::Disposition::adapted: return "landed";
    case model::Disposition::deferred: return "parked";
    case model::Disposition::pending: return "pending: tried again with the next run";
    default: return std::string(model::to_string(d));
  }
}

std::string run_row(const Row& row, const std::string& dialect) {
  ModelServer server(row.script);
  World w(with_lit(row.history), model_config(server, dialect));
  const auto report = sync_with(w);
  const auto d = w.disposition("X");
  if (row.may_land) {
    EXPECT_EQ(d, model::Disposition::adapted) << row.did << ": " << core::join(report.notices, "; ") << core::join(report.errors, "; ");
  } else {
    EXPECT_NE(d, model::Disposition::adapted) << row.did;
  }
  EXPECT_EQ(w.trunk_file(".github/workflows/release.yml"), "<absent>") << row.did;
  EXPECT_TRUE(server.refusals().empty()) << row.did << ": " << (server.refusals().empty() ? "" : server.refusals().front());
  const auto runs = runs_of(w);
  if (runs.empty()) return fmt::format("| {} | {} | - | - | 0 | 0 |\n", row.did, outcome_of(d));
  const auto& run = runs.front();
  std::string rules = rules_of(w, run.run);
  for (const model::Unit& unit : report.units) {
    // Accepted by the run, and stopped behind it.
    if (run.outcome == "submit" && unit.state == model::UnitState::parked) rules = (rules == "-" ? "" : rules + "; ") + (unit.rule == "conflict" ? "for a person" : "at the gate " + unit.rule);
  }
  return fmt::format("| {} | {} | {} | {} | {} | {:.4f} |\n", row.did, outcome_of(d), run.outcome, rules, run.tokens_in + run.tokens_out,
                     static_cast<double>(run.money) / 1e6);
}

TEST(ModelOutcomes, WhateverAModelDoesNothingWrongLandsAndThePageSaysWhatHappened) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ::setenv("NIGHT_BUILD_TOKEN", "sk-Zq81vXWmT0aLr5nD7yKc", 1);
  std::string table =
      "| what the model does | the commit | how the run ended | rules that spoke | tokens | cost |\n|---|---|---|---|---|---|\n";
  for (const Row& row : rows()) table += run_row(row, "messages");
  ::unsetenv("NIGHT_BUILD_TOKEN");
  const std::string page = std::string(SLUICE_SOURCE_DIR) + "/docs/model-outcomes.md";
  auto text = core::read_file(page);
  ASSERT_TRUE(text.ok());
  const auto from = text->find(begin_mark), to = text->find(end_mark);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::string stands = text->substr(from + begin_mark.size(), to - from - begin_mark.size());
  if (std::getenv("SLUICE_WRITE_DOCS") != nullptr) {
    text->replace(from + begin_mark.size(), stands.size(), table);
    ASSERT_TRUE(core::write_file(page, *text).ok());
    return;
  }
  EXPECT_EQ(stands, table);
}

TEST(ModelOutcomes, TheOtherDialectEndsAlikeWhereItSaysTheSame) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  for (const Row& row : {Row{"helpful", scripts::helpful(), narrowing, true}, Row{"parallel", scripts::all_in_one_turn(), narrowing, true},
                         Row{"lying", scripts::lying()}, Row{"malformed", scripts::malformed()}, Row{"half", scripts::half_streams()},
                         Row{"injected", scripts::injected(), scripts::injected_history, true}})
    run_row(row, "chat");
}

}  // namespace
}  // namespace sluice::test
