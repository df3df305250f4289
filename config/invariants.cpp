// SPDX-License-Identifier: Apache-2.0
// [[invariant]]: what of the fork no pick may take away.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "config/draft.h"
#include "config/values.h"
#include "core/regex.h"
#include "core/text.h"

namespace sluice::config {
namespace {

std::string check_pattern(const std::string& pattern) {
  const Result<core::Regex> regex = core::Regex::compile(pattern);
  if (!regex.ok()) return regex.error().message;
  if (regex->search("")) return fmt::format("pattern '{}' matches the empty line, so it would hold for any text", core::printable(pattern));
  return "";
}

void read_invariant(const toml::table& table, Draft& draft) {
  Section section(table, "[[invariant]]", draft.problems);
  model::InvariantConfig invariant;
  section.require("path");
  section.text("path", invariant.path);
  if (!invariant.path.empty()) {
    if (const std::string wrong = check_glob(invariant.path); !wrong.empty()) section.problem("path", wrong);
  }
  section.require("pattern");
  section.text("pattern", invariant.pattern);
  if (!invariant.pattern.empty()) {
    if (const std::string wrong = check_pattern(invariant.pattern); !wrong.empty()) section.problem("pattern", wrong);
  }
  section.integer("min", invariant.min, 1, 1'000'000);
  section.text("why", invariant.why);
  section.finish();
  draft.config.policy.invariants.push_back(std::move(invariant));
}

}  // namespace

void read_invariants(const toml::table& root, Draft& draft) {
  for (const toml::table* table : entries_of(root, "invariant", draft.problems)) read_invariant(*table, draft);
}

core::Json invariants_json(const std::vector<model::InvariantConfig>& invariants) {
  std::vector<model::InvariantConfig> sorted = invariants;
  const auto key = [](const model::InvariantConfig& i) { return std::tie(i.path, i.pattern, i.min, i.why); };
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  core::Json out = core::Json::array();
  for (const model::InvariantConfig& i : sorted)
    out.push(core::Json::object({{"path", i.path}, {"pattern", i.pattern}, {"min", i.min}, {"why", i.why}}));
  return out;
}

}  // namespace sluice::config
