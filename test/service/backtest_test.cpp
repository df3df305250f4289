// SPDX-License-Identifier: Apache-2.0
// The ladder measured on small data sets and on small real histories.
#include "service/backtest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "core/file.h"
#include "core/text.h"
#include "service/backtest/checks.h"
#include "service/backtest/kept.h"
#include "service/backtest/memory.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

namespace backtest = service::backtest;
using backtest::Case;
using backtest::CaseResult;
using backtest::Outcome;
using core::Json;

Json row(const std::string& id, const std::string& base, const std::string& ours, const std::string& theirs, const std::string& resolved) {
  return Json::object({{"id", id}, {"path", "src/a.cpp"}, {"landed", "commit of " + id.substr(0, 1)}, {"upstream", "u" + id.substr(0, 1)}, {"base", base}, {"ours", ours},
                       {"theirs", theirs}, {"resolved", resolved}, {"before", "top();\n"}, {"after", "end();\n"}});
}

class Backtest : public ::testing::Test {
 protected:
  Backtest() : dir(must(core::TempDir::create("backtest"))) {
    options.dataset = in("rows.jsonl");
    options.baselines = false;
    options.jobs = 2;
  }
  template <class T>
  static T must(core::Result<T> result) {
    if (!result.ok()) throw std::runtime_error(result.error().message);
    return std::move(result).value();
  }
  std::string in(const std::string& name) const { return core::join_path(dir.path(), name); }
  void write(const std::string& name, const std::string& text) const { ASSERT_TRUE(core::write_file(in(name), text).ok()); }
  void write_rows(const std::vector<Json>& rows) const {
    std::string text;
    for (const Json& one : rows) text += one.dump() + "\n";
    write("rows.jsonl", text);
  }
  // One hunk of each outcome: exact by A1s, format by B2, different by B6, refused.
  void write_four() const {
    write_rows({row("a1", "", "f(a,\n  b);\n", "f(a, b);\n", "f(a,\n  b);\n"), row("a2", "x(1, 2);\n", "x(1,\n  2);\n", "y(1, 2);\n", "y(1,\n  2,);\n"),
                row("b1", "f(1, 2);\n", "f(3, 2);\n", "f(1, 4);\n", "none();\n"),
                row("c1", "a();\n", "b();\n", "c();\n", "c();\n")});
  }
  service::BacktestReport run() { return must(service::run_backtest(options)); }
  std::string error() {
    const auto report = service::run_backtest(options);
    return report.ok() ? "no error" : report.error().message;
  }

  core::TempDir dir;
  service::BacktestOptions options;
};

// Answers what a test says, by case id.
class Scripted final : public backtest::HunkAnswerer {
 public:
  std::map<std::string, backtest::HunkReply> replies;
  std::optional<Error> failure;
  std::string name = "scripted 1";
  std::atomic<int> asked{0};
  model::Rung rung() const override { return model::Rung::model; }
  std::string version() const override { return name; }
  Result<backtest::HunkReply> answer(const Case& one) override {
    ++asked;
    if (failure) return *failure;
    const auto found = replies.find(one.id);
    return found == replies.end() ? backtest::HunkReply{} : found->second;
  }
};

TEST_F(Backtest, tells_the_four_outcomes_apart) {
  write_four();
  const auto report = run();
  ASSERT_EQ(report.cases.size(), 4u);
  EXPECT_EQ(report.cases[0].outcome, Outcome::exact);
  EXPECT_EQ(report.cases[0].rung, model::Rung::proven);
  EXPECT_EQ(report.cases[1].outcome, Outcome::format) << report.cases[1].rule;
  EXPECT_EQ(report.cases[2].outcome, Outcome::different);
  EXPECT_EQ(report.cases[2].rule, "B6");
  EXPECT_EQ(report.cases[3].outcome, Outcome::refused);
  EXPECT_EQ(report.cases[3].rung, model::Rung::person);
  const auto& all = report.figures.all.tally;
  EXPECT_EQ(all.answered(), 3);
  EXPECT_EQ(all.right(), 2);
  EXPECT_DOUBLE_EQ(all.precision(), 2.0 / 3);
  EXPECT_EQ(report.figures.by_rung.at("candidate").declined, 1);
}

