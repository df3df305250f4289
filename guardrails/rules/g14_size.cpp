// SPDX-License-Identifier: Apache-2.0
// G14: what the proposal adds to the machine merge is of the size of the conflict. To answer every region, with
// whatever stands between the markers, is never too much.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

struct Size {
  std::string path;
  std::size_t changed = 0;   // lines of diff(M,P), without the markers that every answer removes
  std::size_t conflict = 0;  // lines that the path's conflict is about
  bool outside = false;      // it changes more than the answers of its regions
};

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

// `what` tells the items of one path apart.
model::VerdictItem too_much(std::vector<Size> sizes, std::string_view what, std::string detail) {
  std::stable_sort(sizes.begin(), sizes.end(), [](const Size& a, const Size& b) { return a.changed > b.changed; });
  for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 3); ++i)
    detail += fmt::format("{}{} {}", i == 0 ? "; most in " : ", ", sizes[i].path, sizes[i].changed);
  return make_item(sizes.empty() ? "" : sizes.front().path, what, std::move(detail), model::Judgement::escalate);
}

}  // namespace

static Result<Items> g14_size(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  std::vector<Size> sizes;
  std::size_t changed = 0, conflict = 0, files = 0;
  for (const git::TreeDelta& delta : *deltas) {
    TRY_ASSIGN(Size size, size_of(view, delta.path));
    changed += size.changed;
    conflict += size.conflict;
    files += size.outside ? 1 : 0;
    sizes.push_back(std::move(size));
  }
  const double limit = std::max(scope.threshold("min_lines"), scope.threshold() * static_cast<double>(conflict));
  if (static_cast<double>(changed) > limit) {
    items.push_back(too_much(sizes, "lines",
                             fmt::format("{} lines differ from the machine merge, the conflict is about {} (limit {:g})", changed,
                                         conflict, limit)));
  }
  if (static_cast<double>(files) > scope.threshold("max_files")) {
    std::erase_if(sizes, [](const Size& size) { return !size.outside; });
    items.push_back(too_much(std::move(sizes), "files",
                             fmt::format("{} files differ from the machine merge in more than the answers of their conflicts (limit {:g})",
                                         files, scope.threshold("max_files"))));
  }
  return items;
}

constexpr Threshold g14_thresholds[] = {{"threshold", 3, "changed lines for each line of conflict"},
                                           {"min_lines", 40, "changed lines that are always allowed"},
                                           {"max_files", 10, "files changed in more than the answers of their conflicts"}};
constinit const Rule g14{
    .id = "G14",
    .title = "size",
    .fail = "ESCALATE",
    .passes = "`diff(M,P)` has at most max(min_lines, threshold x conflict lines) lines in at most max_files files",
    .lift = "a person",
    .example = "a \"merge with AI\" button overwrote about 1,000 lines of main for a conflict of a few (Aperant 1343)",
    .calibrated = 0,
    .thresholds = g14_thresholds,
    .pick = g14_size,
};

}  // namespace sluice::guardrails
