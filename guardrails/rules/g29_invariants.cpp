// SPDX-License-Identifier: Apache-2.0
// G29: what the operator says the fork must keep is still there. Only what D meets can be lost by a pick.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/glob.h"
#include "core/regex.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

std::int64_t matches(const FileText& file, const core::Regex& pattern) {
  return std::count_if(file.lines.begin(), file.lines.end(), [&](std::string_view line) { return pattern.search(line); });
}

// Matching lines over all files of `glob` below the tree.
Result<std::int64_t> total(PickView& view, Tree which, const std::string& glob, const core::Regex& pattern) {
  std::vector<std::string> paths;
  TRY(view.reader().walk(view.tree(which), [&](const std::string& path, const git::TreeEntry& entry) {
    const model::DroppedPath* drop = view.dropped(path);
    const bool readable = is_blob_mode(entry.mode) && (drop == nullptr || drop->why != "missing");
    if (readable && core::glob_match(glob, path)) paths.push_back(path);
    return true;
  }));
  std::int64_t count = 0;
  for (const std::string& path : paths) {
    TRY_ASSIGN(const FileText* file, view.file(which, path));
    count += matches(*file, pattern);
  }
  return count;
}

Result<std::optional<model::VerdictItem>> judge(PickView& view, const model::InvariantConfig& invariant) {
  TRY_ASSIGN(const core::Regex pattern, core::Regex::compile(invariant.pattern));
  // What the pick changes comes first: nearly every pick takes nothing away, and needs no other file.
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::onto, Tree::proposed));
  std::int64_t change = 0, worst = 0;
  std::string where;
  for (const git::TreeDelta& delta : *deltas) {
    if (!core::glob_match(invariant.path, delta.path)) continue;
    TRY_ASSIGN(const FileText* before, view.file(Tree::onto, delta.path));
    TRY_ASSIGN(const FileText* after, view.file(Tree::proposed, delta.path));
    const std::int64_t gain = matches(*after, pattern) - matches(*before, pattern);
    change += gain;
    if (gain < worst) {
      worst = gain;
      where = delta.path;
    }
  }
  if (change >= 0) return std::optional<model::VerdictItem>();
  TRY_ASSIGN(const std::int64_t had, total(view, Tree::onto, invariant.path, pattern));
  const std::int64_t has = had + change;
  if (had < invariant.min || has >= invariant.min) return std::optional<model::VerdictItem>();
  return std::optional(make_item(where, invariant.pattern,
                                 fmt::format("{} lines of {} match, the fork had {} and must have {}{}{}", has, invariant.path, had,
                                             invariant.min, invariant.why.empty() ? "" : ": ", invariant.why),
                                 model::Judgement::block));
}

}  // namespace

static Result<Items> g29_invariants(PickScope& scope) {
  Items items;
  for (const model::InvariantConfig& invariant : scope.view.policy().invariants) {
    TRY_ASSIGN(std::optional<model::VerdictItem> item, judge(scope.view, invariant));
    if (item) items.push_back(std::move(*item));
  }
  cap(items);
  return items;
}

constinit const Rule g29{
    .id = "G29",
    .title = "invariants of the fork",
    .fail = "BLOCK",
    .passes = "every `[[invariant]]` (path, pattern, least count) that D meets still matches in P",
    .lift = "a change of the invariant in the trusted configuration",
    .example = "ma-r-s/crossplay 160: a sync dropped an override of the fork, and six weeks of releases went out without it",
    .pick = g29_invariants,
    .companion = true,
};

}  // namespace sluice::guardrails
