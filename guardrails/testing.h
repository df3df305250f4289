// SPDX-License-Identifier: Apache-2.0
// For tests alone: a Clearance without a judgement.
#pragma once

#include "core/model/proposal.h"
#include "guardrails/minter.h"

namespace sluice::guardrails {

inline model::Clearance clearance_for_test(const model::Proposal& proposal,
                                           std::string verdict_digest = std::string(64, '0')) {
  return Minter::mint(proposal.unit, proposal.base, proposal.tree, std::move(verdict_digest), {});
}

}  // namespace sluice::guardrails
