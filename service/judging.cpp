// SPDX-License-Identifier: Apache-2.0
#include "service/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/config.h"
#include "core/text.h"
#include "service/folding.h"
#include "service/held_secrets.h"
#include "service/policy_ref.h"
#include "service/revert_unit.h"

namespace sluice::service {

Result<model::JudgeContext> judge_context(App& app, const Validator& validator, const model::Unit& unit,
                                          const Oid& upstream_tip, const std::vector<model::Evidence>& base_evidence) {
  if (config::policy_missing(app.config.policy)) {
    return make_error(ErrorKind::transient, fmt::format("the policy {} was not read; nothing is judged without it", policy_source(app.config)));
  }
  model::JudgeContext context;
  context.upstream_tip = upstream_tip;
  context.trunk_ref = "refs/heads/" + app.config.fork.branch;
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  for (const model::LedgerRow& row : rows) {
    if (row.disposition == model::Disposition::picked || row.disposition == model::Disposition::adapted) {
      context.landed.insert(row.upstream);
    }
    if (row.disposition == model::Disposition::deferred) context.open_deferrals.insert(row.upstream);
  }
  if (unit.kind == model::UnitKind::revert) {
    TRY_ASSIGN(const RevertRecord record, revert_record(app, unit.id));
    context.revert_reason = record.reason;
    for (const model::LedgerRow& row : rows) {
      const bool wanted = std::find(unit.commits.begin(), unit.commits.end(), row.upstream) != unit.commits.end();
      if (wanted && is_in_fork(row)) context.landed_as.emplace(row.upstream, row.downstream);
    }
  }
  for (const model::Evidence& evidence : base_evidence) context.base_evidence.emplace(evidence.suite, evidence);
  for (const model::SuiteConfig& suite : app.config.policy.suites) {
    if (!suite.allowed_skips.empty()) context.allowed_skips[suite.id] = suite.allowed_skips;
  }
  for (const std::string& suite : validator.required(unit.kind)) context.required_suites.push_back(suite);
  for (const auto& [name, digest] : validator.environments()) context.accepted_environments.insert(digest);
  context.policy = app.config.policy;
  context.tools = git::tool_versions();
  context.upstream_repo = app.config.upstream_repo;
  context.subject_prefix = app.config.subject_prefix;
  context.committer = committer_of(app, unit);
  context.held_secrets = held_secrets(app.config);
  context.now = app.clock.now();
  return context;
}

Stopper stopper_of(const model::Verdict& verdict) {
  // Suites first when one is red: "lit: 1 of 12 failed" says more than the rule that reports it.
  for (const model::SuiteResult& suite : verdict.suites) {
    if (suite.outcome == model::Outcome::pass) continue;
    return {suite.id, fmt::format("suite {}: {}", suite.id, suite.reason)};
  }
  const model::RuleResult* worst = nullptr;
  for (const model::RuleResult& rule : verdict.rules) {
    if (rule.applicable && !rule.observed && rule.judgement != model::Judgement::pass &&
        (worst == nullptr || worst->judgement < rule.judgement)) {
      worst = &rule;
    }
  }
  if (worst == nullptr) return {};
  std::string reason = fmt::format("{} {}", worst->id, worst->title);
  for (const model::VerdictItem& item : worst->items) {
    if (item.judgement != worst->judgement) continue;
    reason += fmt::format(": {}{}{}", core::printable(item.path), item.line > 0 ? fmt::format(":{}", item.line) : "",
                          item.detail.empty() ? "" : " " + core::printable(item.detail));
    break;
  }
  return {worst->id, reason};
}

std::vector<Oid> blamed_members(const model::Verdict& verdict) {
  std::vector<Oid> out;
  for (const model::RuleResult& rule : verdict.rules) {
    if (!rule.applicable || rule.observed) continue;
    for (const model::VerdictItem& item : rule.items) {
      if (item.judgement != model::Judgement::pass && !item.member.empty() &&
          std::find(out.begin(), out.end(), item.member) == out.end()) {
        out.push_back(item.member);
      }
    }
  }
  return out;
}

std::vector<std::string> red_suites(const model::Verdict& verdict) {
  std::vector<std::string> out;
  for (const model::SuiteResult& suite : verdict.suites) {
    if (suite.outcome != model::Outcome::pass) out.push_back(suite.id);
  }
  return out;
}

model::Verdict only_member(model::Verdict verdict, const Oid& member) {
  verdict.suites.clear();
  for (model::RuleResult& rule : verdict.rules) {
    rule.judgement = model::Judgement::pass;
    std::erase_if(rule.items, [&](const model::VerdictItem& item) { return item.member != member; });
    for (const model::VerdictItem& item : rule.items) rule.judgement = model::worse(rule.judgement, item.judgement);
  }
  return verdict;
}

bool cannot_be_judged(const model::Verdict& verdict) {
  model::Judgement worst = model::Judgement::pass;
  for (const model::RuleResult& rule : verdict.rules) {
    if (rule.applicable && !rule.observed) worst = model::worse(worst, rule.judgement);
  }
  return worst == model::Judgement::unresolved;
}

std::string first_complaint(const std::vector<model::Evidence>& evidence, const std::string& suite) {
  for (const model::Evidence& e : evidence) {
    if (e.suite != suite) continue;
    for (const model::TestRecord& test : e.tests) {
      const model::Outcome outcome = model::outcome_of(test.state);
      if (outcome == model::Outcome::pass || outcome == model::Outcome::unsupported) continue;
      return fmt::format("; first: {} ({})", core::printable(test.id, 120), model::to_string(test.state));
    }
    for (const std::string_view line : core::split_lines(e.log)) {
      if (line.find("error:") == std::string_view::npos && line.find("Error ") == std::string_view::npos) continue;
      return fmt::format("; first: {}", core::printable(core::trim(line), 200));
    }
  }
  return {};
}

std::vector<std::string> failing_suites(const model::Verdict& verdict, const std::vector<model::Evidence>& evidence) {
  std::vector<std::string> out;
  for (const std::string& id : red_suites(verdict)) {
    const bool ran = std::any_of(evidence.begin(), evidence.end(), [&](const auto& e) { return e.suite == id; });
    if (ran) out.push_back(id);
  }
  return out;
}

}  // namespace sluice::service
