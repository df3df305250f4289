// SPDX-License-Identifier: Apache-2.0
#include "ingest/landed_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/text.h"

namespace sluice::ingest {
namespace {

constexpr std::size_t max_subject = 300;
constexpr std::size_t max_note = 160;
constexpr std::size_t on_the_way = 1;       // the kind `(cherry picked from commit ...)`, see kind_of
constexpr std::int64_t clock_slack = 86'400;  // seconds by which clocks of two hosts may differ

HistoryRow leave(HistoryRow row, LeftOut why, std::string_view note) {
  row.kind = HistoryRow::Kind::left_out;
  row.why = why;
  row.note = core::printable(note, max_note);
  return row;
}

// Paths that a commit changes against its first parent; none where a tree is absent or there is no parent.
Result<std::set<std::string>> touched(const git::Reader& reader, const git::Commit& commit) {
  std::set<std::string> paths;
  if (commit.parents.empty()) return paths;
  const auto before = reader.tree_of(commit.parents[0]);
  if (!before.ok()) return before.error();
  TRY_ASSIGN(const auto deltas, reader.diff_trees(*before, commit.tree));
  for (const git::TreeDelta& delta : deltas) paths.insert(delta.path);
  return paths;
}

}  // namespace

// Patterns of the caller are one kind; each other rule is one of its own.
std::size_t LandedRows::kind_of(const NamedSource& source) const {
  const std::size_t own = 2, theirs = options_->trailers.size();
  if (source.rule < own) return source.rule;
  return source.rule < own + theirs ? own : source.rule - theirs + 1;
}

void LandedRows::add(std::vector<Found>& found, std::int64_t position) const {
  const Oid& oid = sources_->at(position);
  if (std::none_of(found.begin(), found.end(), [&](const Found& f) { return f.commit == oid; })) found.push_back({position, oid, 0});
}

// Lines of one kind: those that name upstream's commits go to `found`; what the others name, in `missing`.
void LandedRows::sort_out(const std::vector<const NamedSource*>& lines, std::vector<Found>& found, Doubt& missing) {
  for (const NamedSource* source : lines) {
    if (source->placed() || source->older) {
      if (std::none_of(found.begin(), found.end(), [&](const Found& f) { return f.commit == source->commit; }))
        found.push_back({source->place.position, source->commit, 0});
    } else if (source->place.kind == Place::Kind::ambiguous) {
      missing = {LeftOut::source_ambiguous, source->sha, false};
    } else if (source->commit.empty()) {
      missing = {LeftOut::source_missing, source->sha, false};
    } else if (missing.note.empty()) {
      missing = {LeftOut::source_not_upstream, source->commit, false};
    }
  }
}

// The first kind of line that names a commit of upstream; then what a bundle lists.
Result<void> LandedRows::by_lines(const git::Commit& commit, std::vector<Found>& found, HistoryRow& row, Doubt& doubt) {
  TRY_ASSIGN(const NamedSources said, sources_->named(commit));
  std::map<std::size_t, std::vector<const NamedSource*>> kinds;
  for (auto source = said.named.rbegin(); source != said.named.rend(); ++source) {
    if (source->lands()) kinds[kind_of(*source)].push_back(&*source);
  }
  for (const auto& [kind, lines] : kinds) {
    Doubt missing;
    sort_out(lines, found, missing);
    if (doubt.why == LeftOut::no_source) doubt = missing;
    if (found.empty()) continue;
    row.how = lines.front()->configured ? SourceHow::pattern : SourceHow::trailer;
    // `cherry-pick -x` of a pick adds a line, so that branches on the way are named as well. Of a bundle of which a
    // member is unknown the rest says nothing.
    const bool whole = missing.note.empty() || missing.why == LeftOut::source_not_upstream || kind == on_the_way;
    if (!whole) return give_up(missing, found, row, doubt);
    break;
  }
  TRY_ASSIGN(const ListedSources listed, sources_->listed(commit));
  const std::size_t before = found.size();
  for (const std::int64_t position : listed.positions) add(found, position);
  if (found.size() > before) row.how = SourceHow::list;
  const bool fewer = listed.declared > 1 && static_cast<std::size_t>(listed.declared) > found.size();
  if (!fewer && !(listed.several && found.size() < 2)) {
    if (found.size() != 1 || found[0].position == 0) return {};
    TRY_ASSIGN(const HeaderSource title, sources_->title(commit));
    if (title.position == 0 || title.position == found[0].position) return {};
    return give_up({LeftOut::contradicted, fmt::format("{} by a line, {} by title", found[0].commit, sources_->at(title.position)), true}, found, row, doubt);
  }
  const std::string said_many = listed.declared > 1 ? std::to_string(listed.declared) : "several";
  return give_up({LeftOut::bundle_incomplete, fmt::format("says {}, names {}", said_many, found.size()), true}, found, row, doubt);
}

// What is known of the members stays in the row.
Result<void> LandedRows::give_up(const Doubt& why, std::vector<Found>& found, HistoryRow& row, Doubt& doubt) {
  doubt = why;
  doubt.final = true;
  for (Found& f : found) row.upstream.push_back(std::move(f.commit));
  found.clear();
  return {};
}

// Subjects and numbers, each weaker than the one before.
Result<void> LandedRows::by_words(const git::Commit& commit, std::vector<Found>& found, HistoryRow& row, Doubt& doubt) {
  TRY_ASSIGN(const HeaderSource header, sources_->header(commit));
  if (header.position > 0) {
    add(found, header.position);
    row.how = header.author ? SourceHow::author : SourceHow::subject;
    return {};
  }
  if (!header.undoes.empty()) {
    doubt = {LeftOut::undone, header.undoes, false};
    return {};
  }
  TRY_ASSIGN(const HeaderSource title, sources_->title(commit));
  if (title.position > 0) {
    add(found, title.position);
    row.how = SourceHow::title;
    return {};
  }
  if (title.ambiguous && doubt.why == LeftOut::no_source) doubt = {LeftOut::source_ambiguous, row.subject, false};
  TRY_ASSIGN(const auto numbered, sources_->numbered(commit));
  for (const std::int64_t position : numbered) add(found, position);
  if (!found.empty()) row.how = SourceHow::number;
  return {};
}

// What the fork's history has already. One that a line names stays: somebody brought the rest of it.
Result<bool> LandedRows::contains(const git::Commit& commit, const Found& found) const {
  if (found.position == 0) return true;
  if (one_base_) return false;
  return reader_->is_ancestor(found.commit, commit.parents[0]);
}

// Words fit commits that are no source: of the fork's past, and of those that upstream took over from the fork.
Result<void> LandedRows::drop_by_date(const git::Commit& commit, std::vector<Found>& found, Doubt& doubt) const {
  std::vector<Found> news;
  for (Found& f : found) {
    TRY_ASSIGN(const git::Commit upstream, reader_->commit(f.commit));
    TRY_ASSIGN(const bool contained, contains(commit, f));
    if (contained) doubt = {LeftOut::source_older, f.commit, false};
    else if (upstream.committer.time > commit.committer.time + clock_slack) doubt = {LeftOut::source_younger, f.commit, false};
    else news.push_back(std::move(f));
  }
  if (news.size() < found.size()) news.clear();
  found = std::move(news);
  return {};
}

// Revert, Back out, Reland: unless upstream's own commit is called just so, the fork speaks of a landing of its own.
Result<bool> LandedRows::takes_back(const git::Commit& commit, const std::vector<Found>& found, std::string& note) const {
  TRY_ASSIGN(const auto undone, sources_->undone(commit, options_->upstream_tip));
  if (undone) {
    note = *undone;
    return true;
  }
  const std::string_view subject = subject_line(commit.message);
  if (!sources_->messages().undoes(subject)) return false;
  note = std::string(subject.substr(0, max_subject));
  if (found.size() != 1) return true;
  TRY_ASSIGN(const git::Commit upstream, reader_->commit(found[0].commit));
  const std::string ours = title_key(subject);
  const auto at = ours.find(title_key(subject_line(upstream.message)));
  if (at == std::string::npos) return true;
  const std::string_view front = std::string_view(ours).substr(0, at);
  return speaks_of_undoing(front) || sources_->messages().undoes(front);
}

Result<void> LandedRows::confirm(const git::Commit& commit, HistoryRow& row) const {
  const auto landed = touched(*reader_, commit);
  std::set<std::string> theirs;
  bool known = landed.ok();
  for (const Oid& oid : row.upstream) {
    TRY_ASSIGN(const git::Commit upstream, reader_->commit(oid));
    auto paths = touched(*reader_, upstream);
    known = known && paths.ok();
    if (paths.ok()) theirs.merge(*paths);
  }
  known = known && !landed->empty() && !theirs.empty();
  std::size_t common = 0;
  if (known) {
    common = static_cast<std::size_t>(
        std::count_if(theirs.begin(), theirs.end(), [&](const std::string& path) { return landed->contains(path); }));
  }
  row.confirmed = common > 0;
  const bool weak = row.how == SourceHow::title || row.how == SourceHow::number;
  const bool by_words = weak || row.how == SourceHow::author || row.how == SourceHow::subject;
  const bool enough = row.how == SourceHow::number ? 2 * common >= theirs.size() && common > 0 : common > 0;
  if (by_words && !enough && (known || weak))
    row = leave(std::move(row), LeftOut::unconfirmed, fmt::format("{} of {} paths in common with {}", common, theirs.size(), row.upstream[0]));
  return {};
}

Result<HistoryRow> LandedRows::row(const git::Commit& commit) {
  HistoryRow row;
  row.commit = commit.oid;
  row.date = commit.committer.time;
  const std::string_view subject = subject_line(commit.message);
  row.subject = std::string(subject.substr(0, max_subject));
  if (commit.parents.empty()) return leave(std::move(row), LeftOut::root, {});
  row.parent = commit.parents[0];
  if (commit.parents.size() > 1) return leave(std::move(row), LeftOut::merge, {});

  std::vector<Found> found;
  Doubt doubt;
  TRY(by_lines(commit, found, row, doubt));
  for (const Found& f : found) {
    TRY_ASSIGN(const bool contained, contains(commit, f));
    row.contained = row.contained || contained;
  }
  if (found.empty() && !doubt.final && options_->subjects) {
    TRY(by_words(commit, found, row, doubt));
    TRY(drop_by_date(commit, found, doubt));
  }
  std::string undone;
  TRY_ASSIGN(const bool back, takes_back(commit, found, undone));
  if (back) return leave(std::move(row), LeftOut::undone, undone);
  if (found.empty()) return leave(std::move(row), doubt.why, doubt.note);

  for (Found& f : found) {
    if (f.position > 0 || found.size() < 2) continue;
    TRY_ASSIGN(const git::Commit older, reader_->commit(f.commit));
    f.time = older.committer.time;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return std::tie(a.position, a.time) < std::tie(b.position, b.time); });
  row.upstream.clear();
  for (Found& f : found) row.upstream.push_back(std::move(f.commit));
  row.kind = row.upstream.size() > 1 ? HistoryRow::Kind::bundle : HistoryRow::Kind::single;
  if (sources_->words().partial(subject)) return leave(std::move(row), LeftOut::partial, subject);
  TRY_ASSIGN(const Oid before, reader_->tree_of(row.parent));
  if (before == commit.tree) return leave(std::move(row), LeftOut::empty, {});
  TRY(confirm(commit, row));
  return row;
}

}  // namespace sluice::ingest
