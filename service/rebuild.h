// SPDX-License-Identifier: Apache-2.0
// A lost store made again: from the log on refs/sluice/ledger, and from the fork's own history for what the log does
// not say and for what contradicts it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"

namespace sluice::service {

struct RebuildOptions {
  bool replace = false;       // the store holds rows: keep its database beside, and begin anew
  bool history_only = false;  // do not read the log
};

struct RebuildReport {
  Oid log_tip;                   // empty: without the log
  std::string log_note;          // why without it
  std::int64_t log_commits = 0, log_lines = 0;
  std::int64_t rows = 0;         // that have a disposition now
  std::int64_t from_history = 0; // of them, found in the fork's history alone
  std::int64_t open_units = 0;
  std::vector<std::string> contradictions;  // what the log said and trunk does not bear out, and what became of it
  std::vector<std::string> unknown;         // what cannot be known from here
  std::string kept;                         // the old database
};

// Fetches both remotes and the log, reads upstream's facts, replays. Run again after it was killed it goes on.
// Errors: conflict (the store holds rows and `replace` is not given; two logs that do not fit), invalid (the log:
// names commit and line), those of fetching and reading.
Result<RebuildReport> rebuild_ledger(App& app, const RebuildOptions& options);
// While a rebuild is half done nothing else may work on the ledger. Errors: conflict.
Result<void> refuse_half_rebuilt(App& app);
// An empty store, and a fork that carries the log of an earlier one: a new ledger would forget what that one knows.
// Asks the remote once in the life of a store. Errors: conflict.
Result<void> refuse_new_beginning(App& app);

core::Json rebuild_json(const RebuildReport& report);  // sluice.rebuild/1
std::string rebuild_text(const RebuildReport& report);

}  // namespace sluice::service
