// SPDX-License-Identifier: Apache-2.0
// A real local runner on real directories, for tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>

#include "core/clock.h"
#include "core/file.h"
#include "core/process.h"
#include "core/text.h"
#include "runners/runners.h"

namespace sluice::runners {

inline std::string letter(Backend backend) { return backend == Backend::bubblewrap ? "A" : backend == Backend::landlock ? "B" : "none"; }
inline void PrintTo(Backend backend, std::ostream* out) { *out << "backend " << letter(backend); }

inline void put_file(const std::string& path, std::string_view text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string get_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// A result file of the project's corpus; empty when the corpus is absent.
inline std::string sample(const std::string& name) {
  return get_file(std::string(SLUICE_SOURCE_DIR) + "/../shared/data/triage/test_results/" + name);
}

#define SKIP_WITHOUT_SAMPLE(text) \
  if ((text).empty()) GTEST_SKIP() << "the corpus of result files is not beside the sources"

// Skips every test of the fixture, with the reason, where no sandbox can be had.
class RunTest : public testing::Test {
 protected:
  void SetUp() override {
    const SandboxProbe probe = probe_sandbox(force_);
    if (!probe.usable) GTEST_SKIP() << "no such sandbox on this machine: " << core::join(probe.problems, "; ");
    auto temporary = core::TempDir::create("sluice-run-");
    ASSERT_TRUE(temporary.ok()) << temporary.error().message;
    dir_ = std::make_unique<core::TempDir>(std::move(*temporary));
    for (const char* name : {"src", "build", "suites"}) std::filesystem::create_directory(path(name));
    auto runner = make_local_runner({.force = force_}, clock_);
    ASSERT_TRUE(runner.ok()) << runner.error().message;
    runner_ = std::move(*runner);
    request_.suite.id = "build";
    request_.suite.kind = "build";
    request_.suite.timeout_s = 60;
    request_.source_dir = path("src");
    request_.build_dir = path("build");
    request_.suites_dir = path("suites");
    request_.nonce = "n1";
  }

  // What the commands of the last run wrote: its log without the lines that show the commands.
  std::string output(const model::Evidence& evidence) const {
    std::string text = evidence.log;
    for (const auto& step : request_.suite.steps) {
      const std::string shown = "$ " + core::shell_quote(step) + "\n";
      if (const auto at = text.find(shown); at != std::string::npos) text.erase(at, shown.size());
    }
    return text;
  }

  std::string path(const std::string& name) const { return dir_->path() + "/" + name; }

  model::Evidence run(std::vector<std::vector<std::string>> steps) {
    request_.suite.steps = std::move(steps);
    auto evidence = runner_->run(request_, cancel_);
    if (!evidence.ok()) {
      ADD_FAILURE() << evidence.error().message;
      return {};
    }
    return std::move(*evidence);
  }
  model::Evidence shell(const std::string& script) { return run({{"sh", "-c", script}}); }
  model::Evidence python(const std::string& script) { return run({{"/usr/bin/python3", "-c", script}}); }
  // A suite of `kind` whose one step is a shell script.
  model::Evidence test_run(const std::string& kind, const std::string& results, const std::string& script) {
    request_.suite.id = "tests";
    request_.suite.kind = kind;
    request_.suite.results = results;
    return shell(script);
  }

  std::optional<Backend> force_ = Backend::bubblewrap;  // for SetUp
  std::unique_ptr<core::TempDir> dir_;
  core::FakeClock clock_{1'780'000'000};
  std::unique_ptr<Runner> runner_;
  model::RunRequest request_;
  const std::atomic<bool>* cancel_ = nullptr;
};

// How many processes of this machine have `mark` in their command line.
inline int processes_with(const std::string& mark) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string line = get_file(entry.path() / "cmdline");
    count += line.find(mark) != std::string::npos ? 1 : 0;
  }
  return count;
}

}  // namespace sluice::runners
