// SPDX-License-Identifier: Apache-2.0
// Which prefix turned red? A pure function over observations, so that it can be stored, resumed and
// tested without running anything. Used for a red bundle (landing) and for a red trunk (nightly).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace sluice::core {

enum class Observed { good, bad, skip };  // skip: could not be built or judged; never blamed

struct Probe {
  std::size_t prefix = 0;  // members 1..prefix applied; 0 = the base
  Observed result = Observed::good;
};

struct SearchStep {
  enum class Kind { probe, culprit, exhausted } kind = Kind::exhausted;
  std::size_t prefix = 0;  // probe: try this prefix next; culprit: first bad prefix = that member
  // culprit only: first and last member that could be it, when skipped prefixes hide which.
  std::size_t first = 0, last = 0;
};

// n members; prefix n is known bad, prefix 0 known good. `seen` in any order. `budget` = largest
// number of probes (DESIGN: at most 2*ceil(log2 n)+1 validations in all). Deterministic.
SearchStep next_step(std::size_t n, const std::vector<Probe>& seen, std::size_t budget);
std::size_t search_budget(std::size_t n);  // 2*ceil(log2 n)+1

}  // namespace sluice::core
