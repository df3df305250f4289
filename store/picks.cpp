// SPDX-License-Identifier: Apache-2.0
// Queries: the cache of picks.
#include "store/codec.h"
#include "store/state.h"

namespace sluice::store {
namespace {

Result<void> put_one(Database& db, const std::string& recipe, const model::Pick& p) {
  return db.run(
      "INSERT INTO picks (recipe, upstream, onto, pick) VALUES (?1, ?2, ?3, ?4) "
      "ON CONFLICT (upstream, onto, recipe) DO UPDATE SET pick = ?4 WHERE pick IS NOT ?4",
      recipe, p.upstream, p.onto, Bytes{encode_pick(p)});
}

}  // namespace

Result<void> Store::put_pick(const std::string& recipe, const model::Pick& pick) {
  return state_->write([&] { return put_one(state_->db, recipe, pick); });
}

Result<void> Store::put_pick_many(const std::string& recipe, const std::vector<model::Pick>& picks) {
  return state_->write([&]() -> Result<void> {
    for (const model::Pick& p : picks) TRY(put_one(state_->db, recipe, p));
    return {};
  });
}

Result<std::optional<model::Pick>> Store::pick(const std::string& recipe, const Oid& upstream,
                                               const Oid& onto) {
  TRY_ASSIGN(Statement q,
             state_->db.query("SELECT pick FROM picks WHERE upstream = ?1 AND onto = ?2 AND recipe = ?3",
                              upstream, onto, recipe));
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<model::Pick>();
  TRY_ASSIGN(model::Pick pick, decode_pick(upstream, q.text(0)));
  return std::optional(std::move(pick));
}

}  // namespace sluice::store
