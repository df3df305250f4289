// SPDX-License-Identifier: Apache-2.0
// The two merges of three sequences. Both print what stays as a three-way merge of its spellings: where one side alone
// wrote it differently (blanks, blank lines before it), that side's; where both did, the last in the order base, ours,
// theirs.
#pragma once

#include <optional>
#include <string>

#include "agent/rules/match.h"
#include "agent/rules/pieces.h"

namespace sluice::agent::rules {

struct ThreePieces {
  Pieces base, ours, theirs;  // of one PieceReader
};

enum class Unit { line, token };

// Outside the runs that all three share, what one side left as it was gives way to the other, and equal sides win.
// nullopt: a part that both changed, or the work is spent. The text ends with a line end, or is empty.
std::optional<std::string> diff3(const ThreePieces& of, Unit unit, Work& work);

// Disjoint edits of lines. An edit of both sides counts once; any two others must be disjoint; an insertion stands
// neither where another one does nor at the ends of an edit. Edits may touch. nullopt: they are not so, base has no
// line, or the work is spent.
std::optional<std::string> lines3(const ThreePieces& of, Work& work);

}  // namespace sluice::agent::rules
