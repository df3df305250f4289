// SPDX-License-Identifier: Apache-2.0
#include "guardrails/suites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "guardrails/guardrails.h"

namespace sluice::guardrails {
namespace {

using model::Evidence;
using model::TestState;

bool requires_lane(const model::SuiteConfig& suite, model::UnitKind lane) {
  const std::string_view name = model::suite_lane(lane);
  return std::find(suite.required_for.begin(), suite.required_for.end(), name) != suite.required_for.end();
}

bool is_red_run(const Evidence& evidence) {
  if (!evidence.trouble.empty() && evidence.trouble != "output_cap") return true;
  return evidence.exit_code != 0 ||
         std::any_of(evidence.tests.begin(), evidence.tests.end(),
                     [](const model::TestRecord& test) { return is_red(test.state); });
}

}  // namespace

std::vector<std::string> required_suites(const model::JudgeContext& context, model::UnitKind lane) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& id) {
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  for (const model::SuiteConfig& suite : context.policy.suites) {
    if (requires_lane(suite, lane)) add(suite.id);
  }
  for (const std::string& id : context.required_suites) add(id);
  return out;
}

const model::SuiteConfig* suite_of(const model::PolicyConfig& policy, const std::string& id) {
  const auto found = std::find_if(policy.suites.begin(), policy.suites.end(),
                                  [&](const model::SuiteConfig& s) { return s.id == id; });
  return found == policy.suites.end() ? nullptr : &*found;
}

const Evidence* evidence_for(std::span<const Evidence> evidence, const std::string& suite,
                             const model::Oid& tree) {
  const Evidence* best = nullptr;
  const auto rank = [](const Evidence& e) { return is_infrastructure(e) ? 0 : is_red_run(e) ? 2 : 1; };
  for (const Evidence& e : evidence) {
    if (e.suite != suite || e.tree != tree || !e.selected.empty()) continue;
    if (best == nullptr || rank(e) > rank(*best)) {
      best = &e;
    } else if (rank(e) == rank(*best)) {
      const bool first_red = rank(e) == 2;
      if (first_red ? e.started_at < best->started_at : e.started_at >= best->started_at) best = &e;
    }
  }
  return best;
}

bool is_infrastructure(const Evidence& evidence) {
  static constexpr std::array<std::string_view, 4> outside = {"sandbox_unavailable", "runner_lost",
                                                              "cancelled", "disk_full"};
  return std::find(outside.begin(), outside.end(), evidence.trouble) != outside.end();
}

bool written_by_a_model(const model::Proposal& proposal) {
  const auto by_model = [](const model::Resolution& resolution) {
    return resolution.rung == model::Rung::model || resolution.rung == model::Rung::candidate;
  };
  return std::any_of(proposal.members.begin(), proposal.members.end(), [&](const model::ProposalMember& member) {
    return std::any_of(member.resolutions.begin(), member.resolutions.end(), by_model);
  });
}

bool was_executed(TestState state) {
  return state != TestState::skip && state != TestState::unsupported && state != TestState::notrun &&
         state != TestState::missing;
}

bool is_red(TestState state) {
  const model::Outcome outcome = model::outcome_of(state);
  return outcome != model::Outcome::pass && outcome != model::Outcome::unsupported;
}

SignalTrouble signal_trouble(const Evidence* evidence, const std::string& suite,
                             const model::JudgeContext& context) {
  if (evidence == nullptr) return {"missing: the suite did not report on this tree"};
  if (evidence->trouble == "cancelled") return {"cancelled: the run was ended before its result"};
  if (is_infrastructure(*evidence))
    return {fmt::format("{}: {}", evidence->trouble, evidence->trouble_detail), true};
  const model::SuiteConfig* config = suite_of(context.policy, suite);
  if (config == nullptr) return {"unknown suite: the policy does not declare it"};
  if (evidence->runner != config->runner) {
    return {fmt::format("unknown runner: '{}' reported, '{}' is declared", evidence->runner, config->runner)};
  }
  if (evidence->kind != config->kind)
    return {fmt::format("unknown runner: evidence of kind '{}', the suite is '{}'", evidence->kind,
                        config->kind)};
  if (evidence->trouble == "timeout" || evidence->trouble == "results_stale") {
    return {fmt::format("late: {}",
                        evidence->trouble_detail.empty() ? evidence->trouble : evidence->trouble_detail)};
  }
  if (!evidence->trouble.empty() && evidence->trouble != "output_cap") {
    return {fmt::format("neutral: no result to judge ({}{}{})", evidence->trouble,
                        evidence->trouble_detail.empty() ? "" : ": ", evidence->trouble_detail)};
  }
  if (evidence->exit_code < 0) return {"neutral: the run has no exit status"};
  const bool tests = evidence->kind != "build" && !evidence->tests.empty();
  if (tests && std::none_of(evidence->tests.begin(), evidence->tests.end(),
                            [](const model::TestRecord& test) { return was_executed(test.state); })) {
    return {fmt::format("skipped: none of {} tests was run", evidence->tests.size())};
  }
  return {};
}

model::SuiteResult suite_result(const std::string& id, const Evidence* evidence,
                                const model::JudgeContext& context, const std::map<std::string, std::string>& accepted) {
  model::SuiteResult out;
  out.id = id;
  const model::SuiteConfig* config = suite_of(context.policy, id);
  if (config != nullptr) out.tier = config->tier;
  const SignalTrouble trouble = signal_trouble(evidence, id, context);
  out.reason = trouble.reason;
  if (evidence == nullptr) return out;
  out.tier = evidence->tier.empty() ? out.tier : evidence->tier;
  out.runner = evidence->runner;
  out.grade = evidence->grade;
  out.evidence = evidence->id();
  out.counts = model::count_states(evidence->tests);
  if (!trouble.reason.empty()) {
    out.outcome = evidence->trouble == "timeout" ? model::Outcome::timeout : model::Outcome::unresolved;
    return out;
  }
  std::size_t red = 0, answered = 0;
  for (const model::TestRecord& test : evidence->tests) {
    if (is_red(test.state)) ++(accepted.contains(test.id) ? answered : red);
  }
  if (red == 0 && answered > 0) {
    out.outcome = model::Outcome::pass;
    out.reason = fmt::format("{} of {} tests do not pass and are answered for (G47, G48)", answered, evidence->tests.size());
  } else if (red > 0) {
    out.outcome = model::Outcome::fail;
    out.reason = fmt::format("{} of {} tests do not pass", red, evidence->tests.size());
  } else if (evidence->exit_code != 0) {
    out.outcome = model::Outcome::fail;
    out.reason = fmt::format("exit status {}", evidence->exit_code);
  } else if (evidence->kind != "build" && evidence->tests.empty()) {
    out.reason = "no test was found";
  } else {
    out.outcome = model::Outcome::pass;
  }
  return out;
}

std::vector<std::string> missing_suites(const model::PolicyConfig& policy, model::UnitKind lane,
                                        const Oid& tree, std::span<const Evidence> evidence) {
  std::vector<std::string> out;
  for (const model::SuiteConfig& suite : policy.suites) {
    if (!requires_lane(suite, lane)) continue;
    const Evidence* found = evidence_for(evidence, suite.id, tree);
    if (found == nullptr || is_infrastructure(*found)) out.push_back(suite.id);
  }
  return out;
}

}  // namespace sluice::guardrails
