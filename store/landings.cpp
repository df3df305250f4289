// SPDX-License-Identifier: Apache-2.0
// Queries: the landing journal. An intent is stored before the push, closed after it.
#include <fmt/format.h>

#include "store/state.h"

namespace sluice::store {
namespace {

constexpr std::string_view select_open =
    "SELECT id, unit, ref, base, commit_oid, tree, state, verdict_digest, at FROM landings "
    "WHERE state = 'intent' ORDER BY id";
constexpr std::string_view select_all =
    "SELECT id, unit, ref, base, commit_oid, tree, state, verdict_digest, at FROM landings ORDER BY id DESC";

Result<std::vector<LandingRow>> read_rows(Database& db, std::string_view select) {
  std::vector<LandingRow> out;
  TRY_ASSIGN(Statement q, db.query(select));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back({q.integer(0), q.text(1), q.text(2), q.text(3), q.text(4), q.text(5), q.text(6), q.text(7),
                   q.integer(8)});
  }
}

bool same_intent(const LandingRow& a, const LandingRow& b) {
  return a.unit == b.unit && a.ref == b.ref && a.base == b.base && a.commit == b.commit && a.tree == b.tree &&
         a.verdict_digest == b.verdict_digest;
}

}  // namespace

Result<std::int64_t> Store::put_intent(const LandingRow& row) {
  std::int64_t id = 0;
  Result<void> done = state_->write([&]() -> Result<void> {
    TRY_ASSIGN(const std::vector<LandingRow> open, open_landings());
    for (const LandingRow& other : open) {
      if (!same_intent(other, row)) continue;
      id = other.id;
      return {};
    }
    TRY(
        state_->db.run("INSERT INTO landings (unit, ref, base, commit_oid, tree, state, verdict_digest, at) "
                       "VALUES (?1, ?2, ?3, ?4, ?5, 'intent', ?6, ?7)",
                       row.unit, Bytes{row.ref}, row.base, row.commit, row.tree, row.verdict_digest, row.at));
    id = state_->db.last_id();
    const core::Json body = core::Json::object({{"landing", id},
                                                {"ref", row.ref},
                                                {"base", row.base},
                                                {"commit", row.commit},
                                                {"tree", row.tree},
                                                {"verdict", row.verdict_digest}});
    return state_->append_event("landing.intent", row.unit, body,
                                row.at != 0 ? std::optional(row.at) : std::nullopt);
  });
  if (!done.ok()) return done.error();
  return id;
}

Result<void> Store::close_landing(std::int64_t id, const std::string& state) {
  if (state != "landed" && state != "abandoned")
    return make_error(ErrorKind::invalid,
                      fmt::format("landing state '{}' is not landed or abandoned", state));
  return state_->write([&]() -> Result<void> {
    std::string unit, commit;
    {
      TRY_ASSIGN(Statement q,
                 state_->db.query("SELECT unit, commit_oid, state FROM landings WHERE id = ?1", id));
      TRY_ASSIGN(const bool row, q.step());
      if (!row) return make_error(ErrorKind::not_found, fmt::format("no landing has the id {}", id));
      const std::string before = q.text(2);
      if (before == state) return {};
      if (before != "intent")
        return make_error(ErrorKind::conflict,
                          fmt::format("landing {} is already {}, cannot become {}", id, before, state));
      unit = q.text(0);
      commit = q.text(1);
    }
    TRY(state_->db.run("UPDATE landings SET state = ?2 WHERE id = ?1", id, state));
    return state_->append_event(fmt::format("landing.{}", state), unit,
                                core::Json::object({{"landing", id}, {"commit", commit}}), std::nullopt);
  });
}

Result<std::vector<LandingRow>> Store::open_landings() { return read_rows(state_->db, select_open); }

Result<std::vector<LandingRow>> Store::landings() { return read_rows(state_->db, select_all); }

}  // namespace sluice::store
