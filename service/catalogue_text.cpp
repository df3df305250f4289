// SPDX-License-Identifier: Apache-2.0
#include "service/catalogue_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "guardrails/guardrails.h"
#include "service/canary/canary.h"

namespace sluice::service {
namespace {

// By the first digit of a rule's number.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> groups = {{
    {"G0", "Identity and provenance"},
    {"G1", "Scope"},
    {"G2", "Conservation"},
    {"G3", "Conservation inside the regions"},
    {"G4", "Tests"},
    {"G5", "Build and code that judges itself"},
    {"G6", "What goes out"},
}};

std::string asked_of(const guardrails::RuleInfo& rule) {
  if (rule.needs_suites) return "a unit and the results of its suites";
  if (!rule.single_pick) return "a unit";
  return rule.companion ? "a pick, a companion, a single pick in `sluice gate`" : "a pick, a single pick in `sluice gate`";
}

std::string rule_section(const guardrails::RuleInfo& rule) {
  std::string out = fmt::format("### {} {}\n\n", rule.id, rule.title);
  out += fmt::format("Passes if and only if: {}.\n\n", rule.passes);
  out += fmt::format("- else: {}\n- lifted by: {}\n- asked of: {}\n", rule.fail, rule.lift, asked_of(rule));
  out += fmt::format("- version {}{}\n", rule.version, rule.version > rule.calibrated ? ", observes until `sluice calibrate` has measured it" : "");
  for (const auto& number : rule.thresholds) out += fmt::format("- `{} = {:.10g}`: {}\n", number.key, number.value, number.meaning);
  for (const auto& [gate, fault] : canary_faults()) {
    if (gate == rule.id) out += fmt::format("- canary: {}\n", fault);
  }
  return out + fmt::format("- it happened: {}\n\n", rule.example);
}

}  // namespace

std::string catalogue_markdown() {
  std::string out;
  std::string_view group;
  for (const guardrails::RuleInfo& rule : guardrails::catalogue()) {
    for (const auto& [prefix, name] : groups) {
      if (!rule.id.starts_with(prefix) || group == prefix) continue;
      group = prefix;
      out += fmt::format("## {}\n\n", name);
    }
    out += rule_section(rule);
  }
  return out;
}

}  // namespace sluice::service
