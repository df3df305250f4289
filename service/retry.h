// SPDX-License-Identifier: Apache-2.0
// Parked conflicts come back by themselves when trunk has changed so that they pick now (SCENARIOS R9).
#pragma once

#include <map>
#include <vector>

#include "service/app.h"

namespace sluice::service {

// For every unit parked by a conflict on an older trunk: picks its first commit on the present one. When
// that is no conflict any more, its commits and those that joined it are pending again and the unit is
// dropped. Units parked by a guardrail wait for a person: their trees would be judged red again.
Result<void> retry_parked(App& app, const Oid& trunk);

// A unit parked for its first commit, which has been settled since (a person's own pick, a decision): the others
// were held for that one alone, so they are pending again and the unit is dropped.
Result<void> offer_rest(App& app);

// Units whose commits have all been settled otherwise, by a person's own pick on trunk for one, are dropped:
// in `units`, and in the store when this process may write.
Result<void> drop_settled_units(App& app, const std::map<Oid, model::LedgerRow>& ledger, std::vector<model::Unit>& units);

// Commits that waited for others (evidence dep-blocked(<oid>, ..)) are pending again once all of those are
// settled.
Result<void> release_dependents(App& app);

}  // namespace sluice::service
