// SPDX-License-Identifier: Apache-2.0
// Inner header: the end of the event log, for every connection that appends to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/json.h"
#include "store/database.h"

namespace sluice::store {

// Without `at` the event carries `now`, or the time of the event before it where that is 0.
// REQUIRES: in a transaction of `db`. It holds the write lock (BEGIN IMMEDIATE), so the head that is read here is
// the head of the log, whatever other connections there are.
Result<void> append_to_log(Database& db, std::string_view type, std::string_view subject, const core::Json& body,
                           std::optional<std::int64_t> at, std::int64_t now = 0);

}  // namespace sluice::store
