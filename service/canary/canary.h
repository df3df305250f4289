// SPDX-License-Identifier: Apache-2.0
// G56: a gate that cannot fail is no gate. For each rule there is a stored fault; a pick that every rule lets pass is
// spoilt by it, and exactly that rule must object. Run before anything may land (canary_cycle.h), and by
// `sluice gate --canaries`. The trees live in a scratch repository that is removed again: no canary can land.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/model/config.h"
#include "core/model/judge_context.h"
#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"
#include "git/read.h"

namespace sluice::service {

enum class Caught {
  red,    // the rule objected, and no other rule changed its mind
  noisy,  // the rule objected, and others did as well (a policy with other numbers can do that)
  green,  // the fault passed: the gate cannot fail
  off,    // the policy has switched the rule off
  error,  // the canary itself could not be made
};
std::string_view to_string(Caught);

struct CanaryResult {
  std::string gate, fault;        // "G23", "a line of the fork is dropped"
  Caught caught = Caught::error;
  std::string finding;            // what the rule said first; or why it could not be asked
  std::vector<std::string> also;  // noisy: the other rules
};

struct CanaryRun {
  std::vector<CanaryResult> results;
  std::vector<std::string> unproven;  // rules for which no fault is stored, with the reason
  std::int64_t elapsed_ms = 0;
  // Gates whose verdicts are worth nothing now: green or error.
  std::vector<std::string> quarantined() const;
};

// Who judges: guardrails::judge_unit. A test puts a judge with a blind spot here.
using UnitJudgement = std::function<model::Verdict(const git::Reader&, const model::Proposal&, model::UnitKind,
                                                   std::span<const model::Evidence>, const model::JudgeContext&)>;

// `policy`: of it modes and numbers of the rules count. Errors: the sound pick itself is objected to (with what), no
// scratch repository.
Result<CanaryRun> run_canaries(const model::PolicyConfig& policy);
Result<CanaryRun> run_canaries(const model::PolicyConfig& policy, const UnitJudgement& judge);

// (gate, fault) of every stored fault, by gate.
std::vector<std::pair<std::string, std::string>> canary_faults();

core::Json canaries_json(const CanaryRun& run);  // sluice.canaries/1
std::string canaries_text(const CanaryRun& run);

}  // namespace sluice::service
