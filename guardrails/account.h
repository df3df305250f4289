// SPDX-License-Identifier: Apache-2.0
// Checks the accounting record against the trees. One entry answers as many items as it counts; what
// it says is computed again here, and a false entry makes its item BLOCK.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/accounting.h"
#include "core/model/verdict.h"
#include "core/result.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {

// What an entry did to an item.
struct Lift {
  bool found = false;  // an entry names the item
  model::Judgement judgement = model::Judgement::pass;
  std::string lifted_by;  // "CODE arg" when it lifted, or sent to a person
  std::string detail;     // why not, for a false entry
};

class Account {
 public:
  // `open_deferrals`: null where there is no ledger (single-pick mode).
  Account(PickView& view, const std::set<std::string>* open_deferrals);

  // The entry for one more occurrence of `line` (as it stands in its file) lost from `path`, if any.
  Result<Lift> take(std::string_view kind, const std::string& path, const std::string& line);
  // `adapt` entries declare a path as adapted on purpose (G10).
  Result<Lift> take_adapted(const std::string& path);
  // The same for one changed range of a conflicted path (G11): an entry for one of its lines answers for all.
  Result<Lift> take_adapted(const std::string& path, std::span<const git::DiffLine> range);
  // What the record says of the side that a region took (G27): SIDE "REGION RELATION", or FORMAT_EQUAL.
  Result<Lift> side_of(const std::string& path, const RegionFact& fact);
  // SIDE entries for `path` that no region of it answers to, or that nothing can check: details.
  std::vector<std::string> stray_sides(const std::string& path, const std::vector<RegionFact>& regions) const;
  // A line entry for `line`, however much of it other items have used up (G33).
  Result<Lift> covering(const std::string& path, const std::string& line);

  // Verified FORMAT_EQUAL entries of a path, with the lines of the other side that they stand for;
  // with those of the fork that stay, and the false ones.
  struct Regions {
    LineCounts equal;  // norm lines of theirs that the fork's spelling says as well
    LineCounts kept;   // norm lines of ours
    std::string lifted_by;
    std::vector<std::string> false_entries;  // details
  };
  Result<Regions> format_equal(const std::string& path);
  // A DROPPED_BY_POLICY entry, or the pick's own record of it. `found` false when there is neither.
  Result<Lift> dropped(const std::string& path);
  // Paths of `proven` entries.
  std::set<std::string> proven_paths() const;

 private:
  struct Open {
    const model::AccountEntry* entry;
    int left;
  };
  Result<Lift> verify(const model::AccountEntry& entry, const std::string& line, const std::string& norm);
  // The codes that mean something else for `upstream_removed`; empty for the others.
  Result<std::optional<Lift>> verify_kept(const model::AccountEntry& entry, const std::string& norm);
  Result<Lift> verify_superseded(const model::AccountEntry& entry, const std::string& norm);
  Result<Lift> verify_renamed(const model::AccountEntry& entry, const std::string& line);

  PickView& view_;
  const std::set<std::string>* open_deferrals_;
  std::vector<Open> open_;
};

}  // namespace sluice::guardrails
