// SPDX-License-Identifier: Apache-2.0
// Front door of ingest/: upstream in. Facts, dependencies, routing, the ledger's arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
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
  Oid base;                // position 0: merge base of fork and upstream when the store was first filled
  std::vector<Oid> line;   // u_1 .. u_n, oldest first
  std::int64_t added = 0;  // facts computed now
};
// Walks, computes and stores the facts that are not stored yet, in batches: a call that was cut short is
// continued by the next one. When the fork later merges upstream the base stays, so that positions and
// pins stay; import_fork settles what came with the merge. A tip that is pinned by id in the
// configuration may lie before commits that are stored already.
// Errors: conflict "upstream_rewritten: ..." when a stored commit is no longer on the line (nothing is
// changed), object_missing, ...
Result<ReadOutcome> read(git::Repo& repo, store::Store& store, const model::Config& config,
                         const Oid& fork_tip, const Oid& upstream_tip,
                         const std::function<void(std::int64_t, std::int64_t)>& on_progress);

// Picks that the fork already carries, from trailers anywhere in the bodies of base..fork_tip (own,
// `cherry picked from commit`, the configured patterns). Placed ones become ledger rows `picked`
// (`adapted` after `Sluice-Resolution: resolved`; a configured key that says defer or won't-port gives
// that disposition). Reverted picks become `backed_out`, a landed upstream revert makes its original
// `reverted_upstream`. Only commits that are new since the last call are read, unless trunk moved back.
// New ones without a usable trailer are compared by tree with what is open: `picked`, evidence `tree`.
struct ImportOutcome {
  std::int64_t scanned = 0;   // fork commits read now
  std::int64_t placed = 0;    // distinct upstream commits recognised
  std::int64_t unplaced = 0;  // shas that are not on the upstream line: counted and printed, never guessed
  std::vector<std::string> unplaced_examples;
  std::int64_t recognised = 0;  // upstream commits brought without a trailer, known by the tree
  std::int64_t untried = 0;     // fork commits without trailers whose trees were not compared: too many
};
Result<ImportOutcome> import_fork(git::Repo& repo, store::Store& store, const model::Config& config,
                                  const ReadOutcome& line, const Oid& fork_tip, std::int64_t now);
// The rows that the whole of the fork's history gives by itself, whatever the store's ledger says (facts must have
// been read); nothing is stored. `state`: what import_fork would remember, the key is `import_state_key`.
inline constexpr const char* import_state_key = "import.state";
struct ForkHistory {
  std::vector<model::LedgerRow> rows;
  ImportOutcome outcome;
  std::string state;
};
Result<ForkHistory> fork_history(git::Repo& repo, store::Store& store, const model::Config& config, const ReadOutcome& line,
                                 const Oid& fork_tip, std::int64_t now);
// Trailer patterns seen in the fork's history that name upstream commits: for `init`.
struct SeenTrailer {
  std::string pattern, example;
  std::int64_t count = 0;
};
Result<std::vector<SeenTrailer>> find_trailers(git::Repo& repo, const Oid& base, const Oid& fork_tip,
                                               const Oid& upstream_tip);