TEST_F(Backtest, counts_commits_by_what_became_of_all_their_hunks) {
  write_four();
  const auto commits = run().figures.commits;
  EXPECT_EQ(commits.commits, 3);
  EXPECT_EQ(commits.all_answered, 2);
  EXPECT_EQ(commits.all_right, 1);
  EXPECT_EQ(commits.some, 0);
  EXPECT_EQ(commits.none, 1);
}

TEST_F(Backtest, writes_the_json_that_other_programs_rely_on) {
  write_four();
  const Json json = service::backtest_json(run());
  EXPECT_EQ(json["schema"].as_string(), "sluice.backtest/1");
  EXPECT_EQ(json["dataset"].as_string(), "rows.jsonl") << "no directory";
  EXPECT_EQ(json["dataset_sha256"].as_string().size(), 64u);
  EXPECT_EQ(json["cases"].as_int(), 4);
  EXPECT_EQ(json["answered"].as_int(), 3);
  EXPECT_EQ(json["exact"].as_int() + json["format"].as_int(), 2);
  EXPECT_DOUBLE_EQ(json["coverage"].as_double(), 0.75);
  EXPECT_EQ(json["precision_ci95"].items().size(), 2u);
  for (const char* rung : {"remembered", "proven", "candidate", "external", "model", "person"}) EXPECT_TRUE(json["by_rung"].has(rung)) << rung;
  EXPECT_EQ(json["by_rule"]["A1s"]["n"].as_int(), 1);
  EXPECT_DOUBLE_EQ(json["by_rule"]["A1s"]["coverage"].as_double(), 0.25);
  EXPECT_EQ(json["commits"]["all_answered"].as_int(), 2);
  const Json& gate = json["gate"];
  EXPECT_EQ(gate["right_passed"].as_int() + gate["right_stopped"].as_int() + gate["wrong_passed"].as_int() + gate["wrong_stopped"].as_int(), 3);
  EXPECT_EQ(json["cases_detail"].items().size(), 4u);
  EXPECT_EQ(json["cases_detail"].items()[3]["outcome"].as_string(), "refused");
  EXPECT_TRUE(json["by_rung"]["model"]["precision"].is_null()) << "nothing answered has no precision";
}

TEST_F(Backtest, no_report_holds_a_line_of_code_or_a_directory) {
  write_four();
  options.state_dir = in("state");
  const auto report = run();
  for (const std::string& text : {service::backtest_text(report), service::backtest_json(report).dump(), must(core::read_file(in("state/backtest.jsonl")))}) {
    EXPECT_EQ(text.find("f(1, "), std::string::npos);
    EXPECT_EQ(text.find("top();"), std::string::npos);
    EXPECT_EQ(text.find(dir.path()), std::string::npos);
  }
}

TEST_F(Backtest, names_file_line_and_field_of_a_row_that_cannot_be_read) {
  write("rows.jsonl", row("a1", "", "a\n", "b\n", "a\n").dump() + "\n{\"path\": 3}\n");
  EXPECT_NE(error().find("rows.jsonl:2: field base: it is missing"), std::string::npos) << error();
  write("rows.jsonl", "{\"base\": \"\", \"ours\": 7}\n");
  EXPECT_NE(error().find("rows.jsonl:1: field ours: a string is wanted"), std::string::npos) << error();
  write("rows.jsonl", "not json\n");
  EXPECT_NE(error().find("rows.jsonl:1: "), std::string::npos) << error();
  write("rows.jsonl", "[1]\n");
  EXPECT_NE(error().find("an object is wanted"), std::string::npos) << error();
  write("rows.jsonl", row("a1", "", "a\n", "b\n", "a\n").dump() + "\n" + row("a1", "", "a\n", "b\n", "a\n").dump() + "\n");
  EXPECT_NE(error().find("rows.jsonl:2: field id: \"a1\" stands in an earlier line too"), std::string::npos) << error();
  write("rows.jsonl", "\n\n");
  EXPECT_NE(error().find("no row"), std::string::npos) << error();
}

