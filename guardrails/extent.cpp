// SPDX-License-Identifier: Apache-2.0
#include "guardrails/extent.h"

#include <algorithm>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

// The marker lines of a region in M: three of diff3 and the separator.
constexpr std::size_t marker_lines = 4;

std::size_t lines_of(const std::string& text) { return core::split_lines(text).size(); }

bool touches(const model::Hunk& hunk, const git::Region& region) {
  // A pure insertion stands after line old_start. One line of slack: a diff may slide over equal lines.
  const std::size_t begin = hunk.old_start, end = hunk.old_start + std::max<std::size_t>(hunk.old_count, 1);
  return begin <= region.last_line + 1 && end + 1 >= region.first_line;
}

// A path in conflict without regions (deleted and changed, links, binary files): what the sides differ by.
Result<std::size_t> difference(PickView& view, const std::string& path) {
  std::size_t most = 0;
  for (const auto& [before, after] : {std::pair{Tree::onto, Tree::upstream}, {Tree::merge, Tree::onto}, {Tree::merge, Tree::upstream}}) {
    TRY_ASSIGN(const git::TextDiff* diff, view.diff(before, after, path));
    most = std::max(most, diff->lines.size());
  }
  return most;
}

}  // namespace

std::size_t distance(const model::Hunk& hunk, const std::vector<RegionFact>& regions) {
  // An insertion stands after line old_start: an empty range between two lines.
  const std::size_t begin = hunk.old_count == 0 ? hunk.old_start + 1 : hunk.old_start;
  const std::size_t end = begin + hunk.old_count;  // half open
  std::size_t nearest = static_cast<std::size_t>(-1);
  for (const RegionFact& fact : regions) {
    const std::size_t first = fact.region.first_line, beyond = fact.region.last_line + 1;
    const std::size_t here = end <= first ? first - end : begin >= beyond ? begin - beyond : 0;
    nearest = std::min(nearest, here);
  }
  return nearest;
}

Result<Size> size_of(PickView& view, const std::string& path) {
  Size size{path, 0, 0, true};
  TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::merge, Tree::proposed, path));
  size.changed = diff->lines.size();
  if (!view.in_conflict(path)) return size;
  TRY_ASSIGN(const std::vector<RegionFact>* regions, view.regions(path));
  if (regions->empty()) {
    TRY_ASSIGN(size.conflict, difference(view, path));
    size.outside = size.changed > size.conflict;
    return size;
  }
  std::size_t markers = 0;
  for (const RegionFact& fact : *regions) {
    size.conflict += lines_of(fact.region.base) + lines_of(fact.region.ours) + lines_of(fact.region.theirs);
    markers += marker_lines;
  }
  size.changed -= std::min(markers, size.changed);
  size.outside = std::any_of(diff->hunks.begin(), diff->hunks.end(), [&](const model::Hunk& hunk) {
    return std::none_of(regions->begin(), regions->end(), [&](const RegionFact& fact) { return touches(hunk, fact.region); });
  });
  return size;
}

}  // namespace sluice::guardrails
