// SPDX-License-Identifier: Apache-2.0
// G22: a line that the upstream commit removes is gone from the result too, so far as it was upstream's: what the
// fork uses for itself may stay.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

struct Sides {
  const FileText *base, *upstream, *onto, *merged, *proposed;
  bool conflicted = false;
};

Result<Sides> sides_of(PickView& view, const std::string& path) {
  Sides sides{};
  TRY_ASSIGN(sides.base, view.file(Tree::base, path));
  TRY_ASSIGN(sides.upstream, view.file(Tree::upstream, path));
  TRY_ASSIGN(sides.onto, view.file(Tree::onto, path));
  TRY_ASSIGN(sides.merged, view.file(Tree::merge, path));
  TRY_ASSIGN(sides.proposed, view.file(Tree::proposed, path));
  sides.conflicted = view.in_conflict(path);
  return sides;
}

// How often the result has a line too many: more than U's change applied to D's lines leaves, more than U itself has,
// and outside C more than M has. A line that the fork removed itself may be the one that U removes.
int excess(const Sides& sides, const std::string& norm) {
  const int base = count_of(sides.base->counts, norm), onto = count_of(sides.onto->counts, norm);
  const int upstream = count_of(sides.upstream->counts, norm), removed = base - upstream;
  const int overlap = std::min(std::max(base - onto, 0), std::max(removed, 0));
  const int now = count_of(sides.proposed->counts, norm);
  const int over = now - std::max(onto - removed + overlap, upstream);
  return sides.conflicted ? over : std::min(over, now - count_of(sides.merged->counts, norm));
}

// Where the lines of U's removal still stand. Of several equal lines the one is meant that keeps its distance from its
// neighbours: a `return success();` alone says nothing.
class Places {
 public:
  explicit Places(const FileText& file) : file_(file) {}

  // `line` of B, which is `norm`.
  std::int64_t of(std::int64_t line, const std::string& norm) {
    if (index_.empty()) fill();
    std::vector<std::int64_t>& at = index_[norm];
    if (at.empty()) return 0;
    const std::int64_t expected = line + shift_;
    const auto best = std::min_element(at.begin(), at.end(), [&](std::int64_t a, std::int64_t b) { return std::abs(a - expected) < std::abs(b - expected); });
    const std::int64_t found = *best;
    at.erase(best);
    shift_ = found - line;
    return found;
  }

 private:
  void fill() {
    for (std::size_t i = 0; i < file_.lines.size(); ++i) index_[core::strip_space(file_.lines[i])].push_back(static_cast<std::int64_t>(i) + 1);
  }

  const FileText& file_;
  std::unordered_map<std::string, std::vector<std::int64_t>> index_;
  std::int64_t shift_ = 0;  // from B to P, at the line before
};

Result<void> judge_lines(PickScope& scope, const std::string& path, const Sides& sides, Items& items) {
  TRY_ASSIGN(const git::TextDiff* diff, scope.view.diff(Tree::base, Tree::upstream, path));
  TRY_ASSIGN(Account::Regions regions, scope.account.format_equal(path));  // G21 speaks of the false entries
  LineCounts over;  // still to be said
  Places places(*sides.proposed);
  for (const git::DiffLine& line : diff->lines) {
    const std::string norm = core::strip_space(line.text);
    if (line.side != '-' || !significant(norm)) continue;
    if (!over.contains(norm)) over[norm] = std::max(excess(sides, norm), 0);
    if (!take(over, norm)) continue;
    model::VerdictItem item = explainable_item(path, line.text, "upstream_removed",
                                               "upstream removes this line, and the result still has it", Judgement::explain);
    item.line = places.of(line.line, norm);
    item.origin = "upstream";
    TRY_ASSIGN(const Lift lift, scope.account.take("upstream_removed", path, line.text));
    if (lift.found) {
      apply(lift, item);
    } else if (take(regions.kept, norm)) {
      item.judgement = Judgement::pass;
      item.lifted_by = regions.lifted_by;
    }
    items.push_back(std::move(item));
  }
  return {};
}

Result<void> judge_path(PickScope& scope, const std::string& path, Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const bool machine, view.machine_made(path));
  if (machine) return {};
  TRY_ASSIGN(const Sides sides, sides_of(view, path));
  if (!sides.base->present || !sides.proposed->present) return {};
  if (sides.upstream->present) return judge_lines(scope, path, sides, items);
  if (!sides.conflicted && sides.merged->present) return {};
  model::VerdictItem item = explainable_item(path, "", "upstream_removed", "upstream removes this file, and the result still has it",
                                             Judgement::explain);
  item.origin = "upstream";
  TRY_ASSIGN(const Lift lift, scope.account.take("upstream_removed", path, ""));
  apply(lift, item);
  items.push_back(std::move(item));
  return {};
}

}  // namespace

static Result<Items> g22_upstream_removed(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  // A clean merge taken as it is holds by definition, and needs not one blob.
  if (!view.conflicted() && view.tree(Tree::merge) == view.tree(Tree::proposed)) return items;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::base, Tree::upstream));
  std::set<std::string> paths;
  for (const git::TreeDelta& delta : *deltas) paths.insert(delta.path);
  for (const std::string& path : view.conflict_paths()) {
    if (view.wanted(path)) paths.insert(path);
  }
  for (const std::string& path : paths) {
    if (const model::DroppedPath* drop = view.dropped(path); drop != nullptr && drop->why == "missing") continue;
    TRY_ASSIGN(const Lift dropped, scope.account.dropped(path));
    if (dropped.found && dropped.judgement == Judgement::pass) continue;  // G21 lists it
    TRY(judge_path(scope, path, items));
  }
  cap(items);
  return items;
}

constinit const Rule g22{
    .id = "G22",
    .title = "upstream's removals are done",
    .fail = "EXPLAIN",
    .passes = "no line that U removes is still in P's file at a count above the fork's other uses",
    .lift = "an entry `upstream_removed` for each line",
    .example = "a resolution that keeps both sides leaves the call that upstream replaced beside its replacement",
    .pick = g22_upstream_removed,
};

}  // namespace sluice::guardrails
