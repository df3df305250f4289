// SPDX-License-Identifier: Apache-2.0
// The results that a unit is judged by: its suites, what of them must run again, and trunk's own.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/unit_run.h"

namespace sluice::service {

namespace {

// The first failures of a result, with what a person copies into the register of known failures.
std::string failures_of(const model::Evidence& evidence) {
  constexpr std::size_t most = 3;
  std::string out;
  std::size_t n = 0;
  for (const model::TestRecord& test : evidence.tests) {
    const model::Outcome outcome = model::outcome_of(test.state);
    if (outcome == model::Outcome::pass || outcome == model::Outcome::unsupported) continue;
    if (++n > most) continue;
    const std::string print = guardrails::failure_fingerprint(test);
    out += fmt::format("; {}{}{}", core::printable(test.id, 120), print.empty() ? "" : " ", print);
  }
  if (n > most) out += fmt::format("; and {} more", n - most);
  return out;
}

}  // namespace

Result<std::vector<model::Evidence>> UnitRun::results_of(const model::Unit& unit, const model::Proposal& proposal, const std::set<std::string>& suites,
                                                         const std::string& label, model::JudgeContext& context) {
  TRY_ASSIGN(std::vector<model::Evidence> evidence, validator_.run(proposal.tree, suites, label));
  context.now = app_.clock.now();
  TRY_ASSIGN(const auto wanted, guardrails::repetitions_wanted(app_.repo.reader(), proposal, unit.kind, evidence, context));
  for (const guardrails::Repetition& each : wanted) {
    std::vector<std::vector<std::string>> groups;
    if (each.one_by_one) {
      for (const std::string& test : each.tests) groups.push_back({test});
    } else {
      groups.push_back(each.tests);
    }
    TRY_ASSIGN(auto again, validator_.repeat(proposal.tree, each.suite, groups, label + ", again"));
    std::move(again.begin(), again.end(), std::back_inserter(evidence));
    if (!each.on_base) continue;
    TRY_ASSIGN(auto on_base, validator_.repeat(proposal.base_tree, each.suite, groups, fmt::format("trunk {}, again", model::short_oid(trunk_))));
    std::move(on_base.begin(), on_base.end(), std::back_inserter(context.base_repetitions));
  }
  context.now = app_.clock.now();
  return evidence;
}

Result<void> UnitRun::try_new_tests(const model::Unit& unit, const model::Proposal& proposal, const std::vector<model::Evidence>& evidence,
                                    model::JudgeContext& context) {
  const bool red = std::any_of(evidence.begin(), evidence.end(), [](const auto& e) { return !what_is_red(e).empty(); });
  if (red) return {};
  TRY_ASSIGN(const auto files, guardrails::new_test_files(app_.repo.reader(), proposal, app_.config.policy));
  if (files.empty()) return {};
  std::vector<git::TreeUpdate> laid_over;
  for (const auto& [path, entry] : files) laid_over.push_back({path, entry});
  TRY_ASSIGN(const Oid tree, app_.repo.write_tree(proposal.base_tree, laid_over));
  TRY_ASSIGN(const auto first, validator_.run(tree, validator_.required(unit.kind), fmt::format("new tests of {} on trunk", unit.id)));
  for (const model::Evidence& e : first) context.failing_first.insert_or_assign(e.suite, e);
  context.now = app_.clock.now();
  return {};
}

Result<bool> UnitRun::is_noise(const model::Proposal& proposal, const std::vector<std::string>& red, const std::vector<model::Evidence>& evidence,
                               const model::JudgeContext& context, const std::string& rule) {
  if (red.empty()) return rule == "G47";
  for (const std::string& suite : red) {
    TRY_ASSIGN(const bool flakes, guardrails::red_by_flakes_alone(app_.repo.reader(), proposal, suite, evidence, context));
    if (!flakes) return false;
  }
  return true;
}

Result<bool> UnitRun::trunk_is_red(const model::Unit& unit, const std::vector<model::Evidence>& base) {
  std::string red;
  std::set<std::string> seen;
  for (const model::Evidence& evidence : base) {
    seen.insert(evidence.suite);
    const std::string why = what_is_red(evidence);
    if (!why.empty() && guardrails::answered_by_registers(app_.config.policy, evidence, app_.clock.now())) continue;
    if (!why.empty()) red += fmt::format("{}{} ({})", red.empty() ? "" : ", ", evidence.suite, why + failures_of(evidence));
  }
  for (const std::string& suite : validator_.required(unit.kind)) {
    if (!seen.contains(suite)) red += fmt::format("{}{} (not run: its build is red)", red.empty() ? "" : ", ", suite);
  }
  if (red.empty()) return false;
  // A red base says nothing about the candidate: nobody is blamed, nothing is ejected.
  trunk_red_ = fmt::format("trunk {} is red itself: {}; nothing was judged against it, repair trunk or the suite first",
                           model::short_oid(trunk_), red);
  TRY(notice(trunk_red_));
  return true;
}

}  // namespace sluice::service
