// SPDX-License-Identifier: Apache-2.0
// A unit that takes back what landed: what was asked for, its fold, and what its landing means for the ledger.
// The command that forms it is reverting.h.
#pragma once

#include <string>
#include <vector>

#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "git/git.h"
#include "service/app.h"
#include "service/folding.h"

namespace sluice::service {

// One trunk commit that is taken back, and the upstream commits that leave the fork with it: more than one where
// a person squashed them. A companion (a person's addition right after a pick) names the pick's.
struct RevertItem {
  Oid landed;
  std::vector<Oid> upstream;
};

// What the operator said, stored before anything happens: a killed revert goes on from it.
struct RevertRecord {
  std::string reason, owner, task, who;
  std::int64_t review_at = 0;
  std::vector<RevertItem> items;  // newest trunk commit first
};

Result<void> put_revert_record(App& app, const std::string& unit, const RevertRecord& record);
// Errors: internal when there is none, or it cannot be read.
Result<RevertRecord> revert_record(App& app, const std::string& unit);

// A trunk commit carries it now, by the ledger.
bool is_in_fork(const model::LedgerRow& row);

// The reverse picks of the unit's items on trunk `base`, one on the other. An item that trunk holds nothing of
// any more is left out as `empty`; at a conflict the fold ends, and `open` names the trunk commits that wrote
// the lines in its way.
Result<Fold> fold_revert(App& app, git::Picker& picker, const model::Unit& unit, const Oid& base);
// The same for a record that is not stored; `objects` reads what the picker writes.
Result<Fold> fold_reverts(App& app, const git::Reader& objects, git::Picker& picker, const std::string& unit,
                          const RevertRecord& record, const Oid& base);

// The commits of the unit are `backed_out`, with reason, owner, task and review day; joins the transaction of
// the landing. Where that moves the contiguous pin backward, an event says so.
Result<void> record_reverted(App& app, const model::Unit& unit, const model::Proposal& proposal);

}  // namespace sluice::service
