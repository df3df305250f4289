// SPDX-License-Identifier: Apache-2.0
// G11: in a conflicted file the answer keeps to the conflict. Distances are those of the machine merge M, markers
// included.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/text.h"
#include "guardrails/extent.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

// Of one conflicted file: an item for each changed range that is too far off. Returns the lines not declared.
Result<std::size_t> judge_path(PickScope& scope, const std::string& path, Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<RegionFact>* regions, view.regions(path));
  if (regions->empty()) return 0;  // no text conflict: the path as a whole is the region
  TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::merge, Tree::proposed, path));
  std::size_t outside = 0, at = 0;
  for (const model::Hunk& hunk : diff->hunks) {
    const std::size_t size = hunk.old_count + hunk.new_count;
    const std::span<const git::DiffLine> range(diff->lines.data() + at, std::min<std::size_t>(size, diff->lines.size() - at));
    at += range.size();
    const std::size_t off = distance(hunk, *regions);
    if (range.empty() || static_cast<double>(off) <= scope.threshold()) continue;
    // An entry names a line: the first new one that says something, for a removal the first old one.
    const auto first = [&](char side) {
      return std::find_if(range.begin(), range.end(), [&](const git::DiffLine& line) {
        return line.side == side && !core::strip_space(line.text).empty();
      });
    };
    auto found = first('+');
    if (found == range.end()) found = first('-');
    const git::DiffLine& shown = found == range.end() ? range.front() : *found;
    model::VerdictItem item = explainable_item(
        path, shown.text, "adapt",
        fmt::format("{} changed {}, {} lines from the nearest conflict region", size, size == 1 ? "line" : "lines", off), Judgement::explain);
    item.line = shown.line;
    TRY_ASSIGN(const Lift lift, scope.account.take_adapted(path, range));
    apply(lift, item);
    if (!lift.found) outside += size;
    items.push_back(std::move(item));
  }
  return outside;
}

}  // namespace

static Result<Items> g11_near_hunks(PickScope& scope) {
  Items items;
  std::size_t outside = 0;
  for (const std::string& path : scope.view.conflict_paths()) {
    if (!scope.view.wanted(path)) continue;
    TRY_ASSIGN(const std::size_t more, judge_path(scope, path, items));
    outside += more;
  }
  const double limit = scope.threshold("max_lines");
  if (static_cast<double>(outside) > limit) {
    for (model::VerdictItem& item : items) {
      if (item.judgement != Judgement::explain) continue;
      item.judgement = Judgement::escalate;
      item.detail += fmt::format("; {} such lines in all (limit {:g})", outside, limit);
    }
  }
  cap(items);
  return items;
}


constexpr Threshold g11_thresholds[] = {{"threshold", 10, "lines between a change and the nearest conflict region"},
                                           {"max_lines", 60, "changed lines outside, above which a person is asked (p95 is 58)"}};
constinit const Rule g11{
    .id = "G11",
    .title = "changes near the conflict",
    .fail = "EXPLAIN, above max_lines ESCALATE",
    .passes = "in a conflicted file each changed range of `diff(M,P)` overlaps a conflict region or lies within `threshold` lines of "
               "one, in lines of M",
    .lift = "an entry `adapt` for one line of each such range; above max_lines a person",
    .example = "of 184 landed resolutions of facebookexperimental/triton 149 keep within 10 lines; the longest edits 2,394 lines "
               "elsewhere: a formatter ran over the file",
    .thresholds = g11_thresholds,
    .pick = g11_near_hunks,
};

}  // namespace sluice::guardrails
