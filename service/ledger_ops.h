// SPDX-License-Identifier: Apache-2.0
// The ledger verbs of people: adopt, defer, won't-port, back-out, reopen. Each needs a reason and is logged with who.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// Somebody reverted these picks on trunk with `commit`; sluice did not. Temporary reverts are never forgotten, so each
// has an owner and a day on which somebody looks again.
struct BackOut {
  std::vector<std::string> upstream;  // one commit may take back several
  std::string commit;                 // the downstream revert, on trunk
  std::string reason, owner, task;
  std::int64_t review_at = 0;
};
// All or none. Errors: invalid (no reason, owner or day), not_found, conflict (trunk never carried it; or the
// revert is older than the pick).
Result<void> back_out(App& app, const BackOut& what, const std::string& who);
// Deferred, won't-port or backed out: pending again, so the next plan takes it up. What was backed out comes back as a
// chain, for a person to see. Errors: conflict (has another disposition), as above.
Result<void> reopen(App& app, const std::string& upstream, const std::string& reason, const std::string& who);
// `evidence` of a row that reopen() brought back from backed_out.
inline constexpr const char* offered_again = "offered again";

// The row as it stands now; `upstream` may be abbreviated. Errors: not_found.
Result<model::LedgerRow> ledger_row(App& app, const std::string& upstream);

}  // namespace sluice::service
