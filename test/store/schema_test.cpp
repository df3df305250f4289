// SPDX-License-Identifier: Apache-2.0
#include "store/migrations.h"
#include "test/store/support.h"

namespace sluice::store {
namespace {

TEST_F(StoreTest, ANewStoreHasTheNewestSchemaAndKeepsItWhenOpenedAgain) {
  EXPECT_EQ(open().schema_version(), static_cast<int>(migrations().size()));
  Store store = open();
  EXPECT_EQ(store.schema_version(), static_cast<int>(migrations().size()));
  must(store.check_integrity());
}

TEST_F(StoreTest, TheConnectionIsSetUpAsPromised) {
  open();
  Database db = raw();
  EXPECT_EQ(must(db.integer("PRAGMA foreign_keys")), 1);
  EXPECT_EQ(must(db.integer("PRAGMA synchronous")), 2);
  EXPECT_EQ(must(db.integer("PRAGMA busy_timeout")), 5000);
  Statement mode = must(db.query("PRAGMA journal_mode"));
  ASSERT_TRUE(must(mode.step()));
  EXPECT_EQ(mode.text(0), "wal");
  EXPECT_FALSE(db.execute("SELECT load_extension('x')").ok());
  EXPECT_EQ(must(db.integer("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict = 0 "
                            "AND name NOT LIKE 'sqlite_%'")),
            0);
}

TEST_F(StoreTest, AMemberOfNoUnitIsRefused) {
  open();
  Database db = raw();
  EXPECT_FALSE(db.execute("INSERT INTO unit_commits VALUES ('none', 1, 'x')").ok());
}

TEST_F(StoreTest, ANewerSchemaIsRefusedNamingBothNumbersAndIsNotChanged) {
  open();
  must(raw().execute("PRAGMA user_version=4711"));
  const auto store = Store::open(path());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().kind, ErrorKind::invalid);
  EXPECT_NE(store.error().message.find("4711"), std::string::npos) << store.error().message;
  EXPECT_NE(store.error().message.find("knows version " + std::to_string(migrations().size())),
            std::string::npos)
      << store.error().message;
  EXPECT_EQ(must(raw().integer("PRAGMA user_version")), 4711);
}

TEST_F(StoreTest, ADatabaseOfAnotherProgramIsLeftAlone) {
  must(raw().execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)"));
  const auto store = Store::open(path());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().kind, ErrorKind::invalid);
  EXPECT_EQ(must(raw().integer("SELECT count(*) FROM sqlite_schema")), 1);
}

}  // namespace
}  // namespace sluice::store
