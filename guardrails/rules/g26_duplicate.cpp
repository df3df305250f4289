// SPDX-License-Identifier: Apache-2.0
// G26: nothing stands twice that both sides have once. A three-way merge does that silently when the
// fork has taken a change early and upstream brings it at another place.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"
#include "guardrails/scan/named_things.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

struct Line {
  std::string norm;
  std::uint32_t number = 0;  // 1-based
};

std::vector<Line> significant_lines(std::string_view text) {
  std::vector<Line> out;
  std::uint32_t number = 0;
  for (const std::string_view line : core::split_lines(text)) {
    ++number;
    std::string norm = core::strip_space(line);
    if (significant(norm)) out.push_back({std::move(norm), number});
  }
  return out;
}

// Key of each window of `size` lines -> index of its first lines. Overlapping repeats of one line
// (a table of equal rows) count once.
std::unordered_map<std::string, std::vector<std::size_t>> windows(const std::vector<Line>& lines,
                                                                  std::size_t size) {
  std::unordered_map<std::string, std::vector<std::size_t>> out;
  for (std::size_t i = 0; i + size <= lines.size(); ++i) {
    std::string key;
    for (std::size_t k = 0; k < size; ++k) key += lines[i + k].norm + "\n";
    std::vector<std::size_t>& at = out[std::move(key)];
    if (at.empty() || i >= at.back() + size) at.push_back(i);
  }
  return out;
}

// Text of `path` in U. A file that the fork renamed has another path there: the changed files of U of
// the same name stand in.
Result<std::string> upstream_text(PickView& view, const std::string& path) {
  TRY_ASSIGN(const FileText* file, view.file(Tree::upstream, path));
  if (file->present) return file->text;
  const std::string name = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  std::string out;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::base, Tree::upstream));
  for (const git::TreeDelta& delta : *deltas) {
    if (delta.path != name && !delta.path.ends_with("/" + name)) continue;
    TRY_ASSIGN(const FileText* other, view.file(Tree::upstream, delta.path));
    if (!other->binary) out += other->text;
  }
  return out;
}

struct Sides {
  const std::string& proposed;
  const std::string& upstream;
  const std::string& onto;
};

void judge_blocks(const std::string& path, const Sides& sides, const std::unordered_set<std::uint32_t>& added,
                  std::size_t size, Items& items) {
  const std::vector<Line> lines = significant_lines(sides.proposed);
  const auto now = windows(lines, size);
  const auto upstream = windows(significant_lines(sides.upstream), size);
  const auto onto = windows(significant_lines(sides.onto), size);
  const auto times = [](const auto& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::size_t{0} : found->second.size();
  };
  std::vector<std::size_t> starts;
  for (const auto& [key, at] : now) {
    if (at.size() < 2 || times(upstream, key) > 1 || times(onto, key) > 1) continue;
    const bool fresh = std::any_of(at.begin(), at.end(), [&](std::size_t i) {
      for (std::size_t k = 0; k < size; ++k) {
        if (!added.contains(lines[i + k].number)) return false;
      }
      return true;
    });
    if (fresh) starts.insert(starts.end(), at.begin(), at.end());
  }
  std::sort(starts.begin(), starts.end());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (i > 0 && starts[i] <= starts[i - 1] + size) continue;  // goes on from the window before
    const Line& first = lines[starts[i]];
    model::VerdictItem item = make_item(
        path, core::split_lines(sides.proposed)[first.number - 1],
        fmt::format("a block of {} or more lines stands twice in the result, at most once in either side",
                    size),
        model::Judgement::escalate);
    item.line = first.number;
    items.push_back(std::move(item));
  }
}

void judge_names(const NamedThings& names, const std::string& path, const Sides& sides,
                 const std::unordered_set<std::uint32_t>& added, Items& items) {
  const auto now = names.find(path, sides.proposed);
  const bool any =
      std::any_of(now.begin(), now.end(), [](const auto& entry) { return entry.second.lines.size() > 1; });
  if (!any) return;
  const auto upstream = names.find(path, sides.upstream);
  const auto onto = names.find(path, sides.onto);
  const auto times = [](const auto& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::size_t{0} : found->second.lines.size();
  };
  for (const auto& [key, thing] : now) {
    if (thing.lines.size() < 2 || times(upstream, key) > 1 || times(onto, key) > 1) continue;
    if (std::none_of(thing.lines.begin(), thing.lines.end(),
                     [&](std::uint32_t line) { return added.contains(line); }))
      continue;
    model::VerdictItem item = make_item(
        path, thing.name,
        fmt::format("this {} stands {} times in the result, first in line {}, at most once in either side",
                    thing.kind, thing.lines.size(), thing.lines.front()),
        model::Judgement::escalate);
    item.line = thing.lines.back();
    items.push_back(std::move(item));
  }
}

}  // namespace

static Result<Items> g26_duplicate(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  const std::size_t size = std::max<std::size_t>(2, static_cast<std::size_t>(scope.threshold()));
  TRY_ASSIGN(const NamedThings names, NamedThings::create());
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::onto, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (!is_blob_mode(delta.after.mode) || delta.before.oid == delta.after.oid) continue;
    TRY_ASSIGN(const std::optional<git::TreeEntry> in_upstream, view.entry(Tree::upstream, delta.path));
    if (in_upstream && in_upstream->oid == delta.after.oid) continue;  // upstream's own file
    TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, delta.path));
    TRY_ASSIGN(const FileText* onto, view.file(Tree::onto, delta.path));
    if (proposed->binary || onto->binary) continue;
    TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::onto, Tree::proposed, delta.path));
    std::unordered_set<std::uint32_t> added;
    for (const git::DiffLine& line : diff->lines) {
      if (line.side == '+') added.insert(line.line);
    }
    if (added.empty()) continue;
    TRY_ASSIGN(const std::string upstream, upstream_text(view, delta.path));
    const Sides sides{proposed->text, upstream, onto->text};
    judge_names(names, delta.path, sides, added, items);
    judge_blocks(delta.path, sides, added, size, items);
  }
  cap(items);
  return items;
}

constexpr Threshold g26_thresholds[] = {{"threshold", 3, "lines of a block"}};
constinit const Rule g26{
    .id = "G26",
    .title = "duplicate",
    .fail = "ESCALATE",
    .passes = "no block of `threshold` lines and no name of a function, test, binding, registration or record stands twice that "
               "either side has once",
    .lift = "a person; or remove the second copy",
    .example = "facebookexperimental/triton b43d69357 registers `create_local_gather` and `create_local_scatter` twice: the fork had "
               "them already",
    .thresholds = g26_thresholds,
    .pick = g26_duplicate,
    .companion = true,
};

}  // namespace sluice::guardrails