TEST_F(Backtest, needs_six_fields_and_tells_the_rest_from_them) {
  write("rows.jsonl", R"x({"base":"","ours":"a()\n","theirs":"b()","resolved":"a()\nb()\n","path":"x/y.py"})x"
                      "\n");
  const auto report = run();
  ASSERT_EQ(report.cases.size(), 1u);
  EXPECT_EQ(report.cases[0].id, "line 1");
  EXPECT_EQ(report.cases[0].lang, "python");
  EXPECT_EQ(report.cases[0].klass, "ours+theirs");
  EXPECT_FALSE(report.cases[0].pick);
}

TEST_F(Backtest, takes_up_what_an_earlier_run_has_found_and_survives_a_torn_line) {
  write_four();
  options.state_dir = in("state");
  Scripted model;
  options.further = {&model};
  EXPECT_EQ(run().kept, 0);
  EXPECT_EQ(model.asked, 1);
  const std::string kept = must(core::read_file(in("state/backtest.jsonl")));
  write("state/backtest.jsonl", kept.substr(0, kept.size() - 20));  // killed while the last line was written
  const auto again = run();
  EXPECT_EQ(again.kept, 3);
  EXPECT_EQ(again.figures.all.tally.answered(), 3);
  EXPECT_EQ(run().kept, 4);
  model.name = "scripted 2";
  EXPECT_EQ(run().kept, 0) << "another prompt is another answer";
}

TEST_F(Backtest, two_runs_do_not_write_the_same_state) {
  write_four();
  options.state_dir = in("state");
  const auto held = must(backtest::KeptLines::open(in("state")));
  EXPECT_NE(error().find("another `sluice backtest` works with"), std::string::npos) << error();
}

TEST_F(Backtest, a_cancelled_run_says_how_to_go_on) {
  write_four();
  options.state_dir = in("state");
  std::atomic<bool> cancel{true};
  options.cancel = &cancel;
  EXPECT_NE(error().find("cancelled; the next run goes on from what"), std::string::npos) << error();
}

TEST_F(Backtest, asks_what_is_plugged_in_only_where_no_rule_answers) {
  write_four();
  Scripted model;
  model.replies["c1"] = {backtest::HunkReply::Kind::answered, "c();\n", "some-model", "", {.calls = 1, .tokens_in = 100, .tokens_out = 10, .money = 5000, .ms = 40}};
  options.further = {&model};
  const auto report = run();
  EXPECT_EQ(model.asked, 1);
  EXPECT_EQ(report.cases[3].rung, model::Rung::model);
  EXPECT_EQ(report.cases[3].outcome, Outcome::exact);
  EXPECT_EQ(report.figures.cost.calls, 1);
  EXPECT_EQ(service::backtest_json(report)["by_rung"]["model"]["exact"].as_int(), 1);
}

TEST_F(Backtest, asks_only_the_rules_that_are_wanted) {
  write_four();
  options.rules = {"B6"};
  const auto report = run();
  EXPECT_EQ(report.figures.all.tally.answered(), report.figures.by_rule.at("B6").tally.answered());
  EXPECT_EQ(report.cases[0].rule, "") << "A1s would answer";
  options.rules = {"A1s"};
  EXPECT_EQ(run().figures.all.tally.answered(), 1);
  options.rules = {"Z9"};
  EXPECT_NE(error().find("--rules Z9: there is no such rule"), std::string::npos) << error();
}

