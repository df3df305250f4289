// SPDX-License-Identifier: Apache-2.0
#include "service/rebuild.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>

#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "service/folding.h"
#include "service/ledger_log.h"
#include "service/ledger_writes.h"
#include "service/log_replay.h"

namespace sluice::service {

namespace {

using D = model::Disposition;

constexpr const char* state_key = "rebuild.state";  // "" = none under way
constexpr const char* fetched_ref = "refs/sluice/ledger-fetched";
constexpr const char* trunk_key = "trunk_known";

Result<bool> holds_rows(App& app) {
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  TRY_ASSIGN(const auto units, app.store.units());
  return !rows.empty() || !units.empty();
}

// The old database under another name. The repository stays: objects and kept trees are as good as ever.
Result<std::string> set_store_aside(App& app) {
  const std::string file = core::join_path(app.config.store_path, "sluice.db");
  std::string kept;
  for (int n = 1; kept.empty() || core::exists(kept); ++n) kept = fmt::format("{}.before-rebuild-{}", file, n);
  { const store::Store closed = std::move(app.store); }
  // Closed, SQLite has written everything into the one file; what is beside it now belongs to no transaction.
  int failed = std::rename(file.c_str(), kept.c_str()) == 0 ? 0 : errno;
  for (const char* beside : {"-wal", "-shm"}) TRY(core::remove_all(file + beside));
  TRY_ASSIGN(app.store, store::Store::open(app.config.store_path));
  app.store.set_now(app.clock.now());
  if (failed != 0) return make_error(ErrorKind::denied, fmt::format("cannot rename {} to {}: {}", file, kept, std::strerror(failed)));
  return kept;
}

// A rebuild that cannot succeed costs nothing: what `--replace` put aside is the store again.
Result<void> bring_store_back(App& app, const std::string& kept) {
  const std::string file = core::join_path(app.config.store_path, "sluice.db");
  { const store::Store closed = std::move(app.store); }
  for (const char* beside : {"-wal", "-shm"}) TRY(core::remove_all(file + beside));
  const int failed = std::rename(kept.c_str(), file.c_str()) == 0 ? 0 : errno;
  TRY_ASSIGN(app.store, store::Store::open(app.config.store_path));
  app.store.set_now(app.clock.now());
  if (failed != 0) return make_error(ErrorKind::denied, fmt::format("cannot rename {} back to {}: {}", kept, file, std::strerror(failed)));
  return {};
}

// The log that the rebuild goes by: ours and the fork's are one chain, and the longer one counts.
Result<Oid> find_log(App& app, std::string& note) {
  TRY_ASSIGN(const auto own, app.repo.ref(ledger_ref));
  Oid ours = own.value_or(""), theirs;
  app.progress("fetching the ledger's log", 0, 0);
  const auto fetched = app.repo.fetch(app.config.fork.url, ledger_ref, fetched_ref, git::FetchLimits{}, app.cancel);
  if (fetched.ok()) {
    theirs = fetched->tip;
  } else if (fetched.error().kind != ErrorKind::not_found) {
    return fetched.error();
  }
  if (theirs.empty() && ours.empty()) note = fmt::format("the fork has no {}: it was never pushed, or the token did not allow it", ledger_ref);
  if (theirs.empty() || ours.empty() || ours == theirs) return theirs.empty() ? ours : theirs;
  TRY_ASSIGN(const bool behind, app.repo.reader().is_ancestor(ours, theirs));
  if (behind) return theirs;
  TRY_ASSIGN(const bool ahead, app.repo.reader().is_ancestor(theirs, ours));
  if (ahead) return ours;
  return make_error(ErrorKind::conflict, fmt::format("two logs that do not fit: {} here is at {}, on the fork at {}; delete the one that is "
                                                     "wrong (`git --git-dir {} update-ref -d {}` deletes the one here)", ledger_ref, ours, theirs,
                                                     app.repo.git_dir(), ledger_ref));
}

Result<std::int64_t> last_event(App& app) {
  std::int64_t seq = 0;
  for (;;) {
    TRY_ASSIGN(const auto events, app.store.events(seq, 5000));
    if (events.empty()) return seq;
    seq = events.back().seq;
  }
}

// What the log says and trunk does not refute, as one transaction.
Result<void> put_log(App& app, const Oid& tip, const LogReplay& log, const std::set<Oid>& refuted) {
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.append_event("store.rebuilt", tip, core::Json::object({{"commits", log.commits}, {"lines", log.lines}}), app.clock.now()));
  for (const model::Unit& unit : log.units) TRY(app.store.put_unit(unit));
  for (const auto& [oid, row] : log.rows) {
    if (!refuted.contains(oid)) TRY(app.store.put_ledger(row));
  }
  if (!log.import_state.empty()) TRY(app.store.put_value(ingest::import_state_key, log.import_state));
  TRY(app.repo.set_ref(ledger_ref, tip, std::nullopt));
  TRY_ASSIGN(const std::int64_t seq, last_event(app));
  TRY(continue_log(app, tip, seq));
  TRY(app.store.put_value(state_key, "log replayed"));
  return transaction.commit();
}

// What history says of commits that the log never spoke of, or spoke wrongly of.
Result<std::int64_t> put_history(App& app, const ingest::ForkHistory& history, const LogReplay& log, const std::set<Oid>& refuted) {
  std::int64_t added = 0;
  TRY_ASSIGN(auto transaction, app.store.begin());
  for (const model::LedgerRow& row : history.rows) {
    if (log.rows.contains(row.upstream) && !refuted.contains(row.upstream)) continue;
    TRY_ASSIGN(const auto there, app.store.ledger(row.upstream));
    if (there) continue;
    TRY(app.store.put_ledger(row));
    ++added;
  }
  if (log.import_state.empty()) TRY(app.store.put_value(ingest::import_state_key, history.state));
  TRY(transaction.commit());
  return added;
}

// A pick that trunk lost: out, so that what somebody dropped does not return by itself and no pin moves backward.
Result<void> settle_refuted(App& app, const LogReplay& log, const std::set<Oid>& refuted, const Oid& fork_tip) {
  for (const Oid& oid : refuted) {
    TRY_ASSIGN(const auto now, app.store.ledger(oid));
    model::LedgerRow row = log.rows.at(oid);
    if (now || row.downstream.empty()) continue;
    bool there = false;
    if (app.repo.reader().has(row.downstream)) {
      TRY_ASSIGN(there, app.repo.reader().is_ancestor(row.downstream, fork_tip));
    }
    if (there) continue;  // the commit is there and says nothing of it: it was never picked
    row.disposition = D::backed_out;
    row.evidence = "history";
    row.reason = fmt::format("trunk no longer contains {}, which carried it", model::short_oid(row.downstream));
    row.who = "rebuild";
    row.at = app.clock.now();
    TRY(app.store.put_ledger(row));
  }
  return {};
}

// The raw conflict of a parked unit, as `take` and people look at it: made again from the same inputs.
Result<void> restore_conflict(App& app, Folder& folder, model::Unit unit) {
  if (unit.rule != "conflict" || unit.base.empty() || !app.repo.reader().has(unit.base)) return {};
  std::string evidence;
  for (const Oid& oid : unit.commits) {
    TRY_ASSIGN(const auto row, app.store.ledger(oid));
    if (!row || row->disposition != D::deferred || row->unit != unit.id || row->task != unit.id || row->reason != unit.reason) return {};
    evidence = row->evidence;
  }
  TRY_ASSIGN(const Fold fold, folder.fold(unit, unit.base));
  if (fold.left_out.empty()) return {};
  const Oid base = unit.base;
  return record_parked(app, unit, evidence, {fold.left_out.front()}, base);
}

Result<void> restore_units(App& app, RebuildReport& report) {
  TRY_ASSIGN(const auto units, app.store.units());
  std::optional<Folder> folder;
  std::int64_t done = 0;
  for (const model::Unit& unit : units) {
    app.progress("parked units", ++done, static_cast<std::int64_t>(units.size()));
    if (unit.state != model::UnitState::parked) continue;
    ++report.open_units;
    if (!folder) {
      TRY_ASSIGN(folder, Folder::open(app));
    }
    if (const auto restored = restore_conflict(app, *folder, unit); !restored.ok())
      report.unknown.push_back(fmt::format("the conflict of {} could not be made again: {}", unit.id, restored.error().message));
  }
  return {};
}

}  // namespace