// Everything routing depends on: same inputs, same units (the order of `commits` is upstream order).
struct RouteInput {
  // From the first commit that is not settled to the tip, without gaps: settled commits in between shift
  // lines, so leaving them out makes the textual dependencies wrong. They get route none.
  std::vector<model::UpstreamCommit> commits;
  std::map<Oid, model::LedgerRow> ledger;           // every row that is not pending, whole line
  std::map<Oid, model::UpstreamCommit> open_chain;  // facts of deferred commits whose chains are open
  std::map<Oid, std::string> open_chain_unit;       // their units
  Oid trunk, trunk_tree;                            // fork tip
  model::PolicyConfig policy;
  std::int64_t bundle_max = 64;
  std::int64_t hold_back_before = 0;  // commits with committer time after this stay pending; 0 = none
  std::set<std::string>
      fork_files;  // files that differ between fork base and fork, or exist only in the fork
  // Fork files that name a symbol (S16). Called for symbols that a pending commit removes or re-signs.
  std::function<std::vector<std::string>(const std::string& symbol)> files_naming;
  // The change from before the first to after the last of these commits, in the files that they touch,
  // as one pick onto a tree (S8b); see RangePicks below. Only an `empty` answer counts, `unknown` costs
  // nothing. Empty = that proof is not tried.
  std::function<model::Pick(const std::vector<Oid>& members, const Oid& onto)> range;
  // Folds that will be asked for next, each from `onto`, each member onto the result of the last clean one:
  // for a caller that makes them beforehand, in parallel. May be empty; changes no result.
  std::function<Result<void>(const std::vector<std::vector<Oid>>& folds, const Oid& onto)> fold_ahead;
  // Commits that are offered again although they were backed out, with the reason: always a chain, so
  // that a person sees them. They must not be in `ledger`.
  std::map<Oid, std::string> offered_again;
};
struct RoutePlan {
  std::vector<model::Routing> commits;  // one per input commit, upstream order
  std::vector<model::Unit> units;       // state routed
  std::vector<model::LedgerRow>
      settled;  // rows that need no pick: superseded pairs, won't-port, already, picked_empty
  // Commits that need something which waits in an open chain: `deferred`, evidence dep-blocked(<oid>, ..),
  // unit and task = that chain. To be stored like `settled`; pending again once the prerequisite is settled.
  std::vector<model::LedgerRow> joined;
};
// `pick` answers for one commit onto one tree (a Picker, or a cache in front of one). Called for every
// commit of trunk_picks() onto the trunk tree, and for the folds: a caller that wants them in parallel
// picks trunk_picks() beforehand and answers from what it keeps.
using PickFn = std::function<model::Pick(const Oid& upstream, const Oid& onto)>;
std::vector<Oid> trunk_picks(const RouteInput& input);
// A pure function of its input and of the answers of `pick`. Units come in the order in which they should
// be tried: reverts of what has landed, bundles, chains, pin moves. A commit that stays pending (held
// back, or its pick ended in an error) has route none and says why. Cancelled by an error of on_progress.
Result<RoutePlan> route(const RouteInput& input, const PickFn& pick,
                        const std::function<Result<void>(std::int64_t, std::int64_t)>& on_progress);

// For RouteInput::range: `members` in upstream order, objects are written into `repo` (a scratch one).
model::Pick pick_range(git::Repo& repo, git::Picker& picker, const std::vector<Oid>& members,
                       const Oid& onto);

// The same in front of a window's facts: a range that cannot leave the tree as it is, which shows without a
// merge, is answered `unknown`. `window` (RouteInput::commits: no gaps) has to outlive it.
class RangePicks {
 public:
  RangePicks(git::Repo& repo, git::Picker& picker, const model::PolicyConfig& policy,
             const std::vector<model::UpstreamCommit>& window);
  model::Pick pick(const std::vector<Oid>& members, const Oid& onto);
  std::int64_t merges() const { return merges_; }

 private:
  struct Step {  // what one commit of the window made of one path
    std::size_t commit = 0;
    git::TreeEntry before, after;
  };
  void add(const std::string& path, Step step);
  const git::TreeEntry* on_trunk(const std::string& path, const Oid& tree);
  bool may_hold(const git::TreeEntry& base, const git::TreeEntry& ours, const git::TreeEntry& theirs);
  bool refuted(const std::string& path, std::size_t first, std::size_t last, const Oid& onto);
  bool refuted(const std::vector<Oid>& members, const Oid& onto);

  git::Repo& repo_;
  git::Picker& picker_;
  const model::PolicyConfig& policy_;
  const std::vector<model::UpstreamCommit>& window_;
  std::unordered_map<std::string, std::size_t> at_;
  std::unordered_map<std::string, std::vector<Step>> history_;
  std::unordered_map<std::string, git::TreeEntry> trunk_;  // entries of tree_
  std::unordered_map<std::string, bool> held_;
  Oid tree_;
  std::string likely_;  // the path that refuted the range before this one
  std::int64_t merges_ = 0;
};

// Exact textual dependency: for each commit of the window (no gaps) the earlier ones that last wrote a
// line within `context` lines of its hunks, or deleted lines there, created or replaced the file. Ascending.
// Renames carry the lines along and are no dependency by themselves. No blame. Pure.
// Cost: each (commit, file) walks the runs of that file once, so runs + hunks per file change; runs are at
// most the hunks that earlier commits of the window left in that file.
std::vector<std::vector<std::size_t>> text_dependencies(const std::vector<model::UpstreamCommit>& window,
                                                        std::uint32_t context = 3);

// Identifiers of at least three characters that a whole file names. Prose and comment lines name nothing:
// `first` in a sentence is no use of a function of that name. The views point into `text`.
std::vector<std::string_view> names_in(std::string_view path, std::string_view text);

// DOMAIN sections 3 and 7. `line` oldest first; committer_time by commit.
model::Pins pins(const std::vector<Oid>& line, const std::map<Oid, model::LedgerRow>& ledger);
model::Metrics metrics(const std::vector<Oid>& line, const std::map<Oid, model::LedgerRow>& ledger,
                       const std::map<Oid, std::int64_t>& committer_time, std::int64_t base_time);

}  // namespace sluice::ingest