TEST_F(Backtest, counts_an_unusable_answer_as_refused_and_apart) {
  write_four();
  Scripted model;
  model.replies["c1"] = {backtest::HunkReply::Kind::invalid, "", "", "an unknown region id", {}};
  options.further = {&model};
  const auto report = run();
  EXPECT_EQ(report.cases[3].outcome, Outcome::refused);
  const Json json = service::backtest_json(report);
  EXPECT_EQ(json["invalid"].as_int(), 1);
  EXPECT_EQ(json["by_rung"]["model"]["refused"].as_int(), 1);
  EXPECT_EQ(json["cases_detail"].items()[3]["cause"].as_string(), "invalid");
}

TEST_F(Backtest, ends_with_the_error_of_a_rung_that_cannot_go_on) {
  write_four();
  Scripted model;
  model.failure = make_error(ErrorKind::denied, "the budget is spent");
  options.further = {&model};
  EXPECT_NE(error().find("the budget is spent"), std::string::npos) << error();
}

TEST_F(Backtest, known_defects_of_the_truth_are_counted_with_and_without) {
  write_four();
  write("defects.tsv", "id\twhat\nb1\tstands twice\nnot-there\tx\n");
  options.defects = in("defects.tsv");
  const auto report = run();
  EXPECT_EQ(report.defect_rows, 1);
  EXPECT_EQ(report.figures.all.tally.answered(), 3);
  EXPECT_EQ(report.without_defects.all.tally.answered(), 2);
  EXPECT_EQ(report.without_defects.all.tally.right(), 2);
  write("defects.tsv", "nothing of the kind\n");
  EXPECT_NE(error().find("defects.tsv:1: "), std::string::npos) << error();
}

TEST_F(Backtest, a_wrong_answer_that_passes_costs_more_than_right_ones_save) {
  write_four();
  const auto report = run();
  const backtest::GateTally& gate = report.figures.all.gate;
  EXPECT_EQ(gate.wrong_passed, 1);
  EXPECT_EQ(gate.saving(20), gate.right_passed - 20);
  EXPECT_FALSE(backtest::worth_enabling(gate, 20));
  EXPECT_TRUE(backtest::worth_enabling(gate, 2));
  EXPECT_NE(service::backtest_text(report).find("**Do not enable.**"), std::string::npos);
}

TEST_F(Backtest, asks_the_tools_beside_it_about_the_same_hunks) {
  std::vector<Json> rows;
  // The same conflict twice, of two commits: rerere learns from the older half and answers the other.
  rows.push_back(row("a1", "one();\n", "two();\n", "three();\n", "four();\n"));
  rows.push_back(row("b1", "one();\n", "two();\n", "three();\n", "four();\n"));
  write_rows(rows);
  options.baselines = true;
  const auto report = run();
  EXPECT_EQ(report.figures.baselines.at("ours").answered(), 2);
  EXPECT_EQ(report.figures.baselines.at("union").answered(), 2);
  EXPECT_EQ(report.figures.baselines.at("union").right(), 0);
  EXPECT_EQ(report.rerere_learned, 1);
  EXPECT_EQ(report.figures.baselines.at("rerere").n(), 1);
  EXPECT_EQ(report.figures.baselines.at("rerere").right(), 1);
  if (report.programs.at("wiggle").empty()) GTEST_SKIP() << "wiggle is not installed";
  EXPECT_EQ(report.figures.baselines.at("wiggle").n(), 2);
  EXPECT_EQ(report.figures.baselines.at("wiggle").answered(), 0) << "its conflict is no answer";
}

TEST_F(Backtest, refuses_options_that_do_not_go_together) {
  options.dataset.clear();
  EXPECT_NE(error().find("nothing to look at"), std::string::npos);
  options.dataset = in("rows.jsonl");
  options.since = 5;
  EXPECT_NE(error().find("go with --history"), std::string::npos);
  options.since = 0;
  EXPECT_NE(error().find("cannot open"), std::string::npos) << error();
}

