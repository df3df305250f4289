// SPDX-License-Identifier: Apache-2.0
// What the tests of store/ share: a store in a temporary directory and rows to put into it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/file.h"
#include "store/database.h"
#include "store/store.h"

namespace sluice::store {

// gtest's ASSERT on a Result, with the error as the message.
#define ASSERT_OK(expression)                             \
  do {                                                    \
    const auto& result_ = (expression);                   \
    ASSERT_TRUE(result_.ok()) << result_.error().message; \
  } while (false)

// The value, or a failed test and an exception that ends it.
template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    throw std::runtime_error(result.error().message);
  }
  return std::move(result).value();
}
inline void must(const Result<void>& result) {
  if (result.ok()) return;
  ADD_FAILURE() << result.error().message;
  throw std::runtime_error(result.error().message);
}

class StoreTest : public testing::Test {
 protected:
  std::string path() const { return dir_.path(); }
  std::string file() const { return core::join_path(dir_.path(), "sluice.db"); }
  Store open() { return must(Store::open(path())); }
  Database raw() { return must(Database::open(file())); }

 private:
  core::TempDir dir_ = must(core::TempDir::create("sluice-store-test"));
};

inline std::string oid_of(char digit) { return std::string(40, digit); }

inline model::LedgerRow ledger_row(char digit, std::int64_t position) {
  model::LedgerRow row;
  row.upstream = oid_of(digit);
  row.position = position;
  row.disposition = model::Disposition::picked;
  row.evidence = "trailer";
  row.reason = "carried by the fork";
  row.downstream = oid_of('d');
  row.who = "import";
  row.at = 1000;
  return row;
}

inline model::Unit unit_of(const std::string& id, std::int64_t created_at) {
  model::Unit unit;
  unit.id = id;
  unit.commits = {oid_of('1'), oid_of('2')};
  unit.created_at = created_at;
  return unit;
}

inline model::UpstreamCommit commit_of(char digit, std::int64_t position) {
  model::UpstreamCommit c;
  c.oid = oid_of(digit);
  c.parent = oid_of('9');
  c.parents = {c.parent};
  c.tree = oid_of('7');
  c.position = position;
  c.author = {"A. Uthor", "a@example.org", 1700000000, -480};
  c.committer = {"C. Ommitter", "c@example.org", 1700000000 + position, 60};
  c.subject = "lower: fix the thing (#42)";
  c.message = c.subject + "\n\nbody\n";
  c.pr = 42;
  model::FileChange f;
  f.path = f.old_path = "lib/a.cpp";
  f.old_mode = f.new_mode = 0100644;
  f.old_blob = oid_of('3');
  f.new_blob = oid_of('4');
  f.hunks = {{10, 2, 10, 3}, {4000000000u, 0, 5, 1}};
  f.removed_sha = std::string(64, 'a');
  f.added_sha = std::string(64, 'b');
  c.files = {f};
  c.symbols_named = {"lower", "emit"};
  return c;
}

}  // namespace sluice::store
