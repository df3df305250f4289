// SPDX-License-Identifier: Apache-2.0
// G32: an answer that is longer than both sides together was written, not merged.
#include <fmt/format.h>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g32_longer(PickScope& scope) {
  Items items;
  for (const std::string& path : scope.view.conflict_paths()) {
    if (!scope.view.wanted(path)) continue;
    TRY_ASSIGN(const std::vector<RegionFact>* regions, scope.view.regions(path));
    for (const RegionFact& fact : *regions) {
      if (!fact.result.located) continue;
      const auto lines = [](const std::string& text) { return core::split_lines(text).size(); };
      const std::size_t ours = lines(fact.region.ours), theirs = lines(fact.region.theirs), here = lines(fact.result.text);
      if (static_cast<double>(here) <= scope.threshold() * static_cast<double>(ours + theirs)) continue;
      model::VerdictItem item = make_item(path, fact.region.id,
                                          fmt::format("{} lines where the fork has {} and upstream {}", here, ours, theirs),
                                          model::Judgement::escalate);
      item.line = fact.result.first_line;
      items.push_back(std::move(item));
    }
  }
  cap(items);
  return items;
}


constexpr Threshold g32_thresholds[] = {{"threshold", 1, "times the lines of both sides"}};
constinit const Rule g32{
    .id = "G32",
    .title = "longer than both sides",
    .fail = "ESCALATE",
    .passes = "the result of a region has at most `threshold` times the lines of its ours and theirs together",
    .lift = "a person",
    .example = "2.0 % of people's resolutions are longer: code was written, not merged",
    .thresholds = g32_thresholds,
    .pick = g32_longer,
};

}  // namespace sluice::guardrails
