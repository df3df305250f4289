// SPDX-License-Identifier: Apache-2.0
// sluice.backtest/1.
#include "service/backtest.h"

namespace sluice::service {

namespace {

using namespace backtest;

core::Json ci_json(const Tally& tally) {
  const calibrate::Interval ci = tally.ci95();
  return core::Json(core::Json::Array{core::Json(ci.low), core::Json(ci.high)});
}

double share(std::int64_t part, std::int64_t of) { return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of); }

core::Json gate_json(const GateTally& gate) {
  return core::Json::object(
      {{"right_passed", gate.right_passed}, {"right_stopped", gate.right_stopped}, {"wrong_passed", gate.wrong_passed}, {"wrong_stopped", gate.wrong_stopped}});
}

// Without an answer there is no precision, which null says and 0 would not.
void add_tally(core::Json& json, const Tally& tally, std::int64_t cases) {
  json.set("n", tally.n()).set("answered", tally.answered()).set("exact", tally.exact).set("format", tally.format).set("different", tally.different);
  json.set("refused", tally.refused).set("coverage", share(tally.answered(), cases));
  json.set("precision", tally.answered() == 0 ? core::Json() : core::Json(tally.precision()));
  json.set("ci95", tally.answered() == 0 ? core::Json() : ci_json(tally));
}

core::Json group_json(const Group& group, std::int64_t cases) {
  core::Json json = core::Json::object();
  add_tally(json, group.tally, cases);
  json.set("gate", gate_json(group.gate));
  return json;
}

core::Json groups_json(const std::map<std::string, Group>& groups, std::int64_t cases) {
  core::Json out = core::Json::object();
  for (const auto& [name, group] : groups) out.set(name, group_json(group, cases));
  return out;
}

// `n` and the outcomes are those of its answers; `refused` counts what it was asked and declined. What nobody answered
// is the person's.
core::Json rungs_json(const Figures& figures) {
  core::Json out = core::Json::object();
  const std::int64_t cases = figures.all.tally.n();
  for (const auto rung : {model::Rung::remembered, model::Rung::proven, model::Rung::candidate, model::Rung::external, model::Rung::model, model::Rung::person}) {
    const auto found = figures.by_rung.find(std::string(model::to_string(rung)));
    const Group group = found == figures.by_rung.end() ? Group{} : found->second;
    core::Json json = group_json(group, cases);
    if (rung != model::Rung::person) json.set("refused", group.declined);
    out.set(model::to_string(rung), std::move(json));
  }
  return out;
}

// Whether it pays is asked without rows whose landed text is known to be wrong.
core::Json cost_json(const Figures& figures, const Figures& sound, std::int64_t k) {
  const Cost& cost = figures.cost;
  const std::int64_t answered = figures.all.tally.answered(), right = figures.all.tally.right();
  core::Json json = core::Json::object({{"calls", cost.calls}, {"tokens_in", cost.tokens_in}, {"tokens_out", cost.tokens_out}, {"money_millionths", cost.money}, {"ms", cost.ms}});
  json.set("ms_per_answered", share(cost.ms, answered)).set("ms_per_right", share(cost.ms, right));
  json.set("money_millionths_per_right", share(cost.money, right));
  json.set("factor", k).set("saving", sound.all.gate.saving(k));
  json.set("factor_limit", sound.all.gate.wrong_passed == 0 ? core::Json() : core::Json(share(sound.all.gate.right_passed, sound.all.gate.wrong_passed)));
  core::Json enable = core::Json::object();
  for (const auto& [rule, group] : sound.by_rule) enable.set(rule, worth_enabling(group.gate, k));
  return json.set("enable", std::move(enable));
}

core::Json commits_json(const CommitTally& commits) {
  return core::Json::object({{"commits", commits.commits}, {"all_right", commits.all_right}, {"all_answered", commits.all_answered}, {"some", commits.some}, {"none", commits.none}});
}

core::Json without_json(const BacktestReport& report) {
  const Figures& figures = report.without_defects;
  core::Json json = core::Json::object();
  add_tally(json, figures.all.tally, figures.all.tally.n());
  return json.set("by_rule", groups_json(figures.by_rule, figures.all.tally.n())).set("by_rung", rungs_json(figures));
}

core::Json detail_json(const CaseResult& result) {
  core::Json json = core::Json::object({{"id", result.id},
                                        {"rung", model::to_string(result.rung)},
                                        {"rule", result.rule},
                                        {"outcome", to_string(result.outcome)},
                                        {"class", result.klass},
                                        {"lang", result.lang},
                                        {"gate", to_string(result.gate)},
                                        {"cause", result.invalid ? "invalid" : result.cause}});
  if (!result.alarms.empty()) json.set("alarms", core::Json::array_of(result.alarms));
  if (result.invalid) json.set("detail", result.cause);
  if (result.defect) json.set("truth_defect", true);
  return json;
}

core::Json history_json(const BacktestReport& report) {
  const History& mined = report.mined;
  core::Json picks = core::Json::array();
  for (const PickResult& pick : report.picks) picks.push(to_json(pick));
  return core::Json::object({{"scanned", mined.scanned},
                             {"singles", mined.singles},
                             {"bundles", mined.bundles},
                             {"replayed", mined.replayed},
                             {"clean", mined.clean},
                             {"conflicted", mined.conflicted},
                             {"regions", mined.regions},
                             {"repeats", mined.repeats},
                             {"picks", std::move(picks)}});
}

}  // namespace

