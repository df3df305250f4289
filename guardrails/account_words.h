// SPDX-License-Identifier: Apache-2.0
// What the check of an accounting entry comes to.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "guardrails/account.h"

namespace sluice::guardrails {

inline std::string name_of(const model::AccountEntry& entry) {
  return entry.arg.empty() ? entry.code : entry.code + " " + entry.arg;
}
inline Lift lifted(const model::AccountEntry& entry) { return {true, model::Judgement::pass, name_of(entry), ""}; }
inline Lift to_a_person(const model::AccountEntry& entry, std::string why) {
  return {true, model::Judgement::escalate, name_of(entry), std::move(why)};
}
inline Lift refuted(const model::AccountEntry& entry, std::string why) {
  return {true, model::Judgement::block, "", fmt::format("the accounting entry {} is false: {}", name_of(entry), why)};
}

}  // namespace sluice::guardrails
