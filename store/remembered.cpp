// SPDX-License-Identifier: Apache-2.0
// Queries: resolutions that landed before.
#include <fmt/format.h>

#include "store/state.h"

namespace sluice::store {

namespace {

constexpr std::string_view columns = "key, answer, rule, unit, at, path, base, ours, theirs";

RememberedRow row_of(Statement& q) {
  return {q.text(0), q.text(1), q.text(2), q.text(3), q.integer(4), q.text(5), q.text(6), q.text(7), q.text(8)};
}

}  // namespace

Result<void> Store::put_remembered(const RememberedRow& row) {
  return state_->write([&] {
    return state_->db.run(
        fmt::format("INSERT INTO remembered ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (key) DO UPDATE SET "
                    "answer = ?2, rule = ?3, unit = ?4, at = ?5, path = ?6, base = ?7, ours = ?8, theirs = ?9", columns),
        row.key, Bytes{row.answer}, row.rule, row.unit, row.at, Bytes{row.path}, Bytes{row.base}, Bytes{row.ours}, Bytes{row.theirs});
  });
}

Result<std::optional<RememberedRow>> Store::remembered(const std::string& key) {
  TRY_ASSIGN(Statement q, state_->db.query(fmt::format("SELECT {} FROM remembered WHERE key = ?1", columns), key));
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<RememberedRow>();
  return std::optional(row_of(q));
}

Result<std::vector<RememberedRow>> Store::remembered_of(const std::string& path, std::size_t max) {
  TRY_ASSIGN(Statement q, state_->db.query(fmt::format("SELECT {} FROM remembered WHERE path = ?1 ORDER BY at DESC, key LIMIT ?2", columns), Bytes{path},
                                           static_cast<std::int64_t>(max)));
  std::vector<RememberedRow> out;
  for (;;) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back(row_of(q));
  }
}

}  // namespace sluice::store
