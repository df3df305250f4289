// SPDX-License-Identifier: Apache-2.0
// Queries: alerts. One row a key, so that what is raised every night is one alert.
#include "store/state.h"

namespace sluice::store {
namespace {

AlertRow read_row(const Statement& q) {
  return {q.text(0), q.text(1), q.text(2), q.text(3), q.integer(4), q.integer(5)};
}

}  // namespace

Result<bool> Store::raise_alert(const AlertRow& row) {
  bool fresh = false;
  Result<void> done = state_->write([&]() -> Result<void> {
    std::optional<AlertRow> before;
    {
      TRY_ASSIGN(Statement q, state_->db.query("SELECT key, kind, text, command, opened_at, closed_at FROM alerts WHERE key = ?1", row.key));
      TRY_ASSIGN(const bool found, q.step());
      if (found) before = read_row(q);
    }
    fresh = !before || before->closed_at != 0;
    if (!fresh && before->text == row.text && before->command == row.command) return {};
    TRY(state_->db.run("INSERT INTO alerts (key, kind, text, command, opened_at, closed_at) VALUES (?1, ?2, ?3, ?4, ?5, 0) "
                       "ON CONFLICT (key) DO UPDATE SET kind = ?2, text = ?3, command = ?4, opened_at = ?5, closed_at = 0",
                       row.key, row.kind, Bytes{row.text}, Bytes{row.command}, fresh ? row.opened_at : before->opened_at));
    if (!fresh) return {};
    return state_->append_event("alert.opened", row.key, core::Json::object({{"kind", row.kind}, {"text", row.text}}), row.opened_at);
  });
  if (!done.ok()) return done.error();
  return fresh;
}

Result<bool> Store::close_alert(const std::string& key, std::int64_t at) {
  bool closed = false;
  Result<void> done = state_->write([&]() -> Result<void> {
    {
      TRY_ASSIGN(Statement q, state_->db.query("SELECT 1 FROM alerts WHERE key = ?1 AND closed_at = 0", key));
      TRY_ASSIGN(closed, q.step());
    }
    if (!closed) return {};
    TRY(state_->db.run("UPDATE alerts SET closed_at = ?2 WHERE key = ?1", key, at));
    return state_->append_event("alert.closed", key, core::Json::object(), at);
  });
  if (!done.ok()) return done.error();
  return closed;
}

Result<std::vector<AlertRow>> Store::alerts(bool open_only) {
  std::vector<AlertRow> out;
  TRY_ASSIGN(Statement q,
             open_only ? state_->db.query("SELECT key, kind, text, command, opened_at, closed_at FROM alerts WHERE closed_at = 0 ORDER BY opened_at, n")
                       : state_->db.query("SELECT key, kind, text, command, opened_at, closed_at FROM alerts ORDER BY opened_at, n"));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back(read_row(q));
  }
}

}  // namespace sluice::store
