// SPDX-License-Identifier: Apache-2.0
// sluice backtest as a person or a script meets it.
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/json.h"
#include "core/process.h"

namespace sluice::test {
namespace {

class BacktestProgram : public ::testing::Test {
 protected:
  BacktestProgram() : dir(std::move(*core::TempDir::create("backtest-program"))) {}
  std::string in(const std::string& name) const { return core::join_path(dir.path(), name); }
  void write(const std::string& name, const std::string& text) const { ASSERT_TRUE(core::write_file(in(name), text).ok()); }
  core::ProcessResult run(std::vector<std::string> args) const {
    core::ProcessOptions options;
    options.argv = {SLUICE_PROGRAM, "backtest"};
    options.argv.insert(options.argv.end(), args.begin(), args.end());
    options.cwd = dir.path();  // where there is no configuration
    options.timeout_ms = 60'000;
    auto result = core::run_process(options);
    EXPECT_TRUE(result.ok());
    return std::move(*result);
  }
  core::TempDir dir;
};

constexpr const char* one_row = R"({"id":"x","path":"a.cpp","base":"","ours":"f(a,\n  b);\n","theirs":"f(a, b);\n","resolved":"f(a, b);\n","before":"","after":""})"
                                "\n";

TEST_F(BacktestProgram, needs_no_configuration_and_prints_one_document) {
  write("rows.jsonl", one_row);
  const auto result = run({"--dataset", "rows.jsonl", "--json", "--report", "out.md"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = core::Json::parse(result.out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["schema"].as_string(), "sluice.backtest/1");
  EXPECT_EQ((*json)["by_rule"]["A1s"]["n"].as_int(), 1);
  EXPECT_TRUE(core::exists(in("out.md")));
}

TEST_F(BacktestProgram, reads_a_packed_data_set) {
  write("rows.jsonl", one_row);
  core::ProcessOptions gzip;
  gzip.argv = {"gzip", in("rows.jsonl")};
  ASSERT_TRUE(core::run_process(gzip).ok());
  EXPECT_EQ(run({"--dataset", "rows.jsonl.gz", "--no-baselines"}).exit_code, 0);
}

TEST_F(BacktestProgram, misuse_is_two_and_says_why) {
  write("bad.jsonl", "{}\n");
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {}, {"--dataset", "none.jsonl"}, {"--dataset", "bad.jsonl"}, {"--history"}, {"--dataset", "bad.jsonl", "--fork-repo", "."}, {"--dataset", "bad.jsonl", "--record", "d"},
           {"--dataset", "bad.jsonl", "--rules", "Z9"}}) {
    const auto result = run(args);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find("sluice: "), std::string::npos);
  }
  EXPECT_NE(run({"--dataset", "bad.jsonl"}).err.find("bad.jsonl:1: field base: it is missing"), std::string::npos);
}

}  // namespace
}  // namespace sluice::test