TEST(HunkChecks, object_to_what_only_an_answer_out_of_thin_air_has) {
  Case one;
  one.base = "f(alpha);\n";
  one.ours = "f(alpha, beta);\n";
  one.theirs = "g(alpha);\n";
  one.before = "context();\n";
  const auto fired = [&](const std::string& answer) {
    std::string out;
    for (const auto& alarm : backtest::check_hunk(one, answer)) out += std::string(alarm.check) + " ";
    return out;
  };
  EXPECT_EQ(fired("f(alpha, beta);\n"), "") << "one letter is no identifier";
  EXPECT_EQ(fired("g(alpha);\n"), "loses_ours ");
  EXPECT_EQ(fired("g(alpha, beta);\ncontext();\n"), "");
  EXPECT_EQ(fired("g(alpha, beta, gamma);\n"), "unknown_name ");
  EXPECT_EQ(fired("g(alpha, beta);\n;\n;\n"), "longer ");
  EXPECT_EQ(fired(""), "empties loses_ours ");
  EXPECT_EQ(fired("g(alpha, beta);\n=======\n"), "markers ");
  EXPECT_EQ(fired("g(alpha, beta);\n========\n"), "") << "a line of a heading";
}

TEST(BacktestMemory, gives_what_landed_before_and_nothing_later) {
  Case one;
  one.path = "a.cpp";
  one.base = "a\n";
  one.ours = "b\n";
  one.theirs = "c\n";
  one.resolved = "d\n";
  one.landed = "first";
  one.date = 10;
  backtest::Memory memory;
  memory.add(one);
  Case later = one;
  later.landed = "second";
  EXPECT_FALSE(memory.recall(later).text) << "of the same second";
  later.date = 11;
  EXPECT_EQ(memory.recall(later).text.value(), "d\n");
  later.ours = "b \n";
  EXPECT_FALSE(memory.recall(later).text);
  Case other = one;
  other.landed = "third";
  other.date = 12;
  other.resolved = "e\n";
  memory.add(other);
  later = one;
  later.landed = "fourth";
  later.date = 13;
  EXPECT_FALSE(memory.recall(later).text) << "two answers landed";
  EXPECT_TRUE(memory.recall(later).several);
}

// Upstream and fork each changed a line; P1 takes both sides of one line (B6 answers that), P2 what no rule answers,
// P3 merges cleanly, P4 conflicts where somebody then edited around it.
constexpr const char* script = R"v(
  repo up
    for i in 1 2 3 4; do base40 f$i.cpp; done
    line f1.cpp 20 "size(1, 2);"
    commit B "tiles: the first version"
  fork up down
    line f1.cpp 20 "size(3, 2);"
    line f2.cpp 20 "line 20 of the fork" ; line f4.cpp 20 "line 20 of the fork" ; commit D "fork: lines of its own"
  at up
    line f1.cpp 20 "size(1, 4);" ; commit U1 "tiles: depth"
    line f2.cpp 20 "line 20 of upstream alone" ; commit U2 "tiles: line 20"
    line f3.cpp 20 "line 20 of upstream" ; commit U3 "tiles: line 20 of f3"
    line f4.cpp 20 "line 20 of upstream" ; commit U4 "tiles: line 20 of f4"
  at down
    line f1.cpp 20 "size(3, 4);" ; commit P1 "tiles: depth" "(cherry picked from commit $(id U1))"
    line f2.cpp 20 "line 20 of both" ; commit P2 "tiles: line 20" "(cherry picked from commit $(id U2))"
    line f3.cpp 20 "line 20 of upstream" ; commit P3 "tiles: line 20 of f3" "(cherry picked from commit $(id U3))"
    for n in 17 18 19 20 21 22 23; do line f4.cpp $n "changed around $n"; done
    commit P4 "tiles: line 20 of f4" "(cherry picked from commit $(id U4))"
)v";

class BacktestHistory : public Backtest {
 protected:
  BacktestHistory() : h(script) {
    options.dataset.clear();
    options.fork_repo = h.path("down");
    options.upstream_repo = h.path("up");
    options.name = "the/fork";
    options.state_dir = in("state");
  }
  test_support::History h;
};

