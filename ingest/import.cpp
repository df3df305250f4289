// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/hash.h"
#include "core/text.h"
#include "ingest/ingest.h"
#include "ingest/own_picks.h"
#include "ingest/sources.h"

namespace sluice::ingest {
namespace {

using model::Disposition;
using model::LedgerRow;

constexpr std::size_t max_fork_commits = 2'000'000;
constexpr std::size_t max_examples = 10;
constexpr const char* state_key = import_state_key;  // "<fork tip> <patterns> <upstream tip> <unplaced>"

bool in_trunk(Disposition d) {
  return d == Disposition::picked || d == Disposition::adapted || d == Disposition::follow_up_of ||
         d == Disposition::already;
}

// The ledger while the fork's history is replayed, oldest commit first.
class Replay {
 public:
  Replay(store::Store& store, const git::Reader& reader, Sources& sources, OwnPicks& own_picks, std::int64_t now)
      : store_(&store), reader_(&reader), sources_(&sources), own_picks_(&own_picks), now_(now) {}

  // `afresh`: what earlier imports said is found again or has gone. What trees proved is proved once, when it was
  // new; it stands while trunk has the commit.
  Result<void> load(bool afresh, const Oid& fork_tip) {
    afresh_ = afresh;
    TRY_ASSIGN(auto rows, store_->ledger_all());
    for (auto& row : rows) {
      stored_.emplace(row.upstream, row);
      if (afresh && row.who == "import") {
        if (row.evidence != "tree" || !in_trunk(row.disposition) || !reader_->has(row.downstream)) continue;
        TRY_ASSIGN(const bool there, reader_->is_ancestor(row.downstream, fork_tip));
        if (!there) continue;
      }
      index(row);
      rows_.emplace(row.upstream, std::move(row));
    }
    // Offered again after a back-out: the pick that was backed out is no news for them either.
    TRY_ASSIGN(auto offered, store_->ledger_offered());
    for (auto& row : offered) {
      if (row.by.empty()) continue;
      stored_.emplace(row.upstream, row);
      rows_.emplace(row.upstream, std::move(row));
    }
    return {};
  }

  // Nothing is known: what the history alone says.
  void begin_empty() { afresh_ = true; }

  Result<void> commit(const git::Commit& commit, ImportOutcome& out) {
    TRY_ASSIGN(const NamedSources said, sources_->named(commit));
    std::vector<const NamedSource*> placed;
    for (const NamedSource& source : said.named) {
      if (source.placed()) placed.push_back(&source);
      else if (!source.older) unplaced(commit, source.sha, source.place.kind, out);  // older: the fork has had it from the start
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto* a, const auto* b) { return a->place.position < b->place.position; });
    for (const NamedSource* source : placed) TRY(pick(commit, source->place, source->disposition, said.unit));
    // What sluice wrote says itself what it is: a revert, or the commit that joins a unit's members.
    if (placed.empty() && !afresh_ && said.unit.empty()) TRY(pick_by_tree(commit, out));
    if (commit.parents.size() > 1 && placed.empty() && !said.unit.empty()) return {};
    revert(commit, said);
    return {};
  }

  // Import rows that the rescan did not find again: trunk was moved back before them.
  void close_rescan() {
    for (const auto& [oid, old] : stored_) {
      if (old.who != "import" || rows_.contains(oid)) continue;
      LedgerRow row = old;
      if (in_trunk(old.disposition)) {
        row.disposition = Disposition::backed_out;
        row.evidence = "history";
        row.reason =
            fmt::format("trunk no longer contains {}, which carried it", model::short_oid(old.downstream));
      }
      rows_.emplace(oid, std::move(row));
    }
  }

  // Upstream commits that the fork has by a merge of its own.
  void ancestry(const std::vector<Oid>& line, std::int64_t merged, const Oid& fork_tip) {
    for (std::int64_t position = 1; position <= merged; ++position) {
      const Oid& oid = line[static_cast<std::size_t>(position) - 1];
      const auto have = rows_.find(oid);
      if (have != rows_.end() && model::is_settled(have->second.disposition)) continue;
      LedgerRow row;
      row.upstream = oid;
      row.position = position;
      row.disposition = Disposition::picked;
      row.evidence = "ancestry";
      row.reason = "the fork merged upstream up to here";
      row.downstream = fork_tip;
      row.who = "import";
      row.at = now_;
      rows_[oid] = std::move(row);
    }
  }

