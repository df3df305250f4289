// SPDX-License-Identifier: Apache-2.0
// G28: every conflict region, and every conflicted path without regions, has exactly one resolution
// record, and no record answers anything else.
#include <fmt/format.h>

#include <map>

#include "guardrails/rules/rule.h"

namespace sluice::guardrails {

static Result<Items> g28_coverage(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  std::map<std::pair<std::string, std::string>, int> records;  // path, region id (empty = whole path)
  for (const model::Resolution& record : view.pick().resolutions) ++records[{record.path, record.region_id}];
  const auto expect = [&](const std::string& path, const std::string& region) {
    const auto found = records.find({path, region});
    const int n = found == records.end() ? 0 : found->second;
    if (found != records.end()) records.erase(found);
    if (n == 1) return;
    items.push_back(make_item(
        path, region,
        n == 0 ? "a conflict without a resolution record" : fmt::format("{} records for one conflict", n),
        model::Judgement::block));
  };
  for (const model::Conflict& conflict : view.pick().conflicts) {
    TRY_ASSIGN(const std::vector<RegionFact>* regions, view.regions(conflict.path));
    for (const RegionFact& fact : *regions) expect(conflict.path, fact.region.id);
    if (regions->empty()) expect(conflict.path, "");
  }
  for (const auto& [key, count] : records) {
    items.push_back(make_item(key.first, key.second, "a record that answers no conflict of this pick",
                              model::Judgement::block));
  }
  return items;
}

constinit const Rule g28{
    .id = "G28",
    .title = "every conflict has one record",
    .fail = "BLOCK",
    .passes = "one resolution record for each region, or for each conflicted path without regions, and no other",
    .lift = "nothing: answer every region",
    .example = "a model answered six of seven regions and called the file done",
    .pick = g28_coverage,
    .needs_record = true,
};

}  // namespace sluice::guardrails
