// SPDX-License-Identifier: Apache-2.0
// Second door of guardrails/: what the numbers of the rules are taken from. Of one landed pick, how far it went from
// the machine merge, counted as the rules count it and without any limit.
#pragma once

#include <array>
#include <cstdint>

#include "guardrails/guardrails.h"

namespace sluice::guardrails {

// Lines around a conflict for which G11 is counted.
inline constexpr std::array<std::int64_t, 7> measured_distances{0, 1, 3, 5, 10, 20, 50};

struct PickMeasure {
  bool conflicted = false;
  bool identical = false;            // M == P
  std::int64_t files_outside = 0;    // G10: changed against M outside the conflicted paths
  // G11: lines changed in conflicted files, further from every region than the distance of the same index.
  std::array<std::int64_t, measured_distances.size()> lines_beyond{};
  std::int64_t changed_lines = 0, conflict_lines = 0, changed_files = 0;  // G14
  std::int64_t upstream_added = 0, upstream_missing = 0;                  // G21: lines that U adds; of them not in P
  std::int64_t own_added = 0;        // lines that D to P adds and B to U does not
};
// Raised when the same pick gives other numbers.
inline constexpr int measure_version = 1;

// Reads few objects where M == P: there all but the first two and upstream_added are zero by definition.
Result<PickMeasure> measure(const git::Reader& reader, const PickFacts& pick, const model::PolicyConfig& policy, JudgeMemory& memory);

}  // namespace sluice::guardrails