  std::vector<LedgerRow> changed() const {
    std::vector<LedgerRow> out;
    for (const auto& [oid, row] : rows_) {
      const auto old = stored_.find(oid);
      if (old != stored_.end() && old->second.disposition == row.disposition &&
          old->second.downstream == row.downstream && old->second.by == row.by &&
          old->second.reason == row.reason && old->second.evidence == row.evidence)
        continue;
      out.push_back(row);
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.position < b.position; });
    return out;
  }
  std::int64_t placed() const { return static_cast<std::int64_t>(placed_.size()); }

 private:
  void index(const LedgerRow& row) {
    if (in_trunk(row.disposition) && !row.downstream.empty())
      carried_by_.emplace(row.downstream, row.upstream);
    if (row.disposition == Disposition::backed_out && !row.by.empty())
      undone_by_.emplace(row.by, row.upstream);
  }

  // A commit that says nothing usable, and whose tree is just what machine picks would give. Only for what is
  // new: of a fork's past the present trees say enough (`already`), and to compare it all would take long.
  Result<void> pick_by_tree(const git::Commit& commit, ImportOutcome& out) {
    const auto settled = [&](const Oid& oid) {
      const auto row = rows_.find(oid);
      return row != rows_.end() && model::is_settled(row->second.disposition);
    };
    TRY_ASSIGN(const auto found, own_picks_->match(commit, settled));
    for (const Oid& oid : found) {
      TRY(pick(commit, sources_->on_line(oid), Disposition::picked, {}));
      LedgerRow& row = rows_[oid];
      row.evidence = "tree";
      row.reason = fmt::format("{} without a trailer: its tree is that of the machine pick{}", row.reason,
                               found.size() > 1 ? fmt::format("s of {} commits", found.size()) : "");
      ++out.recognised;
    }
    return {};
  }

  Result<void> pick(const git::Commit& commit, const Place& place, Disposition disposition,
                    const std::string& unit) {
    placed_.insert(place.oid);
    if (in_trunk(disposition)) own_picks_->settle(place.oid);
    LedgerRow& row = rows_[place.oid];
    if (in_trunk(row.disposition) || row.disposition == Disposition::reverted_upstream) {
      // Named twice: the first stays, a residual change is a follow-up and no second frontier entry.
      const auto note = fmt::format("; again in {}", model::short_oid(commit.oid));
      if (row.downstream != commit.oid && in_trunk(disposition) &&
          row.reason.find(note) == std::string::npos && row.reason.size() < 400)
        row.reason += note;
      return {};
    }
    if (!in_trunk(disposition) && model::is_dispositioned(row.disposition)) return {};
    TRY_ASSIGN(const bool undone, is_what_was_backed_out(row, commit.oid));
    if (undone) return {};
    row.upstream = place.oid;
    row.position = place.position;
    row.disposition = disposition;
    row.evidence = "trailer";
    row.reason = disposition == Disposition::deferred || disposition == Disposition::wont_port
                     ? fmt::format("the fork says so in {}", model::short_oid(commit.oid))
                     : fmt::format("carried by {}", model::short_oid(commit.oid));
    row.unit = unit;
    row.task.clear();
    row.by.clear();
    row.owner.clear();
    row.review_at = 0;
    row.downstream = commit.oid;
    row.who = "import";
    row.at = std::min(now_, commit.committer.time);
    index(row);
    if (!in_trunk(disposition)) return {};
    TRY_ASSIGN(const auto facts, store_->facts(place.oid));
    if (!facts) return {};
    for (const auto& link : facts->reverts) {
      const auto original = rows_.find(link.oid);
      if (link.kind != model::RevertLink::Kind::revert || link.oid.empty() || original == rows_.end() ||
          !in_trunk(original->second.disposition))
        continue;
      original->second.disposition = Disposition::reverted_upstream;
      original->second.by = place.oid;
      original->second.reason += fmt::format("; its revert landed as {}", model::short_oid(commit.oid));
    }
    return {};
  }

