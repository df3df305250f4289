// SPDX-License-Identifier: Apache-2.0
// G23: a line that only the fork has is lost by nobody's wish unless upstream removes it. The incident
// behind it: one dropped call, green tests, four months of slower code.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "guardrails/invariants.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

constexpr std::size_t max_blamed_lines = 256;

// Lines that M has and P lacks, by norm: outside C only those are the proposal's doing.
Result<LineCounts> taken_from_machine(PickView& view, const std::string& path) {
  LineCounts out;
  TRY_ASSIGN(const FileText* merged, view.file(Tree::merge, path));
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  for (const auto& [norm, count] : merged->counts) {
    const int gone = count - count_of(proposed->counts, norm);
    if (gone > 0) out[norm] = gone;
  }
  return out;
}

Result<void> judge_path(PickScope& scope, const std::string& path, LineCounts& explained, LineCounts& readded,
                        Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::onto, Tree::proposed, path));
  TRY_ASSIGN(const bool machine, view.machine_made(path));
  TRY_ASSIGN(const FileText* base, view.file(Tree::base, path));
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  LineCounts own;
  if (!machine && !view.in_conflict(path)) {
    TRY_ASSIGN(own, taken_from_machine(view, path));
  }
  const bool gone = !proposed->present;
  for (const git::DiffLine& line : diff->lines) {
    if (line.side != '-') continue;
    const std::string norm = core::strip_space(line.text);
    if (!significant(norm)) continue;
    // The pools are spent in path order also by lines that cannot be items, as in the definition the
    // subtraction comes before the restriction.
    if (take(explained, norm) || take(readded, norm)) continue;
    if (machine || count_of(base->counts, norm) > 0) continue;
    if (!view.in_conflict(path) && !take(own, norm)) continue;
    const bool surface = in_fork_surface(view.policy(), path);
    model::VerdictItem item =
        explainable_item(path, line.text, "downstream_lost",
                         gone ? "a line of the fork is gone with its whole file; upstream does not remove it"
                              : "a line of the fork is gone; upstream does not remove it",
                         surface ? Judgement::escalate : Judgement::explain);
    item.line = line.line;
    item.origin = "fork";
    TRY_ASSIGN(const Lift lift, scope.account.take("downstream_lost", path, line.text));
    apply(lift, item);
    items.push_back(std::move(item));
  }
  return {};
}

// A fork file without a significant line can be lost too.
Result<void> judge_lost_file(PickScope& scope, const git::TreeDelta& delta, const std::set<Oid>& arrived,
                             Items& items) {
  PickView& view = scope.view;
  if (!delta.after.oid.empty() || arrived.contains(delta.before.oid)) return {};
  TRY_ASSIGN(const std::optional<git::TreeEntry> base, view.entry(Tree::base, delta.path));
  TRY_ASSIGN(const bool machine, view.machine_made(delta.path));
  if (base || machine) return {};
  if (is_blob_mode(delta.before.mode)) {
    TRY_ASSIGN(const FileText* file, view.file(Tree::onto, delta.path));
    if (!file->counts.empty()) return {};  // its lines are items
  }
  model::VerdictItem item = make_item(
      delta.path, "", "a whole file of the fork is gone; upstream does not remove it", Judgement::escalate);
  item.origin = "fork";
  items.push_back(std::move(item));
  return {};
}

// The line of the commit's own file that an item speaks of; 0 = none. D may be a tree inside a fold, while blame needs
// a commit: the line is looked up by its text.
std::uint32_t line_in(const std::vector<std::string_view>& lines, const model::VerdictItem& item) {
  const std::string norm = core::strip_space(item.text);
  const auto holds = [&](std::int64_t n) {
    return n >= 1 && n <= static_cast<std::int64_t>(lines.size()) && core::strip_space(lines[static_cast<std::size_t>(n) - 1]) == norm;
  };
  if (holds(item.line)) return static_cast<std::uint32_t>(item.line);
  for (std::int64_t n = 1; n <= static_cast<std::int64_t>(lines.size()); ++n) {
    if (holds(n)) return static_cast<std::uint32_t>(n);
  }
  return 0;
}

// The fork commit that wrote each lost line: one process a file.
Result<void> blame(PickView& view, Items& items) {
  const Oid& onto = view.pick().onto_commit;
  if (onto.empty()) return {};
  TRY_ASSIGN(const Oid onto_tree, view.reader().tree_of(onto));
  std::map<std::string, std::map<std::uint32_t, std::vector<model::VerdictItem*>>> wanted;  // path, line
  std::size_t lines_wanted = 0;
  for (model::VerdictItem& item : items) {
    if (item.line == 0 || lines_wanted >= max_blamed_lines) continue;
    TRY_ASSIGN(const std::optional<std::string> text, view.reader().file(onto_tree, item.path));
    if (!text) continue;
    const std::uint32_t line = line_in(core::split_lines(*text), item);
    if (line == 0) continue;
    std::vector<model::VerdictItem*>& same = wanted[item.path][line];
    if (same.empty()) ++lines_wanted;
    same.push_back(&item);
  }
  for (const auto& [path, lines] : wanted) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    for (const auto& [line, same] : lines) ranges.emplace_back(line, 1);
    TRY_ASSIGN(const std::vector<git::BlameLine> blamed, view.reader().blame_ranges(onto, path, ranges));
    for (const git::BlameLine& one : blamed) {
      const auto found = lines.find(one.line);
      if (found == lines.end()) continue;
      for (model::VerdictItem* item : found->second) item->introduced_by = one.commit;
    }
  }
  return {};
}

}  // namespace

static Result<Items> g23_fork_kept(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  // A clean merge taken as it is holds by definition, and needs not one blob.
  if (!view.conflicted() && view.tree(Tree::merge) == view.tree(Tree::proposed)) return items;
  TRY_ASSIGN(const LineCounts* removed, view.removed(Tree::base, Tree::upstream));
  TRY_ASSIGN(const LineCounts* added, view.added(Tree::onto, Tree::proposed));
  LineCounts explained = *removed, readded = *added;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::onto, Tree::proposed));
  std::set<Oid> arrived;
  for (const git::TreeDelta& delta : *deltas) {
    if (delta.before.oid.empty()) arrived.insert(delta.after.oid);
  }
  for (const git::TreeDelta& delta : *deltas) {
    TRY_ASSIGN(const Lift dropped, scope.account.dropped(delta.path));
    if (dropped.found && dropped.judgement == Judgement::pass) continue;
    TRY(judge_path(scope, delta.path, explained, readded, items));
    TRY(judge_lost_file(scope, delta, arrived, items));
  }
  cap(items);
  TRY(blame(view, items));
  for (model::VerdictItem& item : items) {
    if (item.judgement != Judgement::pass) item.proposes = proposed_invariant(item.path, item.text, item.introduced_by);
  }
  return items;
}

constinit const Rule g23{
    .id = "G23",
    .title = "the fork's lines are kept",
    .fail = "EXPLAIN, in the fork surface ESCALATE",
    .passes = "every line that only the fork has is kept, moved, or removed by U; the item names the commit that wrote it",
    .lift = "an entry `downstream_lost` for each line; in `fork_surface` or class `fork` a person",
    .example = "facebookexperimental/triton 69e895ea5 lost `interval = narrowIntervalForSubview(value, interval);` of the fork's "
               "#928: spurious barriers until 303b5d5b3, 124 days later",
    .pick = g23_fork_kept,
    .companion = true,
};

}  // namespace sluice::guardrails
