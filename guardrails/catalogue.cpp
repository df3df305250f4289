// SPDX-License-Identifier: Apache-2.0
// The rules as text, and what a policy says of them.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

std::vector<RuleInfo> catalogue() {
  std::vector<RuleInfo> out;
  for (const Rule* rule : rules()) {
    RuleInfo info{std::string(rule->id),   std::string(rule->title), std::string(rule->passes),
                  std::string(rule->fail), std::string(rule->lift),  std::string(rule->example),
                  rule->version,           rule->calibrated,         {},
                  rule->pick != nullptr && !rule->needs_record,      rule->companion,
                  rule->needs_suites};
    for (const Threshold& number : rule->thresholds) info.thresholds.push_back({std::string(number.key), std::string(number.meaning), number.value});
    out.push_back(std::move(info));
  }
  return out;
}

std::map<std::string, model::RuleMode> modes(const model::PolicyConfig& policy) {
  std::map<std::string, model::RuleMode> out;
  for (const Rule* rule : rules()) out.emplace(rule->id, mode_of(policy, *rule));
  return out;
}

Result<void> check_policy(const model::PolicyConfig& policy) {
  for (const auto& [id, config] : policy.rules) {
    const auto all = rules();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Rule* rule) { return rule->id == id; });
    if (found == all.end()) {
      std::string known;
      for (const Rule* rule : all) known += fmt::format(" {}", rule->id);
      return make_error(ErrorKind::invalid, fmt::format("line {}: [rules.{}]: there is no such rule; the rules are{}", config.line, core::printable(id), known));
    }
    for (const auto& [key, value] : config.thresholds) {
      const auto numbers = (*found)->thresholds;
      if (std::any_of(numbers.begin(), numbers.end(), [&](const Threshold& t) { return t.key == key; })) continue;
      std::string known = "mode, calibrated";
      for (const Threshold& number : numbers) known += fmt::format(", {}", number.key);
      return make_error(ErrorKind::invalid, fmt::format("line {}: [rules.{}] {}: this rule has no such number; known here: {}", config.line, id, core::printable(key), known));
    }
    if (config.calibrated > (*found)->version) {
      return make_error(ErrorKind::invalid, fmt::format("line {}: [rules.{}] calibrated = {}: this program has version {} of the rule; run `sluice calibrate`",
                                                        config.line, id, config.calibrated, (*found)->version));
    }
  }
  return {};
}

}  // namespace sluice::guardrails
