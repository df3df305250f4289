// SPDX-License-Identifier: Apache-2.0
// G21: every line that the upstream commit adds to a file stands in the result's file.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

struct Tally {
  std::size_t added = 0;    // significant lines that U adds
  std::size_t missing = 0;  // of those, missing and not accounted for
};

Result<void> judge_lines(PickScope& scope, const std::string& path, Tally& tally, Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::base, Tree::upstream, path));
  TRY_ASSIGN(Account::Regions regions, scope.account.format_equal(path));
  for (const std::string& detail : regions.false_entries)
    items.push_back(make_item(path, "", detail, Judgement::block));
  const auto adds = static_cast<std::size_t>(
      std::count_if(diff->lines.begin(), diff->lines.end(), [](const git::DiffLine& line) {
        return line.side == '+' && significant(core::strip_space(line.text));
      }));
  tally.added += adds;
  TRY_ASSIGN(const bool machine, view.machine_made(path));
  if (machine || adds == 0) return {};

  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  TRY_ASSIGN(const std::optional<git::TreeEntry> base, view.entry(Tree::base, path));
  if (!proposed->present && !base) {  // a file that U adds
    TRY_ASSIGN(const FileText* merged, view.file(Tree::merge, path));
    if (!view.in_conflict(path) && !merged->present) return {};
    tally.missing += adds;
    items.push_back(make_item(path, "",
                              fmt::format("the file that upstream adds is missing ({} lines)", adds),
                              Judgement::escalate));
    return {};
  }
  LineCounts left = proposed->counts;
  LineCounts machine_lines;
  if (!view.in_conflict(path)) {  // what the machine merge did not bring is not the proposal's omission
    TRY_ASSIGN(const FileText* merged, view.file(Tree::merge, path));
    machine_lines = merged->counts;
  }
  for (const git::DiffLine& line : diff->lines) {
    const std::string norm = core::strip_space(line.text);
    if (line.side != '+' || !significant(norm)) continue;
    const bool machine_has = view.in_conflict(path) || take(machine_lines, norm);
    if (take(left, norm) || !machine_has) continue;
    model::VerdictItem item = explainable_item(path, line.text, "upstream_added",
                                               "upstream adds this line, and the result lacks it", Judgement::explain);
    item.line = line.line;
    item.origin = "upstream";
    TRY_ASSIGN(const Lift lift, scope.account.take("upstream_added", path, line.text));
    if (lift.found) {
      apply(lift, item);
    } else if (take(regions.equal, norm)) {
      item.judgement = Judgement::pass;
      item.lifted_by = regions.lifted_by;
    }
    if (item.judgement != Judgement::pass) ++tally.missing;
    items.push_back(std::move(item));
  }
  return {};
}

}  // namespace

static Result<Items> g21_upstream_added(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::base, Tree::upstream));
  std::set<std::string> paths;
  for (const git::TreeDelta& delta : *deltas) paths.insert(delta.path);
  for (const std::set<std::string>& more : {view.conflict_paths(), scope.account.proven_paths()}) {
    for (const std::string& path : more) {
      if (view.wanted(path)) paths.insert(path);
    }
  }
  Tally tally;
  for (const std::string& path : paths) {
    if (const model::DroppedPath* drop = view.dropped(path); drop != nullptr && drop->why == "missing")
      continue;
    TRY_ASSIGN(const Lift dropped, scope.account.dropped(path));
    if (dropped.found) {
      model::VerdictItem item = make_item(path, "", "left out by the policy", Judgement::pass);
      apply(dropped, item);
      items.push_back(std::move(item));
      if (dropped.judgement == Judgement::pass) continue;
    }
    TRY(judge_lines(scope, path, tally, items));
  }
  const double limit = scope.threshold();  // 0.25: between p90 and p95 of accepted picks
  if (tally.added > 0 && static_cast<double>(tally.missing) > limit * static_cast<double>(tally.added)) {
    for (model::VerdictItem& item : items) {
      if (item.judgement != Judgement::explain) continue;
      item.judgement = Judgement::escalate;
      item.detail += fmt::format("; {} of {} added lines are missing (limit {:g} %)", tally.missing,
                                 tally.added, limit * 100);
    }
  }
  cap(items);
  return items;
}

constexpr Threshold g21_thresholds[] = {{"threshold", 0.25, "share of U's added lines that may be missing with an explanation"}};
constinit const Rule g21{
    .id = "G21",
    .title = "upstream's lines are there",
    .fail = "EXPLAIN, much or a whole file ESCALATE",
    .passes = "every line that U adds to a file is in P's file",
    .lift = "an entry `upstream_added` for each line; above the threshold a person",
    .example = "facebookexperimental/triton: 123 of 236 accepted resolutions lack at least one line that upstream added, at most 172",
    .thresholds = g21_thresholds,
    .pick = g21_upstream_added,
};

}  // namespace sluice::guardrails