  // A person recorded that this very pick is out: reading its trailer again, as every full scan does, is no news.
  Result<bool> is_what_was_backed_out(const LedgerRow& row, const Oid& commit) const {
    if (row.who == "import") return false;
    if (row.disposition != Disposition::backed_out && row.disposition != Disposition::pending) return false;
    if (row.downstream == commit) return row.evidence != "trunk";  // that one came back with trunk itself
    if (row.by.empty() || !reader_->has(row.by) || !reader_->has(commit)) return false;
    return reader_->is_ancestor(commit, row.by);
  }

  static std::string_view subject_of(const git::Commit& commit) {
    return std::string_view(commit.message).substr(0, commit.message.find('\n'));
  }

  void revert(const git::Commit& commit, const NamedSources& said) {
    const std::string_view subject = subject_of(commit);
    for (const Mention& mention : sources_->messages().mentions(subject, commit.message)) {
      if (mention.kind == model::RevertLink::Kind::partial_revert) continue;
      for (const std::string& sha : mention.shas) {
        if (said.quoted.holds(sha) || said.mentioned.holds(sha)) continue;
        back_out(commit, sha, subject);
        bring_back(commit, sha);
      }
    }
  }

  void back_out(const git::Commit& commit, const std::string& sha, std::string_view subject) {
    for (auto at = carried_by_.lower_bound(sha); at != carried_by_.end() && at->first.starts_with(sha);
         ++at) {
      const auto row = rows_.find(at->second);
      if (row == rows_.end() || !in_trunk(row->second.disposition)) continue;
      row->second.disposition = Disposition::backed_out;
      row->second.evidence = "trailer";
      row->second.by = commit.oid;
      row->second.reason = fmt::format("reverted in the fork by {} \"{}\"", model::short_oid(commit.oid),
                                       core::printable(subject, 80));
      row->second.who = "import";
      row->second.at = std::min(now_, commit.committer.time);
      undone_by_.emplace(commit.oid, at->second);
    }
  }

  void bring_back(const git::Commit& commit, const std::string& sha) {
    for (auto at = undone_by_.lower_bound(sha); at != undone_by_.end() && at->first.starts_with(sha); ++at) {
      const auto row = rows_.find(at->second);
      if (row == rows_.end() || row->second.disposition != Disposition::backed_out ||
          row->second.by != at->first)
        continue;
      row->second.disposition = Disposition::picked;
      row->second.by.clear();
      row->second.owner.clear();
      row->second.review_at = 0;
      row->second.downstream = commit.oid;
      row->second.reason = fmt::format("brought back by {}", model::short_oid(commit.oid));
      row->second.at = std::min(now_, commit.committer.time);
      carried_by_.emplace(commit.oid, at->second);
    }
  }

  static void unplaced(const git::Commit& commit, const std::string& sha, Place::Kind kind,
                       ImportOutcome& out) {
    ++out.unplaced;
    if (out.unplaced_examples.size() >= max_examples) return;
    out.unplaced_examples.push_back(fmt::format("{} names {}, which {}", model::short_oid(commit.oid), sha,
                                                kind == Place::Kind::ambiguous
                                                    ? "is the beginning of several upstream commits"
                                                    : "is not on the upstream line"));
  }

  store::Store* store_;
  const git::Reader* reader_;
  Sources* sources_;
  OwnPicks* own_picks_;
  std::int64_t now_;
  std::map<Oid, LedgerRow> stored_, rows_;
  std::multimap<Oid, Oid, std::less<>> carried_by_;  // fork commit -> upstream commits it carries
  std::multimap<Oid, Oid, std::less<>> undone_by_;   // fork revert -> upstream commits it took out
  std::set<Oid> placed_;
  bool afresh_ = false;
};

struct LastImport {
  Oid tip;
  std::int64_t unplaced = 0;
};

// Where the last import ended; nullopt = from the beginning.
Result<std::optional<LastImport>> resume_from(git::Repo& repo, store::Store& store,
                                              const std::string& patterns, const Oid& upstream_tip,
                                              const Oid& fork_tip) {
  TRY_ASSIGN(const auto stored, store.value(state_key));
  if (!stored) return std::optional<LastImport>{};
  const auto parts = core::split(*stored, ' ');
  if (parts.size() != 4 || parts[1] != patterns || !model::is_oid(parts[0]))
    return std::optional<LastImport>{};
  // What could not be placed may have arrived with new upstream commits.
  if (parts[2] != upstream_tip && parts[3] != "0") return std::optional<LastImport>{};
  LastImport last{Oid(parts[0]), std::atoll(std::string(parts[3]).c_str())};
  if (!repo.reader().has(last.tip)) return std::optional<LastImport>{};
  TRY_ASSIGN(const bool ahead, repo.reader().is_ancestor(last.tip, fork_tip));
  return ahead ? std::optional(std::move(last)) : std::optional<LastImport>{};
}

}  // namespace

