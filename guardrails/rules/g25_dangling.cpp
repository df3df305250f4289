// SPDX-License-Identifier: Apache-2.0
// G25: no identifier loses its last definition while uses remain. This is what a clean text merge
// cannot see: upstream removes a function that only the fork still calls. A text index, before any
// build; where upstream itself is left in the same state, the definition lives outside the tree.
#include <fmt/format.h>

#include <map>
#include <set>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

constexpr std::size_t min_name = 6;  // shorter names occur for too many reasons

struct Candidate {
  std::string path;
  std::uint32_t line = 0;
  bool type_like = false;
};
using Candidates = std::map<Family, std::map<std::string, Candidate>>;

// Names whose definition lines go away in `path` and that `path` does not define any more.
Result<void> collect(PickView& view, const std::string& path, Candidates& out) {
  const Family family = family_of(path);
  if (family == Family::none) return {};
  TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::onto, Tree::proposed, path));
  std::set<std::uint32_t> removed;
  for (const git::DiffLine& line : diff->lines) {
    if (line.side == '-') removed.insert(line.line);
  }
  if (removed.empty()) return {};
  TRY_ASSIGN(const FileText* before, view.file(Tree::onto, path));
  TRY_ASSIGN(const FileText* after, view.file(Tree::proposed, path));
  std::map<std::string, Candidate> gone;
  for (const Occurrence& seen : occurrences(blank_comments(before->text, family), family, min_name)) {
    if (seen.role == Role::definition && removed.contains(seen.line)) {
      gone.emplace(seen.name, Candidate{path, seen.line, seen.type_like});
    }
  }
  if (gone.empty()) return {};
  for (const Occurrence& seen : occurrences(blank_comments(after->text, family), family, min_name)) {
    if (seen.role == Role::definition || seen.role == Role::local) gone.erase(seen.name);
  }
  out[family].merge(gone);
  return {};
}

}  // namespace

static Result<Items> g25_dangling(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  Candidates candidates;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::onto, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (is_blob_mode(delta.before.mode)) TRY(collect(view, delta.path, candidates));
  }
  for (const auto& [family, names] : candidates) {
    std::set<std::string> wanted;
    for (const auto& [name, candidate] : names) wanted.insert(name);
    TRY_ASSIGN(const auto now,
               view.symbols().count(view.reader(), view.tree(Tree::proposed), family, wanted));
    std::erase_if(wanted, [&](const std::string& name) {
      const SymbolCount& count = now.at(name);
      return count.definitions > 0 || count.uses(names.at(name).type_like) == 0;
    });
    if (wanted.empty()) continue;
    TRY_ASSIGN(const auto upstream,
               view.symbols().count(view.reader(), view.tree(Tree::upstream), family, wanted));
    for (const std::string& name : wanted) {
      const Candidate& candidate = names.at(name);
      const SymbolCount& there = upstream.at(name);
      if (there.definitions == 0 && there.uses(candidate.type_like) > 0) continue;
      const SymbolCount& left = now.at(name);
      const std::optional<SymbolUse>& use = left.first_call ? left.first_call : left.first_mention;
      model::VerdictItem item =
          make_item(candidate.path, name,
                    fmt::format("its last definition goes, and it is still used {} times, first in {}:{}",
                                left.uses(candidate.type_like), use ? use->path : "?", use ? use->line : 0),
                    model::Judgement::block);
      item.line = candidate.line;
      items.push_back(std::move(item));
    }
  }
  cap(items);
  return items;
}

constinit const Rule g25{
    .id = "G25",
    .title = "dangling reference",
    .fail = "BLOCK",
    .passes = "no identifier of 6 letters or more loses its last definition while uses remain (C family with TableGen, Python, CMake)",
    .lift = "nothing: bring the definition or remove the uses",
    .example = "upstream removes a function that only the fork still calls: the merge is clean, the build is not",
    .pick = g25_dangling,
    .companion = true,
};

}  // namespace sluice::guardrails
