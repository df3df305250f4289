// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "store/migrations.h"

namespace sluice::store {
namespace {

constexpr std::int64_t application_id = 0x736c7563;  // "sluc", in the header of the file

Result<void> check_owner(Database& db) {
  TRY_ASSIGN(const std::int64_t id, db.integer("PRAGMA application_id"));
  if (id == application_id) return {};
  TRY_ASSIGN(const std::int64_t tables, db.integer("SELECT count(*) FROM sqlite_schema"));
  if (id == 0 && tables == 0) return {};  // new file
  return make_error(ErrorKind::invalid,
                    fmt::format("{} is a database of another program (application id {:#x}, ours is {:#x}); "
                                "name another directory in [store] path",
                                db.file(), id, application_id));
}

}  // namespace

Result<int> migrate(Database& db) {
  TRY(check_owner(db));
  const auto steps = migrations();
  const auto newest = static_cast<std::int64_t>(steps.size());
  while (true) {
    TRY_ASSIGN(std::int64_t version, db.integer("PRAGMA user_version"));
    if (version > newest)
      return make_error(ErrorKind::invalid,
                        fmt::format("{} has schema version {}, this program knows version {} and "
                                    "older; use a newer sluice",
                                    db.file(), version, newest));
    if (version == newest) return static_cast<int>(newest);
    TRY(db.begin());
    // Again under the write lock: another process may have migrated in between.
    Result<std::int64_t> locked = db.integer("PRAGMA user_version");
    if (!locked.ok() || *locked != version) {
      db.rollback();
      if (!locked.ok()) return locked.error();
      continue;
    }
    const Migration& step = steps[static_cast<std::size_t>(version)];
    Result<void> done =
        db.execute(std::string(step.sql) + fmt::format("; PRAGMA user_version={}; PRAGMA application_id={};",
                                                       version + 1, application_id));
    if (!done.ok()) {
      db.rollback();
      return make_error(done.error().kind,
                        fmt::format("migration {} failed: {}", step.name, done.error().message));
    }
    TRY(db.commit());
  }
}

}  // namespace sluice::store
