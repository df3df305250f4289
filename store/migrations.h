// SPDX-License-Identifier: Apache-2.0
// The schema as numbered SQL files, embedded at build time. A file that has been released never changes;
// a new version is a new file at the end of the list in CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

#include "core/result.h"
#include "store/database.h"

namespace sluice::store {

struct Migration {
  std::string_view name;  // file name without .sql
  std::string_view sql;
};

std::span<const Migration> migrations();

// Brings the file to the newest version, each step in a transaction of its own; returns the version.
// Errors: invalid when the file is newer than this program or is somebody else's database.
Result<int> migrate(Database& db);

}  // namespace sluice::store
