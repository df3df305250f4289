// SPDX-License-Identifier: Apache-2.0
// G33: a name that one side brings into a region is in the answer, or somebody says why not.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/rules/rule.h"
#include "guardrails/scan/region_names.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

struct SideOf {
  const std::string& text;
  Tree tree;
  std::string_view kind, origin, words;
};

// Any line of that side which holds the name may stand for it.
Result<Lift> covering(PickScope& scope, const std::string& path, Tree tree, std::string_view name) {
  if (scope.view.pick().account.empty()) return Lift{};
  TRY_ASSIGN(const FileText* file, scope.view.file(tree, path));
  for (const std::string_view line : file->lines) {
    if (!holds_name(line, name)) continue;
    TRY_ASSIGN(Lift lift, scope.account.covering(path, std::string(line)));
    if (lift.found) return lift;
  }
  return Lift{};
}

// Names of `side` that base lacks and the result lacks; one item for each line of the side that brings some.
Result<void> judge_side(PickScope& scope, const std::string& path, const RegionFact& fact, const SideOf& side, Items& items) {
  std::set<std::string_view> had, has;
  add_names(fact.region.base, had);
  add_names(fact.result.text, has);
  std::set<std::string> dropped = names_of(side.text, path);
  std::erase_if(dropped, [&](const std::string& name) { return had.contains(name) || has.contains(name); });
  if (dropped.empty()) return {};
  const std::string code = code_of(side.text, path);
  const std::vector<std::string_view> lines = core::split_lines(side.text), code_lines = core::split_lines(code);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    std::string open, covered;
    Lift worst;
    std::set<std::string_view> here;
    add_names(code_lines[i], here);
    for (const std::string_view name : here) {
      if (dropped.erase(std::string(name)) == 0) continue;  // kept, or said with an earlier line
      TRY_ASSIGN(const Lift lift, covering(scope, path, side.tree, name));
      std::string& list = lift.found ? covered : open;
      list += (list.empty() ? "" : ", ") + std::string(name);
      if (lift.found && (!worst.found || worst.judgement < lift.judgement)) worst = lift;
    }
    if (open.empty() && covered.empty()) continue;
    const bool told = open.empty() || worst.judgement == Judgement::block;
    model::VerdictItem item =
        explainable_item(path, line, std::string(side.kind), fmt::format("{}: {}", side.words, told ? covered : open), Judgement::explain);
    item.origin = side.origin;
    item.line = fact.result.first_line;
    if (told) apply(worst, item);
    items.push_back(std::move(item));
  }
  return {};
}

}  // namespace

static Result<Items> g33_dropped_names(PickScope& scope) {
  Items items;
  for (const std::string& path : scope.view.conflict_paths()) {
    if (!scope.view.wanted(path)) continue;
    TRY_ASSIGN(const std::vector<RegionFact>* regions, scope.view.regions(path));
    for (const RegionFact& fact : *regions) {
      if (!fact.result.located) continue;
      TRY(judge_side(scope, path, fact, {fact.region.theirs, Tree::upstream, "upstream_added", "upstream", "upstream change dropped"}, items));
      TRY(judge_side(scope, path, fact, {fact.region.ours, Tree::onto, "downstream_lost", "fork", "fork change dropped"}, items));
    }
  }
  cap(items);
  return items;
}


constinit const Rule g33{
    .id = "G33",
    .title = "identifier dropped",
    .fail = "EXPLAIN",
    .passes = "every identifier of the code that theirs or ours introduced against base stands in the region's result",
    .lift = "an entry for a line that holds the identifier",
    .example = "12.2 % of people's resolutions drop a name that upstream introduced, 16.5 % one of the fork's",
    .pick = g33_dropped_names,
};

}  // namespace sluice::guardrails
