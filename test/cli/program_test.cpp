// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/json.h"
#include "core/process.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

core::ProcessResult sluice(const std::vector<std::string>& args, const std::string& cwd = "") {
  core::ProcessOptions options;
  options.argv = {SLUICE_PROGRAM};
  options.argv.insert(options.argv.end(), args.begin(), args.end());
  options.cwd = cwd;
  options.timeout_ms = 60'000;
  auto result = core::run_process(options);
  EXPECT_TRUE(result.ok());
  return std::move(*result);
}

constexpr const char* script = R"v(
  repo up
    base40 f                  ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 FORK"  ; commit D0 "fork: line 20"
    line f 35 "line 35 FORK"  ; commit D "fork: line 35"
  at up
    put a "1\n"               ; commit A "a"
    line f 20 "line 20 UP"    ; commit C "conflict"
    push_bare up
  at down
    push_bare down
)v";

struct World {
  test_support::History h{script};
  World() {
    const auto made = sluice({"--quiet", "init", "--upstream", h.path("up.git"), "--fork", h.path("down.git")}, h.root());
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
  core::ProcessResult run(const std::vector<std::string>& args) const { return sluice(args, h.root()); }
};

TEST(Program, HelpTeachesAndIsNoError) {
  const auto help = sluice({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"init", "doctor", "plan", "sync", "status", "ledger", "gate", "report", "cherry-pick"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
  }
  for (const char* command : {"init", "doctor", "plan", "sync", "status", "ledger", "gate", "report"}) {
    const auto own = sluice({command, "--help"});
    EXPECT_EQ(own.exit_code, 0) << command;
    EXPECT_GT(own.out.size(), 100u) << command;
  }
  EXPECT_EQ(sluice({"--version"}).exit_code, 0);
}

TEST(Program, MisuseIsTwoAndSaysWhy) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {}, {"no-such-command"}, {"plan", "--no-such-flag"}, {"sync", "--limit", "x"}, {"gate"}, {"--config", "/nonexistent/x.toml", "status"}}) {
    const auto result = sluice(args);
    EXPECT_EQ(result.exit_code, 2) << core::shell_quote(args);
    EXPECT_FALSE(result.err.empty() && result.out.empty());
  }
}

TEST(Program, AnErrorIsOneJsonDocumentTooWhenJsonIsAskedFor) {
  const World w;
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--json", "status"}, {"plan", "--json", "--no-such-flag"}, {"--json", "--config", "/nonexistent/x.toml", "plan"}, {"ledger", "--json", "defer", "abcdef1", "--reason", "x"},
           {"gate", "--json", "--upstream-repo", "up.git", "--fork-repo", "down.git", "--upstream", "nix", "--onto", "main", "--result", "main"}}) {
    const auto result = w.run(args);
    EXPECT_NE(result.exit_code, 0) << core::shell_quote(args);
    const auto document = core::Json::parse(result.out);
    ASSERT_TRUE(document.ok()) << core::shell_quote(args) << result.out << result.err;
    EXPECT_EQ((*document)["schema"].as_string(), "sluice.error/1");
    EXPECT_FALSE((*document)["message"].as_string().empty());
  }
}

