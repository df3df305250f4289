// SPDX-License-Identifier: Apache-2.0
// [[path]] [rules.Gnn] [fork_surface], and the hash of everything a verdict depends on.
#include <fmt/format.h>

#include <algorithm>

#include "config/config.h"
#include "config/draft.h"
#include "config/names.h"
#include "config/values.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/text.h"

namespace sluice::config {
namespace {

void read_path(const toml::table& table, Draft& draft) {
  Section section(table, "[[path]]", draft.problems);
  model::PathConfig path;
  section.require("glob");
  section.text("glob", path.glob);
  if (!path.glob.empty()) {
    const std::string wrong = check_glob(path.glob);
    if (!wrong.empty()) section.problem("glob", wrong);
  }
  section.word<model::PathClass>("class", path.klass, path_classes);
  section.word<model::UpstreamSay>("upstream", path.upstream, upstream_says);
  section.word<model::MissingSay>("missing", path.missing, missing_says);
  section.text("owner", path.owner);
  section.later({"autonomy"});
  section.finish();
  const bool sets =
      section.has("class") || section.has("upstream") || section.has("missing") || section.has("owner");
  if (!sets && !section.has("autonomy"))
    section.problem("glob",
                    fmt::format("the entry for '{}' sets nothing; give it class, upstream, missing or owner",
                                core::printable(path.glob)));
  if (path.klass == model::PathClass::deleted && path.upstream == model::UpstreamSay::block)
    section.problem("upstream",
                    fmt::format("'{}' has class = \"deleted\" (upstream's changes are dropped) and "
                                "upstream = \"block\" (they stop the pick); keep one",
                                core::printable(path.glob)));
  draft.config.policy.paths.push_back(std::move(path));
  draft.path_lines.push_back(section.line());
}

core::Json paths_json(const std::vector<model::PathConfig>& paths) {
  core::Json out = core::Json::array();
  for (const model::PathConfig& p : paths)
    out.push(core::Json::object({{"glob", p.glob},
                                 {"class", name_of(p.klass, path_classes)},
                                 {"upstream", name_of(p.upstream, upstream_says)},
                                 {"missing", name_of(p.missing, missing_says)},
                                 {"owner", p.owner}}));
  return out;
}

core::Json suite_json(const model::SuiteConfig& s) {
  core::Json steps = core::Json::array();
  for (const std::vector<std::string>& argv : s.steps) steps.push(core::Json::array_of(argv));
  core::Json skips = core::Json::object();
  for (const auto& [test, reason] : s.allowed_skips) skips.set(test, reason);
  return core::Json::object({{"id", s.id},
                             {"kind", s.kind},
                             {"tier", s.tier},
                             {"steps", std::move(steps)},
                             {"results", s.results},
                             {"needs", s.needs},
                             {"environment", s.environment},
                             {"runner", s.runner},
                             {"timeout_s", s.timeout_s},
                             {"memory_mib", s.memory_mib},
                             {"pids", s.pids},
                             {"disk_mib", s.disk_mib},
                             {"required_for", core::Json::array_of(s.required_for)},
                             {"allowed_skips", std::move(skips)}});
}

}  // namespace

void read_paths(const toml::table& root, Draft& draft) {
  for (const toml::table* table : entries_of(root, "path", draft.problems)) read_path(*table, draft);
}

void read_rules(const toml::table& root, Draft& draft) {
  const toml::table* rules = table_of(root, "rules", draft.problems);
  if (rules == nullptr) return;
  for (const auto& [id, node] : *rules) {
    const int line = static_cast<int>(id.source().begin.line);
    if (const std::string wrong = check_rule_id(id.str()); !wrong.empty()) {
      draft.problems.add(line, fmt::format("[rules]: {}", wrong));
      continue;
    }
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      draft.problems.add(line, fmt::format("[rules]: {0} must be a section: write [rules.{0}]", id.str()));
      continue;
    }
    Section section(*table, fmt::format("[rules.{}]", id.str()), draft.problems);
    model::RuleConfig rule;
    rule.line = line;
    if (section.has("mode")) {
      model::RuleMode mode = model::RuleMode::enforce;
      section.word<model::RuleMode>("mode", mode, rule_modes);
      rule.mode = mode;
    }
    std::int64_t calibrated = 0;
    section.integer("calibrated", calibrated, 0, 1000);
    rule.calibrated = static_cast<int>(calibrated);
    // The other keys are the rule's own numbers; which it has, the catalogue of the rules says.
    for (const auto& [key, value] : *table) {
      if (key.str() == "mode" || key.str() == "calibrated") continue;
      double number = -1;
      section.number(key.str(), number, 0);
      rule.thresholds.emplace(std::string(key.str()), number);
    }
    section.finish();
    draft.config.policy.rules.emplace(std::string(id.str()), rule);
  }
}

void read_fork_surface(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "fork_surface", draft.problems);
  if (table == nullptr) return;
  Section section(*table, "[fork_surface]", draft.problems);
  section.texts("globs", draft.config.policy.fork_surface);
  for (const std::string& glob : draft.config.policy.fork_surface) {
    const std::string wrong = check_glob(glob);
    if (!wrong.empty()) section.problem("globs", wrong);
  }
  section.finish();
}

std::string policy_sha256(const model::PolicyConfig& policy) {
  core::Json rules = core::Json::object();
  for (const auto& [id, rule] : policy.rules) {
    core::Json numbers = core::Json::object();
    for (const auto& [key, value] : rule.thresholds) numbers.set(key, value);
    rules.set(id, core::Json::object({{"mode", rule.mode ? std::string(name_of(*rule.mode, rule_modes)) : ""},
                                      {"calibrated", rule.calibrated},
                                      {"thresholds", std::move(numbers)}}));
  }
  core::Json suites = core::Json::array();
  for (const model::SuiteConfig& suite : policy.suites) suites.push(suite_json(suite));
  // Of the paths the first match decides, so their order stays; the fork surface is a set.
  std::vector<std::string> surface = policy.fork_surface;
  std::sort(surface.begin(), surface.end());
  return core::sha256_hex(core::Json::object({{"paths", paths_json(policy.paths)},
                                              {"suites", std::move(suites)},
                                              {"rules", std::move(rules)},
                                              {"fork_surface", core::Json::array_of(surface)},
                                              {"invariants", invariants_json(policy.invariants)},
                                              {"flakes", register_json(policy.flakes)},
                                              {"known_failures", register_json(policy.known_failures)}})
                              .dump());
}

}  // namespace sluice::config
