// SPDX-License-Identifier: Apache-2.0
// The stored faults, one or more a rule.
#pragma once

#include <span>
#include <string_view>

#include "service/canary/world.h"

namespace sluice::service::canary {

struct Fault {
  std::string_view gate, what;
  // Spoils a copy of the sound case.
  Result<void> (*spoil)(World& world, Case& spoiled);
  // Another rule that says the same of this fault by its definition.
  std::string_view along = {};
};
std::span<const Fault> pick_faults();  // of the diff
std::span<const Fault> unit_faults();  // of messages, order, evidence

// Rules without a fault, and why that is so.
struct Unproven {
  std::string_view gate, why;
};
std::span<const Unproven> unproven();

}  // namespace sluice::service::canary
