// SPDX-License-Identifier: Apache-2.0
// Ratcliff-Obershelp matching of two sequences: the longest common contiguous block, ties to the earliest in the
// first and then in the second sequence, then the same left and right of it. Which blocks are found decides which
// rules answer, so the measured precision of the rules holds for this matching and for no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::agent::rules {

// Steps that the matchings of one region may take together. The largest of 1,432 real hunks takes 3.5 million; a
// text of one repeated token would take a number cubic in its length.
struct Work {
  static constexpr std::int64_t limit = 40'000'000;
  std::int64_t left = limit;
  bool spent() const { return left <= 0; }
};

struct Block {
  int x = 0, y = 0, size = 0;
};

// Non-empty blocks in order. nullopt: the work is spent.
std::optional<std::vector<Block>> match(const std::vector<int>& x, const std::vector<int>& y, Work& work);

// What differs: x[x1, x2) became y[y1, y2); x1 = x2 is an insertion.
struct Edit {
  int x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  bool inserts() const { return x1 == x2; }
};
std::vector<Edit> edits_between(const std::vector<Block>& blocks, std::size_t x_size, std::size_t y_size);
std::optional<std::vector<Edit>> edits(const std::vector<int>& x, const std::vector<int>& y, Work& work);

}  // namespace sluice::agent::rules
