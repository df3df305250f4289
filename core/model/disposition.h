// SPDX-License-Identifier: Apache-2.0
// What has been decided about one upstream commit, and the two pins that follow from it.
// Strings stand in JSON and in the store (DOMAIN sections 3 and 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/oid.h"

namespace sluice::model {

enum class Disposition {
  pending, picked, adapted, picked_empty, already, superseded, reverted_upstream, follow_up_of,
  deferred, skip_for_current_base, backed_out, wont_port
};
std::string_view to_string(Disposition);
std::optional<Disposition> parse_disposition(std::string_view);
// The model fork's four words in capitals where they exist (PICKED, DEFERRED_BLOCKED,
// SKIP_FOR_CURRENT_BASE, WONT_PORT), else the string itself: for reports that people read.
std::string_view fork_word(Disposition);

bool is_settled(Disposition);        // moves the contiguous pin
bool is_dispositioned(Disposition);  // moves the frontier: settled, deferred, skipped or backed out
bool is_backlog(Disposition);        // deferred, backed_out

// One row of the ledger: the present disposition of one upstream commit.
struct LedgerRow {
  Oid upstream;
  std::int64_t position = 0;
  Disposition disposition = Disposition::pending;
  std::string evidence;    // dead-end | build-verified | dep-blocked(..) | pin | policy | trailer | tree | person ...
  std::string reason;      // for people
  std::string unit;        // unit that settled or holds it; empty = none
  std::string task;        // unit id, or an issue
  Oid by;                  // superseded by / follow-up of
  Oid downstream;          // the fork commit that carries it
  std::string who;         // sluice, import, or the person's name
  std::int64_t at = 0;     // unix seconds
  std::string owner;           // backed_out: who brings it back or decides; empty = nobody named
  std::int64_t review_at = 0;  // backed_out, deferred: when somebody must look again; 0 = never
};

// Positions on the first-parent line; 0 = the fork base itself. contiguous <= frontier.
struct Pins {
  std::int64_t contiguous = 0, frontier = 0;
  Oid contiguous_oid, frontier_oid;  // empty at 0
};

struct Metrics {
  double days_behind = 0;             // (ct(tip) - ct(frontier)) / 86400, never below 0
  std::int64_t backlog_commits = 0;   // deferred or backed out, at or before the frontier
  std::int64_t distance = 0;          // commits in frontier..tip
  std::int64_t not_reached = 0;       // distance minus those settled out of order
};

}  // namespace sluice::model
