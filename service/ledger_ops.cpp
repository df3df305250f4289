// SPDX-License-Identifier: Apache-2.0
#include "service/ledger_ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log.h"
#include "core/text.h"
#include "service/ledger_log.h"

namespace sluice::service {

namespace {

using D = model::Disposition;

// A commit of the fork as somebody names it, who has just pushed it as a rule.
Result<Oid> fork_commit(App& app, const std::string& name) {
  auto commit = app.repo.reader().resolve(name);
  if (commit.ok() || commit.error().kind != ErrorKind::not_found) return commit;
  return make_error(ErrorKind::not_found, fmt::format("{} is no commit that was fetched from the fork; `sluice plan` fetches new ones", core::printable(name, 120)));
}

struct Target {
  model::UpstreamCommit facts;
  std::optional<model::LedgerRow> row;
};

Result<Target> target(App& app, const std::string& upstream, const std::string& reason) {
  if (reason.empty()) return make_error(ErrorKind::invalid, "a reason is needed: --reason TEXT says why, for whoever reads the ledger later");
  TRY_ASSIGN(const Oid oid, app.repo.reader().resolve(upstream));
  TRY_ASSIGN(auto facts, app.store.facts(oid));
  if (!facts) {
    return make_error(ErrorKind::not_found,
                      fmt::format("{} is not on the upstream line since the fork base; `sluice plan` reads new commits", oid));
  }
  Target out{std::move(*facts), {}};
  TRY_ASSIGN(out.row, app.store.ledger(oid));
  return out;
}

model::LedgerRow new_row(App& app, const Target& target, D disposition, const std::string& reason, const std::string& who) {
  model::LedgerRow row;
  row.upstream = target.facts.oid;
  row.position = target.facts.position;
  row.disposition = disposition;
  row.evidence = "person";
  row.reason = reason;
  row.who = who;
  row.at = app.clock.now();
  return row;
}

// A parked unit whose commits all have an end by a person is done.
Result<void> close_unit(App& app, const std::string& id) {
  if (id.empty()) return {};
  TRY_ASSIGN(auto unit, app.store.unit(id));
  if (!unit || unit->state != model::UnitState::parked) return {};
  for (const Oid& oid : unit->commits) {
    TRY_ASSIGN(const auto row, app.store.ledger(oid));
    if (row && row->unit == id && row->disposition == D::deferred) return {};
  }
  unit->state = model::UnitState::dropped;
  unit->reason = "a person settled its commits";
  return app.store.put_unit(*unit);
}

// The decision is stored; a log that cannot be written now is written by the next run.
Result<void> flush_or_warn(App& app) {
  if (const auto flushed = flush_ledger(app); !flushed.ok()) core::log_warning(flushed.error().message);
  return {};
}

Result<void> put(App& app, const Target& target, model::LedgerRow row) {
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.put_ledger(row));
  if (target.row && target.row->unit != row.unit) TRY(close_unit(app, target.row->unit));
  TRY(transaction.commit());
  return flush_or_warn(app);
}

Result<void> refuse_settled(const Target& target, D wanted) {
  if (!target.row || !model::is_settled(target.row->disposition) || target.row->disposition == wanted) return {};
  if (target.row->disposition == D::wont_port) return {};  // an owner may change their mind
  return make_error(ErrorKind::conflict, fmt::format("{} is {} already{}", target.facts.oid, model::to_string(target.row->disposition),
                                                     target.row->downstream.empty() ? "" : " as " + target.row->downstream));
}

}  // namespace

Result<void> adopt(App& app, const std::string& upstream, const std::string& downstream, const std::string& reason,
                   const std::string& who) {
  TRY_ASSIGN(const Target found, target(app, upstream, reason.empty() ? "picked by hand" : reason));
  TRY(refuse_settled(found, D::picked));
  TRY_ASSIGN(const Oid commit, fork_commit(app, downstream));
  TRY_ASSIGN(const auto fetched, app.store.fetch("fork"));
  if (!fetched) return make_error(ErrorKind::not_found, "the fork has not been fetched yet; run `sluice plan` first");
  TRY_ASSIGN(const bool on_trunk, app.repo.reader().is_ancestor(commit, fetched->tip));
  if (!on_trunk) {
    return make_error(ErrorKind::not_found, fmt::format("{} is not on trunk {}; only what trunk carries can be adopted", commit, fetched->tip));
  }
  model::LedgerRow row = new_row(app, found, D::picked, reason.empty() ? "picked by hand" : reason, who);
  row.downstream = commit;
  return put(app, found, row);
}

