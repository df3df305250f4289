// SPDX-License-Identifier: Apache-2.0
// Queries: units that a person has taken.
#include "store/state.h"

namespace sluice::store {
namespace {

TakeRow read_row(const Statement& q) {
  return {q.text(0), q.text(1), q.text(2), q.text(3), q.text(4), q.text(5), q.integer(6)};
}

bool same(const TakeRow& a, const TakeRow& b) {
  return a.owner == b.owner && a.base == b.base && a.head == b.head && a.branch == b.branch && a.work_tree == b.work_tree;
}

}  // namespace

Result<void> Store::put_take(const TakeRow& row) {
  return state_->write([&]() -> Result<void> {
    TRY_ASSIGN(const std::optional<TakeRow> before, take(row.unit));
    if (before && same(*before, row)) return {};
    TRY(state_->db.run("INSERT OR REPLACE INTO takes (unit, owner, base, head, branch, work_tree, at) "
                       "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                       row.unit, Bytes{row.owner}, row.base, row.head, Bytes{row.branch}, Bytes{row.work_tree}, row.at));
    return state_->append_event("take.taken", row.unit,
                                core::Json::object({{"owner", row.owner}, {"base", row.base}, {"head", row.head}}), row.at);
  });
}

Result<std::optional<TakeRow>> Store::take(const std::string& unit) {
  TRY_ASSIGN(Statement q, state_->db.query("SELECT unit, owner, base, head, branch, work_tree, at FROM takes WHERE unit = ?1", unit));
  TRY_ASSIGN(const bool row, q.step());
  return row ? std::optional(read_row(q)) : std::nullopt;
}

Result<std::vector<TakeRow>> Store::takes() {
  std::vector<TakeRow> out;
  TRY_ASSIGN(Statement q, state_->db.query("SELECT unit, owner, base, head, branch, work_tree, at FROM takes ORDER BY at, unit"));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back(read_row(q));
  }
}

Result<void> Store::remove_take(const std::string& unit, const std::string& why) {
  return state_->write([&]() -> Result<void> {
    TRY_ASSIGN(const std::optional<TakeRow> before, take(unit));
    if (!before) return {};
    TRY(state_->db.run("DELETE FROM takes WHERE unit = ?1", unit));
    return state_->append_event("take.released", unit, core::Json::object({{"owner", before->owner}, {"why", why}}), std::nullopt);
  });
}

}  // namespace sluice::store
