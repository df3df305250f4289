// SPDX-License-Identifier: Apache-2.0
// What is behind a Store. Inner header: the query files (one a noun) share it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/json.h"
#include "core/step.h"
#include "store/database.h"
#include "store/store.h"

namespace sluice::store {

struct Store::State {
  explicit State(Database database) : db(std::move(database)) {}

  Database db;
  int version = 0;
  std::int64_t now = 0;         // set_now; 0 = not set
  bool open = false;            // a Transaction is alive
  std::string last_event;       // type of the last event since the last commit: names the step
  std::optional<Error> failed;  // of the first write that failed in it: it can only be rolled back

  // Runs `body` in the open Transaction, or in one of its own. A failed write inside a Transaction
  // dooms it: SQLite may have rolled it back already (disk full does), and a later write would
  // otherwise be committed without the earlier ones.
  template <class Body>
  Result<void> write(Body&& body) {
    if (open) {
      if (failed) return *failed;
      Result<void> done = body();
      if (!done.ok()) failed = done.error();
      return done;
    }
    TRY(db.begin());
    Result<void> done = body();
    if (done.ok()) return commit();
    db.rollback();
    last_event.clear();
    return done;
  }

  Result<void> commit() {
    TRY(db.commit());
    core::step(last_event.empty() ? "store" : "store " + last_event);
    last_event.clear();
    return {};
  }

  // REQUIRES: called from a body of write().
  Result<void> append_event(std::string_view type, std::string_view subject, const core::Json& body,
                            std::optional<std::int64_t> at);
};

}  // namespace sluice::store
