// SPDX-License-Identifier: Apache-2.0
// The guardrails that can be asked about a hunk alone, without a tree: on an answer of the ladder, before it is compared
// with what landed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/backtest/case.h"

namespace sluice::service::backtest {

// In order of severity. explain counts as stopped: here nobody writes the accounting entry that lifts it.
enum class Gate { pass, explain, escalate, block };
std::string_view to_string(Gate gate);
bool parse_gate(std::string_view word, Gate& out);

struct Alarm {
  std::string_view check;  // of hunk_checks()
  Gate gate = Gate::pass;
};
struct HunkCheck {
  std::string_view id, meaning;
  std::string_view rule;  // of the guardrails
  Gate gate = Gate::pass;
};
const std::vector<HunkCheck>& hunk_checks();

// Alarms of `answer`, in the order of hunk_checks().
std::vector<Alarm> check_hunk(const Case& one, std::string_view answer);
Gate worst(const std::vector<Alarm>& alarms);

}  // namespace sluice::service::backtest
