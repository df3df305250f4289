// SPDX-License-Identifier: Apache-2.0
#include "ingest/history.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ingest/landed_row.h"
#include "ingest/sources.h"

namespace sluice::ingest {
namespace {

constexpr std::size_t max_commits = 2'000'000;   // of one line of the fork
constexpr std::size_t max_boundaries = 2'000;    // merges of upstream; with more the line is read from its root
constexpr std::int64_t step = 64;                // commits between two reports

struct Walked {
  std::vector<std::pair<Oid, const HistoryLine*>> commits;  // by line, oldest first, each once
  std::set<Oid> boundaries;                                 // commits of upstream that the fork stands on
};

Result<Walked> walk(const git::Reader& reader, const HistoryOptions& options) {
  Walked out;
  std::unordered_set<Oid> seen;
  for (const HistoryLine& line : options.lines) {
    TRY_ASSIGN(const auto commits, reader.log(line.tip, options.upstream_tip, max_commits));
    std::unordered_set<Oid> behind;
    if (!line.after.empty()) {
      TRY_ASSIGN(auto before, reader.log(line.after, options.upstream_tip, max_commits));
      behind.insert(before.begin(), before.end());
    }
    const std::unordered_set<std::string_view> own(commits.begin(), commits.end());
    std::vector<Oid> taken;  // newest first
    std::size_t picks = 0;
    for (const Oid& oid : commits) {
      TRY_ASSIGN(const git::Commit commit, reader.commit(oid));
      for (const Oid& parent : commit.parents) {
        if (!own.contains(parent)) out.boundaries.insert(parent);
      }
      if (behind.contains(oid) || (options.since > 0 && commit.committer.time < options.since)) continue;
      if (options.limit > 0 && picks >= options.limit) continue;
      if (commit.parents.size() == 1) ++picks;
      if (seen.insert(oid).second) taken.push_back(oid);
    }
    for (auto oid = taken.rbegin(); oid != taken.rend(); ++oid) out.commits.emplace_back(std::move(*oid), &line);
  }
  return out;
}

// The last commit that every line of the fork stands on; empty = none, the line of upstream is read from its root.
Result<Oid> oldest_base(const git::Reader& reader, const std::set<Oid>& boundaries) {
  Oid base;
  if (boundaries.size() > max_boundaries) return base;
  for (const Oid& boundary : boundaries) {
    if (base.empty()) {
      base = boundary;
      continue;
    }
    auto common = reader.merge_base(base, boundary);
    if (!common.ok()) {
      if (common.error().kind == ErrorKind::not_found) return Oid{};
      return common.error();
    }
    base = std::move(*common);
  }
  return base;
}

}  // namespace

std::string_view to_string(SourceHow how) {
  switch (how) {
    case SourceHow::trailer: return "trailer";
    case SourceHow::pattern: return "pattern";
    case SourceHow::list: return "list";
    case SourceHow::author: return "author";
    case SourceHow::subject: return "subject";
    case SourceHow::title: return "title";
    case SourceHow::number: break;
  }
  return "number";
}

std::string_view to_string(LeftOut why) {
  switch (why) {
    case LeftOut::merge: return "merge";
    case LeftOut::root: return "root";
    case LeftOut::no_source: return "no_source";
    case LeftOut::undone: return "undone";
    case LeftOut::partial: return "partial";
    case LeftOut::source_missing: return "source_missing";
    case LeftOut::source_not_upstream: return "source_not_upstream";
    case LeftOut::source_ambiguous: return "source_ambiguous";
    case LeftOut::source_older: return "source_older";
    case LeftOut::source_younger: return "source_younger";
    case LeftOut::bundle_incomplete: return "bundle_incomplete";
    case LeftOut::contradicted: return "contradicted";
    case LeftOut::unconfirmed: return "unconfirmed";
    case LeftOut::empty: break;
  }
  return "empty";
}

const std::vector<std::string>& well_known_trailers() {
  static const std::vector<std::string> patterns = {
      R"((?i)^[\[(*\s-]*(?:upstream[ -]commit|original[ -]commit|cherry-picked)\b(?: (?:of|from|commit))*[\s:=]*(?:https?://\S{1,200}/commit/)?([0-9a-f]{7,40})\b)",
      R"((?i)^Reactor (?:Cherry-?pick|Backport) Revision:\s*([0-9a-f]{7,40})\b)",
      R"((?i)^commit ([0-9a-f]{40}) upstream\.?$)",
      R"((?i)^[(*\s-]*(?:this is an? )?(?:cherry[ -]?pick(?:ed)?|backport(?:ed)?)(?: (?:of|from))?(?: commit)?[\s:]+(?:https?://\S{1,200}/commit/)?([0-9a-f]{7,40})\b)",
  };
  return patterns;
}

Result<History> mine_history(const git::Reader& reader, const HistoryOptions& options,
                             const std::function<Result<void>(std::int64_t, std::int64_t)>& on_progress) {
  History out;
  if (options.lines.empty()) return make_error(ErrorKind::invalid, "no branch of the fork was named: give one or more");
  TRY_ASSIGN(const Walked walked, walk(reader, options));
  TRY_ASSIGN(const Oid base, oldest_base(reader, walked.boundaries));
  TRY_ASSIGN(const auto line, reader.first_parents(base, options.upstream_tip));
  std::vector<std::string> patterns = options.trailers;
  patterns.insert(patterns.end(), well_known_trailers().begin(), well_known_trailers().end());
  TRY_ASSIGN(Sources sources, Sources::open(reader, line, base, patterns));
  LandedRows rows(reader, sources, options, walked.boundaries.size() <= 1);

  const auto total = static_cast<std::int64_t>(walked.commits.size());
  for (const auto& [oid, of_line] : walked.commits) {
    if (on_progress && out.scanned % step == 0) TRY(on_progress(out.scanned, total));
    ++out.scanned;
    TRY_ASSIGN(const git::Commit commit, reader.commit(oid));
    TRY_ASSIGN(HistoryRow row, rows.row(commit));
    row.line = of_line->name;
    if (row.kind != HistoryRow::Kind::left_out) {
      ++out.by_how[row.how];
      out.rows.push_back(std::move(row));
      continue;
    }
    ++out.by_reason[row.why];
    if (row.why != LeftOut::merge && row.why != LeftOut::no_source) out.left_out.push_back(std::move(row));
  }
  if (on_progress) TRY(on_progress(total, total));
  return out;
}

}  // namespace sluice::ingest
