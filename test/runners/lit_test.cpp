// SPDX-License-Identifier: Apache-2.0
#include "runners/lit_harness.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

constexpr const char* lit = "/usr/lib/llvm-16/build/utils/lit/lit.py";

std::map<std::string, int> states(const std::vector<model::TestRecord>& tests) { return model::count_states(tests); }

TEST(LitJson, every_code_keeps_its_state) {
  const std::vector<std::pair<std::string, model::TestState>> table{
      {"PASS", model::TestState::pass},           {"FLAKYPASS", model::TestState::flakypass}, {"XFAIL", model::TestState::xfail},
      {"FAIL", model::TestState::fail},           {"XPASS", model::TestState::xpass},         {"TIMEOUT", model::TestState::timeout},
      {"UNRESOLVED", model::TestState::unresolved}, {"UNSUPPORTED", model::TestState::unsupported}, {"EXCLUDED", model::TestState::notrun},
      {"SKIPPED", model::TestState::notrun},      {"FIXED", model::TestState::unresolved},    {"OWN_CODE", model::TestState::unresolved}};
  for (const auto& [code, want] : table) {
    const auto tests = parse_lit_json(R"({"tests":[{"name":"S :: a","code":")" + code + R"(","output":"why"}]})");
    ASSERT_TRUE(tests.ok()) << tests.error().message;
    ASSERT_EQ(tests->size(), 1u);
    EXPECT_EQ((*tests)[0].state, want) << code;
  }
}

TEST(LitJson, a_signal_is_told_in_the_detail) {
  const auto tests = parse_lit_json(R"({"tests":[{"name":"S :: a","code":"FAIL","output":"--\nExit Code: -11\n"}]})");
  ASSERT_TRUE(tests.ok());
  EXPECT_TRUE((*tests)[0].detail.starts_with("signal 11\n"));
}

TEST(LitJson, equal_names_are_kept_apart) {
  const auto tests = parse_lit_json(R"({"tests":[{"name":"a","code":"PASS"},{"name":"a","code":"FAIL"}]})");
  ASSERT_TRUE(tests.ok());
  ASSERT_EQ(tests->size(), 2u);
  EXPECT_EQ((*tests)[1].id, "a #2");
  EXPECT_EQ((*tests)[1].state, model::TestState::fail);
  const auto odd = parse_lit_json(R"({"tests":[{"name":"a #2","code":"PASS"},{"name":"a","code":"PASS"},{"name":"a","code":"FAIL"},)"
                                  R"({"name":"a","code":"FAIL"},{"name":"a #2","code":"FAIL"}]})");
  ASSERT_TRUE(odd.ok());
  std::vector<std::string> ids;
  for (const auto& test : *odd) ids.push_back(test.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"a #2", "a", "a #3", "a #4", "a #2 #2"})) << "a name like ours hides no result";
}

TEST(LitJson, what_is_not_a_lit_report_is_an_error) {
  for (const std::string text : {"", "null", "[]", "{}", R"({"tests":{}})", R"({"tests":[{}]})", R"({"tests":[{"name":"a"}]})", R"({"tests":[1]})",
                                 R"({"tests":[{"name":1,"code":"PASS"}]})", "\x7f" "ELF", R"({"tests":[]} trailing)"})
    EXPECT_FALSE(parse_lit_json(text).ok()) << text;
  EXPECT_TRUE(parse_lit_json(R"({"tests":[]})").ok());
}

TEST(LitJson, the_corpus_file_has_its_eleven_tests) {
  const std::string text = sample("generated/lit/lit16.json");
  SKIP_WITHOUT_SAMPLE(text);
  const auto tests = parse_lit_json(text);
  ASSERT_TRUE(tests.ok()) << tests.error().message;
  EXPECT_EQ(states(*tests), (std::map<std::string, int>{{"fail", 4}, {"flakypass", 1}, {"pass", 1}, {"timeout", 1}, {"unresolved", 1},
                                                        {"unsupported", 1}, {"xfail", 1}, {"xpass", 1}}));
}

