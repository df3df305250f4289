// SPDX-License-Identifier: Apache-2.0
#include "service/canary/canary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/canary/faults.h"

namespace sluice::service {
namespace {

using canary::Case;
using canary::Fault;
using canary::World;

model::Verdict judged(const World& world, const Case& c, const UnitJudgement& judge) {
  return judge(world.reader(), c.proposal, model::UnitKind::chain, c.evidence, c.context);
}

const model::RuleResult* rule_of(const model::Verdict& verdict, std::string_view id) {
  const auto found = std::find_if(verdict.rules.begin(), verdict.rules.end(), [&](const auto& rule) { return rule.id == id; });
  return found == verdict.rules.end() ? nullptr : &*found;
}

std::string first_finding(const model::RuleResult& rule) {
  for (const model::VerdictItem& item : rule.items) {
    if (item.judgement != rule.judgement) continue;
    return fmt::format("{}{}{}", item.path, item.path.empty() ? "" : ": ", item.detail);
  }
  return {};
}

CanaryResult ask(World& world, const Fault& fault, const model::Verdict& good, const UnitJudgement& judge) {
  CanaryResult result{std::string(fault.gate), std::string(fault.what), Caught::error, {}, {}};
  const model::RuleResult* sound = rule_of(good, fault.gate);
  if (sound == nullptr) {
    result.finding = "there is no such rule";
    return result;
  }
  if (!sound->applicable) {
    result.caught = Caught::off;
    return result;
  }
  Case spoiled = world.good();
  if (const Result<void> made = fault.spoil(world, spoiled); !made.ok()) {
    result.finding = made.error().message;
    return result;
  }
  const model::Verdict verdict = judged(world, spoiled, judge);
  for (const model::RuleResult& rule : verdict.rules) {
    const model::RuleResult* before = rule_of(good, rule.id);
    if (rule.id == fault.gate || rule.id == fault.along || (before != nullptr && before->judgement == rule.judgement)) continue;
    result.also.push_back(rule.id);
  }
  const model::RuleResult* asked = rule_of(verdict, fault.gate);
  result.finding = first_finding(*asked);
  if (asked->judgement == model::Judgement::unresolved) return result;  // it could not judge: that is no objection
  const bool objects = asked->judgement != model::Judgement::pass;
  result.caught = !objects ? Caught::green : result.also.empty() ? Caught::red : Caught::noisy;
  return result;
}

}  // namespace

std::string_view to_string(Caught caught) {
  switch (caught) {
    case Caught::red:
      return "red";
    case Caught::noisy:
      return "noisy";
    case Caught::green:
      return "green";
    case Caught::off:
      return "off";
    case Caught::error:
      break;
  }
  return "error";
}

std::vector<std::string> CanaryRun::quarantined() const {
  std::vector<std::string> out;
  for (const CanaryResult& result : results) {
    if (result.caught != Caught::green && result.caught != Caught::error) continue;
    if (std::find(out.begin(), out.end(), result.gate) == out.end()) out.push_back(result.gate);
  }
  return out;
}

Result<CanaryRun> run_canaries(const model::PolicyConfig& policy) { return run_canaries(policy, guardrails::judge_unit); }

Result<CanaryRun> run_canaries(const model::PolicyConfig& policy, const UnitJudgement& judge) {
  const auto started = std::chrono::steady_clock::now();
  TRY_ASSIGN(World world, World::make(policy.rules));
  const model::Verdict good = judged(world, world.good(), judge);
  for (const model::RuleResult& rule : good.rules) {
    if (!rule.applicable || rule.judgement == model::Judgement::pass) continue;
    return make_error(ErrorKind::internal, fmt::format("the sound pick of the canaries is objected to by {} ({}): no canary can prove anything",
                                                       rule.id, first_finding(rule)));
  }
  CanaryRun run;
  for (const auto faults : {canary::pick_faults(), canary::unit_faults()}) {
    for (const Fault& fault : faults) run.results.push_back(ask(world, fault, good, judge));
  }
  std::stable_sort(run.results.begin(), run.results.end(), [](const auto& a, const auto& b) { return a.gate < b.gate; });
  for (const guardrails::RuleInfo& rule : guardrails::catalogue()) {
    if (std::any_of(run.results.begin(), run.results.end(), [&](const auto& result) { return result.gate == rule.id; })) continue;
    const auto known = std::find_if(canary::unproven().begin(), canary::unproven().end(), [&](const auto& u) { return u.gate == rule.id; });
    run.unproven.push_back(fmt::format("{}: {}", rule.id, known == canary::unproven().end() ? "no fault is stored" : known->why));
  }
  run.elapsed_ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started).count();
  return run;
}

std::vector<std::pair<std::string, std::string>> canary_faults() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto faults : {canary::pick_faults(), canary::unit_faults()}) {
    for (const Fault& fault : faults) out.emplace_back(fault.gate, fault.what);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

core::Json canaries_json(const CanaryRun& run) {
  core::Json results = core::Json::array();
  for (const CanaryResult& result : run.results) {
    results.push(core::Json::object({{"gate", result.gate},
                                     {"fault", result.fault},
                                     {"caught", to_string(result.caught)},
                                     {"finding", result.finding},
                                     {"also", core::Json::array_of(result.also)}}));
  }
  return core::Json::object({{"schema", "sluice.canaries/1"},
                             {"results", std::move(results)},
                             {"unproven", core::Json::array_of(run.unproven)},
                             {"quarantined", core::Json::array_of(run.quarantined())},
                             {"elapsed_ms", run.elapsed_ms}});
}

std::string canaries_text(const CanaryRun& run) {
  std::string out;
  std::size_t red = 0;
  for (const CanaryResult& result : run.results) {
    out += fmt::format("{}  {:<5}  {}\n", result.gate, to_string(result.caught), result.fault);
    if (!result.finding.empty()) out += fmt::format("            {}\n", core::printable(result.finding, 160));
    if (!result.also.empty()) out += fmt::format("            also: {}\n", fmt::join(result.also, " "));
    red += result.caught == Caught::red ? 1 : 0;
  }
  for (const std::string& rule : run.unproven) out += fmt::format("unproven  {}\n", rule);
  const std::vector<std::string> bad = run.quarantined();
  out += fmt::format("{} canaries, {} red as they must be, {} ms\n", run.results.size(), red, run.elapsed_ms);
  if (!bad.empty()) out += fmt::format("gate cannot fail: {}; nothing lands until the canary is red again\n", fmt::join(bad, ", "));
  return out;
}

}  // namespace sluice::service
