// SPDX-License-Identifier: Apache-2.0
// A rule: a pure judge from facts to items. The verdict of a rule is the worst of its items.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/judge_context.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"
#include "core/result.h"
#include "guardrails/account.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {

using Items = std::vector<model::VerdictItem>;

// What a rule over one pick may use.
struct PickScope {
  PickView& view;
  Account& account;
  std::optional<model::UnitKind> lane;  // empty: single-pick mode
  double threshold = -1;                // of the policy; < 0 = the rule's default
};

// What a rule over a whole unit may use. `evidence` is empty and `with_suites` false when only the
// diffs are judged.
struct UnitScope {
  const git::Reader& reader;
  const model::Proposal& proposal;
  model::UnitKind lane;
  std::span<const model::Evidence> evidence;
  const model::JudgeContext& context;
  double threshold = -1;
};

using PickJudge = Result<Items> (*)(PickScope&);
using UnitJudge = Result<Items> (*)(const UnitScope&);

struct Rule {
  std::string_view id, title, fail;
  PickJudge pick = nullptr;  // exactly one of the two
  UnitJudge unit = nullptr;
  bool needs_record = false;  // reads the resolution record: not applicable to a pick without one
  bool needs_suites = false;  // reads evidence: not part of the diff policy
};

// Every rule, in the order of the catalogue.
std::span<const Rule> rules();

// An item of at most 300 bytes of text.
model::VerdictItem make_item(std::string path, std::string_view text, std::string detail,
                             model::Judgement judgement);
// Applies what the accounting record says to `item`.
void apply(const Lift& lift, model::VerdictItem& item);
// Keeps an unusual pick from writing a verdict of a million items: the rest is counted in one more.
void cap(Items& items, std::size_t limit = 1000);

Result<Items> g01_provenance(const UnitScope&);
Result<Items> g02_machine_merge(PickScope&);
Result<Items> g03_fold(const UnitScope&);
Result<Items> g04_tested_is_landed(const UnitScope&);
Result<Items> g05_message(const UnitScope&);
Result<Items> g06_refs(const UnitScope&);
Result<Items> g10_paths(PickScope&);
Result<Items> g12_protected(PickScope&);
Result<Items> g13_modes(PickScope&);
Result<Items> g15_pins(PickScope&);
Result<Items> g20_markers(PickScope&);
Result<Items> g21_upstream_added(PickScope&);
Result<Items> g23_fork_kept(PickScope&);
Result<Items> g25_dangling(PickScope&);
Result<Items> g26_duplicate(PickScope&);
Result<Items> g28_coverage(PickScope&);
Result<Items> g42_suites(const UnitScope&);
Result<Items> g43_counts(const UnitScope&);
Result<Items> g44_runner(const UnitScope&);
Result<Items> g50_build(const UnitScope&);

}  // namespace sluice::guardrails
