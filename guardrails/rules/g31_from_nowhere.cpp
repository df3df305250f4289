// SPDX-License-Identifier: Apache-2.0
// G31: an answer is made of what its sides say. A name that none of them has was thought up.
#include <fmt/format.h>

#include "guardrails/rules/rule.h"
#include "guardrails/scan/region_names.h"

namespace sluice::guardrails {
namespace {

Result<void> judge_path(PickScope& scope, const std::string& path, Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<RegionFact>* regions, view.regions(path));
  if (regions->empty()) return {};
  TRY_ASSIGN(const FileText* merged, view.file(Tree::merge, path));
  for (const RegionFact& fact : *regions) {
    const git::Region& region = fact.region;
    if (!fact.result.located) continue;
    std::set<std::string_view> known;
    for (const std::string* side : {&region.base, &region.ours, &region.theirs}) add_names(*side, known);
    const bool person = answered_by_person(view.pick(), path, region.id);
    if (person) add_names_around(merged->lines, region, static_cast<std::size_t>(scope.threshold()), known);
    std::string unknown;
    for (const std::string& name : names_of(fact.result.text, path)) {
      if (!known.contains(name)) unknown += (unknown.empty() ? "" : ", ") + name;
    }
    if (unknown.empty()) continue;
    model::VerdictItem item = make_item(path, unknown,
                                        person ? "stands in none of base, ours and theirs of the region, nor around it"
                                               : "stands in none of base, ours and theirs of the region",
                                        model::Judgement::escalate);
    item.line = fact.result.first_line;
    items.push_back(std::move(item));
  }
  return {};
}

}  // namespace

static Result<Items> g31_from_nowhere(PickScope& scope) {
  Items items;
  for (const std::string& path : scope.view.conflict_paths()) {
    if (scope.view.wanted(path)) TRY(judge_path(scope, path, items));
  }
  cap(items);
  return items;
}


constexpr Threshold g31_thresholds[] = {{"threshold", 10, "lines around the region that count for a person's answer"}};
constinit const Rule g31{
    .id = "G31",
    .title = "token from nowhere",
    .fail = "ESCALATE",
    .passes = "every identifier of a region's result, comments and strings aside, stands in base, ours or theirs of the "
               "region; for a person's answer also in the `threshold` lines around it",
    .lift = "a person",
    .example = "3.6 to 3.9 % of people's resolutions hold one: right in most cases, and always worth a look",
    .thresholds = g31_thresholds,
    .pick = g31_from_nowhere,
};

}  // namespace sluice::guardrails