TEST_F(BacktestHistory, picks_again_what_landed_and_judges_whole_answers) {
  const auto report = run();
  EXPECT_EQ(report.mined.singles, 4);
  EXPECT_EQ(report.mined.clean, 1);
  EXPECT_EQ(report.mined.conflicted, 3);
  ASSERT_EQ(report.cases.size(), 2u);
  EXPECT_EQ(report.left_out.at("context_lost"), 1);
  EXPECT_EQ(report.cases[0].rule, "B6");
  EXPECT_EQ(report.cases[0].outcome, Outcome::exact);
  EXPECT_EQ(report.cases[1].outcome, Outcome::refused);
  ASSERT_EQ(report.picks.size(), 3u);
  const auto of = [&](const std::string& name) { return *std::find_if(report.picks.begin(), report.picks.end(), [&](const auto& pick) { return pick.commit == h.id(name); }); };
  EXPECT_EQ(of("P1").state, backtest::PickResult::State::same);
  EXPECT_FALSE(of("P1").verdict.empty());
  EXPECT_EQ(of("P2").state, backtest::PickResult::State::not_answered);
  EXPECT_EQ(of("P2").why, "no region answered");
  EXPECT_EQ(report.cases[0].id, fmt::format("the/fork:{}:{}:f1.cpp:0", h.id("P1").substr(0, 12), h.id("U1").substr(0, 12)));
}

TEST_F(BacktestHistory, a_second_run_takes_up_the_first_and_says_the_same) {
  const auto first = service::backtest_json(run());
  const auto second = run();
  EXPECT_EQ(second.kept, 3);
  Json again = service::backtest_json(second);
  again.set("kept", 0);
  EXPECT_EQ(again.dump(), first.dump());
  options.name = "another";
  EXPECT_EQ(run().kept, 0) << "ids hold the name";
}

TEST_F(BacktestHistory, writes_its_hunks_as_a_data_set_that_gives_the_same_figures) {
  options.rows_out = in("rows.jsonl");
  const auto history = run();
  service::BacktestOptions from_rows;
  from_rows.dataset = options.rows_out;
  from_rows.baselines = false;
  const auto report = must(service::run_backtest(from_rows));
  EXPECT_EQ(report.figures.all.tally.exact, history.figures.all.tally.exact);
  EXPECT_EQ(report.figures.all.tally.n(), history.figures.all.tally.n());
}

TEST_F(BacktestHistory, asks_no_rule_that_the_configuration_turns_off) {
  options.config = in("sluice.toml");
  const std::string text = fmt::format("[fork]\nurl = \"{}\"\nbranch = \"main\"\n[upstream]\nurl = \"{}\"\nbranch = \"main\"\n[store]\npath = \"store\"\n", h.path("down"), h.path("up"));
  write("sluice.toml", text);
  EXPECT_EQ(run().cases[0].rule, "B6");
  write("sluice.toml", text + "[ladder]\ncandidate = \"off\"\n");
  EXPECT_EQ(run().cases[0].rule, "");
}

TEST_F(BacktestHistory, a_blob_that_is_absent_is_a_missing_object_and_no_conflict) {
  const std::string blob = h.git("up", {"rev-parse", h.id("U2") + ":f2.cpp"});
  const std::string file = h.path("up") + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2);
  ASSERT_TRUE(core::exists(file)) << "a loose object";
  ASSERT_TRUE(core::remove_all(file).ok());
  const auto report = run();
  EXPECT_EQ(report.left_out.at("missing_object"), 1);
  EXPECT_EQ(report.mined.conflicted, 2);
}

TEST_F(BacktestHistory, looks_at_the_asked_time_alone) {
  options.until = 1;
  options.since = 0;
  const auto report = run();
  EXPECT_EQ(report.mined.singles, 0);
  EXPECT_EQ(report.left_out.at("later"), 4);
}

}  // namespace
}  // namespace sluice::test
