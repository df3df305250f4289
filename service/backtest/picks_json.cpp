// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "service/backtest/picks.h"

namespace sluice::service::backtest {

namespace {

constexpr std::array<std::string_view, 5> states = {"not_answered", "same", "format", "differs", "unresolved"};

std::vector<std::string> parse_words(const core::Json& json) {
  std::vector<std::string> out;
  for (const core::Json& word : json.items()) out.push_back(word.as_string());
  return out;
}

}  // namespace

std::string_view to_string(PickResult::State state) { return states[static_cast<std::size_t>(state)]; }

core::Json to_json(const PickResult& result) {
  return core::Json::object({{"commit", result.commit},
                             {"upstream", result.upstream},
                             {"date", result.date},
                             {"regions", result.regions},
                             {"answered", result.answered},
                             {"state", to_string(result.state)},
                             {"why", result.why},
                             {"rungs", core::Json::array_of(result.rungs)},
                             {"verdict", result.verdict},
                             {"alarms", core::Json::array_of(result.alarms)}});
}

Result<PickResult> parse_pick_result(const core::Json& json) {
  PickResult out;
  const auto state = std::find(states.begin(), states.end(), json["state"].as_string());
  out.commit = json["commit"].as_string();
  if (state == states.end() || !model::is_oid(out.commit)) return make_error(ErrorKind::invalid, "no result of a pick");
  out.state = static_cast<PickResult::State>(state - states.begin());
  out.upstream = json["upstream"].as_string();
  out.date = json["date"].as_int();
  out.regions = json["regions"].as_int();
  out.answered = json["answered"].as_int();
  out.why = json["why"].as_string();
  out.rungs = parse_words(json["rungs"]);
  out.verdict = json["verdict"].as_string();
  out.alarms = parse_words(json["alarms"]);
  return out;
}

core::Json to_json(const PickOutcome& outcome) {
  core::Json cases = core::Json::array();
  for (const CaseResult& result : outcome.cases) cases.push(to_json(result));
  return core::Json::object({{"cases", std::move(cases)}, {"pick", to_json(outcome.pick)}});
}

Result<PickOutcome> parse_outcome(const core::Json& json) {
  PickOutcome out;
  for (const core::Json& value : json["cases"].items()) {
    TRY_ASSIGN(CaseResult result, parse_case_result(value));
    out.cases.push_back(std::move(result));
  }
  TRY_ASSIGN(out.pick, parse_pick_result(json["pick"]));
  return out;
}

}  // namespace sluice::service::backtest
