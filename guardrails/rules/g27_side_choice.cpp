// SPDX-License-Identifier: Apache-2.0
// G27: who answers a region with one side says so, when the other side has a change of its own.
#include <fmt/format.h>

#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

model::VerdictItem item_of(const std::string& path, const RegionFact& fact) {
  const bool ours = fact.relation == core::Relation::ours;
  // The text is the argument of the entry that answers it.
  model::VerdictItem item =
      make_item(path, fmt::format("{} {}", fact.region.id, core::to_string(fact.relation)),
                ours ? "the fork's side was taken as it is; upstream changes these lines too"
                     : "upstream's side was taken as it is; the fork changes these lines too",
                Judgement::explain);
  item.line = fact.result.first_line;
  item.account = "side_choice";
  return item;
}

Result<void> judge_path(PickScope& scope, const std::string& path, Items& items) {
  TRY_ASSIGN(const std::vector<RegionFact>* regions, scope.view.regions(path));
  for (const std::string& detail : scope.account.stray_sides(path, *regions))
    items.push_back(make_item(path, "", detail, Judgement::block));
  const core::Language language = core::language_of(path);
  for (const RegionFact& fact : *regions) {
    const git::Region& region = fact.region;
    const bool silent = !fact.result.located || !core::leaves_a_change(fact.relation, region.base, region.ours, region.theirs, language);
    TRY_ASSIGN(const Lift lift, scope.account.side_of(path, fact));
    if (silent && (!lift.found || lift.judgement == Judgement::pass)) continue;
    model::VerdictItem item = item_of(path, fact);
    if (!fact.result.located) item.text = region.id;
    apply(lift, item);
    items.push_back(std::move(item));
  }
  return {};
}

}  // namespace

static Result<Items> g27_side_choice(PickScope& scope) {
  Items items;
  for (const std::string& path : scope.view.conflict_paths()) {
    if (scope.view.wanted(path)) TRY(judge_path(scope, path, items));
  }
  cap(items);
  return items;
}


constinit const Rule g27{
    .id = "G27",
    .title = "side chosen in silence",
    .fail = "EXPLAIN",
    .passes = "a region that is answered with one side while the other side has a change of its own is declared by an entry "
               "`side_choice` or `FORMAT_EQUAL`",
    .lift = "an entry `side_choice` with code `SIDE` and the argument `REGION OURS` or `REGION THEIRS`; the lines of the other side still need their own entries",
    .example = "a resolver that takes \"ours\" for every region gives a pick that builds, passes every test, and brings nothing",
    .pick = g27_side_choice,
};

}  // namespace sluice::guardrails
