// SPDX-License-Identifier: Apache-2.0
// A fork's own landed picks as cases: each is picked again by machine, and what landed in the place of each conflict
// region is looked for. What cannot be used is counted with its reason.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/oid.h"
#include "git/git.h"
#include "ingest/history.h"
#include "service/backtest/case.h"

namespace sluice::service::backtest {

using model::Oid;

// One landed single pick.
struct LandedPick {
  Oid commit, parent, upstream;
  std::int64_t date = 0;
};

// The same with its conflicts, cut into regions.
struct Replay {
  LandedPick pick;
  bool conflicted = false;
  std::string why;                            // it could not be replayed; empty = it was
  std::vector<Case> cases;                    // every region, also those that are not located
  std::map<std::string, std::int64_t> other;  // conflicts without a region, by kind
  std::map<std::string, std::int64_t> left_out;  // regions, or files of them, that are no case: reason -> number
};
core::Json to_json(const Replay& replay);
Result<Replay> parse_replay(const core::Json& json);

struct History {
  std::int64_t scanned = 0, singles = 0, bundles = 0, replayed = 0, clean = 0, conflicted = 0, regions = 0, repeats = 0;
};

struct Landed {
  std::vector<LandedPick> picks;  // oldest first
  std::int64_t scanned = 0, bundles = 0;
  std::map<std::string, std::int64_t> left_out;  // commits
};
// `until` 0 = all; the newest `limit` picks, 0 = all. Errors: as ingest::mine_history.
Result<Landed> landed_picks(const git::Reader& reader, const ingest::HistoryOptions& options, std::int64_t until, std::size_t limit,
                            const std::function<Result<void>(std::int64_t, std::int64_t)>& on_progress);

// Never fails for one pick. `name`: of the fork, in ids and in Case::repo.
Replay replay_pick(const git::Reader& reader, git::Picker& picker, const LandedPick& pick, const std::string& name);

}  // namespace sluice::service::backtest
