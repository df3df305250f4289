// SPDX-License-Identifier: Apache-2.0
// How far a proposal reaches beyond the conflict that it answers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {

// Lines of M between the changed range of diff(M,P) and the nearest region; 0 when they meet. REQUIRES: regions not empty.
std::size_t distance(const model::Hunk& hunk, const std::vector<RegionFact>& regions);

// Of one path in which M and P differ.
struct Size {
  std::string path;
  std::size_t changed = 0;   // lines of diff(M,P), without the markers that every answer removes
  std::size_t conflict = 0;  // lines that the path's conflict is about
  bool outside = false;      // it changes more than the answers of its regions
};
Result<Size> size_of(PickView& view, const std::string& path);

}  // namespace sluice::guardrails
