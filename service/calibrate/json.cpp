// SPDX-License-Identifier: Apache-2.0
// sluice.calibrate/1.
#include "service/calibrate.h"

namespace sluice::service {

namespace {

using calibrate::Interval;
using calibrate::Kind;
using calibrate::Share;
using core::Json;

Json counts_json(const std::map<std::string, std::int64_t>& counts) {
  Json out = Json::object();
  for (const auto& [what, n] : counts) out.set(what, n);
  return out;
}

Json share_json(const Share& share) {
  const Interval interval = calibrate::wilson(share.hits, share.n);
  Json ci = Json::array();
  ci.push(interval.low).push(interval.high);
  return Json::object({{"hits", share.hits}, {"n", share.n}, {"rate", share.rate()}, {"ci95", std::move(ci)}});
}

Json figure_json(const calibrate::Figure& figure) {
  Json out = Json::object({{"key", figure.key}, {"label", figure.label}, {"n", figure.n}});
  Json values = Json::object(), shares = Json::object();
  for (const auto& [name, value] : figure.values) values.set(name, value);
  for (const auto& [name, share] : figure.shares) shares.set(name, share_json(share));
  if (!figure.values.empty()) out.set("values", std::move(values));
  if (!figure.shares.empty()) out.set("shares", std::move(shares));
  return out;
}

Json rule_json(const calibrate::RuleFigures& rule) {
  return Json::object({{"id", rule.id},
                       {"as_merged", share_json(rule.as_merged)},
                       {"otherwise", share_json(rule.otherwise)},
                       {"conflict", share_json(rule.conflict)},
                       {"verdicts", counts_json(rule.verdicts)},
                       {"false_examples", Json::array_of(rule.false_examples)},
                       {"examples", Json::array_of(rule.examples)}});
}

Json number_json(const calibrate::ProposedNumber& number) {
  Json out = Json::object({{"rule", number.rule}, {"key", number.key}, {"from", number.from}, {"now", number.now}, {"proposed", nullptr}, {"n", number.n}});
  if (number.proposed) out.set("proposed", *number.proposed);
  return out;
}

Json mode_json(const calibrate::ProposedMode& mode) {
  Json out = Json::object({{"rule", mode.rule},
                           {"title", mode.title},
                           {"version", mode.version},
                           {"calibrated", mode.calibrated},
                           {"now", calibrate::to_string(mode.now)},
                           {"proposed", nullptr},
                           {"why", mode.why}});
  if (mode.proposed) out.set("proposed", calibrate::to_string(*mode.proposed));
  return out;
}

template <class Values, class Make>
Json list(const Values& values, Make make) {
  Json out = Json::array();
  for (const auto& value : values) out.push(make(value));
  return out;
}

}  // namespace

core::Json calibrate_json(const CalibrateReport& report) {
  Json picks = Json::object();
  for (int k = 0; k < calibrate::kinds; ++k) picks.set(calibrate::to_string(static_cast<Kind>(k)), report.population.picks[k]);
  picks.set("members", report.population.members);
  Json rules = Json::array();
  for (const auto& [id, rule] : report.rules) rules.push(rule_json(rule));
  Json edits = Json::array();
  for (const auto& edit : report.edits) {
    Json values = Json::object();
    for (const auto& [key, value] : edit.values) values.set(key, value);
    edits.push(Json::object({{"section", edit.section}, {"values", std::move(values)}}));
  }
  return Json::object({{"schema", "sluice.calibrate/1"},
                       {"source", report.source},
                       {"scanned", report.scanned},
                       {"singles", report.singles},
                       {"bundles", report.bundles},
                       {"kept", report.kept},
                       {"left_out", counts_json(report.left_out)},
                       {"unresolved", counts_json(report.unresolved)},
                       {"picks", std::move(picks)},
                       {"figures", list(report.figures, figure_json)},
                       {"rules", std::move(rules)},
                       {"numbers", list(report.numbers, number_json)},
                       {"modes", list(report.modes, mode_json)},
                       {"edits", std::move(edits)},
                       {"file", report.file},
                       {"elsewhere", report.elsewhere},
                       {"applied", report.applied}});
}

}  // namespace sluice::service
