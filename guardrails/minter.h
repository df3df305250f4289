// SPDX-License-Identifier: Apache-2.0
// The only maker of a Clearance. Included by clear() and by testing.h alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/verdict.h"

namespace sluice::guardrails {

class Minter {
 public:
  static model::Clearance mint(std::string unit, model::Oid base, model::Oid tree, std::string verdict_digest,
                               std::vector<std::string> evidence) {
    model::Clearance clearance;
    clearance.unit_ = std::move(unit);
    clearance.base_ = std::move(base);
    clearance.tree_ = std::move(tree);
    clearance.verdict_digest_ = std::move(verdict_digest);
    clearance.evidence_ = std::move(evidence);
    return clearance;
  }
};

}  // namespace sluice::guardrails
