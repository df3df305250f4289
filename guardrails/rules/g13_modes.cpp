// SPDX-License-Identifier: Apache-2.0
// G13: against the machine merge the proposal brings no link, submodule, executable bit, binary or big
// file, and no path that a checkout would confuse with another.
#include <fmt/format.h>

#include <map>
#include <set>

#include "guardrails/own_lines.h"
#include "guardrails/scan/path_names.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

constexpr std::uint32_t link_mode = 0120000, submodule_mode = 0160000;

bool is_regular(std::uint32_t mode) { return (mode & 0170000u) == 0100000u; }
bool is_executable(std::uint32_t mode) { return is_regular(mode) && (mode & 0111u) != 0; }

Result<std::string> trouble_of(PickView& view, const git::TreeDelta& delta, std::size_t limit) {
  const std::uint32_t mode = delta.after.mode, was = delta.before.mode;
  if (unsafe_path(delta.path)) return std::string("a path that leaves the tree or belongs to git");
  if (mode == link_mode && (was != link_mode || delta.before.oid != delta.after.oid)) {
    return std::string("a symbolic link that the machine merge does not have");
  }
  if (mode == submodule_mode && (was != submodule_mode || delta.before.oid != delta.after.oid)) {
    return std::string("a submodule link that the machine merge does not have");
  }
  if (mode != link_mode && mode != submodule_mode && !is_regular(mode))
    return fmt::format("mode {:o} is no file of a tree", mode);
  if (is_executable(mode) && !is_executable(was))
    return std::string("an executable bit that the machine merge does not have");
  if (!is_regular(mode) || delta.before.oid == delta.after.oid) return std::string();
  TRY_ASSIGN(const FileText* file, view.file(Tree::proposed, delta.path));
  if (file->binary) return std::string("a binary file that the machine merge does not have");
  if (file->text.size() > limit) return fmt::format("{} bytes (limit {})", file->text.size(), limit);
  return std::string();
}

// Collisions of new paths with any path of P, directories included.
Result<void> add_collisions(PickView& view, const std::vector<std::string>& fresh, Items& items) {
  std::map<std::string, std::set<std::string>> by_fold;  // folded path of each prefix -> spellings
  const auto note = [&](const std::string& path) {
    for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
      const std::string prefix = path.substr(0, slash);
      by_fold[folded_path(prefix)].insert(prefix);
      if (slash == std::string::npos) return;
    }
  };
  TRY(view.reader().walk(view.tree(Tree::proposed), [&](const std::string& path, const git::TreeEntry&) {
    note(path);
    return true;
  }));
  std::set<std::string> said;
  for (const std::string& path : fresh) {
    for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
      const std::string prefix = path.substr(0, slash);
      const std::set<std::string>& spellings = by_fold[folded_path(prefix)];
      if (spellings.size() > 1 && said.insert(prefix).second) {
        const std::string& other = *spellings.begin() == prefix ? *spellings.rbegin() : *spellings.begin();
        items.push_back(make_item(path, prefix,
                                  fmt::format("differs from {} in case or Unicode form only", other),
                                  model::Judgement::block));
      }
      if (slash == std::string::npos) break;
    }
  }
  return {};
}

}  // namespace

static Result<Items> g13_modes(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  const std::size_t limit = static_cast<std::size_t>(scope.threshold());
  std::vector<std::string> fresh;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  for (const git::TreeDelta& delta : *deltas) {
    if (delta.after.oid.empty()) continue;
    if (view.in_conflict(delta.path)) {
      TRY_ASSIGN(const bool side, takes_a_side(view, delta.path));
      if (side)
        continue;  // the machine had no answer; one of the sides' own is none of the proposal's making
    }
    TRY_ASSIGN(const std::string trouble, trouble_of(view, delta, limit));
    if (!trouble.empty()) items.push_back(make_item(delta.path, "", trouble, model::Judgement::block));
    if (delta.before.oid.empty()) fresh.push_back(delta.path);
  }
  if (!fresh.empty()) TRY(add_collisions(view, fresh, items));
  cap(items);
  return items;
}

constexpr Threshold g13_thresholds[] = {{"threshold", 1048576, "bytes of a new file"}};
constinit const Rule g13{
    .id = "G13",
    .title = "modes, links, size, names",
    .fail = "BLOCK",
    .passes = "against M no new link, submodule, executable bit, binary, file above the threshold, unsafe or confusable path",
    .lift = "a commit of its own by a person",
    .example = "squid-cache 2446: a submodule pointer moved with an unrelated change",
    .thresholds = g13_thresholds,
    .pick = g13_modes,
    .companion = true,
};

}  // namespace sluice::guardrails
