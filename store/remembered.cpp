// SPDX-License-Identifier: Apache-2.0
// Queries: resolutions that landed before.
#include "store/state.h"

namespace sluice::store {

Result<void> Store::put_remembered(const RememberedRow& row) {
  return state_->write([&] {
    return state_->db.run(
        "INSERT INTO remembered (key, answer, rule, unit, at) VALUES (?1, ?2, ?3, ?4, ?5) "
        "ON CONFLICT (key) DO UPDATE SET answer = ?2, rule = ?3, unit = ?4, at = ?5",
        row.key, Bytes{row.answer}, row.rule, row.unit, row.at);
  });
}

Result<std::optional<RememberedRow>> Store::remembered(const std::string& key) {
  TRY_ASSIGN(Statement q,
             state_->db.query("SELECT key, answer, rule, unit, at FROM remembered WHERE key = ?1", key));
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<RememberedRow>();
  return std::optional(RememberedRow{q.text(0), q.text(1), q.text(2), q.text(3), q.integer(4)});
}

}  // namespace sluice::store
