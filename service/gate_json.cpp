// SPDX-License-Identifier: Apache-2.0
// sluice.gate/1, the entries that are missing, and the list of rules.
#include <fmt/format.h>

#include "guardrails/guardrails.h"
#include "service/gate.h"
#include "service/gate_policy.h"
#include "service/submission_account.h"

namespace sluice::service {

using core::Json;

namespace {

std::string_view word(model::RuleMode mode) {
  return mode == model::RuleMode::off ? "off" : mode == model::RuleMode::observe ? "observe" : "enforce";
}

Json policy_json(const GateReport& report) {
  return Json::object({{"source", report.policy_source}, {"blob", report.policy.blob}, {"sha256", report.policy.sha256}});
}

}  // namespace

Json gate_json(const GateReport& report) {
  if (report.form == "pick") {
    return model::to_json(report.commits.front().verdict).set("policy", policy_json(report)).set("notes", Json::array_of(report.notes));
  }
  Json picks = Json::array();
  for (const JudgedCommit& commit : report.commits) {
    Json pick = Json::object({{"kind", to_string(commit.kind)}, {"commit", commit.commit.empty() ? Json() : Json(commit.commit)}, {"subject", commit.subject}});
    // One id as text, as in every verdict; a bundle has a list.
    if (commit.upstream.size() == 1) pick.set("upstream", commit.upstream.front());
    else pick.set("upstream", commit.upstream.empty() ? Json() : Json::array_of(commit.upstream));
    if (!commit.note.empty()) pick.set("note", commit.note);
    picks.push(std::move(pick.set("verdict", model::to_json(commit.verdict))));
  }
  return Json::object({{"schema", "sluice.gate/1"},
                       {"form", report.form},
                       {"base", report.base},
                       {"result", report.result},
                       {"verdict", model::to_string(report.judgement())},
                       {"picks", std::move(picks)},
                       {"policy", policy_json(report)},
                       {"notes", Json::array_of(report.notes)}});
}

Json gate_template(const GateReport& report) {
  Json out = Json::array();
  for (const JudgedCommit& commit : report.commits) {
    const std::vector<OpenItem> open = open_items(commit.verdict);
    const Json entries = account_template(open);
    for (std::size_t i = 0; i < open.size(); ++i) {
      Json entry = entries.items()[i];
      // Of a single pick there is nobody else that it could be for.
      if (report.form != "pick" && !open[i].item.member.empty()) entry.set("upstream", open[i].item.member);
      out.push(std::move(entry));
    }
  }
  return out;
}

Result<Json> gate_rules_json(const GateOptions& options) {
  TRY_ASSIGN(const GatePolicy policy, gate_policy(options, nullptr));
  const auto modes = guardrails::modes(policy.config.policy);
  Json rules = Json::array();
  for (const guardrails::RuleInfo& rule : guardrails::catalogue()) {
    Json numbers = Json::object();
    const auto config = policy.config.policy.rules.find(rule.id);
    for (const auto& number : rule.thresholds) {
      double value = number.value;
      if (config != policy.config.policy.rules.end() && config->second.thresholds.contains(number.key)) value = config->second.thresholds.at(number.key);
      numbers.set(number.key, value);
    }
    rules.push(Json::object({{"id", rule.id}, {"title", rule.title}, {"version", rule.version}, {"mode", word(modes.at(rule.id))},
                             {"fail", rule.fail}, {"single_pick", rule.single_pick}, {"thresholds", std::move(numbers)}}));
  }
  return Json::object({{"schema", "sluice.rules/1"}, {"policy", policy.source}, {"rules", std::move(rules)}});
}

Result<std::string> gate_rules_text(const GateOptions& options) {
  TRY_ASSIGN(const Json document, gate_rules_json(options));
  std::string out = fmt::format("policy: {}\n", document["policy"].as_string());
  for (const Json& rule : document["rules"].items()) {
    out += fmt::format("{}  {:<8} {:<7} {} ({})\n", rule["id"].as_string(), rule["mode"].as_string(), rule["single_pick"].as_bool() ? "gate" : "unit",
                       rule["title"].as_string(), rule["fail"].as_string());
    std::string numbers;
    for (const auto& [key, value] : rule["thresholds"].members()) numbers += fmt::format(" {} = {:.15g}", key, value.as_double());
    if (!numbers.empty()) out += fmt::format("    {}\n", numbers);
  }
  return out;
}

}  // namespace sluice::service
