// SPDX-License-Identifier: Apache-2.0
// What each end of a unit means for the ledger. Every function is one transaction.
#pragma once

#include <string>
#include <vector>

#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "service/app.h"
#include "service/folding.h"

namespace sluice::service {

// A unit landed: its members are picked or adapted, originals of landed reverts are reverted_upstream,
// its resolutions are remembered.
Result<void> record_landed(App& app, model::Unit& unit, const model::Proposal& proposal);
// A unit is parked: its commits become `deferred` with the evidence kind, task = the unit. The raw
// conflict of `left_out` is kept as refs/sluice/units/<id>/conflict and as a stored record.
Result<void> record_parked(App& app, model::Unit& unit, const std::string& evidence, const std::vector<LeftOut>& left_out,
                           const Oid& trunk);
// Empty on the present base, proven by the tree: `already` (a revert of something never picked: superseded).
Result<void> record_already(App& app, const model::UpstreamCommit& upstream, const std::string& unit, const Oid& trunk);
// Rows that routing settled without a pick. Returns those that were new.
Result<std::vector<model::LedgerRow>> record_settled(App& app, std::vector<model::LedgerRow> rows);

}  // namespace sluice::service
