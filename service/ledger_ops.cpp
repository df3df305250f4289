// SPDX-License-Identifier: Apache-2.0
#include "service/ledger_ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log.h"
#include "service/ledger_log.h"

namespace sluice::service {

namespace {

using D = model::Disposition;

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
  TRY_ASSIGN(const Oid commit, app.repo.reader().resolve(downstream));
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

Result<model::LedgerRow> ledger_row(App& app, const std::string& upstream) {
  TRY_ASSIGN(const Oid oid, app.repo.reader().resolve(upstream));
  TRY_ASSIGN(auto row, app.store.ledger(oid));
  if (!row) return make_error(ErrorKind::not_found, fmt::format("{} has no disposition yet", oid));
  return std::move(*row);
}

}  // namespace sluice::service
