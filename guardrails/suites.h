// SPDX-License-Identifier: Apache-2.0
// Evidence by suite: what is required, which record counts, and what it says in one word.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/evidence.h"
#include "core/model/judge_context.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"

namespace sluice::guardrails {

// Ids that must have evidence: the policy's for the lane and the context's, each once, in that order.
std::vector<std::string> required_suites(const model::JudgeContext& context, model::UnitKind lane);
const model::SuiteConfig* suite_of(const model::PolicyConfig& policy, const std::string& id);

// The record that counts for a suite on a tree; null when there is none. A red result is not erased by
// a later green one; only faults of the infrastructure are, by any later record.
const model::Evidence* evidence_for(std::span<const model::Evidence> evidence, const std::string& suite,
                                    const model::Oid& tree);

// Trouble outside the code under test: the run can be repeated, and says nothing about the tree.
bool is_infrastructure(const model::Evidence& evidence);
// A test state that counts as run.
bool was_executed(model::TestState state);
// A state that does not clear: failed, timed out, without result.
bool is_red(model::TestState state);
// Some required suite is missing, cancelled, skipped ...: the reason of G42, empty when it reported.
// `unresolved` is set when the judge could not judge.
struct SignalTrouble {
  std::string reason;
  bool unresolved = false;
};
SignalTrouble signal_trouble(const model::Evidence* evidence, const std::string& suite,
                             const model::JudgeContext& context);

// The line of the verdict's table of suites.
model::SuiteResult suite_result(const std::string& id, const model::Evidence* evidence,
                                const model::JudgeContext& context);

}  // namespace sluice::guardrails
