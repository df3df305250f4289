// SPDX-License-Identifier: Apache-2.0
#include "core/hash.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

using LocalRunner = RunTest;

constexpr const char* one_pass = R"({"__version__":[16,0,6],"elapsed":1,"tests":[{"name":"S :: a.mlir","code":"PASS","elapsed":0,"output":""}]})";

std::string echo_json(const std::string& file) { return "echo '" + std::string(one_pass) + "' > " + file; }

TEST_F(LocalRunner, a_build_stops_at_its_first_failing_step) {
  const auto evidence = run({{"sh", "-c", "echo one"}, {"sh", "-c", "echo two; exit 7"}, {"sh", "-c", "echo three"}});
  EXPECT_EQ(evidence.exit_code, 7);
  EXPECT_EQ(evidence.trouble, "");
  EXPECT_NE(output(evidence).find("\ntwo\n"), std::string::npos);
  EXPECT_EQ(output(evidence).find("\nthree\n"), std::string::npos);
}

TEST_F(LocalRunner, the_record_carries_what_was_asked_for) {
  request_.suite.tier = "L2";
  const auto evidence = shell("true");
  EXPECT_EQ(evidence.suite, "build");
  EXPECT_EQ(evidence.kind, "build");
  EXPECT_EQ(evidence.tier, "L2");
  EXPECT_EQ(evidence.nonce, "n1");
  EXPECT_EQ(evidence.runner, "local");
  EXPECT_EQ(evidence.started_at, clock_.now());
  const auto digest = runner_->environment_digest(request_.environment);
  ASSERT_TRUE(digest.ok());
  EXPECT_EQ(evidence.environment, *digest);
}

TEST_F(LocalRunner, stdout_and_stderr_are_one_log_in_order) {
  const auto evidence = shell("echo a; echo b >&2; echo c");
  EXPECT_NE(output(evidence).find("a\nb\nc\n"), std::string::npos) << evidence.log;
  EXPECT_EQ(evidence.log_bytes, 6u);
}

TEST_F(LocalRunner, a_command_that_does_not_exist_is_named) {
  for (const char* name : {"no-such-tool", "/build/no-such-tool", "/usr/bin/no-such-tool"}) {
    const auto evidence = run({{name, "x"}});
    EXPECT_EQ(evidence.trouble, "command_not_found") << evidence.log;
    EXPECT_NE(evidence.trouble_detail.find(name), std::string::npos);
  }
}

TEST_F(LocalRunner, a_command_that_merely_says_so_is_not_taken_for_missing) {
  EXPECT_EQ(shell("echo 'bwrap: execvp other: No such file or directory'; exit 1").trouble, "");
}

TEST_F(LocalRunner, a_sandbox_that_cannot_be_built_is_told_apart_from_a_red_build) {
  std::filesystem::create_directories(path("root/usr"));  // has no shell
  request_.environment.root = path("root");
  const auto missing = shell("true");
  EXPECT_EQ(missing.trouble, "command_not_found");
  request_.environment.root = path("nowhere");
  request_.suite.steps = {{"true"}};
  const auto none = runner_->run(request_, nullptr);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
}

TEST_F(LocalRunner, the_number_of_jobs_is_put_in_place) {
  auto runner = make_local_runner({.allow_unsandboxed = false, .jobs = 7}, clock_);
  ASSERT_TRUE(runner.ok());
  runner_ = std::move(*runner);
  EXPECT_NE(run({{"echo", "-j{jobs}", "{jobs}x{jobs}"}}).log.find("\n-j7 7x7\n"), std::string::npos);
}

TEST_F(LocalRunner, requests_that_cannot_be_run_are_refused) {
  const auto refused = [&](const char* why) {
    const auto evidence = runner_->run(request_, nullptr);
    EXPECT_FALSE(evidence.ok()) << why;
    if (!evidence.ok()) {
      EXPECT_EQ(evidence.error().kind, ErrorKind::invalid) << why;
    }
  };
  request_.suite.steps = {};
  refused("no step");
  request_.suite.steps = {{}};
  refused("empty step");
  request_.suite.steps = {{"true"}};
  request_.suite.kind = "lit";
  refused("no results file");
  for (const char* results : {"../x.json", "/etc/x.json", "a/../../x", "a//b"}) {
    request_.suite.results = results;
    refused(results);
  }
}

TEST_F(LocalRunner, the_steps_of_one_build_directory_see_each_other) {
  shell("echo built > out");
  EXPECT_NE(test_run("lit", "r.json", "cat out; " + echo_json("r.json")).log.find("built"), std::string::npos);
}

TEST_F(LocalRunner, results_are_parsed_whatever_the_exit_status) {
  const auto evidence = test_run("lit", "/build/out/r.json", "mkdir -p out; " + echo_json("out/r.json") + "; exit 1");
  EXPECT_EQ(evidence.trouble, "");
  EXPECT_EQ(evidence.exit_code, 1);
  ASSERT_EQ(evidence.tests.size(), 1u);
  EXPECT_EQ(evidence.tests[0].id, "S :: a.mlir");
  EXPECT_EQ(evidence.grade, "self-reported");
}

