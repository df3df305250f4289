// SPDX-License-Identifier: Apache-2.0
// Queries: key-value pairs and whole plans.
#include "store/state.h"

namespace sluice::store {
namespace {

// A plan of thousands of commits is megabytes, and its inputs change with every fetch and landing.
constexpr std::int64_t kept_plans = 16;

Result<std::optional<std::string>> read_text(Statement q) {
  TRY_ASSIGN(const bool row, q.step());
  return row ? std::optional(q.text(0)) : std::nullopt;
}

}  // namespace

Result<void> Store::put_value(const std::string& key, const std::string& value) {
  return state_->write([&] {
    return state_->db.run(
        "INSERT INTO key_values (key, value) VALUES (?1, ?2) "
        "ON CONFLICT (key) DO UPDATE SET value = ?2 WHERE value IS NOT ?2",
        key, Bytes{value});
  });
}

Result<std::optional<std::string>> Store::value(const std::string& key) {
  TRY_ASSIGN(Statement q, state_->db.query("SELECT value FROM key_values WHERE key = ?1", key));
  return read_text(std::move(q));
}

Result<void> Store::put_plan(const std::string& inputs_sha256, const std::string& json) {
  return state_->write([&]() -> Result<void> {
    TRY(
        state_->db.run("INSERT INTO plans (inputs_sha256, json) VALUES (?1, ?2) "
                       "ON CONFLICT (inputs_sha256) DO UPDATE SET json = ?2 WHERE json IS NOT ?2",
                       inputs_sha256, Bytes{json}));
    return state_->db.run("DELETE FROM plans WHERE n NOT IN (SELECT n FROM plans ORDER BY n DESC LIMIT ?1)",
                          kept_plans);
  });
}

Result<std::optional<std::string>> Store::plan(const std::string& inputs_sha256) {
  TRY_ASSIGN(Statement q, state_->db.query("SELECT json FROM plans WHERE inputs_sha256 = ?1", inputs_sha256));
  return read_text(std::move(q));
}

}  // namespace sluice::store
