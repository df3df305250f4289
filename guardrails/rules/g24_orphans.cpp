// SPDX-License-Identifier: Apache-2.0
// G24: nothing loses its last use and stays behind. A resolution that drops the one call of a function compiles, and
// passes the tests that were written before the function.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "guardrails/rules/rule.h"
#include "guardrails/scan/standing.h"

namespace sluice::guardrails {
namespace {

struct Lost {
  std::string path, text;
  std::uint32_t line = 0;  // of the fork's file
};
using LostCalls = std::map<std::string, Lost>;

// Calls in lines that D has and P lacks; without those whose definition goes as well.
Result<void> collect(PickView& view, const std::string& path, std::size_t min_length, LostCalls& calls, std::set<std::string>& undefined) {
  const Family family = family_of(path);
  if (family == Family::none) return {};
  TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::onto, Tree::proposed, path));
  std::map<std::uint32_t, std::string_view> removed;
  for (const git::DiffLine& line : diff->lines) {
    if (line.side == '-') removed.emplace(line.line, line.text);
  }
  if (removed.empty()) return {};
  TRY_ASSIGN(const FileText* before, view.file(Tree::onto, path));
  for (const auto& [line, names] : calls_by_line(before->text, family, min_length)) {
    const auto gone = removed.find(line);
    if (gone == removed.end()) continue;
    for (const std::string& name : names) calls.emplace(name, Lost{path, std::string(gone->second), line});
  }
  for (const Occurrence& seen : occurrences(blank_comments(before->text, family), family, min_length)) {
    if (seen.role == Role::definition && removed.contains(seen.line)) undefined.insert(seen.name);
  }
  return {};
}

// Keeps of `calls` what the changed files of P do not use; that settles most names.
Result<std::set<std::string>> unused_in_changed(PickView& view, const std::vector<git::TreeDelta>& deltas, const LostCalls& calls,
                                                const std::set<std::string>& undefined) {
  Standings standings;
  for (const auto& [name, call] : calls) standings[name];
  for (const git::TreeDelta& delta : deltas) {
    if (!is_blob_mode(delta.after.mode) || family_of(delta.path) == Family::none) continue;
    TRY_ASSIGN(const FileText* after, view.file(Tree::proposed, delta.path));
    if (!after->binary) note_standings(delta.path, after->text, standings);
    std::erase_if(standings, [](const auto& entry) { return entry.second.uses > 0; });
  }
  std::set<std::string> out;
  for (const auto& [name, standing] : standings) {
    if (standing.definitions > 0 || !undefined.contains(name)) out.insert(name);
  }
  return out;
}

// Upstream itself ends in the same state.
Result<std::set<std::string>> orphaned_by_upstream(PickView& view, const std::set<std::string>& names, const std::set<std::string>& near) {
  std::set<std::string> out;
  if (view.tree(Tree::base) == view.tree(Tree::upstream)) return out;  // a companion
  TRY_ASSIGN(const Standings after, unused(view.reader(), view.symbols(), view.tree(Tree::upstream), names, near));
  std::set<std::string> left;
  for (const auto& [name, standing] : after) {
    if (standing.definitions > 0) left.insert(name);
  }
  if (left.empty()) return out;
  TRY_ASSIGN(const Standings before, unused(view.reader(), view.symbols(), view.tree(Tree::base), left, near));
  for (const std::string& name : left) {
    if (!before.contains(name)) out.insert(name);
  }
  return out;
}

}  // namespace

static Result<Items> g24_orphans(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  const auto min_length = static_cast<std::size_t>(std::max(scope.threshold("min_length"), 4.0));
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::onto, Tree::proposed));
  LostCalls calls;
  std::set<std::string> undefined, near;
  for (const git::TreeDelta& delta : *deltas) {
    near.insert(directory_of(delta.path));
    if (is_blob_mode(delta.before.mode)) TRY(collect(view, delta.path, min_length, calls, undefined));
  }
  if (calls.empty()) return items;
  TRY_ASSIGN(std::set<std::string> names, unused_in_changed(view, *deltas, calls, undefined));
  if (names.empty()) return items;
  TRY_ASSIGN(Standings standings, unused(view.reader(), view.symbols(), view.tree(Tree::proposed), names, near));
  std::erase_if(standings, [](const auto& entry) { return entry.second.definitions == 0; });
  if (standings.empty()) return items;
  names.clear();
  for (const auto& [name, standing] : standings) names.insert(name);
  TRY_ASSIGN(const std::set<std::string> excused, orphaned_by_upstream(view, names, near));
  for (const auto& [name, standing] : standings) {
    if (excused.contains(name) || !standing.definition) continue;
    const Lost& lost = calls.at(name);
    model::VerdictItem item = make_item(standing.definition->path, name,
                                        fmt::format("it stays defined here, and nothing uses it any more; the fork used it in {}:{}",
                                                    lost.path, lost.line),
                                        model::Judgement::escalate);
    item.line = standing.definition->line;
    items.push_back(std::move(item));
  }
  cap(items);
  return items;
}

constexpr Threshold g24_thresholds[] = {{"min_length", 6, "letters of an identifier"}};
constinit const Rule g24{
    .id = "G24",
    .title = "orphaned symbol",
    .fail = "ESCALATE",
    .passes = "no identifier of min_length letters or more keeps its definition and loses its last use, unless upstream does the "
               "same from B to U",
    .lift = "a person; or remove the definition as well",
    .example = "facebookexperimental/triton 69e895ea5: `narrowIntervalForSubview` stays defined, and nobody calls it any more",
    .thresholds = g24_thresholds,
    .pick = g24_orphans,
    .companion = true,
};

}  // namespace sluice::guardrails
