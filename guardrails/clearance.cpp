// SPDX-License-Identifier: Apache-2.0
#include "guardrails/clearance.h"

#include <fmt/format.h>

#include <algorithm>

#include "guardrails/guardrails.h"
#include "guardrails/minter.h"

namespace sluice::guardrails {

std::optional<model::Clearance> clear(const model::Verdict& verdict, const model::Proposal& proposal) {
  if (verdict.mode != "unit" || verdict.judgement != model::Judgement::pass) return std::nullopt;
  if (verdict.base.empty() || verdict.base != proposal.base) return std::nullopt;
  if (verdict.tree.empty() || verdict.tree != proposal.tree) return std::nullopt;
  // The word of the verdict is not enough: it must follow from its own rules.
  const bool red = std::any_of(verdict.rules.begin(), verdict.rules.end(), [](const model::RuleResult& rule) {
    return rule.applicable && !rule.observed && rule.judgement != model::Judgement::pass;
  });
  if (red || verdict.rules.empty() || proposal.members.empty() ||
      proposal.members.back().end_tree() != proposal.tree)
    return std::nullopt;
  std::vector<std::string> evidence;
  for (const model::SuiteResult& suite : verdict.suites) evidence.push_back(suite.evidence);
  return Minter::mint(proposal.unit, verdict.base, verdict.tree, verdict.digest(), std::move(evidence));
}

Result<void> recheck(const model::Clearance& clearance, const model::Proposal& proposal) {
  const auto differs = [](const char* what, const std::string& cleared, const std::string& have) {
    return make_error(ErrorKind::denied,
                      fmt::format("the clearance is for {} '{}', the proposal has '{}'; judge it again", what,
                                  cleared, have));
  };
  if (clearance.unit().empty() || clearance.unit() != proposal.unit)
    return differs("unit", clearance.unit(), proposal.unit);
  if (clearance.base().empty() || clearance.base() != proposal.base)
    return differs("base", clearance.base(), proposal.base);
  if (clearance.tree().empty() || clearance.tree() != proposal.tree)
    return differs("tree", clearance.tree(), proposal.tree);
  if (proposal.members.empty()) return make_error(ErrorKind::denied, "the proposal has no member");
  if (proposal.members.back().end_tree() != clearance.tree()) {
    return differs("tree", clearance.tree(), proposal.members.back().end_tree());
  }
  return {};
}

}  // namespace sluice::guardrails
