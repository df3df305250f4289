// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace sluice::store {
namespace {

constexpr int busy_timeout_ms = 5000;

bool no_space(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
}

// One sentence and one kind per cause; store.h promises them.
Error to_error(sqlite3* db, int code, const std::string& file) {
  const int system_error = db != nullptr ? sqlite3_system_errno(db) : 0;
  const std::string words = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  const std::string cause =
      system_error != 0 ? fmt::format("{}: {}", words, std::strerror(system_error)) : words;
  switch (code & 0xff) {
    case SQLITE_FULL:
      return make_error(ErrorKind::transient,
                        fmt::format("disk full while writing {}; free space and run again", file));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make_error(
          ErrorKind::transient,
          fmt::format("{} is locked by another process (waited {} ms); let it end and run again", file,
                      busy_timeout_ms));
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      // The shared-memory file beside a WAL reports a full disk as an I/O error or as "cannot open".
      if (no_space(system_error))
        return make_error(
            ErrorKind::transient,
            fmt::format("disk full while writing {} ({}); free space and run again", file, cause));
      if ((code & 0xff) == SQLITE_IOERR)
        return make_error(ErrorKind::transient, fmt::format("input/output error on {} ({})", file, cause));
      return make_error(
          ErrorKind::denied,
          fmt::format("cannot open {} ({}); check the directory and its permissions", file, cause));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return make_error(
          ErrorKind::denied,
          fmt::format("{} is read-only ({}); make the file and its directory writable", file, cause));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return make_error(
          ErrorKind::internal,
          fmt::format("{} is corrupt or not a database ({}); restore a copy of it", file, words));
    case SQLITE_TOOBIG:
      return make_error(ErrorKind::invalid, fmt::format("value too large for {} ({})", file, words));
    default:
      return make_error(ErrorKind::internal,
                        fmt::format("unexpected database error {} on {} ({})", code, file, words));
  }
}

}  // namespace

Statement::Statement(Statement&& o) noexcept
    : db_(o.db_), statement_(o.statement_), file_(o.file_), bind_error_(o.bind_error_) {
  o.statement_ = nullptr;
}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Statement::bind(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_, index, value); code != SQLITE_OK) bind_error_ = code;
}

void Statement::bind(int index, std::string_view value) {
  // A null pointer would bind NULL, not the empty string.
  const char* data = value.data() != nullptr ? value.data() : "";
  const int code = sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) bind_error_ = code;
}

void Statement::bind(int index, Bytes value) {
  const char* data = value.value.data() != nullptr ? value.value.data() : "";
  const int code = sqlite3_bind_blob64(statement_, index, data, value.value.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) bind_error_ = code;
}

Result<bool> Statement::step() {
  if (bind_error_ != SQLITE_OK) return to_error(db_, bind_error_, *file_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return to_error(db_, code, *file_);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Statement::text(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);  // before the size: it may convert
  const int size = sqlite3_column_bytes(statement_, column);
  return data == nullptr ? std::string()
                         : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Result<Database> Database::open(const std::string& file) {
  Database database;
  database.file_ = std::make_unique<std::string>(file);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(file.c_str(), &database.db_, flags, nullptr);
  if (code != SQLITE_OK) return to_error(database.db_, code, file);
  sqlite3* db = database.db_;
  sqlite3_busy_timeout(db, busy_timeout_ms);
  // The file may have been written by somebody else: no extensions, no schema tricks, no code in views.
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (sqlite3_db_readonly(db, "main") == 1)
    return make_error(ErrorKind::denied,
                      fmt::format("{} is read-only; make the file and its directory writable", file));
  // synchronous=FULL, not NORMAL: under WAL, NORMAL may lose the last commits on power loss, and the
  // intent of a landing has to be on disk before the push that it announces. Transactions are few and
  // large, so the price is some syncs a run.
  // recursive_triggers: without it INSERT OR REPLACE deletes a row past the event log's triggers.
  TRY(database.execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; "
      "PRAGMA recursive_triggers=ON;"));
  return database;
}

Database::Database(Database&& o) noexcept
    : db_(o.db_), file_(std::move(o.file_)), statements_(std::move(o.statements_)) {
  o.db_ = nullptr;
  o.statements_.clear();
}

Database::~Database() {
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

Result<void> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return to_error(db_, code, *file_);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return to_error(db_, code, *file_);
    found = statements_.emplace(std::string(sql), statement).first;
  }
  return Statement(db_, found->second, file_.get());
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  TRY_ASSIGN(Statement statement, prepare(sql));
  TRY_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(db_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }

Result<void> Database::begin() { return run("BEGIN IMMEDIATE"); }

Result<void> Database::commit() {
  Result<void> done = run("COMMIT");
  if (!done.ok()) rollback();
  return done;
}

void Database::rollback() {
  if (in_transaction()) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace sluice::store
