// SPDX-License-Identifier: Apache-2.0
// A configuration while it is read: the values, and the lines that the checks across sections need.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/section.h"
#include "core/json.h"
#include "core/model/config.h"

namespace sluice::config {

struct Draft {
  explicit Draft(const std::string& file) : problems(file) {}

  model::Config config;
  std::string directory;  // of the file: base of relative paths
  Problems problems;
  // Parallel to config.policy.paths, config.policy.suites and config.environments.
  std::vector<int> path_lines, suite_lines, environment_lines;
  std::map<std::string, int> suite_needs_line, suite_environment_line, suite_runner_line;  // by suite id
  int upstream_line = 0;
  std::string flakes_path, known_failures_path;  // absolute; empty = none
  std::string runner = "local";  // the one [[runner]]
  // Of a policy in a ref of the fork.
  std::function<Result<std::string>(const std::string& path)> beside;
  bool without_operator = false;
};

// What a verdict depends on; policy_file.cpp.
inline constexpr std::string_view policy_sections[] = {"path", "suite", "rules", "fork_surface", "invariant", "registers"};

// policy_file.cpp: [policy], and the sections that may stand where it says
void read_policy_place(const toml::table& root, Draft& draft);
void read_policy_sections(const toml::table& root, Draft& draft);
// repository.cpp: [fork] [upstream] [store] [trailers] [message] [landing]
void read_fork(const toml::table& root, Draft& draft);
void read_upstream(const toml::table& root, Draft& draft);
void read_store(const toml::table& root, Draft& draft);
void read_trailers(const toml::table& root, Draft& draft);
void read_message(const toml::table& root, Draft& draft);
void read_landing(const toml::table& root, Draft& draft);
// policy.cpp: [[path]] [rules.Gnn] [fork_surface]
void read_paths(const toml::table& root, Draft& draft);
void read_rules(const toml::table& root, Draft& draft);
void read_fork_surface(const toml::table& root, Draft& draft);
// invariants.cpp: [[invariant]]
void read_invariants(const toml::table& root, Draft& draft);
core::Json invariants_json(const std::vector<model::InvariantConfig>& invariants);  // in no order
// registers.cpp: [registers], and the files it names once everything else is right
void read_registers(const toml::table& root, Draft& draft);
Result<void> fill_registers(Draft& draft);
core::Json register_json(const std::vector<model::RegisterEntry>& entries);  // in no order
// suites.cpp: [[suite]] [[environment]] [[runner]]
void read_suites(const toml::table& root, Draft& draft);
void read_environments(const toml::table& root, Draft& draft);
void read_runners(const toml::table& root, Draft& draft);
// model.cpp: [model] [budget]; ladder.cpp: [ladder] [[resolver]]
void read_model(const toml::table& root, Draft& draft);
void read_budget(const toml::table& root, Draft& draft);
void read_ladder(const toml::table& root, Draft& draft);
// check.cpp: contradictions between sections
void check_whole(Draft& draft);
void check_suites(Draft& draft);  // part of it

// The table `name` of the file: null when absent, a problem when it is something else (or when absent,
// if it has to be there).
enum class Presence { optional, required };
const toml::table* table_of(const toml::table& root, std::string_view name, Problems& problems,
                            Presence presence = Presence::optional);
// The entries `[[name]]`; a single `[name]` is a problem.
std::vector<const toml::table*> entries_of(const toml::table& root, std::string_view name,
                                           Problems& problems);

}  // namespace sluice::config
