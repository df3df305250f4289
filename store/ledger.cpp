// SPDX-License-Identifier: Apache-2.0
// Queries: the ledger. Every change is also an event `ledger.<disposition>`.
#include <fmt/format.h>

#include "store/state.h"

namespace sluice::store {
namespace {

constexpr std::string_view select_one =
    "SELECT upstream, position, disposition, evidence, reason, unit, task, by_commit, downstream, who, at, owner, "
    "review_at FROM ledger WHERE upstream = ?1";
constexpr std::string_view select_settled =
    "SELECT upstream, position, disposition, evidence, reason, unit, task, by_commit, downstream, who, at, owner, "
    "review_at FROM ledger WHERE disposition <> 'pending' ORDER BY position, upstream";
constexpr std::string_view select_offered =
    "SELECT upstream, position, disposition, evidence, reason, unit, task, by_commit, downstream, who, at, owner, "
    "review_at FROM ledger WHERE disposition = 'pending' ORDER BY position, upstream";

Result<model::LedgerRow> read_row(const Statement& q) {
  model::LedgerRow r;
  r.upstream = q.text(0);
  r.position = q.integer(1);
  const std::optional<model::Disposition> disposition = model::parse_disposition(q.text(2));
  if (!disposition)
    return make_error(ErrorKind::internal, fmt::format("ledger row of {} has the unknown disposition '{}'",
                                                       r.upstream, q.text(2)));
  r.disposition = *disposition;
  r.evidence = q.text(3);
  r.reason = q.text(4);
  r.unit = q.text(5);
  r.task = q.text(6);
  r.by = q.text(7);
  r.downstream = q.text(8);
  r.who = q.text(9);
  r.at = q.integer(10);
  r.owner = q.text(11);
  r.review_at = q.integer(12);
  return r;
}

Result<std::vector<model::LedgerRow>> read_rows(Database& db, std::string_view select) {
  std::vector<model::LedgerRow> out;
  TRY_ASSIGN(Statement q, db.query(select));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    TRY_ASSIGN(model::LedgerRow r, read_row(q));
    out.push_back(std::move(r));
  }
}

bool same_decision(const model::LedgerRow& a, const model::LedgerRow& b) {
  return a.position == b.position && a.disposition == b.disposition && a.evidence == b.evidence &&
         a.reason == b.reason && a.unit == b.unit && a.task == b.task && a.by == b.by &&
         a.downstream == b.downstream && a.who == b.who && a.owner == b.owner && a.review_at == b.review_at;
}

core::Json event_body(const model::LedgerRow& r) {
  core::Json body = core::Json::object();
  const auto set = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) body.set(key, value);
  };
  body.set("position", r.position);
  set("evidence", r.evidence);
  set("reason", r.reason);
  set("unit", r.unit);
  set("task", r.task);
  set("by", r.by);
  set("downstream", r.downstream);
  set("who", r.who);
  set("owner", r.owner);
  if (r.review_at != 0) body.set("review_at", r.review_at);
  return body;
}

}  // namespace

Result<std::optional<model::LedgerRow>> Store::ledger(const Oid& upstream) {
  TRY_ASSIGN(Statement q, state_->db.query(select_one, upstream));
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<model::LedgerRow>();
  TRY_ASSIGN(model::LedgerRow r, read_row(q));
  return std::optional(std::move(r));
}

Result<void> Store::put_ledger(const model::LedgerRow& row) {
  return state_->write([&]() -> Result<void> {
    TRY_ASSIGN(const std::optional<model::LedgerRow> before, ledger(row.upstream));
    if (before && same_decision(*before, row)) return {};
    const std::string_view disposition = model::to_string(row.disposition);
    TRY(
        state_->db.run("INSERT OR REPLACE INTO ledger (upstream, position, disposition, evidence, reason, "
                       "unit, task, by_commit, "
                       "downstream, who, at, owner, review_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                       row.upstream, row.position, disposition, Bytes{row.evidence}, Bytes{row.reason},
                       row.unit, Bytes{row.task}, row.by, row.downstream, Bytes{row.who}, row.at, Bytes{row.owner},
                       row.review_at));
    return state_->append_event(fmt::format("ledger.{}", disposition), row.upstream, event_body(row), row.at);
  });
}

Result<void> Store::put_ledger_many(const std::vector<model::LedgerRow>& rows) {
  if (state_->open) {
    for (const model::LedgerRow& row : rows) TRY(put_ledger(row));
    return {};
  }
  TRY_ASSIGN(Transaction transaction, begin());
  for (const model::LedgerRow& row : rows) TRY(put_ledger(row));
  return transaction.commit();
}

Result<std::vector<model::LedgerRow>> Store::ledger_all() { return read_rows(state_->db, select_settled); }

Result<std::vector<model::LedgerRow>> Store::ledger_offered() { return read_rows(state_->db, select_offered); }

}  // namespace sluice::store
