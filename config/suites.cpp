// SPDX-License-Identifier: Apache-2.0
// [[suite]] [[environment]] [[runner]]
#include <fmt/format.h>

#include <algorithm>

#include "config/draft.h"
#include "config/values.h"
#include "core/text.h"

namespace sluice::config {
namespace {

constexpr std::int64_t week_s = 7 * 24 * 3600;

using Same = std::pair<std::string_view, std::string>;

const Same kinds[] = {
    {"build", "build"}, {"lit", "lit"}, {"junit", "junit"}, {"gtest", "gtest"}, {"ctest", "ctest"}};
constexpr std::string_view later_kinds[] = {"pytest", "numerics", "perf"};
const Same tiers[] = {{"L1", "L1"}, {"L2", "L2"}, {"L3", "L3"}};
constexpr std::string_view lanes[] = {"bundle", "chain", "pin"};

void check_name(Section& section, std::string_view key, const std::string& value) {
  if (value.empty()) return;
  const std::string wrong = check_id(value);
  if (!wrong.empty()) section.problem(key, wrong);
}

// One argv; arguments may be empty, the program not.
std::vector<std::string> read_argv(const toml::array& array, Draft& draft) {
  std::vector<std::string> argv;
  for (const toml::node& element : array) {
    auto word = plain_text(element, "[[suite]] command", draft.problems);
    if (word) argv.push_back(std::move(*word));
  }
  if (argv.empty() || argv.front().empty())
    draft.problems.add(line_of(array), "[[suite]] command: names no program");
  return argv;
}

// ["a", "b"] is one step, [["a"], ["b"]] are two.
void read_command(Section& section, Draft& draft, model::SuiteConfig& suite) {
  section.require("command");
  const toml::node* node = section.node("command");
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr)
    return section.problem("command",
                           "must be an array: [\"program\", \"argument\"], or an array of such arrays; "
                           "there is no shell");
  if (array->empty()) return section.problem("command", "names no program");
  if (!array->get(0)->is_array()) {
    suite.steps.push_back(read_argv(*array, draft));
    return;
  }
  for (const toml::node& step : *array) {
    if (const toml::array* argv = step.as_array())
      suite.steps.push_back(read_argv(*argv, draft));
    else
      draft.problems.add(line_of(step),
                         "[[suite]] command: mixes programs and arrays; write every step as an array");
  }
}

void read_required_for(Section& section, model::SuiteConfig& suite) {
  section.texts("required_for", suite.required_for);
  const std::vector<std::string> known(std::begin(lanes), std::end(lanes));
  for (const std::string& lane : suite.required_for) {
    if (std::find(known.begin(), known.end(), lane) == known.end())
      section.problem("required_for",
                      fmt::format("'{}' is not one of bundle, chain, pin", core::printable(lane)));
  }
}

void read_skips(Section& section, model::SuiteConfig& suite) {
  std::vector<std::pair<std::string, std::string>> skips;
  section.table_of_texts("allowed_skips", skips);
  for (auto& [test, reason] : skips) {
    if (core::trim(reason).empty())
      section.problem("allowed_skips", fmt::format("the skip of '{}' needs a reason", core::printable(test)));
    suite.allowed_skips.emplace(std::move(test), std::move(reason));
  }
}

void read_suite(const toml::table& table, Draft& draft) {
  Section section(table, "[[suite]]", draft.problems);
  model::SuiteConfig suite;
  section.require("id");
  section.text("id", suite.id);
  check_name(section, "id", suite.id);
  section.require("kind");
  section.word<std::string>("kind", suite.kind, kinds, later_kinds);
  section.word<std::string>("tier", suite.tier, tiers);
  read_command(section, draft, suite);
  section.text("results", suite.results);
  if (suite.kind == "build" && section.has("results"))
    section.problem("results", fmt::format("suite '{}' is a build: its exit status is its result", suite.id));
  if (!suite.kind.empty() && suite.kind != "build" && !section.has("results"))
    draft.problems.add(
        section.line(),
        fmt::format("[[suite]] '{}' of kind {} lacks results, a file below /build that it writes; an exit "
                    "status alone does not tell that tests ran",
                    suite.id, suite.kind),
        Problems::Kind::missing);
  if (!suite.results.empty()) {
    const std::string wrong = check_results(suite.results);
    if (!wrong.empty()) section.problem("results", wrong);
  }
  section.text("needs", suite.needs);
  section.text("environment", suite.environment);
  section.text("runner", suite.runner);
  section.seconds("timeout", suite.timeout_s, week_s);
  section.integer("memory_mib", suite.memory_mib, 16, 16 << 20);
  section.integer("pids", suite.pids, 1, 1 << 20);
  section.integer("disk_mib", suite.disk_mib, 1, 64 << 20);
  read_required_for(section, suite);
  read_skips(section, suite);
  section.later({"limits", "clean"});
  section.finish();
  draft.suite_lines.push_back(section.line("id"));
  draft.suite_needs_line.emplace(suite.id, section.line("needs"));
  draft.suite_environment_line.emplace(suite.id, section.line("environment"));
  draft.suite_runner_line.emplace(suite.id, section.line("runner"));
  draft.config.policy.suites.push_back(std::move(suite));
}

bool is_variable(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void read_environment(const toml::table& table, Draft& draft) {
  Section section(table, "[[environment]]", draft.problems);
  model::EnvironmentConfig environment;
  section.require("name");
  section.text("name", environment.name);
  check_name(section, "name", environment.name);
  section.text("root", environment.root);
  if (!environment.root.empty() && !environment.root.starts_with('/'))
    section.problem("root", fmt::format("'{}' is not an absolute path", core::printable(environment.root)));
  std::vector<std::pair<std::string, std::string>> variables;
  section.table_of_texts("variables", variables);
  for (auto& [name, value] : variables) {
    if (!is_variable(name))
      section.problem("variables", fmt::format("'{}' is not the name of a variable", core::printable(name)));
    environment.variables.emplace(std::move(name), std::move(value));
  }
  section.later({"limits"});
  section.finish();
  draft.config.environments.push_back(std::move(environment));
  draft.environment_lines.push_back(section.line("name"));
}

}  // namespace

void read_suites(const toml::table& root, Draft& draft) {
  for (const toml::table* table : entries_of(root, "suite", draft.problems)) read_suite(*table, draft);
}

void read_environments(const toml::table& root, Draft& draft) {
  for (const toml::table* table : entries_of(root, "environment", draft.problems))
    read_environment(*table, draft);
}

void read_runners(const toml::table& root, Draft& draft) {
  static const Same runner_kinds[] = {{"local", "local"}};
  static constexpr std::string_view later[] = {"slurm", "github_actions"};
  bool seen = false;
  for (const toml::table* table : entries_of(root, "runner", draft.problems)) {
    Section section(*table, "[[runner]]", draft.problems);
    section.text("name", draft.runner);
    check_name(section, "name", draft.runner);
    std::string kind;
    section.require("kind");
    section.word<std::string>("kind", kind, runner_kinds, later);
    section.integer("jobs", draft.config.jobs, 1, 4096);
    section.boolean("allow_unsandboxed", draft.config.allow_unsandboxed);
    // Of another kind's keys only that kind is worth a message.
    if (kind == "local") section.finish();
    if (seen) section.problem("name", "a second [[runner]] is not supported by this version");
    seen = true;
  }
}

}  // namespace sluice::config
