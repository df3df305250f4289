// SPDX-License-Identifier: Apache-2.0
#include "guardrails/measure.h"

#include <algorithm>

#include "core/text.h"
#include "guardrails/extent.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {
namespace {

std::int64_t count(std::size_t n) { return static_cast<std::int64_t>(n); }

Result<void> measure_distances(PickView& view, PickMeasure& out) {
  for (const std::string& path : view.conflict_paths()) {
    TRY_ASSIGN(const std::vector<RegionFact>* regions, view.regions(path));
    if (regions->empty()) continue;  // the path as a whole is the conflict
    TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::merge, Tree::proposed, path));
    for (const model::Hunk& hunk : diff->hunks) {
      const std::int64_t off = count(distance(hunk, *regions));
      for (std::size_t i = 0; i < measured_distances.size(); ++i) {
        if (off > measured_distances[i]) out.lines_beyond[i] += count(hunk.old_count) + count(hunk.new_count);
      }
    }
  }
  return {};
}

Result<void> measure_size(PickView& view, PickMeasure& out) {
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (!view.in_conflict(delta.path)) ++out.files_outside;
    TRY_ASSIGN(const Size size, size_of(view, delta.path));
    out.changed_lines += count(size.changed);
    out.conflict_lines += count(size.conflict);
    out.changed_files += size.outside ? 1 : 0;
  }
  return {};
}

Result<void> measure_upstream(PickView& view, PickMeasure& out) {
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::base, Tree::upstream));
  for (const git::TreeDelta& delta : *deltas) {
    if (view.dropped(delta.path) != nullptr) continue;
    TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::base, Tree::upstream, delta.path));
    TRY_ASSIGN(const bool machine, view.machine_made(delta.path));
    // Outside the conflict what the machine merge did not bring is no omission of whoever landed the pick.
    LineCounts left, merged;
    const bool conflicted = view.in_conflict(delta.path);
    if (!machine) {
      TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, delta.path));
      left = proposed->counts;
      TRY_ASSIGN(const FileText* file, view.file(Tree::merge, delta.path));
      merged = file->counts;
    }
    for (const git::DiffLine& line : diff->lines) {
      const std::string norm = core::strip_space(line.text);
      if (line.side != '+' || !significant(norm)) continue;
      ++out.upstream_added;
      if (machine) continue;
      const bool brought = conflicted || take(merged, norm);
      if (!take(left, norm) && brought) ++out.upstream_missing;
    }
  }
  return {};
}

Result<void> measure_own_lines(PickView& view, PickMeasure& out) {
  TRY_ASSIGN(const LineCounts* added, view.added(Tree::onto, Tree::proposed));
  TRY_ASSIGN(const LineCounts* upstream, view.added(Tree::base, Tree::upstream));
  for (const auto& [line, times] : *added) out.own_added += std::max(times - count_of(*upstream, line), 0);
  return {};
}

}  // namespace

Result<PickMeasure> measure(const git::Reader& reader, const PickFacts& pick, const model::PolicyConfig& policy, JudgeMemory& memory) {
  const RuleFilter everything;
  PickView view(reader, pick, policy, everything, memory.symbols());
  PickMeasure out;
  out.conflicted = view.conflicted();
  out.identical = view.tree(Tree::merge) == view.tree(Tree::proposed);
  TRY(measure_upstream(view, out));
  if (out.identical) return out;
  TRY(measure_distances(view, out));
  TRY(measure_size(view, out));
  TRY(measure_own_lines(view, out));
  return out;
}

}  // namespace sluice::guardrails
