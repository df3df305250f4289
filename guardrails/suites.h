// SPDX-License-Identifier: Apache-2.0
// Evidence by suite: what is required, which record counts, and what it says in one word.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/evidence.h"
#include "core/model/judge_context.h"
#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"
#include "core/result.h"
#include "git/read.h"

namespace sluice::guardrails {

// Ids that must have evidence: the policy's for the lane and the context's, each once, in that order.
std::vector<std::string> required_suites(const model::JudgeContext& context, model::UnitKind lane);
const model::SuiteConfig* suite_of(const model::PolicyConfig& policy, const std::string& id);

// The record that counts for a suite on a tree; null when there is none. The first red result is erased by no later
// one; only faults of the infrastructure are, by any later record. What ran some tests again does not count.
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

// Lines of a model or of a candidate rule are in the proposal.
bool written_by_a_model(const model::Proposal& proposal);

// Facts about the results of a proposal's suites.
struct SuiteFacts {
  const git::Reader& reader;
  const model::Proposal& proposal;
  std::span<const model::Evidence> evidence;
  const model::JudgeContext& context;
};
// Test id -> what answers for it: the tests of the record that counts whose red is not red, by the flake register or
// because they waver on D too (G47), or as known failures of D (G48). A rule that is not enforced answers for nothing.
Result<std::map<std::string, std::string>> accepted_red(const SuiteFacts& facts, const std::string& suite);

// The line of the verdict's table of suites.
model::SuiteResult suite_result(const std::string& id, const model::Evidence* evidence,
                                const model::JudgeContext& context, const std::map<std::string, std::string>& accepted);

}  // namespace sluice::guardrails
