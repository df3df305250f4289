// SPDX-License-Identifier: Apache-2.0
// From figures to a policy: which numbers and which modes the rules would have on this fork.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/edit.h"
#include "core/model/config.h"
#include "guardrails/guardrails.h"
#include "service/calibrate/figures.h"

namespace sluice::service::calibrate {

struct Limits {
  double false_alarms = 0.01;      // a rule above it observes
  std::int64_t picks = 50;         // fewer judged as merged say nothing about a mode
  std::int64_t conflicts = 20;     // fewer conflicted ones nothing about a number
};

struct ProposedNumber {
  std::string rule, key, from;  // from: for people, where the value comes from
  double now = 0;
  std::optional<double> proposed;  // nothing: too few picks
  std::int64_t n = 0;
};

struct ProposedMode {
  std::string rule, title;
  int version = 1, calibrated = 0;  // measured or shipped, the higher
  model::RuleMode now = model::RuleMode::enforce;
  std::optional<model::RuleMode> proposed;  // nothing: it keeps what it has
  std::string why;                          // for people
};

std::vector<ProposedNumber> propose_numbers(const std::vector<Sample>& samples, const model::PolicyConfig& policy, const guardrails::RuleFilter& filter,
                                            const Limits& limits);
std::vector<ProposedMode> propose_modes(const std::map<std::string, RuleFigures>& rules, const model::PolicyConfig& policy,
                                        const guardrails::RuleFilter& filter, const Limits& limits);

// What has to change in the operator's text, by section.
std::vector<config::SectionEdit> edits_of(const std::vector<ProposedNumber>& numbers, const std::vector<ProposedMode>& modes, const model::PolicyConfig& policy);
// The policy with these changes, as a parser is to find it afterwards.
model::PolicyConfig changed_policy(const std::vector<ProposedNumber>& numbers, const std::vector<ProposedMode>& modes, model::PolicyConfig policy);

std::string_view to_string(model::RuleMode mode);

}  // namespace sluice::service::calibrate
