// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <fmt/format.h>

#include "core/file.h"
#include "store/migrations.h"
#include "store/state.h"

namespace sluice::store {

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::string& dir) {
  TRY(core::make_directories(dir));
  TRY_ASSIGN(Database db, Database::open(core::join_path(dir, "sluice.db")));
  auto state = std::make_unique<State>(std::move(db));
  TRY_ASSIGN(state->version, migrate(state->db));
  return Store(std::move(state));
}

Result<Store::Transaction> Store::begin() {
  if (state_->open) return Transaction(state_.get(), true);
  TRY(state_->db.begin());
  state_->open = true;
  state_->failed.reset();
  return Transaction(state_.get(), false);
}

Store::Transaction::Transaction(Transaction&& o) noexcept : state_(o.state_), joined_(o.joined_) { o.state_ = nullptr; }

Store::Transaction::~Transaction() {
  if (state_ == nullptr) return;
  if (joined_) {
    if (!state_->failed) state_->failed = make_error(ErrorKind::internal, "a part of the transaction was given up");
    return;
  }
  state_->db.rollback();
  state_->last_event.clear();
  state_->open = false;
}

Result<void> Store::Transaction::commit() {
  if (state_ == nullptr) return make_error(ErrorKind::internal, "transaction has already ended");
  State* state = state_;
  state_ = nullptr;
  if (joined_) {
    if (state->failed) return *state->failed;
    return {};
  }
  state->open = false;
  if (state->failed) {
    state->db.rollback();
    state->last_event.clear();
    return *state->failed;
  }
  return state->commit();
}

int Store::schema_version() const { return state_->version; }

void Store::set_now(std::int64_t now) { state_->now = now; }

Result<void> Store::check_integrity() {
  TRY_ASSIGN(Statement q, state_->db.query("PRAGMA integrity_check(1)"));
  TRY_ASSIGN(const bool row, q.step());
  const std::string finding = row ? q.text(0) : "no answer";
  if (finding == "ok") return {};
  return make_error(ErrorKind::internal,
                    fmt::format("{} is corrupt ({}); restore a copy of it", state_->db.file(), finding));
}

}  // namespace sluice::store