TEST_F(LocalRunner, a_run_without_its_results_file_is_in_doubt) {
  EXPECT_EQ(test_run("lit", "r.json", "exit 0").trouble, "results_missing");
}

TEST_F(LocalRunner, last_nights_results_file_does_not_speak_for_tonight) {
  test_run("lit", "r.json", echo_json("r.json"));
  ASSERT_TRUE(core::exists(path("build/r.json")));
  const auto evidence = test_run("lit", "r.json", "true");
  EXPECT_EQ(evidence.trouble, "results_missing");
  EXPECT_TRUE(evidence.tests.empty());
}

TEST_F(LocalRunner, a_results_file_with_an_old_time_stamp_is_stale) {
  put_file(path("src/r.json"), one_pass);
  const auto evidence = test_run("lit", "r.json", "cp /src/r.json . && touch -d '2020-01-01' r.json");
  EXPECT_EQ(evidence.trouble, "results_stale");
}

TEST_F(LocalRunner, planted_links_fifos_and_directories_are_not_read_as_results) {
  put_file(path("outside.json"), one_pass);
  for (const std::string script : {"ln -s /src/r.json r.json", "mkfifo r.json", "mkdir r.json", "ln -s /etc/passwd r.json",
                                   "ln -s /dev/zero r.json"}) {
    put_file(path("src/r.json"), one_pass);
    const auto evidence = test_run("lit", "r.json", script);
    EXPECT_TRUE(evidence.trouble == "results_unreadable" || evidence.trouble == "results_stale") << script << ": " << evidence.trouble;
    EXPECT_TRUE(evidence.tests.empty()) << script;
    shell("rm -rf r.json");
    request_.suite.kind = "build";
    shell("rm -rf r.json");
  }
  const auto parent = test_run("lit", "d/r.json", "ln -s /src d");
  EXPECT_EQ(parent.trouble, "results_missing");
}

TEST_F(LocalRunner, results_that_are_garbage_or_too_large_are_unreadable) {
  EXPECT_EQ(test_run("lit", "r.json", "head -c 1000 /dev/urandom > r.json").trouble, "results_unreadable");
  EXPECT_EQ(test_run("lit", "r.json", ": > r.json").trouble, "results_unreadable");
  EXPECT_EQ(test_run("junit", "r.json", "head -c 70000000 /dev/zero > r.json").trouble, "results_unreadable");
}

TEST_F(LocalRunner, a_timed_out_run_reports_no_partial_list) {
  request_.suite.timeout_s = 1;
  const auto evidence = test_run("lit", "r.json", echo_json("r.json") + "; sleep 1000");
  EXPECT_EQ(evidence.trouble, "timeout");
  EXPECT_TRUE(evidence.tests.empty());
}

TEST_F(LocalRunner, several_results_files_are_merged_and_equal_names_are_told_apart) {
  const std::string report = "<testsuites tests=\"2\"><testsuite name=\"S\"><testcase classname=\"S\" name=\"%s\" status=\"run\"/>"
                             "<testcase classname=\"S\" name=\"Same\" status=\"run\"/></testsuite></testsuites>";
  const auto named = [&](const std::string& name) { return std::string(report).replace(report.find("%s"), 2, name); };
  put_file(path("src/a.xml"), named("A"));
  put_file(path("src/b.xml"), named("B"));
  const auto evidence = test_run("gtest", "reports/*.xml", "mkdir -p reports; cat /src/a.xml > reports/a.xml; cat /src/b.xml > reports/b.xml; cp reports/a.xml elsewhere.xml");
  ASSERT_EQ(evidence.trouble, "") << evidence.trouble_detail;
  std::vector<std::string> ids;
  for (const auto& test : evidence.tests) ids.push_back(test.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"S.A", "S.B", "reports/a.xml: S.Same", "reports/b.xml: S.Same"}));
  const auto one_bad = test_run("gtest", "reports/*.xml", "cat /src/a.xml > reports/a.xml; head -c 100 /src/b.xml > reports/b.xml");
  EXPECT_EQ(one_bad.trouble, "results_unreadable");
  EXPECT_TRUE(one_bad.tests.empty());
}

TEST_F(LocalRunner, without_a_sandbox_nothing_runs_unless_the_operator_allows_it) {
  // The probe works here, so this shows the other half: the permission alone does not weaken anything.
  auto runner = make_local_runner({.allow_unsandboxed = true}, clock_);
  ASSERT_TRUE(runner.ok());
  runner_ = std::move(*runner);
  EXPECT_TRUE(shell("true").sandbox.starts_with("A bwrap"));
}

}  // namespace
}  // namespace sluice::runners
