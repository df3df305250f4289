// SPDX-License-Identifier: Apache-2.0
// What a file of the proposal is compared with: the machine merge, and inside conflict regions each side of
// it (GUARDRAILS 4, Baseline). All texts agree outside the regions.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {

struct FileSides {
  bool split = false;  // a conflicted path: the sides are texts of their own
  std::string_view ours, theirs, base;
  bool ours_present = false, theirs_present = false, base_present = false;
  std::array<std::string, 3> own;  // what the views see when `split`
};
// Empty texts for what is binary or absent. The views live as long as the answer and `view`; not to be
// copied.
Result<void> read_sides(PickView& view, const std::string& path, FileSides& sides);

// How often something must, and may, stand in the result: what both have, less what upstream takes out.
int required_count(int ours, int theirs, int base);
int allowed_count(int ours, int theirs, int base);

// Paths of diff(M,P) that vanish, and where they went: a new path of the same ending that holds most of their
// lines.
Result<std::map<std::string, std::string>> moved_paths(PickView& view);

// Lines of P at `path` that the proposal wrote: neither in the machine merge nor in one of the sides. A line
// that diff(M,P) removes from another place has moved and is no new one.
Result<std::vector<git::DiffLine>> own_added_lines(PickView& view, const std::string& path);

}  // namespace sluice::guardrails
