// SPDX-License-Identifier: Apache-2.0
// scripts/summarize_tests.py decides whether `scripts/test` is green: it must not be fooled.
#include <gtest/gtest.h>

#include <string>

#include "core/file.h"
#include "core/process.h"

namespace sluice::test_support {
namespace {

const std::string passed = R"(<testcase name="core.Text.Trims" status="run"/>)";
const std::string failed =
    R"(<testcase name="git.Pick.IsClean" status="fail"><failure message=""/></testcase>)";
const std::string no_program =
    R"(<testcase name="git.Gone" status="notrun"><skipped message="Unable to find executable"/></testcase>)";
const std::string skipped =
    R"(<testcase name="runners.Sandbox.Runs" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>)"
    "<system-out>a_test.cpp:2: Skipped\nno bwrap: install bubblewrap\n[  SKIPPED ]</system-out></testcase>";

struct Summary {
  int exit_code = -1;
  std::string out, last_line;
};

Summary summarize(const std::string& cases, int minimum) {
  auto dir = core::TempDir::create("sluice-summary-");
  EXPECT_TRUE(dir.ok());
  for (const char* folder : {"core", "git", "web"}) {
    EXPECT_TRUE(core::make_directories(core::join_path(dir->path(), std::string("test/") + folder)).ok());
  }
  std::string file = core::join_path(dir->path(), "tests.xml");
  EXPECT_TRUE(core::write_file(file, "<testsuite>" + cases + "</testsuite>").ok());
  core::ProcessOptions options;
  options.argv = {"/usr/bin/python3", SLUICE_SOURCE_DIR "/scripts/summarize_tests.py", file,
                  std::to_string(minimum), core::join_path(dir->path(), "test")};
  auto result = core::run_process(options);
  EXPECT_TRUE(result.ok() && result->err.empty()) << (result.ok() ? result->err : result.error().message);
  if (!result.ok() || result->out.size() < 2) return {};
  std::string& out = result->out;
  std::size_t from = out.rfind('\n', out.size() - 2);
  return {result->exit_code, out, out.substr(from + 1, out.size() - from - 2)};
}

TEST(TestSummary, IsGreenOnlyWhenNothingFailed) {
  EXPECT_EQ(summarize(passed, 1).exit_code, 0);
  EXPECT_EQ(summarize(passed, 1).last_line, "1 passed, 0 failed, 0 skipped");
  EXPECT_EQ(summarize(passed + failed, 1).exit_code, 1);
  EXPECT_EQ(summarize(passed + failed, 1).last_line, "1 passed, 1 failed, 0 skipped");
}

TEST(TestSummary, CountsAMissingProgramAsAFailure) {
  EXPECT_EQ(summarize(passed + no_program, 1).exit_code, 1);
  EXPECT_EQ(summarize(passed + no_program, 1).last_line, "1 passed, 1 failed, 0 skipped");
}

TEST(TestSummary, SaysWhySomethingDidNotRun) {
  Summary summary = summarize(passed + skipped, 1);
  EXPECT_EQ(summary.exit_code, 0);
  EXPECT_EQ(summary.last_line, "1 passed, 0 failed, 1 skipped");
  EXPECT_NE(summary.out.find("not run: 1 of 1, because no bwrap: install bubblewrap"), std::string::npos)
      << summary.out;
  EXPECT_NE(summary.out.find("suite web: not run, because it has no CMakeLists.txt"), std::string::npos)
      << summary.out;
}

TEST(TestSummary, IsRedWhenTestsVanished) {
  EXPECT_EQ(summarize(passed, 2).exit_code, 1);
  EXPECT_EQ(summarize(skipped, 1).exit_code, 1);
  EXPECT_EQ(summarize("", 0).exit_code, 1);
}

}  // namespace
}  // namespace sluice::test_support