TEST(LitHarness, only_a_lit_that_the_candidate_cannot_write_is_wrapped) {
  EXPECT_TRUE(wrap_lit({"python3", lit, "/suites"}).has_value());
  EXPECT_TRUE(wrap_lit({"lit", "/src/test"}).has_value());
  EXPECT_TRUE(wrap_lit({"/suites/bin/llvm-lit", "/suites/t"}).has_value());
  EXPECT_FALSE(wrap_lit({"/build/bin/llvm-lit", "/suites/t"}).has_value());
  EXPECT_FALSE(wrap_lit({"python3", "/src/lit.py"}).has_value());
  EXPECT_FALSE(wrap_lit({"python3", "/usr/../build/lit.py"}).has_value());
  EXPECT_FALSE(wrap_lit({"ninja", "check"}).has_value());
  EXPECT_FALSE(wrap_lit({"python3"}).has_value());
  EXPECT_FALSE(wrap_lit({}).has_value());
}

TEST(LitHarness, the_report_goes_to_the_pipe_alone) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"-o", "x.json"}, {"--output", "x.json"}, {"--output=x.json"}, {"-ox.json"}}) {
    std::vector<std::string> step{"lit", "-v"};
    step.insert(step.end(), options.begin(), options.end());
    step.push_back("/suites");
    const auto wrapped = wrap_lit(step);
    ASSERT_TRUE(wrapped.has_value());
    EXPECT_EQ(core::join(wrapped->argv, " ").find("x.json"), std::string::npos);
    EXPECT_EQ(std::vector<std::string>(wrapped->argv.end() - 2, wrapped->argv.end()), (std::vector<std::string>{"-v", "/suites"}));
  }
}

TEST(LitHarness, a_configuration_in_the_build_directory_is_told_apart) {
  EXPECT_FALSE(wrap_lit({"lit", "/suites/t"})->configured_in_build);
  EXPECT_FALSE(wrap_lit({"lit", "/src/test"})->configured_in_build);
  EXPECT_TRUE(wrap_lit({"lit", "/build/test"})->configured_in_build);
  EXPECT_TRUE(wrap_lit({"lit", "/suites/t", "/build/test"})->configured_in_build);
  EXPECT_TRUE(wrap_lit({"lit", "test"})->configured_in_build);
  EXPECT_TRUE(wrap_lit({"lit", "/src/../build/test"})->configured_in_build);
}

class LitRun : public RunTest, public testing::WithParamInterface<Backend> {
 protected:
  void SetUp() override {
    if (!core::exists(lit)) GTEST_SKIP() << "lit 16 is not installed (llvm-16-tools)";
    force_ = GetParam();
    RunTest::SetUp();
    put_file(path("suites/lit.cfg.py"), "import lit.formats, os\nconfig.name = 'S'\nconfig.test_format = lit.formats.ShTest(True)\n"
                                        "config.suffixes = ['.t']\nconfig.test_exec_root = os.environ['SLUICE_BUILD'] + '/lit'\n"
                                        "config.substitutions.append(('%build', os.environ['SLUICE_BUILD']))\n");
    put_file(path("src/lit.site.cfg.py"), "import os\nlit_config.load_config(config, os.environ['SLUICE_SUITES'] + '/lit.cfg.py')\n"
                                          "config.test_source_root = os.environ['SLUICE_SUITES']\n");
    request_.suite.kind = "lit";
    request_.suite.id = "lit";
    request_.suite.results = "r.json";
  }
  model::Evidence run_lit(std::vector<std::string> more = {}) {
    std::vector<std::string> step{"python3", lit, "-o", "r.json"};
    step.insert(step.end(), more.begin(), more.end());
    step.push_back("/suites");
    return run({step});
  }
};

TEST_P(LitRun, a_real_lit_reports_through_the_pipe_and_is_an_observer) {
  put_file(path("suites/a.t"), "RUN: true\n");
  put_file(path("suites/b.t"), "RUN: false\n");
  put_file(path("suites/c.t"), "REQUIRES: gpu\nRUN: true\n");
  put_file(path("suites/d.t"), "XFAIL: *\nRUN: false\n");
  const auto evidence = run_lit({"--timeout", "30"});
  ASSERT_EQ(evidence.trouble, "") << evidence.trouble_detail << evidence.log;
  EXPECT_EQ(evidence.exit_code, 1);
  EXPECT_EQ(evidence.grade, "observed");
  EXPECT_EQ(states(evidence.tests), (std::map<std::string, int>{{"fail", 1}, {"pass", 1}, {"unsupported", 1}, {"xfail", 1}}));
  EXPECT_EQ(evidence.tests[0].id, "S :: a.t");
  EXPECT_FALSE(core::exists(path("build/r.json")));
}