namespace {

// The fork's commits behind `after`, oldest first, and what came by a merge of upstream.
Result<void> scan(const git::Reader& reader, Replay& replay, Sources& sources, const ReadOutcome& line, const Oid& fork_tip,
                  const Oid& after, const Oid& merged, ImportOutcome& out) {
  TRY_ASSIGN(auto commits, reader.log(fork_tip, after, max_fork_commits));
  std::reverse(commits.begin(), commits.end());
  for (const Oid& oid : commits) {
    // A merge of upstream brings upstream's own commits; they carry themselves, by ancestry.
    if (sources.on_line(oid).kind == Place::Kind::line) continue;
    TRY_ASSIGN(const auto commit, reader.commit(oid));
    ++out.scanned;
    TRY(replay.commit(commit, out));
  }
  if (merged == line.base) return {};
  TRY_ASSIGN(const Place up_to, sources.find(merged));
  replay.ancestry(line.line, up_to.position, fork_tip);
  return {};
}

std::string digest_of(const std::vector<std::string>& patterns) { return core::sha256_hex(core::join(patterns, "\n")); }

}  // namespace

Result<ForkHistory> fork_history(git::Repo& repo, store::Store& store, const model::Config& config, const ReadOutcome& line,
                                 const Oid& fork_tip, std::int64_t now) {
  ForkHistory out;
  const Oid upstream_tip = line.line.empty() ? line.base : line.line.back();
  const git::Reader& reader = repo.reader();
  TRY_ASSIGN(Sources sources, Sources::open(reader, line.line, line.base, config.trailer_patterns));
  TRY_ASSIGN(const Oid merged, reader.merge_base(fork_tip, upstream_tip));
  OwnPicks own_picks(repo, store, config);
  Replay replay(store, reader, sources, own_picks, now);
  replay.begin_empty();
  TRY(scan(reader, replay, sources, line, fork_tip, merged, merged, out.outcome));
  out.outcome.placed = replay.placed();
  out.rows = replay.changed();
  out.state = fmt::format("{} {} {} {}", fork_tip, digest_of(config.trailer_patterns), upstream_tip, out.outcome.unplaced);
  return out;
}

Result<ImportOutcome> import_fork(git::Repo& repo, store::Store& store, const model::Config& config,
                                  const ReadOutcome& line, const Oid& fork_tip, std::int64_t now) {
  ImportOutcome out;
  const std::string patterns = digest_of(config.trailer_patterns);
  const Oid upstream_tip = line.line.empty() ? line.base : line.line.back();
  TRY_ASSIGN(const auto last, resume_from(repo, store, patterns, upstream_tip, fork_tip));
  if (last && last->tip == fork_tip) return out;

  const git::Reader& reader = repo.reader();
  TRY_ASSIGN(Sources sources, Sources::open(reader, line.line, line.base, config.trailer_patterns));
  TRY_ASSIGN(const Oid merged, reader.merge_base(fork_tip, upstream_tip));
  OwnPicks own_picks(repo, store, config);
  Replay replay(store, reader, sources, own_picks, now);
  TRY(replay.load(!last, fork_tip));
  TRY(scan(reader, replay, sources, line, fork_tip, last ? last->tip : merged, merged, out));
  if (!last) replay.close_rescan();
  out.placed = replay.placed();
  out.untried = own_picks.untried();
  TRY_ASSIGN(auto transaction, store.begin());
  TRY(store.put_ledger_many(replay.changed()));
  TRY(store.put_value(state_key, fmt::format("{} {} {} {}", fork_tip, patterns, upstream_tip,
                                             out.unplaced + (last ? last->unplaced : 0))));
  TRY(transaction.commit());
  return out;
}

}  // namespace sluice::ingest
