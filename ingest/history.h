// SPDX-License-Identifier: Apache-2.0
// Fourth door of ingest/: what a fork has landed so far, each commit with the upstream commits that it brings. From
// the objects alone: no store, no configuration, nothing fetched, nothing written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/oid.h"
#include "core/result.h"
#include "git/read.h"

namespace sluice::ingest {

using model::Oid;

// How the source is known, strongest first.
enum class SourceHow {
  trailer,  // Upstream-Commit, (cherry picked from commit ...)
  pattern,  // another line that names a sha: HistoryOptions::trailers, then well_known_trailers()
  list,     // the members that a bundle's message lists, pull request and sha in agreement
  author,   // upstream's subject, author and author date, as `git cherry-pick` without -x leaves them
  subject,  // upstream's subject with its (#N), word for word
  title,    // upstream's subject without numbers; one commit of upstream has it, and both touch a common path
  number,   // `Backport of #N` in the message; the landing touches most of what that commit touches
};
std::string_view to_string(SourceHow how);

// Why a commit is no row.
enum class LeftOut {
  merge,                // several parents: what it brings landed in the commits behind it
  root,                 // no parent
  no_source,            // the fork's own work, as far as its message says
  undone,               // begins with Revert, Back out or Reland, and is no pick of an upstream commit that does too
  partial,              // says itself that it brings a part of its source
  source_missing,       // names a commit that no object store has
  source_not_upstream,  // names a commit that is not on upstream's line
  source_ambiguous,     // names the beginning of several commits, or a subject that several have
  source_older,         // names by words a commit that the fork already contained
  source_younger,       // names by words a commit that upstream took after the fork had this one
  bundle_incomplete,    // says that it brings several, or how many, and names fewer
  contradicted,         // a line names one commit of upstream, the title is that of another: a squash of several
  unconfirmed,          // a subject or number fits, the touched paths do not
  empty,                // changes nothing
};
std::string_view to_string(LeftOut why);

struct HistoryRow {
  enum class Kind { single, bundle, left_out } kind = Kind::single;
  Oid commit, parent;         // the landed commit, its first parent
  std::int64_t date = 0;      // committer time
  std::string subject;        // as written, at most 300 bytes
  std::string line;           // HistoryLine::name, of the first line that has it
  std::vector<Oid> upstream;  // in upstream order; left_out: what is known of them
  SourceHow how = SourceHow::trailer;
  bool confirmed = false;     // landed and upstream's change touch a common path
  bool contained = false;     // the fork's history had one of them before, and the message names it all the same
  LeftOut why = LeftOut::no_source;  // left_out only
  std::string note;           // left_out: the words or ids that decided
};

// One branch of the fork, or a range of it.
struct HistoryLine {
  std::string name;  // for people
  Oid tip;
  Oid after;         // empty = from where it left upstream
};

struct HistoryOptions {
  std::vector<HistoryLine> lines;     // a commit on several belongs to the first
  Oid upstream_tip;                   // its first-parent line is upstream's
  std::vector<std::string> trailers;  // [trailers] import; the well known ones are always read
  std::int64_t since = 0;             // committer time; older commits are not looked at. 0 = all
  std::size_t limit = 0;              // per line, the newest commits without merges that are looked at. 0 = all
  bool subjects = true;               // also author, subject, title and number
};

struct History {
  std::vector<HistoryRow> rows;      // single and bundle: by line, oldest first
  std::vector<HistoryRow> left_out;  // the same order, without merge and no_source, which are only counted
  std::int64_t scanned = 0;          // distinct commits of the fork that were looked at
  std::map<SourceHow, std::int64_t> by_how;
  std::map<LeftOut, std::int64_t> by_reason;  // scanned = rows + the sum of these
};

// `reader` sees the objects of the fork and of upstream (Reader::open takes alternates). `on_progress(done, total)`
// may be empty; its error ends the walk and is returned.
// Errors: invalid (no line, a pattern that cannot be compiled), object_missing where a commit of either history is
// absent; an absent tree leaves a row unconfirmed.
Result<History> mine_history(const git::Reader& reader, const HistoryOptions& options,
                             const std::function<Result<void>(std::int64_t, std::int64_t)>& on_progress);

// Patterns as in [trailers] import, for forks that nobody has configured yet.
const std::vector<std::string>& well_known_trailers();

}  // namespace sluice::ingest
