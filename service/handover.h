// SPDX-License-Identifier: Apache-2.0
// A parked unit in the hands of a person: taken with its raw conflict, given back, or taken over. The way back to
// trunk is submission_run.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/unit.h"
#include "service/app.h"
#include "service/handover_branch.h"
#include "store/store.h"

namespace sluice::service {

// A take older than this is shown as stale.
inline constexpr std::int64_t take_stale_after_s = 3 * 86400;

struct TakeOptions {
  std::string unit, who;
  std::string work_tree;  // absent or empty directory; "" = ./<unit>
  bool bare = false;      // the branch alone
  bool refresh = false;   // again, on the present trunk
  bool release = false;   // back to `parked`
  bool steal = false;     // from whoever has it
  std::string reason;     // of release or steal
};

struct TakeReport {
  model::Unit unit;          // as it is now
  store::TakeRow row;        // of a release: as it was
  GivenBranch branch;        // empty head: nothing was built now
  std::string done;          // taken | yours | refreshed | stolen | released
  std::string kept;          // refresh: branch of the work tree that keeps what was there
  std::vector<std::string> commands;  // what to type next, in order; run as they are
};

// Errors: not_found, conflict (not parked; somebody else's, with owner and age; a directory in use), invalid,
// and those of fetching the fork.
Result<TakeReport> take(App& app, const TakeOptions& options);
core::Json take_json(const TakeReport& report);                    // sluice.take/1
std::string take_text(App& app, const TakeReport& report);

// A taken unit whose commits were all settled by somebody else meanwhile is released. Returns what to tell.
Result<std::vector<std::string>> release_settled_takes(App& app);

// The commands with which a person goes on after a take.
std::vector<std::string> next_commands(const App& app, const store::TakeRow& row, const GivenBranch& branch);

}  // namespace sluice::service
