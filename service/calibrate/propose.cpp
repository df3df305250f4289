// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate/propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice::service::calibrate {

namespace {

using guardrails::PickMeasure;
using model::RuleMode;

bool selected(const guardrails::RuleFilter& filter, const std::string& rule) {
  return filter.rules.empty() || std::find(filter.rules.begin(), filter.rules.end(), rule) != filter.rules.end();
}

double in_force(const model::PolicyConfig& policy, const std::string& rule, const std::string& key) {
  if (const auto set = policy.rules.find(rule); set != policy.rules.end()) {
    if (const auto value = set->second.thresholds.find(key); value != set->second.thresholds.end()) return value->second;
  }
  for (const guardrails::RuleInfo& info : guardrails::catalogue()) {
    if (info.id != rule) continue;
    for (const auto& number : info.thresholds) {
      if (number.key == key) return number.value;
    }
  }
  return 0;
}

// The smallest distance from which on more room brings less than half a point of the picks a line.
std::int64_t flat_from(const std::vector<Sample>& samples) {
  constexpr double point_a_line = 0.005;
  const auto& distances = guardrails::measured_distances;
  std::array<double, guardrails::measured_distances.size()> within{};
  double n = 0;
  for (const Sample& sample : samples) {
    if (sample.kind != Kind::conflict || sample.member) continue;
    n += 1;
    for (std::size_t i = 0; i < distances.size(); ++i) within[i] += sample.measure.lines_beyond[i] == 0 ? 1 : 0;
  }
  std::size_t at = distances.size() - 1;
  while (at > 0 && (within[at] - within[at - 1]) / n < point_a_line * static_cast<double>(distances[at] - distances[at - 1])) --at;
  return distances[at];
}

double lines_beyond(const std::vector<Sample>& samples, double distance, double p) {
  // Of the distances that are counted the last one that is not longer.
  std::size_t i = 0;
  while (i + 1 < guardrails::measured_distances.size() && static_cast<double>(guardrails::measured_distances[i + 1]) <= distance) ++i;
  std::vector<double> values;
  for (const Sample& sample : samples) {
    if (sample.kind == Kind::conflict && !sample.member) values.push_back(static_cast<double>(sample.measure.lines_beyond[i]));
  }
  return percentile(std::move(values), p);
}

double missing_share(const PickMeasure& m) {
  return m.upstream_added == 0 ? 0 : static_cast<double>(m.upstream_missing) / static_cast<double>(m.upstream_added);
}

// How many changed lines there are for each line of conflict, of a pick that changes more than always allowed.
double size_ratio(const std::vector<Sample>& samples, double allowed) {
  std::vector<double> values;
  for (const Sample& sample : samples) {
    if (sample.kind != Kind::conflict || sample.member) continue;
    const PickMeasure& m = sample.measure;
    const bool small = static_cast<double>(m.changed_lines) <= allowed || m.conflict_lines == 0;
    values.push_back(small ? 0 : static_cast<double>(m.changed_lines) / static_cast<double>(m.conflict_lines));
  }
  return percentile(std::move(values), 0.95);
}

double rounded(double value, double step) { return std::round(value / step) * step; }

}  // namespace

std::string_view to_string(RuleMode mode) { return mode == RuleMode::enforce ? "enforce" : mode == RuleMode::observe ? "observe" : "off"; }

std::vector<ProposedNumber> propose_numbers(const std::vector<Sample>& samples, const model::PolicyConfig& policy, const guardrails::RuleFilter& filter,
                                            const Limits& limits) {
  std::vector<ProposedNumber> out;
  const auto modes = guardrails::modes(policy);
  const auto picks = static_cast<std::int64_t>(std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return s.kind == Kind::conflict && !s.member; }));
  const auto add = [&](const std::string& rule, const std::string& key, const std::string& from, double value) {
    if (!selected(filter, rule) || modes.at(rule) == RuleMode::off) return;
    ProposedNumber number{rule, key, from, in_force(policy, rule, key), std::nullopt, picks};
    if (picks >= limits.conflicts) number.proposed = value;
    out.push_back(std::move(number));
  };
  const auto of = [&](double (*number)(const PickMeasure&), double p) { return percentile(numbers_of(samples, number), p); };
  add("G10", "threshold", "p90 of the files changed outside the conflicted ones", of([](const PickMeasure& m) { return static_cast<double>(m.files_outside); }, 0.9));
  const double distance = picks >= limits.conflicts ? static_cast<double>(flat_from(samples)) : in_force(policy, "G11", "threshold");
  add("G11", "threshold", "the distance beyond which the curve is flat", distance);
  // A limit of nothing would ask a person about a single line.
  add("G11", "max_lines", fmt::format("p95 of the lines further off than {:g}", distance), std::max(10.0, lines_beyond(samples, distance, 0.95)));
  add("G14", "threshold", "p95 of changed lines to lines of conflict, above min_lines", std::max(1.0, std::ceil(2 * size_ratio(samples, in_force(policy, "G14", "min_lines"))) / 2));
  add("G14", "max_files", "p95 of the files changed beside the answers", std::max(1.0, of([](const PickMeasure& m) { return static_cast<double>(m.changed_files); }, 0.95)));
  add("G21", "threshold", "between p90 and p95 of the share of upstream's lines that are missing",
      std::max(0.01, rounded((of(missing_share, 0.9) + of(missing_share, 0.95)) / 2, 0.01)));
  return out;
}