TEST_P(LitRun, a_test_can_neither_write_into_lit_nor_reach_its_report) {
  put_file(path("suites/attack.t"), "RUN: /usr/bin/python3 %S/attack.py\n");
  // Succeeds only when some process of lit can be opened for writing or its pipe found.
  put_file(path("suites/attack.py"), R"(
import os, sys
reached = []
for pid in filter(str.isdigit, os.listdir('/proc')):
    try: line = open(f'/proc/{pid}/cmdline').read()
    except OSError: continue
    if 'lit.py' not in line or int(pid) == os.getpid(): continue
    for attempt in ('mem', 'environ'):
        try: open(f'/proc/{pid}/{attempt}', 'rb+' if attempt == 'mem' else 'rb').close(); reached.append((pid, attempt))
        except OSError: pass
    try: reached.append((pid, [os.readlink(f'/proc/{pid}/fd/{n}') for n in os.listdir(f'/proc/{pid}/fd')]))
    except OSError: pass
own = [f for f in os.listdir('/proc/self/fd') if int(f) > 2]
print('lit reached', reached, own)
sys.exit(0 if not reached else 3)
)");
  put_file(path("suites/fails.t"), "RUN: false\n");
  const auto evidence = run_lit({"-a"});
  ASSERT_EQ(evidence.trouble, "") << evidence.trouble_detail << evidence.log;
  EXPECT_NE(output(evidence).find("lit reached []"), std::string::npos) << evidence.log;
  EXPECT_EQ(states(evidence.tests), (std::map<std::string, int>{{"fail", 1}, {"pass", 1}}));
}

TEST_P(LitRun, a_forged_results_file_is_not_read) {
  put_file(path("suites/forge.t"), "RUN: echo '{\"tests\":[{\"name\":\"S :: forge.t\",\"code\":\"PASS\"}]}' > %build/r.json; false\n");
  const auto evidence = run_lit();
  ASSERT_EQ(evidence.tests.size(), 1u);
  EXPECT_EQ(evidence.tests[0].state, model::TestState::fail);
}

TEST_P(LitRun, a_configuration_of_the_build_is_named_on_the_record) {
  put_file(path("suites/a.t"), "RUN: true\n");
  put_file(path("build/test/lit.site.cfg.py"), get_file(path("src/lit.site.cfg.py")));
  const auto evidence = run({{"python3", lit, "-o", "r.json", "test"}});
  ASSERT_EQ(evidence.tests.size(), 1u) << evidence.log;
  EXPECT_EQ(evidence.grade, "observed");
  EXPECT_NE(evidence.trouble_detail.find("configuration from /build"), std::string::npos) << evidence.trouble_detail;
}

TEST_P(LitRun, a_test_that_rewrites_the_configuration_costs_the_run_its_grade) {
  put_file(path("suites/a.t"), "RUN: echo '#' >> %build/test/lit.site.cfg.py\n");
  put_file(path("build/test/lit.site.cfg.py"), get_file(path("src/lit.site.cfg.py")));
  const auto evidence = run({{"python3", lit, "-o", "r.json", "test"}});
  ASSERT_EQ(evidence.tests.size(), 1u) << evidence.log;
  EXPECT_EQ(evidence.grade, "self-reported");
  EXPECT_NE(evidence.trouble_detail.find("changed while"), std::string::npos) << evidence.trouble_detail;
}

TEST_P(LitRun, an_empty_selection_has_no_results) {
  const auto evidence = run_lit();
  EXPECT_EQ(evidence.exit_code, 2);
  EXPECT_EQ(evidence.trouble, "results_missing");
}

TEST_P(LitRun, modules_planted_in_the_build_directory_are_not_imported) {
  for (const char* name : {"ctypes.py", "fcntl.py", "runpy.py", "lit.py", "json.py"}) put_file(path("build/" + std::string(name)), "raise SystemExit('hijacked')\n");
  put_file(path("suites/a.t"), "RUN: true\n");
  const auto evidence = run_lit();
  EXPECT_EQ(output(evidence).find("hijacked"), std::string::npos);
  EXPECT_EQ(evidence.tests.size(), 1u) << evidence.log;
}

INSTANTIATE_TEST_SUITE_P(Backends, LitRun, testing::Values(Backend::bubblewrap, Backend::landlock),
                         [](const auto& backend) { return letter(backend.param); });

}  // namespace
}  // namespace sluice::runners
