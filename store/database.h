// SPDX-License-Identifier: Apache-2.0
// SQLite as store/ uses it: one connection, prepared statements kept by their text, errors as Error.
// sqlite3.h stays in the .cpp files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sluice::store {

// Bound as a BLOB: text from outside need not be UTF-8 and may hold NUL.
struct Bytes {
  std::string_view value;
};

// A statement in use; reset when it goes, so that no read transaction stays open behind it.
// REQUIRES: the Database outlives it, and no second statement of the same text is in use.
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* statement, const std::string* file)
      : db_(db), statement_(statement), file_(file) {}
  Statement(Statement&& o) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view value);
  void bind(int index, Bytes value);
  Result<bool> step();  // true: there is a row

  // REQUIRES: step() returned true.
  std::int64_t integer(int column) const;
  std::string text(int column) const;  // TEXT and BLOB alike: the bytes

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
  const std::string* file_;
  int bind_error_ = 0;
};

class Database {
 public:
  // Opens or creates. Sets what every connection of ours needs (foreign keys, busy timeout, WAL ...).
  static Result<Database> open(const std::string& file);
  Database(Database&& o) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  // Several statements separated by semicolons, without results.
  Result<void> execute(const std::string& sql);
  // A cached statement with ?1, ?2 ... bound in order.
  template <class... Values>
  Result<Statement> query(std::string_view sql, const Values&... values) {
    TRY_ASSIGN(Statement statement, prepare(sql));
    [[maybe_unused]] int index = 0;
    (statement.bind(++index, values), ...);
    return statement;
  }
  // As query, to the end, without rows.
  template <class... Values>
  Result<void> run(std::string_view sql, const Values&... values) {
    TRY_ASSIGN(Statement statement, query(sql, values...));
    TRY(statement.step());
    return {};
  }
  Result<std::int64_t> integer(std::string_view sql);  // first column of the first row, 0 without one
  std::int64_t last_id() const;
  bool in_transaction() const;
  Result<void> begin();   // BEGIN IMMEDIATE: the write lock now, not at the first write
  Result<void> commit();  // rolls back when it fails
  void rollback();        // no error: SQLite may have rolled back by itself
  const std::string& file() const { return *file_; }

 private:
  Database() = default;
  Result<Statement> prepare(std::string_view sql);

  sqlite3* db_ = nullptr;
  std::unique_ptr<std::string> file_;  // on the heap: statements keep its address when this is moved
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

}  // namespace sluice::store