std::vector<ProposedMode> propose_modes(const std::map<std::string, RuleFigures>& rules, const model::PolicyConfig& policy,
                                        const guardrails::RuleFilter& filter, const Limits& limits) {
  std::vector<ProposedMode> out;
  const auto now = guardrails::modes(policy);
  for (const guardrails::RuleInfo& info : guardrails::catalogue()) {
    if (!selected(filter, info.id)) continue;
    ProposedMode mode{info.id, info.title, info.version, info.calibrated, now.at(info.id), std::nullopt, ""};
    if (const auto set = policy.rules.find(info.id); set != policy.rules.end()) mode.calibrated = std::max(mode.calibrated, set->second.calibrated);
    const auto measured = rules.find(info.id);
    if (measured == rules.end()) {
      mode.why = "not measured: a landed pick alone does not show it";
    } else if (info.id == "G29" && policy.invariants.empty()) {
      mode.why = "not measured: there is no [[invariant]]";
    } else if (mode.now == RuleMode::off) {
      mode.why = "off by the policy";
    } else if (const Share& share = measured->second.as_merged; share.n < limits.picks) {
      mode.why = fmt::format("too few picks: {} landed as merged, {} are needed", share.n, limits.picks);
    } else if (share.rate() > limits.false_alarms) {
      mode.proposed = RuleMode::observe;
      mode.why = fmt::format("false alarms on {} of {}, {:.2f} %", share.hits, share.n, 100 * share.rate());
    } else {
      mode.proposed = RuleMode::enforce;
      mode.why = fmt::format("false alarms on {} of {}", share.hits, share.n);
    }
    out.push_back(std::move(mode));
  }
  return out;
}

model::PolicyConfig changed_policy(const std::vector<ProposedNumber>& numbers, const std::vector<ProposedMode>& modes, model::PolicyConfig policy) {
  for (const ProposedMode& mode : modes) {
    if (!mode.proposed || *mode.proposed == mode.now) continue;
    model::RuleConfig& rule = policy.rules[mode.rule];
    if (*mode.proposed == RuleMode::observe || rule.mode) rule.mode = mode.proposed;
    if (*mode.proposed == RuleMode::enforce && mode.calibrated < mode.version) rule.calibrated = mode.version;
  }
  for (const ProposedNumber& number : numbers) {
    if (number.proposed && *number.proposed != number.now) policy.rules[number.rule].thresholds[number.key] = *number.proposed;
  }
  return policy;
}

std::vector<config::SectionEdit> edits_of(const std::vector<ProposedNumber>& numbers, const std::vector<ProposedMode>& modes, const model::PolicyConfig& policy) {
  const model::PolicyConfig after = changed_policy(numbers, modes, policy);
  std::vector<config::SectionEdit> out;
  for (const auto& [id, rule] : after.rules) {
    const auto found = policy.rules.find(id);
    const model::RuleConfig before = found == policy.rules.end() ? model::RuleConfig{} : found->second;
    config::SectionEdit edit{"rules." + id, {}};
    if (rule.mode != before.mode) edit.values.emplace_back("mode", fmt::format("\"{}\"", to_string(*rule.mode)));
    if (rule.calibrated != before.calibrated) edit.values.emplace_back("calibrated", fmt::format("{}", rule.calibrated));
    for (const auto& [key, value] : rule.thresholds) {
      const auto set = before.thresholds.find(key);
      if (set == before.thresholds.end() || set->second != value) edit.values.emplace_back(key, config::toml_number(value));
    }
    if (!edit.values.empty()) out.push_back(std::move(edit));
  }
  return out;
}

}  // namespace sluice::service::calibrate
