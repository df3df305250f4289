// SPDX-License-Identifier: Apache-2.0
// What is behind an AgentStore. Inner header of its query files.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "core/step.h"
#include "store/agent.h"
#include "store/database.h"

namespace sluice::store {

struct AgentStore::State {
  explicit State(Database database) : db(std::move(database)) {}

  std::mutex mutex;  // of the connection: one call at a time
  Database db;

  // Runs `body` in a transaction of its own. `step` names the stored step; empty = none.
  template <class Body>
  Result<void> write(const std::string& step, Body&& body) {
    TRY(db.begin());
    Result<void> done = body();
    if (!done.ok()) {
      db.rollback();
      return done;
    }
    TRY(db.commit());
    if (!step.empty()) core::step(step);
    return {};
  }
};

}  // namespace sluice::store
