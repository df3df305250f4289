// SPDX-License-Identifier: Apache-2.0
// The ledger verbs of people: adopt, defer, won't-port. Each needs a reason and is logged with who.
#pragma once

#include <string>

#include "service/app.h"

namespace sluice::service {

// `downstream` (a commit on trunk) is the pick of `upstream`, made by hand outside sluice.
// Errors of all three: not_found (not on the upstream line, not on trunk), invalid (no reason),
// conflict (a unit is landing it; already settled differently: says how).
Result<void> adopt(App& app, const std::string& upstream, const std::string& downstream, const std::string& reason,
                   const std::string& who);
Result<void> defer(App& app, const std::string& upstream, const std::string& task, const std::string& reason,
                   const std::string& who);
Result<void> wont_port(App& app, const std::string& upstream, const std::string& reason, const std::string& who);

// The row as it stands now; `upstream` may be abbreviated. Errors: not_found.
Result<model::LedgerRow> ledger_row(App& app, const std::string& upstream);

}  // namespace sluice::service
