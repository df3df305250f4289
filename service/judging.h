// SPDX-License-Identifier: Apache-2.0
// Stage 4, second half: the context of a judgement, filled from store and configuration by value, so
// that guardrails open neither.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/judge_context.h"
#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"
#include "service/app.h"
#include "service/validating.h"

namespace sluice::service {

// `base_evidence`: what the same suites reported on the base tree.
Result<model::JudgeContext> judge_context(App& app, const Validator& validator, const model::Unit& unit,
                                          const Oid& upstream_tip, const std::vector<model::Evidence>& base_evidence);

// The first thing that stopped a verdict, for people and for the unit's `rule`.
struct Stopper {
  std::string rule;    // "G26", or a suite id
  std::string reason;  // a sentence
};
Stopper stopper_of(const model::Verdict& verdict);
// Upstream commits whose own items are above PASS.
std::vector<Oid> blamed_members(const model::Verdict& verdict);
// Suites whose outcome is not pass.
std::vector<std::string> red_suites(const model::Verdict& verdict);

// The verdict as far as it concerns one member.
model::Verdict only_member(model::Verdict verdict, const Oid& member);
// The worst that a rule said is that it could not judge: an outside failure, never a commit's fault.
bool cannot_be_judged(const model::Verdict& verdict);
// What the suite itself said first: the failing test, or the first error line of its log. "; first: ..." or empty.
std::string first_complaint(const std::vector<model::Evidence>& evidence, const std::string& suite);
// Red suites that really ran: a suite that was not run because its build is red follows from the build.
std::vector<std::string> failing_suites(const model::Verdict& verdict, const std::vector<model::Evidence>& evidence);

}  // namespace sluice::service
