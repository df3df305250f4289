// SPDX-License-Identifier: Apache-2.0
// Second door of agent/: the deterministic rules on one conflict region, as pure functions of its texts. Proven: A1s.
// Candidates: A1f, A2 to A5, B1 to B7, C1; the first that answers wins.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/format.h"

namespace sluice::agent {

struct RegionText {
  std::string_view base, ours, theirs;  // whole lines, each with its LF; empty = no lines
  core::Language language = core::Language::other;
};

// Part of what a kept figure rests on: another number, another answer somewhere.
inline constexpr int region_rules_version = 2;

struct RuleInfo {
  std::string_view id;       // "A1s", "B6"
  std::string_view meaning;  // one sentence, for reviewers and the model
  bool proven = false;
  double unseen_precision = 0;  // on hunks that were not looked at while the rule was chosen
  int unseen_answers = 0;       // 0 = there are none
};
std::span<const RuleInfo> region_rules();  // in order
const RuleInfo* region_rule(std::string_view id);  // null: no such rule
// "candidate, rule B6, right in 56 % of unseen cases"
std::string standing_of(const RuleInfo& rule);

struct RuleAnswer {
  std::string_view rule;  // of region_rules()
  std::string text;       // in the place of the region, whole lines
};
// The first rule that answers, of those that `wanted` allows (empty = all). Total on any bytes.
std::optional<RuleAnswer> first_answer(const RegionText& region, std::span<const std::string_view> wanted = {});

}  // namespace sluice::agent