TEST(Program, AnAnswerThatCouldNotBeWrittenIsNoSuccess) {
  const World w;
  w.run({"--quiet", "plan"});
  core::ProcessOptions options;
  options.argv = {"/bin/sh", "-c", "exec \"$0\" --json status > /dev/full", SLUICE_PROGRAM};
  options.cwd = w.h.root();
  const auto result = core::run_process(options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_NE(result->err.find("cannot write the output"), std::string::npos) << result->err;
}

TEST(Program, JsonIsOneDocumentOnStdoutAndNothingElse) {
  const World w;
  for (const auto& [command, schema] : std::vector<std::pair<std::string, std::string>>{
           {"plan", "sluice.plan/1"}, {"status", "sluice.status/1"}, {"ledger", "sluice.ledger/1"}, {"report", "sluice.report/1"}, {"doctor", "sluice.doctor/1"}}) {
    const auto result = w.run({"--json", command});
    const auto document = core::Json::parse(result.out);
    ASSERT_TRUE(document.ok()) << command << ": " << result.out.substr(0, 300) << result.err;
    EXPECT_EQ((*document)["schema"].as_string(), schema);
  }
}

TEST(Program, PlanNamesRoutesAndStatusNamesTheTwoMetrics) {
  const World w;
  const auto plan = w.run({"plan"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_NE(plan.out.find("bundle b-"), std::string::npos) << plan.out;
  EXPECT_NE(plan.out.find("chain c-"), std::string::npos) << plan.out;
  const auto status = w.run({"status"});
  EXPECT_NE(status.out.find("Days Behind Upstream"), std::string::npos);
  EXPECT_NE(status.out.find("Backlog Commits"), std::string::npos);
  const auto explain = w.run({"plan", "--explain", w.h.id("C").substr(0, 10)});
  EXPECT_NE(explain.out.find("conflict"), std::string::npos) << explain.out;
}

TEST(Program, GateExitStatusFollowsTheVerdict) {
  World w;
  w.h.run("at down; pick_by_hand P A; at down; branch bad D; put a \"1\\n\"; cut_lines f 30 35; commit Q \"a pick that loses lines\"");
  const auto gate = [&](const std::string& result, const std::string& onto) {
    return w.run({"gate", "--upstream-repo", w.h.path("up"), "--upstream", w.h.id("A"), "--fork-repo", w.h.path("down"), "--onto", w.h.id(onto), "--result", w.h.id(result)});
  };
  EXPECT_EQ(gate("P", "D").exit_code, 0);
  const auto bad = gate("Q", "D");
  EXPECT_NE(bad.exit_code, 0) << bad.out;
  EXPECT_NE(bad.exit_code, 2) << bad.out;
  EXPECT_NE(bad.out.find("G02"), std::string::npos) << bad.out;
}

TEST(Program, GateIsACheckForABranchInTheForksOwnDirectory) {
  World w;
  w.h.run("at down; branch topic D; pick_by_hand P A; put own \"2\\n\" ; commit O \"own\"");
  const std::string down = w.h.path("down"), sarif = w.h.root() + "/gate.sarif";
  const auto good = sluice({"gate", "--upstream-repo", w.h.path("up"), "--branch", "topic", "--onto", "main", "--json", "--sarif", sarif}, down);
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  const auto document = core::Json::parse(good.out);
  ASSERT_TRUE(document.ok()) << good.out;
  EXPECT_EQ((*document)["schema"].as_string(), "sluice.gate/1");
  EXPECT_EQ((*document)["picks"].items().size(), 2u);
  const auto log = core::Json::parse(core::read_file(sarif).value_or(""));
  ASSERT_TRUE(log.ok());
  EXPECT_EQ((*log)["version"].as_string(), "2.1.0");
  w.h.run("at down; append own \"<<<<<<< HEAD\\n\"; commit O2 \"own, half merged\"");
  const auto bad = sluice({"gate", "--upstream-repo", w.h.path("up"), "--branch", "topic", "--onto", "main"}, down);
  EXPECT_EQ(bad.exit_code, 1) << bad.out << bad.err;
  EXPECT_NE(bad.out.find("own:2"), std::string::npos) << bad.out;
}

TEST(Program, GateTakesTheAnswersToItsOwnTemplate) {
  World w;
  w.h.run("at up; line f 20 \"line 20 UP again\"; commit E \"line 20\"; at down; line f 20 \"line 20 UP again\"; commit Q \"takes upstream's line\" \"Upstream-Commit: $(id E)\"");
  const std::vector<std::string> gate = {"gate", "--upstream-repo", w.h.path("up"), "--fork-repo", w.h.path("down"), "--result", w.h.id("Q"), "--rules", "G23"};
  auto args = gate;
  args.push_back("--account-template");
  const auto missing = w.run(args);
  EXPECT_EQ(missing.exit_code, 1) << missing.out << missing.err;
  auto entries = core::Json::parse(missing.out);
  ASSERT_TRUE(entries.ok()) << missing.out;
  ASSERT_EQ(entries->items().size(), 1u) << missing.out;
  core::Json filled = core::Json::array();
  filled.push(core::Json(entries->items()[0]).set("reason_code", "SUPERSEDED_BY_FORK").set("arg", w.h.id("D")));
  ASSERT_TRUE(core::write_file(w.h.root() + "/account.json", filled.dump()).ok());
  args = gate;
  args.insert(args.end(), {"--account", "account.json"});
  const auto lifted = w.run(args);
  EXPECT_EQ(lifted.exit_code, 0) << lifted.out << lifted.err;
  EXPECT_NE(lifted.out.find("lifted by SUPERSEDED_BY_FORK"), std::string::npos) << lifted.out;
}

TEST(Program, GatePrintsItsRulesWithTheirModes) {
  const World w;
  const auto rules = w.run({"gate", "--rules"});
  EXPECT_EQ(rules.exit_code, 0) << rules.err;
  EXPECT_NE(rules.out.find("G23  enforce"), std::string::npos) << rules.out;
  const auto catalogue = w.run({"gate", "--catalogue"});
  EXPECT_EQ(catalogue.exit_code, 0);
  EXPECT_NE(catalogue.out.find("G23"), std::string::npos);
}

TEST(Program, StatusBeforeAnyFetchSaysWhatToDo) {
  const World w;
  ASSERT_TRUE(core::remove_all(w.h.root() + "/sluice-store").ok());
  const auto status = w.run({"status"});
  EXPECT_NE(status.exit_code, 0);
  EXPECT_NE(status.err.find("sluice plan"), std::string::npos) << status.err;
}

TEST(Program, MisuseNamesTheWordAndWhereToRead) {
  const auto word = sluice({"frobnicate"});
  EXPECT_NE(word.err.find("\"frobnicate\""), std::string::npos) << word.err;
  const auto option = sluice({"plan", "--no-such-flag"});
  EXPECT_NE(option.err.find("--no-such-flag"), std::string::npos) << option.err;
  EXPECT_NE(option.err.find("`sluice plan --help`"), std::string::npos) << option.err;
  for (const auto& result : {word, option, sluice({})}) EXPECT_TRUE(result.err.starts_with("sluice: ")) << result.err;
}

TEST(Program, HelpOfEachCommandNamesTheOptionsOfAll) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{{"plan", "--help"}, {"gate", "--help"}, {"ledger", "defer", "--help"}}) {
    EXPECT_NE(sluice(args).out.find("--config FILE"), std::string::npos) << core::shell_quote(args);
  }
}

TEST(Program, ALedgerVerbSaysWhatItRecorded) {
  const World w;
  ASSERT_EQ(w.run({"plan"}).exit_code, 0);
  const std::string shortened = w.h.id("C").substr(0, 10);
  const auto text = w.run({"ledger", "defer", shortened, "--reason", "after the release", "--who", "ann"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const std::string& part : {shortened, std::string("conflict"), std::string("DEFERRED"), std::string("after the release"), std::string("ann")}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << " in " << text.out;
  }
  const auto json = core::Json::parse(w.run({"--json", "ledger", "wont-port", shortened, "--reason", "never"}).out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["upstream"].as_string(), w.h.id("C")) << "the full id, whatever was typed";
  EXPECT_EQ((*json)["disposition"].as_string(), "wont_port");
}

TEST(Program, ProgressStaysOnOneLineOfANarrowTerminal) {
  if (!core::exists("/usr/bin/script")) GTEST_SKIP() << "no /usr/bin/script to make a terminal with";
  const World w;
  core::ProcessOptions options;
  options.argv = {"/usr/bin/script", "-qec", "stty cols 44; " + core::shell_quote({SLUICE_PROGRAM}) + " plan >/dev/null", "/dev/null"};
  options.cwd = w.h.root();
  options.timeout_ms = 60'000;
  const auto result = core::run_process(options);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->exit_code, 0) << result->out;
  const std::string clear = "\r\x1b[K";
  std::size_t lines = 0;
  for (std::size_t at = result->out.find(clear); at != std::string::npos; ++lines) {
    const std::size_t next = result->out.find(clear, at + 1);
    const std::string line = result->out.substr(at + clear.size(), next == std::string::npos ? next : next - at - clear.size());
    EXPECT_LT(line.size(), 44u) << line;
    if (next == std::string::npos) {
      EXPECT_EQ(line, "") << "the last thing written clears the line";
    }
    at = next;
  }
  EXPECT_GT(lines, 1u);
}

}  // namespace
}  // namespace sluice::test
