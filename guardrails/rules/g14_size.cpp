// SPDX-License-Identifier: Apache-2.0
// G14: what the proposal adds to the machine merge is of the size of the conflict. To answer every region, with
// whatever stands between the markers, is never too much.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "guardrails/extent.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

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
    .thresholds = g14_thresholds,
    .pick = g14_size,
};

}  // namespace sluice::guardrails
