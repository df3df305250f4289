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

struct Rule;

// What a rule over one pick may use.
struct PickScope {
  PickView& view;
  Account& account;
  std::optional<model::UnitKind> lane;  // empty: single-pick mode
  const Rule& rule;
  bool companion = false;  // judged is what a person added to the pick
  std::span<const std::string> held = {};  // secrets of the process (G61)
  // The policy's value, else the rule's own. REQUIRES: the rule declares `key`.
  double threshold(std::string_view key = "threshold") const;
};

// What a rule over a whole unit may use. `evidence` is empty and `with_suites` false when only the
// diffs are judged.
struct UnitScope {
  const git::Reader& reader;
  const model::Proposal& proposal;
  model::UnitKind lane;
  std::span<const model::Evidence> evidence;
  const model::JudgeContext& context;
  const Rule& rule;
  double threshold(std::string_view key = "threshold") const;
};

using PickJudge = Result<Items> (*)(PickScope&);
using UnitJudge = Result<Items> (*)(const UnitScope&);

// A number of a rule that the policy may set: [rules.Gnn] KEY = VALUE.
struct Threshold {
  std::string_view key;
  double value;  // the rule's own
  std::string_view meaning;
};

// The texts are printed: by `sluice gate`, and as docs/guardrails.md.
struct Rule {
  std::string_view id = {}, title = {};
  std::string_view fail = {};     // what follows when it does not hold
  std::string_view passes = {};   // when it holds
  std::string_view lift = {};     // what a person can do about an item
  std::string_view example = {};  // something that happened
  // Raised with every change of what the rule says of some tree. A version above the one that was measured on a
  // fork's own landed picks only observes: `calibrated` here is what this program was shipped with, the policy's
  // [rules.Gnn] calibrated is what `sluice calibrate` measured on the operator's fork.
  int version = 1, calibrated = 1;
  std::span<const Threshold> thresholds = {};
  PickJudge pick = nullptr;  // one of the two; G61 has both: what is in the trees, and what is in the words
  UnitJudge unit = nullptr;
  bool needs_record = false;  // reads the resolution record: not applicable to a pick without one
  bool needs_suites = false;  // reads evidence: not part of the diff policy
  bool companion = false;     // also asked about what a person adds to a pick
};

// What the policy makes of the rule: its own word, else by the version (above).
model::RuleMode mode_of(const model::PolicyConfig& policy, const Rule& rule);

// Every rule, in the order of the catalogue.
std::span<const Rule* const> rules();

// An item of at most 300 bytes of text.
model::VerdictItem make_item(std::string path, std::string_view text, std::string detail,
                             model::Judgement judgement);
// An item that an accounting entry of kind `account` answers: it names the whole of `line`, however much of it is
// shown. An empty `line` stands for the path as a whole.
model::VerdictItem explainable_item(std::string path, std::string_view line, std::string account, std::string detail,
                                    model::Judgement judgement);
// Applies what the accounting record says to `item`.
void apply(const Lift& lift, model::VerdictItem& item);
// Keeps an unusual pick from writing a verdict of a million items: the rest is counted in one more.
void cap(Items& items, std::size_t limit = 1000);

// One file each, of that name.
extern const Rule g01, g02, g03, g04, g05, g06, g10, g11, g12, g13, g14, g15, g16, g20, g21, g22, g23, g24,
    g25, g26, g27, g28, g29, g30, g31, g32, g33, g40, g41, g42, g43, g44, g45, g47, g48, g49, g50, g53, g54,
    g61, g68;

}  // namespace sluice::guardrails
