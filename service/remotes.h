// SPDX-License-Identifier: Apache-2.0
// Stage 0: bring both repositories up to date, and notice when trunk went backward.
#pragma once

#include <string>

#include "service/app.h"

namespace sluice::service {

struct Remotes {
  Oid upstream_tip, fork_tip;
  bool upstream_stale = false;   // the fetch failed; upstream_tip is the last known one
  std::string upstream_error;
  std::string note;              // e.g. objects shared with a local repository
};

// Upstream and fork into refs/sluice/upstream and refs/sluice/fork. A failed upstream fetch is not the
// end when an earlier tip is known (stale, shown everywhere); a failed fork fetch is an error.
Result<Remotes> fetch_remotes(App& app);
// The last known tips, without touching the network. Errors: not_found when nothing was fetched yet.
Result<Remotes> known_remotes(App& app);

// Upstream's line up to `tip` was read (`error` empty: the tip is known now), or could not be read.
Result<void> note_upstream(App& app, const Oid& tip, const std::string& error);

// Stop-the-line: why nothing lands (an operator's pause, the stop branch, a stop that sluice raised itself); empty =
// nothing stops it.
Result<std::string> line_stopped(App& app);
// Of these the one that sluice raised itself, and that an operator must look at; empty = none.
Result<std::string> alarm_raised(App& app);
// The stop that needs no store and no sluice: the branch `sluice-stop` on the fork's remote. What is seen
// is part of line_stopped(). Errors: those of asking the remote.
Result<void> look_for_stop_branch(App& app);
// Raises it once: a second call with the same reason adds no second notice.
Result<void> stop_line(App& app, const std::string& reason);
// Compares the fork's tip with the last trunk that sluice knew. When it is no descendant, raises
// TRUNK_REWOUND; otherwise remembers the tip. Returns the reason when the line is stopped.
Result<std::string> check_trunk(App& app, const Oid& fork_tip);
// An operator accepts the present tip: ledger rows whose commits trunk no longer carries become
// `backed_out`, so that what somebody dropped does not return by itself. Returns how many.
Result<std::int64_t> accept_trunk(App& app, const Oid& fork_tip, const std::string& who);

}  // namespace sluice::service
