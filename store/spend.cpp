// SPDX-License-Identifier: Apache-2.0
// Queries: what calls of a model have cost, and the caps on it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "store/agent_state.h"

namespace sluice::store {
namespace {

// Far above any bill, far below what overflows when many are added up.
constexpr std::int64_t most = 1'000'000'000'000'000;

Result<void> check_amount(std::string_view what, std::int64_t value) {
  if (value >= 0 && value <= most) return {};
  return make_error(ErrorKind::invalid, fmt::format("a call of a model cannot cost {} {} (0 to {} are possible)", value, what, most));
}

Result<Spend> read_total(Database& db, std::string_view kind, std::string_view key) {
  TRY_ASSIGN(Statement q, db.query("SELECT tokens, money FROM spend_totals WHERE kind = ?1 AND key = ?2", kind, Bytes{key}));
  TRY_ASSIGN(const bool row, q.step());
  return row ? Spend{q.integer(0), q.integer(1)} : Spend{};
}

std::string units(std::int64_t micros) { return fmt::format("{}.{:06}", micros / 1'000'000, micros % 1'000'000); }

std::optional<Error> no_room(const SpendScope& scope, const Spend& spent, std::int64_t tokens, std::int64_t money) {
  const std::string of = scope.key.empty() ? scope.kind : scope.kind + " " + scope.key;
  if (scope.tokens_cap > 0 && spent.tokens + tokens > scope.tokens_cap)
    return make_error(ErrorKind::denied, fmt::format("budget:{} has {} of its {} tokens spent or reserved, and this call may need {} more; "
                                                     "raise the cap or wait for the next {}",
                                                     of, spent.tokens, scope.tokens_cap, tokens, scope.kind));
  if (scope.money_cap > 0 && spent.money + money > scope.money_cap)
    return make_error(ErrorKind::denied, fmt::format("budget:{} has {} of its {} in money spent or reserved, and this call may need {} more; "
                                                     "raise the cap or wait for the next {}",
                                                     of, units(spent.money), units(scope.money_cap), units(money), scope.kind));
  return std::nullopt;
}

Result<void> add_to_total(Database& db, std::string_view kind, std::string_view key, std::int64_t tokens, std::int64_t money) {
  return db.run(
      "INSERT INTO spend_totals (kind, key, tokens, money) VALUES (?1, ?2, ?3, ?4) "
      "ON CONFLICT (kind, key) DO UPDATE SET tokens = tokens + ?3, money = money + ?4",
      kind, Bytes{key}, tokens, money);
}

}  // namespace

Result<std::int64_t> AgentStore::reserve(const std::vector<SpendScope>& scopes, std::int64_t tokens, std::int64_t money, std::int64_t at) {
  TRY(check_amount("tokens", tokens));
  TRY(check_amount("millionths", money));
  const std::lock_guard lock(state_->mutex);
  Database& db = state_->db;
  std::int64_t id = 0;
  const Result<void> done = state_->write("store spend.reserved", [&]() -> Result<void> {
    for (const SpendScope& scope : scopes) {
      TRY_ASSIGN(const Spend spent, read_total(db, scope.kind, scope.key));
      if (const auto error = no_room(scope, spent, tokens, money)) return *error;
    }
    TRY(db.run("INSERT INTO spend (at, tokens, money) VALUES (?1, ?2, ?3)", at, tokens, money));
    id = db.last_id();
    for (const SpendScope& scope : scopes) {
      TRY(db.run("INSERT INTO spend_scopes (spend, kind, key) VALUES (?1, ?2, ?3)", id, scope.kind, Bytes{scope.key}));
      TRY(add_to_total(db, scope.kind, scope.key, tokens, money));
    }
    return {};
  });
  if (!done.ok()) return done.error();
  return id;
}

Result<void> AgentStore::settle(std::int64_t id, std::int64_t tokens, std::int64_t money) {
  TRY(check_amount("tokens", tokens));
  TRY(check_amount("millionths", money));
  const std::lock_guard lock(state_->mutex);
  Database& db = state_->db;
  return state_->write("store spend.settled", [&]() -> Result<void> {
    Spend reserved;
    {
      TRY_ASSIGN(Statement q, db.query("SELECT tokens, money, settled FROM spend WHERE id = ?1", id));
      TRY_ASSIGN(const bool row, q.step());
      if (!row) return make_error(ErrorKind::not_found, fmt::format("no call of a model was reserved as {}", id));
      if (q.integer(2) != 0) return make_error(ErrorKind::conflict, fmt::format("call {} of a model is settled already", id));
      reserved = {q.integer(0), q.integer(1)};
    }
    TRY(db.run("UPDATE spend SET tokens = ?2, money = ?3, settled = 1 WHERE id = ?1", id, tokens, money));
    std::vector<std::pair<std::string, std::string>> scopes;
    {
      TRY_ASSIGN(Statement q, db.query("SELECT kind, key FROM spend_scopes WHERE spend = ?1", id));
      while (true) {
        TRY_ASSIGN(const bool row, q.step());
        if (!row) break;
        scopes.emplace_back(q.text(0), q.text(1));
      }
    }
    for (const auto& [kind, key] : scopes) TRY(add_to_total(db, kind, key, tokens - reserved.tokens, money - reserved.money));
    return {};
  });
}

Result<Spend> AgentStore::spent(const std::string& kind, const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  return read_total(state_->db, kind, key);
}

}  // namespace sluice::store
