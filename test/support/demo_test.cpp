// SPDX-License-Identifier: Apache-2.0
// The demo's histories are what examples/demo/expected.tsv says, by git alone; the fork builds and passes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config.h"
#include "core/file.h"
#include "core/process.h"
#include "test/support/history.h"

namespace sluice::test_support {
namespace {

const std::string demo = SLUICE_SOURCE_DIR "/examples/demo";

std::string run_or_fail(const std::vector<std::string>& argv, const std::string& cwd, int expected = 0) {
  core::ProcessOptions options;
  options.argv = argv;
  options.cwd = cwd;
  options.timeout_ms = 600'000;
  options.env = std::map<std::string, std::string>{{"PATH", "/usr/bin:/bin"}, {"HOME", cwd}, {"LC_ALL", "C"}};
  auto result = core::run_process(options);
  if (!result.ok()) {
    ADD_FAILURE() << core::shell_quote(argv) << ": " << result.error().message;
    return "";
  }
  EXPECT_EQ(result->exit_code, expected) << core::shell_quote(argv) << "\n" << result->out << result->err;
  return result->out;
}

std::vector<std::vector<std::string>> read_table(const std::string& path) {
  auto text = core::read_file(path);
  if (!text.ok()) throw std::runtime_error(text.error().message);
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
  }
  return rows;
}

class Demo : public ::testing::Test {
 protected:
  void SetUp() override { run_or_fail({demo + "/generate", history_.root()}, history_.root()); }
  std::string tip(const std::string& repository) const {
    return history_.git(repository, {"rev-parse", "main"});
  }
  std::map<std::string, std::string> ids() const {
    std::map<std::string, std::string> ids;
    for (const auto& row : read_table(history_.root() + "/ids.tsv")) ids[row.at(0)] = row.at(1);
    return ids;
  }
  History history_;
};

TEST_F(Demo, HasTheSameTipsOnEveryMachine) {
  EXPECT_EQ(tip("upstream.git"), "7145734f50f46df8648443cfc80089828376454e");
  EXPECT_EQ(tip("fork.git"), "f3dec7ff79ddb111a723abcc859f900f2712f338");
  run_or_fail({demo + "/generate", history_.root()}, history_.root(), 2);  // never over an existing one
}

TEST_F(Demo, ExpectedListsEveryUpstreamCommitInOrder) {
  auto ids = this->ids();
  std::string line, expected;
  for (const auto& row : read_table(demo + "/expected.tsv")) expected += ids[row.at(0)] + "\n";
  line = history_.git("upstream.git", {"rev-list", "--reverse", ids["base"] + "..main"}) + "\n";
  EXPECT_EQ(line, expected);
  EXPECT_EQ(history_.git("fork.git", {"merge-base", "main", ids["base"]}), ids["base"]);
}

// merge-tree of git 2.39 takes its base from the two commits: so give the pick's base as their only parent.
TEST_F(Demo, PicksEndAsExpected) {
  auto ids = this->ids();
  std::string repository = "upstream.git";
  history_.git(repository, {"fetch", "-q", history_.path("fork.git"), "main:fork"});
  std::string fork_tree = history_.git(repository, {"rev-parse", "fork^{tree}"});
  auto commit_of = [&](const std::string& rev, const std::string& parent) {
    std::vector<std::string> argv = {"-c",          "user.name=x",   "-c", "user.email=x@x",
                                     "commit-tree", rev + "^{tree}", "-m", "x"};
    if (!parent.empty()) argv.insert(argv.end(), {"-p", parent});
    return history_.git(repository, argv);
  };
  for (const auto& row : read_table(demo + "/expected.tsv")) {
    if (row.at(1) == "-") continue;
    const std::string& id = ids[row.at(0)];
    std::string base = commit_of(id + "^", "");
    core::ProcessOptions options;
    options.argv = {"git",
                    "-C",
                    history_.path(repository),
                    "merge-tree",
                    "--write-tree",
                    commit_of("fork", base),
                    commit_of(id, base)};
    auto result = core::run_process(options);
    ASSERT_TRUE(result.ok());
    std::string outcome = result->exit_code != 0                   ? "conflict"
                          : result->out.substr(0, 40) == fork_tree ? "empty"
                                                                   : "clean";
    EXPECT_EQ(outcome, row.at(1)) << row.at(0) << "\n" << result->out << result->err;
  }
}

TEST_F(Demo, ConfigurationIsAccepted) {
  auto config = config::load(history_.root() + "/sluice.toml");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->fork.url, history_.path("fork.git"));
  EXPECT_EQ(config->autonomy, model::Autonomy::land);
  EXPECT_EQ(config->policy.suites.size(), 4u);
}

TEST_F(Demo, ForkBuildsAndItsSuitesPass) {
  if (::access("/usr/lib/llvm-16/bin/FileCheck", X_OK) != 0) {
    GTEST_SKIP() << "no /usr/lib/llvm-16/bin/FileCheck: install llvm-16-tools";
  }
  std::string source = history_.root() + "/source", build = history_.root() + "/build";
  run_or_fail({"git", "clone", "-q", history_.path("fork.git"), source}, history_.root());
  run_or_fail({"cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug"},
              history_.root());
  run_or_fail({"cmake", "--build", build, "-j2"}, history_.root());
  run_or_fail({"/usr/bin/python3", "/usr/lib/llvm-16/build/utils/lit/lit.py", "-o", "lit.json", "test"},
              build);
  run_or_fail({"ctest", "--test-dir", build, "--no-tests=error", "--output-junit", "unit.xml"}, build);
  auto lit = core::read_file(build + "/lit.json");
  ASSERT_TRUE(lit.ok());
  EXPECT_NE(lit->find("TILEC :: fork/prefetch.tile"), std::string::npos);
}

}  // namespace
}  // namespace sluice::test_support
