// SPDX-License-Identifier: Apache-2.0
// Queries: units and their members. Every change is also an event `unit.<state>`.
#include <fmt/format.h>

#include "store/state.h"

namespace sluice::store {
namespace {

constexpr std::string_view select_one =
    "SELECT id, kind, state, reason, rule, base, landed, created_at, validations FROM units WHERE id = ?1";
constexpr std::string_view select_all =
    "SELECT id, kind, state, reason, rule, base, landed, created_at, validations FROM units "
    "ORDER BY created_at DESC, n DESC";

Result<model::Unit> read_row(const Statement& q) {
  model::Unit u;
  u.id = q.text(0);
  const std::optional<model::UnitKind> kind = model::parse_unit_kind(q.text(1));
  const std::optional<model::UnitState> state = model::parse_unit_state(q.text(2));
  if (!kind || !state)
    return make_error(ErrorKind::internal, fmt::format("unit {} has the unknown kind '{}' or state '{}'",
                                                       u.id, q.text(1), q.text(2)));
  u.kind = *kind;
  u.state = *state;
  u.reason = q.text(3);
  u.rule = q.text(4);
  u.base = q.text(5);
  u.landed = q.text(6);
  u.created_at = q.integer(7);
  u.validations = static_cast<int>(q.integer(8));
  return u;
}

Result<void> read_members(Database& db, model::Unit& u) {
  TRY_ASSIGN(Statement q, db.query("SELECT oid FROM unit_commits WHERE unit = ?1 ORDER BY ordinal", u.id));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return {};
    u.commits.push_back(q.text(0));
  }
}

bool same(const model::Unit& a, const model::Unit& b) {
  return a.kind == b.kind && a.state == b.state && a.commits == b.commits && a.reason == b.reason &&
         a.rule == b.rule && a.base == b.base && a.landed == b.landed && a.created_at == b.created_at &&
         a.validations == b.validations;
}

Result<void> write_members(Database& db, const model::Unit& u) {
  TRY(db.run("DELETE FROM unit_commits WHERE unit = ?1", u.id));
  std::int64_t ordinal = 0;
  for (const Oid& oid : u.commits)
    TRY(db.run("INSERT INTO unit_commits (unit, ordinal, oid) VALUES (?1, ?2, ?3)", u.id, ++ordinal, oid));
  return {};
}

core::Json event_body(const model::Unit& u, bool with_members) {
  core::Json body = core::Json::object({{"kind", model::to_string(u.kind)}, {"validations", u.validations}});
  if (with_members) body.set("commits", core::Json::array_of(u.commits));
  if (!u.reason.empty()) body.set("reason", u.reason);
  if (!u.rule.empty()) body.set("rule", u.rule);
  if (!u.base.empty()) body.set("base", u.base);
  if (!u.landed.empty()) body.set("landed", u.landed);
  return body;
}

}  // namespace

Result<std::optional<model::Unit>> Store::unit(const std::string& id) {
  TRY_ASSIGN(Statement q, state_->db.query(select_one, id));
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<model::Unit>();
  TRY_ASSIGN(model::Unit u, read_row(q));
  TRY(read_members(state_->db, u));
  return std::optional(std::move(u));
}

Result<void> Store::put_unit(const model::Unit& u) {
  return state_->write([&]() -> Result<void> {
    TRY_ASSIGN(const std::optional<model::Unit> before, unit(u.id));
    if (before && same(*before, u)) return {};
    // An upsert, not INSERT OR REPLACE: the row keeps its number, and with it its place in units().
    TRY(state_->db.run(
        "INSERT INTO units (id, kind, state, reason, rule, base, landed, created_at, validations) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO UPDATE SET kind = ?2, state = ?3, "
        "reason = ?4, rule = ?5, base = ?6, landed = ?7, created_at = ?8, validations = ?9",
        u.id, model::to_string(u.kind), model::to_string(u.state), Bytes{u.reason}, u.rule, u.base, u.landed,
        u.created_at, std::int64_t{u.validations}));
    const bool members = !before || before->commits != u.commits;
    if (members) TRY(write_members(state_->db, u));
    return state_->append_event(fmt::format("unit.{}", model::to_string(u.state)), u.id,
                                event_body(u, members), std::nullopt);
  });
}

Result<std::vector<model::Unit>> Store::units() {
  std::vector<model::Unit> out;
  {
    TRY_ASSIGN(Statement q, state_->db.query(select_all));
    while (true) {
      TRY_ASSIGN(const bool row, q.step());
      if (!row) break;
      TRY_ASSIGN(model::Unit u, read_row(q));
      out.push_back(std::move(u));
    }
  }
  for (model::Unit& u : out) TRY(read_members(state_->db, u));
  return out;
}

}  // namespace sluice::store
