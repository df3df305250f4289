// SPDX-License-Identifier: Apache-2.0
// Which whole side a rule takes: the side that says all the other one does, and more.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "agent/rules/match.h"
#include "agent/rules/merge.h"

namespace sluice::agent::rules {

enum class Side { none, ours, theirs };

struct Larger {
  Side side = Side::none;
  std::size_t fewer = 0;  // edits of the other side
};
// Each edit of one side against base is an edit of the other, which has more. `of` are tokens, the edits those of base
// against each side. No answer where base has no token or both sides have the same.
Larger larger_edits(const ThreePieces& of, const std::vector<Edit>& ours, const std::vector<Edit>& theirs);

// The side that changed more than formatting where the other changed nothing else; the arguments are loose forms.
Side not_formatting(std::string_view base, std::string_view ours, std::string_view theirs);

// Base is a subsequence of the one and that of the other; `of` are lines.
Side longer(const ThreePieces& of);

}  // namespace sluice::agent::rules
