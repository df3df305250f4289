// SPDX-License-Identifier: Apache-2.0
// [policy]: what a verdict depends on may stand in a ref of the fork, in a file of its own.
#include <fmt/format.h>

#include <algorithm>

#include "config/config.h"
#include "config/draft.h"
#include "config/values.h"
#include "core/text.h"

namespace sluice::config {
namespace {

constexpr std::size_t max_bytes = 4u << 20;
constexpr std::string_view head = "refs/heads/";

bool is_policy_section(std::string_view name) {
  return std::find(std::begin(policy_sections), std::end(policy_sections), name) != std::end(policy_sections);
}

std::string header(const toml::node& node, std::string_view name) {
  return node.is_array_of_tables() ? fmt::format("[[{}]]", core::printable(name)) : fmt::format("[{}]", core::printable(name));
}

// A path inside a tree, as git writes it.
std::string check_tree_path(std::string_view path) {
  if (path.starts_with('/') || path.ends_with('/')) return fmt::format("'{}' is not a file below the top of the tree", core::printable(path));
  for (const std::string_view part : core::split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return fmt::format("'{}' holds an empty part, '.' or '..'", core::printable(path));
  }
  return "";
}

}  // namespace

void read_policy_place(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "policy", draft.problems);
  if (table == nullptr) return;
  Section section(*table, "[policy]", draft.problems);
  model::PolicyConfig& policy = draft.config.policy;
  section.require("ref");
  section.text("ref", policy.ref);
  if (!policy.ref.empty()) {
    if (!policy.ref.starts_with(head)) {
      section.problem("ref", fmt::format("'{}' is not a branch of the fork, written refs/heads/NAME", core::printable(policy.ref)));
    } else if (const std::string wrong = check_branch(policy.ref.substr(head.size())); !wrong.empty()) {
      section.problem("ref", wrong);
    }
  }
  section.require("path");
  section.text("path", policy.path);
  if (!policy.path.empty()) {
    if (const std::string wrong = check_tree_path(policy.path); !wrong.empty()) section.problem("path", wrong);
  }
  section.finish();
  // In two places nobody could tell which of them is in force.
  for (const auto& [key, value] : root) {
    if (!is_policy_section(key.str())) continue;
    draft.problems.add(static_cast<int>(key.source().begin.line),
                       fmt::format("{} stands in {}:{} since [policy] says so, and may not stand here", header(value, key.str()), core::printable(policy.ref),
                                   core::printable(policy.path)));
  }
}

void read_policy_sections(const toml::table& root, Draft& draft) {
  read_paths(root, draft);
  read_rules(root, draft);
  read_fork_surface(root, draft);
  read_invariants(root, draft);
  read_registers(root, draft);
  read_suites(root, draft);
}

Result<void> read_policy(const PolicyText& given, model::Config& config) {
  if (given.text.size() > max_bytes) {
    return make_error(ErrorKind::invalid, fmt::format("{}: {} bytes are more than {}", given.name, given.text.size(), max_bytes));
  }
  TRY_ASSIGN(const toml::table root, read_toml(given.text, given.name));
  Draft draft(given.name);
  draft.config = config;
  draft.config.policy = {};
  draft.beside = given.beside;
  draft.without_operator = given.without_operator;
  const std::vector<std::string> known(std::begin(policy_sections), std::end(policy_sections));
  for (const auto& [key, value] : root) {
    if (is_policy_section(key.str())) continue;
    draft.problems.add(static_cast<int>(key.source().begin.line),
                       fmt::format("{} does not belong in a policy, which holds {}; everything else stays in the operator's file",
                                   value.is_table() || value.is_array_of_tables() ? header(value, key.str()) : core::printable(key.str()), core::join(known, ", ")));
  }
  read_policy_sections(root, draft);
  check_suites(draft);
  if (draft.problems.any()) return draft.problems.error();
  TRY(fill_registers(draft));
  model::PolicyConfig policy = std::move(draft.config.policy);
  policy.ref = config.policy.ref;
  policy.path = config.policy.path;
  policy.blob = given.blob;
  // Whoever could change these could change what judges the change. They come first: no entry takes it back.
  for (const std::string& file : {policy.path, draft.flakes_path, draft.known_failures_path}) {
    if (file.empty()) continue;
    model::PathConfig own;
    own.glob = literal_glob(file);
    own.klass = model::PathClass::protected_;
    policy.paths.insert(policy.paths.begin(), std::move(own));
  }
  policy.sha256 = policy_sha256(policy);
  config.policy = std::move(policy);
  return {};
}

bool policy_missing(const model::PolicyConfig& policy) { return !policy.ref.empty() && policy.blob.empty(); }

}  // namespace sluice::config
