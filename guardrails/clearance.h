// SPDX-License-Identifier: Apache-2.0
// Second door of guardrails/, for landing: check a Clearance again before anything moves.
#pragma once

#include "core/model/proposal.h"
#include "core/model/verdict.h"
#include "core/result.h"

namespace sluice::guardrails {

// Errors: denied, when base, tree or unit of the proposal are not those that were cleared.
Result<void> recheck(const model::Clearance& clearance, const model::Proposal& proposal);

}  // namespace sluice::guardrails
