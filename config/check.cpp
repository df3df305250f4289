// SPDX-License-Identifier: Apache-2.0
// Contradictions between sections.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/draft.h"
#include "core/text.h"

namespace sluice::config {
namespace {

std::string comparable(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  if (url.starts_with("file://")) url.remove_prefix(7);
  return std::string(url);
}

void check_remotes(Draft& draft) {
  const model::RemoteConfig &fork = draft.config.fork, &upstream = draft.config.upstream;
  if (fork.url.empty() || fork.branch.empty()) return;
  if (comparable(fork.url) == comparable(upstream.url) && fork.branch == upstream.branch)
    draft.problems.add(
        draft.upstream_line,
        fmt::format("[upstream] is the same repository and branch as [fork] ('{}'); landing would move "
                    "what it reads",
                    fork.branch));
}

void check_needs(Draft& draft, const model::SuiteConfig& suite, const std::vector<std::string>& builds) {
  const int line = draft.suite_needs_line.at(suite.id);
  if (suite.kind == "build") {
    if (!suite.needs.empty())
      draft.problems.add(line,
                         fmt::format("[[suite]] needs: '{}' is a build itself and needs none", suite.id));
    return;
  }
  if (suite.needs.empty()) {
    if (builds.size() > 1)
      draft.problems.add(
          line,
          fmt::format("[[suite]] '{}' must say which build it needs: {}", suite.id, core::join(builds, ", ")),
          Problems::Kind::missing);
    return;
  }
  if (std::find(builds.begin(), builds.end(), suite.needs) == builds.end())
    draft.problems.add(line, fmt::format("[[suite]] needs: '{}' is not a suite of kind build{}",
                                         core::printable(suite.needs), suggest(suite.needs, builds)));
}

void check_environments(Draft& draft) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < draft.config.environments.size(); ++i) {
    const std::string& name = draft.config.environments[i].name;
    if (!seen.insert(name).second)
      draft.problems.add(draft.environment_lines[i],
                         fmt::format("[[environment]] name: '{}' is used twice", name));
  }
}

}  // namespace

void check_suites(Draft& draft) {
  const std::vector<model::SuiteConfig>& suites = draft.config.policy.suites;
  std::vector<std::string> builds, environments{"host"};
  for (const model::SuiteConfig& suite : suites)
    if (suite.kind == "build") builds.push_back(suite.id);
  for (const model::EnvironmentConfig& environment : draft.config.environments)
    if (environment.name != "host") environments.push_back(environment.name);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < suites.size(); ++i) {
    const model::SuiteConfig& suite = suites[i];
    if (suite.id.empty()) continue;  // already a problem
    if (!seen.insert(suite.id).second)
      draft.problems.add(draft.suite_lines[i], fmt::format("[[suite]] id: '{}' is used twice", suite.id));
    check_needs(draft, suite, builds);
    if (draft.without_operator) continue;
    if (std::find(environments.begin(), environments.end(), suite.environment) == environments.end())
      draft.problems.add(
          draft.suite_environment_line.at(suite.id),
          fmt::format("[[suite]] environment: '{}' is not defined{}", core::printable(suite.environment),
                      suggest(suite.environment, environments)));
    // Of a policy elsewhere the operator's [[runner]] is read already, and its name is not kept.
    if (!draft.beside && suite.runner != draft.runner && suite.runner != "local")
      draft.problems.add(draft.suite_runner_line.at(suite.id),
                         fmt::format("[[suite]] runner: '{}' is not defined{}", core::printable(suite.runner),
                                     suggest(suite.runner, {draft.runner})));
  }
}

void check_whole(Draft& draft) {
  check_remotes(draft);
  check_environments(draft);
  check_suites(draft);
}

}  // namespace sluice::config