core::Json backtest_json(const BacktestReport& report) {
  const Figures& figures = report.figures;
  const std::int64_t cases = figures.all.tally.n();
  core::Json json = core::Json::object({{"schema", "sluice.backtest/1"}, {"dataset", report.source}, {"dataset_sha256", report.dataset_sha256}, {"ladder", report.ladder}, {"cases", cases}});
  add_tally(json, figures.all.tally, cases);
  json.set("precision_ci95", json["ci95"]).set("invalid", figures.invalid).set("kept", report.kept);
  json.set("by_rung", rungs_json(figures)).set("by_rule", groups_json(figures.by_rule, cases)).set("by_class", groups_json(figures.by_class, cases));
  json.set("by_lang", groups_json(figures.by_lang, cases)).set("by_repo", groups_json(figures.by_repo, cases)).set("by_size", groups_json(figures.by_size, cases));
  json.set("by_kind", groups_json(figures.by_kind, cases)).set("commits", commits_json(figures.commits)).set("gate", gate_json(figures.all.gate));
  core::Json checks = core::Json::object(), baselines = core::Json::object(), left_out = core::Json::object(), details = core::Json::array();
  for (const HunkCheck& check : hunk_checks()) {
    const auto found = figures.by_check.find(std::string(check.id));
    const CheckTally tally = found == figures.by_check.end() ? CheckTally{} : found->second;
    checks.set(check.id, core::Json::object({{"rule", check.rule}, {"gate", to_string(check.gate)}, {"right", tally.right}, {"wrong", tally.wrong}}));
  }
  for (const auto& [name, tally] : figures.baselines) {
    core::Json baseline = core::Json::object({{"program", report.programs.contains(name) ? report.programs.at(name) : ""}});
    add_tally(baseline, tally, tally.n());
    baselines.set(name, std::move(baseline));
  }
  for (const auto& [why, n] : report.left_out) left_out.set(why, n);
  for (const CaseResult& result : report.cases) details.push(detail_json(result));
  json.set("gate_checks", std::move(checks)).set("cost", cost_json(figures, report.without_defects, report.cost_factor)).set("baselines", std::move(baselines));
  json.set("truth_defects", core::Json::object({{"rows", report.defect_rows}, {"excluded", without_json(report)}}));
  json.set("left_out", std::move(left_out)).set("cases_detail", std::move(details));
  if (report.history) json.set("history", history_json(report));
  return json;
}

}  // namespace sluice::service
