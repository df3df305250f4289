// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/result.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace sluice::service::backtest {

namespace {

using model::Rung;

std::optional<Rung> parse_rung(std::string_view word) {
  constexpr std::array<Rung, 7> all = {Rung::machine, Rung::remembered, Rung::proven, Rung::candidate, Rung::external, Rung::model, Rung::person};
  for (const Rung rung : all)
    if (model::to_string(rung) == word) return rung;
  return std::nullopt;
}

core::Json cost_json(const Cost& cost) {
  return core::Json::object({{"calls", cost.calls}, {"tokens_in", cost.tokens_in}, {"tokens_out", cost.tokens_out}, {"money", cost.money}, {"ms", cost.ms}});
}

Cost parse_cost(const core::Json& json) {
  return {json["calls"].as_int(), json["tokens_in"].as_int(), json["tokens_out"].as_int(), json["money"].as_int(), json["ms"].as_int()};
}

}  // namespace

CaseResult result_of(const Case& one, const Climbed& climbed) {
  CaseResult out;
  out.id = one.id;
  out.repo = one.repo;
  out.commit = one.commit();
  out.klass = one.klass;
  out.lang = one.lang;
  out.size = size_of(one);
  out.pick = one.pick();
  out.declined = climbed.declined;
  out.cost = climbed.cost;
  if (!climbed.answered) {
    out.cause = climbed.cause;
    out.invalid = climbed.invalid;
    return out;
  }
  out.rung = climbed.rung;
  out.rule = climbed.rule;
  out.outcome = compare(climbed.text, one.resolved);
  const std::vector<Alarm> alarms = check_hunk(one, climbed.text);
  out.gate = worst(alarms);
  for (const Alarm& alarm : alarms) out.alarms.emplace_back(alarm.check);
  return out;
}

core::Json to_json(const CaseResult& result) {
  core::Json json = core::Json::object({{"id", result.id},
                                        {"repo", result.repo},
                                        {"commit", result.commit},
                                        {"class", result.klass},
                                        {"lang", result.lang},
                                        {"size", result.size},
                                        {"pick", result.pick},
                                        {"rung", model::to_string(result.rung)},
                                        {"rule", result.rule},
                                        {"outcome", to_string(result.outcome)},
                                        {"gate", to_string(result.gate)},
                                        {"alarms", core::Json::array_of(result.alarms)}});
  if (!result.cause.empty()) json.set("cause", result.cause);
  if (result.invalid) json.set("invalid", true);
  core::Json declined = core::Json::array();
  for (const Rung rung : result.declined) declined.push(model::to_string(rung));
  json.set("declined", std::move(declined));
  if (result.cost.calls > 0) json.set("cost", cost_json(result.cost));
  core::Json baselines = core::Json::object();
  for (const auto& [name, outcome] : result.baselines) baselines.set(name, to_string(outcome));
  json.set("baselines", std::move(baselines));
  return json;
}

Result<CaseResult> parse_case_result(const core::Json& json) {
  CaseResult out;
  out.id = json["id"].as_string();
  out.repo = json["repo"].as_string();
  out.commit = json["commit"].as_string();
  out.klass = json["class"].as_string();
  out.lang = json["lang"].as_string();
  out.size = json["size"].as_string();
  out.pick = json["pick"].as_bool();
  const auto rung = parse_rung(json["rung"].as_string());
  if (!rung || !parse_outcome(json["outcome"].as_string(), out.outcome) || !parse_gate(json["gate"].as_string(), out.gate))
    return make_error(ErrorKind::invalid, "no result of a case");
  out.rung = *rung;
  out.rule = json["rule"].as_string();
  out.cause = json["cause"].as_string();
  out.invalid = json["invalid"].as_bool();
  for (const core::Json& alarm : json["alarms"].items()) out.alarms.push_back(alarm.as_string());
  for (const core::Json& name : json["declined"].items())
    if (const auto declined = parse_rung(name.as_string())) out.declined.push_back(*declined);
  out.cost = parse_cost(json["cost"]);
  for (const auto& [name, word] : json["baselines"].members()) {
    Outcome outcome = Outcome::refused;
    if (!parse_outcome(word.as_string(), outcome)) return make_error(ErrorKind::invalid, "no result of a case");
    out.baselines[name] = outcome;
  }
  return out;
}

}  // namespace sluice::service::backtest