Result<void> refuse_half_rebuilt(App& app) {
  TRY_ASSIGN(const auto state, app.store.value(state_key));
  if (!state || state->empty()) return {};
  return make_error(ErrorKind::conflict, "a rebuild of the ledger was interrupted; run `sluice ledger rebuild` again, it goes on");
}

Result<void> refuse_new_beginning(App& app) {
  TRY_ASSIGN(const auto fetched, app.store.fetch("fork"));
  if (fetched) return {};
  const auto log = app.repo.remote_tip(app.config.fork.url, ledger_ref);
  if (!log.ok()) return {};  // there is none; or the fetch that follows says better what is wrong
  return make_error(ErrorKind::conflict,
                    fmt::format("this store is empty, and the fork carries the ledger of an earlier one ({} at {}): `sluice ledger rebuild` "
                                "takes it over; to begin anew all the same, delete that ref on the fork", ledger_ref, model::short_oid(*log)));
}

namespace {

Error without_log(Error error) {
  error.message += "; `sluice ledger rebuild --history-only` leaves the log aside";
  return error;
}

Result<void> rebuild_begun(App& app, const RebuildOptions& options, RebuildReport& report) {
  TRY_ASSIGN(const Remotes remotes, fetch_remotes(app));
  if (options.history_only) {
    report.log_note = "the log was not read (--history-only)";
    // A new log begins; the old one is kept under another name, and the fork's is left alone.
    TRY_ASSIGN(const auto own, app.repo.ref(ledger_ref));
    if (own) {
      TRY(app.repo.set_ref(fmt::format("refs/sluice/ledger-kept/{}", model::short_oid(*own)), *own, std::nullopt));
      TRY(app.repo.delete_ref(ledger_ref));
    }
  } else {
    const auto found = find_log(app, report.log_note);
    if (!found.ok()) return without_log(found.error());
    report.log_tip = *found;
  }
  TRY_ASSIGN(const auto line, ingest::read(app.repo, app.store, app.config, remotes.fork_tip, remotes.upstream_tip,
                                           [&](std::int64_t done, std::int64_t total) { app.progress("reading upstream commits", done, total); }));
  TRY(note_upstream(app, remotes.upstream_tip, remotes.upstream_error));
  LogReplay log;
  if (!report.log_tip.empty()) {
    auto read = read_log(app.repo.reader(), report.log_tip, [&](LogCommit&& commit) {
      app.progress("reading the ledger's log", log.commits, 0);
      return log.apply(commit);
    });
    if (read.ok()) read = log.place(line.line);
    if (!read.ok()) return without_log(read.error());
  }
  report.log_commits = log.commits;
  report.log_lines = log.lines;

  app.progress("reading the fork's history", 0, 0);
  TRY_ASSIGN(const auto history, ingest::fork_history(app.repo, app.store, app.config, line, remotes.fork_tip, app.clock.now()));
  std::map<Oid, model::LedgerRow> by_history;
  for (const model::LedgerRow& row : history.rows) by_history.emplace(row.upstream, row);
  std::set<Oid> refuted;
  for (const auto& [oid, row] : log.rows) {
    TRY_ASSIGN(const std::string why, contradiction(app, row, by_history, remotes.fork_tip));
    if (why.empty()) continue;
    refuted.insert(oid);
    report.contradictions.push_back(why);
  }

  TRY_ASSIGN(const auto now, app.store.value(state_key));
  if (!report.log_tip.empty() && now.value_or("") != "log replayed") TRY(put_log(app, report.log_tip, log, refuted));
  TRY_ASSIGN(report.from_history, put_history(app, history, log, refuted));
  TRY(ingest::import_fork(app.repo, app.store, app.config, line, remotes.fork_tip, app.clock.now()));
  TRY(settle_refuted(app, log, refuted, remotes.fork_tip));
  std::size_t at = 0;
  for (const Oid& oid : refuted) {
    TRY_ASSIGN(const auto row, app.store.ledger(oid));
    report.contradictions[at++] += fmt::format("; it is {} now", row ? model::to_string(row->disposition) : "pending");
  }
  TRY(restore_units(app, report));
  TRY(app.store.put_value(trunk_key, remotes.fork_tip));
  if (!report.log_tip.empty()) TRY(app.repo.delete_ref(fetched_ref));
  TRY(flush_ledger(app));
  TRY(app.store.put_value(state_key, ""));
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  report.rows = static_cast<std::int64_t>(rows.size());
  if (report.log_tip.empty()) {
    report.unknown.push_back("deferrals, won't-port decisions and parked units: they stand in no commit of the fork; look through what is pending");
    report.unknown.push_back("owners and review days of back-outs");
    report.unknown.push_back("commits that were settled without a pick: the next sync proves them again");
  }
  report.unknown.push_back("evidence and verdicts of earlier landings: `sluice audit verify` covers what lands from now on");
  return {};
}

}  // namespace

Result<RebuildReport> rebuild_ledger(App& app, const RebuildOptions& options) {
  RebuildReport report;
  TRY_ASSIGN(const auto state, app.store.value(state_key));
  if (!state || state->empty()) {
    TRY_ASSIGN(const bool rows, holds_rows(app));
    if (rows && !options.replace) {
      return make_error(ErrorKind::conflict, fmt::format("the store {} holds a ledger already; --replace keeps its database beside and "
                                                         "begins anew", app.config.store_path));
    }
    if (rows) {
      TRY_ASSIGN(report.kept, set_store_aside(app));
    }
    TRY(app.store.put_value(state_key, "begun"));
  }
  const Result<void> done = rebuild_begun(app, options, report);
  if (done.ok()) return report;
  Error error = done.error();
  const bool before_log = app.store.value(state_key).value_or(std::nullopt).value_or("") == "begun";
  if (!report.kept.empty() && before_log) {
    TRY(bring_store_back(app, report.kept));
    error.message += "; the store is as it was";
  }
  return error;
}

}  // namespace sluice::service
