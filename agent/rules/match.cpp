// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/match.h"

#include <algorithm>

namespace sluice::agent::rules {
namespace {

struct Range {
  int x1, x2, y1, y2;
};

class Matcher {
 public:
  Matcher(const std::vector<int>& x, const std::vector<int>& y, Work& work) : x_(x), y_(y), work_(work) {
    int ids = 0;
    for (const int id : x) ids = std::max(ids, id + 1);
    for (const int id : y) ids = std::max(ids, id + 1);
    starts_.assign(static_cast<std::size_t>(ids) + 1, 0);
    for (const int id : y) ++starts_[at(id) + 1];
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    places_.resize(y.size());
    std::vector<int> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t j = 0; j < y.size(); ++j) places_[at(next[at(y[j])]++)] = static_cast<int>(j);
    above_.assign(y.size() + 1, 0);
    here_.assign(y.size() + 1, 0);
  }

  std::optional<std::vector<Block>> run() {
    std::vector<Block> out;
    // A stack of our own: hostile texts would make the recursion as deep as they are long.
    std::vector<Range> open = {{0, size(x_), 0, size(y_)}};
    while (!open.empty()) {
      const Range range = open.back();
      open.pop_back();
      if (range.x1 >= range.x2 || range.y1 >= range.y2) continue;
      const Block best = longest(range);
      if (work_.spent()) return std::nullopt;
      if (best.size == 0) continue;
      out.push_back(best);
      open.push_back({range.x1, best.x, range.y1, best.y});
      open.push_back({best.x + best.size, range.x2, best.y + best.size, range.y2});
    }
    std::sort(out.begin(), out.end(), [](const Block& a, const Block& b) { return a.x < b.x; });
    return out;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  static int size(const std::vector<int>& v) { return static_cast<int>(v.size()); }

  // above_[j + 1] = length of the common run that ends at (x - 1, j); only places of x's own id are set, and they are
  // cleared again, so that a range costs what stands in it.
  Block longest(const Range& range) {
    Block best;
    int previous = -1;
    for (int i = range.x1; i < range.x2; ++i) {
      const int id = x_[at(i)];
      const auto [first, last] = places(id, range);
      work_.left -= 1 + (last - first);
      if (work_.spent()) return {};
      for (const int* place = first; place != last; ++place) {
        const int length = above_[at(*place)] + 1;
        here_[at(*place) + 1] = length;
        if (length > best.size) best = {i - length + 1, *place - length + 1, length};
      }
      clear(above_, previous, range);
      std::swap(above_, here_);
      previous = id;
    }
    clear(above_, previous, range);
    return best;
  }

  std::pair<const int*, const int*> places(int id, const Range& range) const {
    const int* first = places_.data() + starts_[at(id)];
    const int* last = places_.data() + starts_[at(id) + 1];
    return {std::lower_bound(first, last, range.y1), std::lower_bound(first, last, range.y2)};
  }

  void clear(std::vector<int>& lengths, int id, const Range& range) {
    if (id < 0) return;
    const auto [first, last] = places(id, range);
    for (const int* place = first; place != last; ++place) lengths[at(*place) + 1] = 0;
  }

  const std::vector<int>& x_;
  const std::vector<int>& y_;
  Work& work_;
  std::vector<int> starts_, places_;  // of each id in y, ascending
  std::vector<int> above_, here_;
};

}  // namespace

std::optional<std::vector<Block>> match(const std::vector<int>& x, const std::vector<int>& y, Work& work) {
  if (work.spent()) return std::nullopt;
  return Matcher(x, y, work).run();
}

std::vector<Edit> edits_between(const std::vector<Block>& blocks, std::size_t x_size, std::size_t y_size) {
  std::vector<Edit> out;
  int i = 0, j = 0;
  const auto differ = [&](int x2, int y2) {
    if (i < x2 || j < y2) out.push_back({i, x2, j, y2});
  };
  for (const Block& block : blocks) {
    differ(block.x, block.y);
    i = block.x + block.size;
    j = block.y + block.size;
  }
  differ(static_cast<int>(x_size), static_cast<int>(y_size));
  return out;
}

std::optional<std::vector<Edit>> edits(const std::vector<int>& x, const std::vector<int>& y, Work& work) {
  const auto blocks = match(x, y, work);
  if (!blocks) return std::nullopt;
  return edits_between(*blocks, x.size(), y.size());
}

}  // namespace sluice::agent::rules
