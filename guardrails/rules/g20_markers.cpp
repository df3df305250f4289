// SPDX-License-Identifier: Apache-2.0
// G20: no conflict marker is left. Trees have no unmerged entries, so the lines decide; a line that
// B, D or U has at that path is the author's own (test data, underlines of headings).
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/region_side.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g20_markers(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::onto, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (!is_blob_mode(delta.after.mode)) continue;
    TRY_ASSIGN(const FileText* file, view.file(Tree::proposed, delta.path));
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < file->lines.size(); ++i) {
      if (core::is_conflict_marker(file->lines[i])) found.push_back(i);
    }
    if (found.empty()) continue;
    std::unordered_set<std::string_view> known;
    std::vector<Tree> origins{Tree::base, Tree::onto, Tree::upstream};
    // A clean merge of a renamed file carries the author's lines under another name.
    if (!view.in_conflict(delta.path)) origins.push_back(Tree::merge);
    for (const Tree origin : origins) {
      TRY_ASSIGN(const FileText* side, view.file(origin, delta.path));
      for (const std::string_view line : side->lines) {
        if (core::is_conflict_marker(line)) known.insert(line);
      }
    }
    for (const std::size_t i : found) {
      if (known.contains(file->lines[i])) continue;
      model::VerdictItem item =
          make_item(delta.path, file->lines[i], "a conflict marker", model::Judgement::block);
      item.line = static_cast<std::int64_t>(i) + 1;
      items.push_back(std::move(item));
    }
  }
  cap(items);
  return items;
}

constinit const Rule g20{
    .id = "G20",
    .title = "conflict markers",
    .fail = "BLOCK",
    .passes = "no conflict marker of size 7 or 31 that B, D and U lack at that path",
    .lift = "nothing: resolve the conflict",
    .example = "aws-lc 3417: files were staged with their markers, so git saw nothing unmerged",
    .pick = g20_markers,
    .companion = true,
};

}  // namespace sluice::guardrails
