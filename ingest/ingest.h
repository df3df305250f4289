// SPDX-License-Identifier: Apache-2.0
// Front door of ingest/: upstream in. Facts, dependencies, routing, the ledger's arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/config.h"
#include "core/model/disposition.h"
#include "core/model/unit.h"
#include "core/model/upstream_commit.h"
#include "core/result.h"
#include "git/git.h"
#include "store/store.h"

namespace sluice::ingest {

using model::Oid;

// The first-parent line of upstream from the fork base, with facts. `on_progress(done, total)` may be empty.
struct ReadOutcome {
  Oid base;                 // merge base of fork and upstream: position 0
  std::vector<Oid> line;    // u_1 .. u_n, oldest first
  std::int64_t added = 0;   // facts computed now
};
// Walks, computes and stores the facts that are not stored yet. Errors: conflict "upstream_rewritten:
// ..." when a stored commit is no longer on the line (nothing is changed), object_missing, ...
Result<ReadOutcome> read(git::Repo& repo, store::Store& store, const model::Config& config, const Oid& fork_tip,
                         const Oid& upstream_tip, const std::function<void(std::int64_t, std::int64_t)>& on_progress);

// Picks that the fork already carries, from trailers anywhere in the bodies of base..fork_tip (own,
// `cherry picked from commit`, the configured patterns). Placed ones become ledger rows `picked`.
struct ImportOutcome {
  std::int64_t scanned = 0;   // fork commits read now
  std::int64_t placed = 0;    // distinct upstream commits recognised
  std::int64_t unplaced = 0;  // shas that are not on the upstream line: counted and printed, never guessed
  std::vector<std::string> unplaced_examples;
};
Result<ImportOutcome> import_fork(git::Repo& repo, store::Store& store, const model::Config& config,
                                  const ReadOutcome& line, const Oid& fork_tip, std::int64_t now);
// Trailer patterns seen in the fork's history that name upstream commits: for `init`.
struct SeenTrailer { std::string pattern, example; std::int64_t count = 0; };
Result<std::vector<SeenTrailer>> find_trailers(git::Repo& repo, const Oid& base, const Oid& fork_tip, const Oid& upstream_tip);

// Everything routing depends on: same inputs, same units (the order of `commits` is upstream order).
struct RouteInput {
  std::vector<model::UpstreamCommit> commits;     // the pending window
  std::map<Oid, model::LedgerRow> ledger;         // every row that is not pending, whole line
  std::map<Oid, model::UpstreamCommit> open_chain; // facts of deferred commits whose chains are open
  std::map<Oid, std::string> open_chain_unit;     // their units
  Oid trunk, trunk_tree;                          // fork tip
  model::PolicyConfig policy;
  std::int64_t bundle_max = 64;
  std::int64_t hold_back_before = 0;              // commits with committer time after this stay pending; 0 = none
  std::set<std::string> fork_files;               // files that differ between fork base and fork, or exist only in the fork
};
struct RoutePlan {
  std::vector<model::Routing> commits;            // one per input commit, upstream order
  std::vector<model::Unit> units;                 // state routed
  std::vector<model::LedgerRow> settled;          // rows that need no pick: superseded pairs, won't-port, already, picked_empty
};
// `pick` answers for one commit onto one tree (a Picker, or a cache in front of one); called for the
// folds. Cancelled by returning an error from on_progress.
using PickFn = std::function<model::Pick(const Oid& upstream, const Oid& onto)>;
Result<RoutePlan> route(const RouteInput& input, const PickFn& pick,
                        const std::function<Result<void>(std::int64_t, std::int64_t)>& on_progress);

// Exact textual dependency: for each commit of the window the pending commits whose lines (or lines
// within `context`) its hunks overlap. Near-linear in the number of hunks; no blame. Pure.
std::vector<std::vector<std::size_t>> text_dependencies(const std::vector<model::UpstreamCommit>& window,
                                                        std::uint32_t context = 3);

// DOMAIN sections 3 and 7. `line` oldest first; committer_time by commit.
model::Pins pins(const std::vector<Oid>& line, const std::map<Oid, model::LedgerRow>& ledger);
model::Metrics metrics(const std::vector<Oid>& line, const std::map<Oid, model::LedgerRow>& ledger,
                       const std::map<Oid, std::int64_t>& committer_time, std::int64_t base_time);

}  // namespace sluice::ingest
