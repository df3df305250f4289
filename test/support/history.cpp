// SPDX-License-Identifier: Apache-2.0
#include "test/support/history.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/process.h"

namespace sluice::test_support {

namespace {

constexpr std::int64_t script_timeout_ms = 300'000;

core::TempDir make_directory() {
  auto dir = core::TempDir::create("sluice-history-");
  if (!dir.ok()) throw std::runtime_error("cannot create a directory for a history: " + dir.error().message);
  return std::move(dir).value();
}

core::ProcessResult run_or_throw(const core::ProcessOptions& options, const std::string& what) {
  auto result = core::run_process(options);
  if (!result.ok()) throw std::runtime_error(what + ": " + result.error().message);
  if (result->ok()) return std::move(result).value();
  throw std::runtime_error(what + (result->timed_out ? " ran out of time" : " failed") + ", exit " +
                           std::to_string(result->exit_code) + "\n--- stderr\n" + result->err +
                           "--- stdout\n" + result->out);
}

}  // namespace

History::History() : dir_(make_directory()) {
  root_ = dir_->path();
  if (std::getenv("SLUICE_KEEP_TEST_DIRS") != nullptr) {
    root_ = dir_->release();
    dir_.reset();
    std::fprintf(stderr, "history kept in %s\n", root_.c_str());
  }
}

History::History(std::string_view script) : History() { run(script); }

std::map<std::string, std::string> History::environment() const {
  // Nothing of the caller's environment may reach the script: GIT_* alone would change ids.
  return {{"PATH", "/usr/bin:/bin"}, {"VERBS_ROOT", root_}};
}

std::string History::run(std::string_view script) {
  core::ProcessOptions options;
  options.argv = {"/bin/bash", "-euo", "pipefail", "-c",
                  ". '" SLUICE_SOURCE_DIR "/examples/verbs.sh'\n" + std::string(script)};
  options.env = environment();
  options.cwd = root_;
  options.timeout_ms = script_timeout_ms;
  std::string out = run_or_throw(options, "the history script").out;

  auto ids = core::read_file(core::join_path(root_, ".verbs/ids"));
  if (!ids.ok()) throw std::runtime_error("the history script left no ids: " + ids.error().message);
  std::istringstream lines(*ids);
  std::string name;
  Named entry;
  while (lines >> name >> entry.commit >> entry.tree >> entry.repository) commits_[name] = entry;
  return out;
}

std::string History::path(std::string_view repository) const { return core::join_path(root_, repository); }

const History::Named& History::named(std::string_view name) const {
  auto found = commits_.find(std::string(name));
  if (found != commits_.end()) return found->second;
  std::string known;
  for (const auto& [other, entry] : commits_) known += " " + other;
  throw std::runtime_error("no commit of this history is named '" + std::string(name) +
                           "'; there are:" + known);
}

const std::string& History::id(std::string_view name) const { return named(name).commit; }
const std::string& History::tree(std::string_view name) const { return named(name).tree; }

std::string History::git(std::string_view repository, const std::vector<std::string>& arguments) const {
  core::ProcessOptions options;
  options.argv = {"git", "-C", path(repository)};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  auto env = environment();
  env.insert({{"GIT_CONFIG_NOSYSTEM", "1"},
              {"GIT_CONFIG_GLOBAL", "/dev/null"},
              {"GIT_ATTR_NOSYSTEM", "1"},
              {"HOME", core::join_path(root_, ".verbs/home")},
              {"LC_ALL", "C"},
              {"GIT_TERMINAL_PROMPT", "0"}});
  options.env = std::move(env);
  options.timeout_ms = script_timeout_ms;
  std::string out = run_or_throw(options, core::shell_quote(options.argv)).out;
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace sluice::test_support