Result<void> defer(App& app, const std::string& upstream, const std::string& task, const std::string& reason,
                   const std::string& who) {
  TRY_ASSIGN(const Target found, target(app, upstream, reason));
  TRY(refuse_settled(found, D::deferred));
  model::LedgerRow row = new_row(app, found, D::deferred, reason, who);
  row.evidence = "owner decision";
  row.task = task;
  return put(app, found, row);
}

Result<void> wont_port(App& app, const std::string& upstream, const std::string& reason, const std::string& who) {
  TRY_ASSIGN(const Target found, target(app, upstream, reason));
  TRY(refuse_settled(found, D::wont_port));
  return put(app, found, new_row(app, found, D::wont_port, reason, who));
}

namespace {

Result<model::LedgerRow> backed_out_row(App& app, const Target& found, const BackOut& what, const Oid& commit, const std::string& who) {
  const bool carried = found.row && (found.row->disposition == D::picked || found.row->disposition == D::adapted ||
                                     found.row->disposition == D::already || found.row->disposition == D::follow_up_of ||
                                     found.row->disposition == D::backed_out);
  if (!carried) {
    return make_error(ErrorKind::conflict, fmt::format("{} is {}: only what trunk carries can be backed out", found.facts.oid,
                                                       found.row ? model::to_string(found.row->disposition) : "pending"));
  }
  const Oid& pick = found.row->downstream;
  if (!pick.empty() && app.repo.reader().has(pick)) {
    TRY_ASSIGN(const bool later, app.repo.reader().is_ancestor(pick, commit));
    if (!later || pick == commit) {
      return make_error(ErrorKind::conflict, fmt::format("{} does not come after {}, which carries {}: it cannot have taken it back",
                                                         model::short_oid(commit), model::short_oid(pick), found.facts.oid));
    }
  }
  model::LedgerRow row = new_row(app, found, D::backed_out, what.reason, who);
  row.unit = found.row->unit;
  row.task = what.task;
  row.by = commit;
  row.downstream = pick;
  row.owner = what.owner;
  row.review_at = what.review_at;
  return row;
}

Result<Oid> on_trunk(App& app, const std::string& name) {
  TRY_ASSIGN(const Oid commit, fork_commit(app, name));
  TRY_ASSIGN(const auto fetched, app.store.fetch("fork"));
  if (!fetched) return make_error(ErrorKind::not_found, "the fork has not been fetched yet; run `sluice plan` first");
  TRY_ASSIGN(const bool there, app.repo.reader().is_ancestor(commit, fetched->tip));
  if (there) return commit;
  return make_error(ErrorKind::not_found, fmt::format("{} is not on trunk {}", commit, fetched->tip));
}

}  // namespace

Result<void> back_out(App& app, const BackOut& what, const std::string& who) {
  if (what.upstream.empty()) return make_error(ErrorKind::invalid, "name at least one upstream commit that was taken back");
  if (what.owner.empty() || what.review_at <= 0) {
    return make_error(ErrorKind::invalid, "a back-out needs --owner and --review DATE: who looks again, and when");
  }
  TRY_ASSIGN(const Oid commit, on_trunk(app, what.commit));
  TRY_ASSIGN(auto transaction, app.store.begin());
  for (const std::string& upstream : what.upstream) {
    TRY_ASSIGN(const Target found, target(app, upstream, what.reason));
    TRY_ASSIGN(const auto row, backed_out_row(app, found, what, commit, who));
    TRY(app.store.put_ledger(row));
  }
  TRY(transaction.commit());
  return flush_or_warn(app);
}

Result<void> reopen(App& app, const std::string& upstream, const std::string& reason, const std::string& who) {
  TRY_ASSIGN(const Target found, target(app, upstream, reason));
  const D now = found.row ? found.row->disposition : D::pending;
  if (now != D::deferred && now != D::wont_port && now != D::backed_out && now != D::skip_for_current_base) {
    return make_error(ErrorKind::conflict, fmt::format("{} is {}: only what is deferred, won't-port or backed out can be reopened",
                                                       found.facts.oid, model::to_string(now)));
  }
  model::LedgerRow row = new_row(app, found, D::pending, reason, who);
  if (now == D::backed_out) {
    row.evidence = offered_again;
    row.by = found.row->by;  // which pick was backed out and by what: a later scan of trunk must not take it for news
    row.downstream = found.row->downstream;
  }
  return put(app, found, row);
}

Result<model::LedgerRow> ledger_row(App& app, const std::string& upstream) {
  TRY_ASSIGN(const Oid oid, app.repo.reader().resolve(upstream));
  TRY_ASSIGN(auto row, app.store.ledger(oid));
  if (!row) return make_error(ErrorKind::not_found, fmt::format("{} has no disposition yet", oid));
  return std::move(*row);
}

}  // namespace sluice::service
