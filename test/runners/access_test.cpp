// SPDX-License-Identifier: Apache-2.0
#include "runners/access.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

class Access : public testing::Test {
 protected:
  Access() : dir_(std::move(core::TempDir::create("sluice-access-")).value()) {}
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only the superuser gives files away";
    const auto identity = find_identity();
    if (!identity.ok()) GTEST_SKIP() << identity.error().message;
    identity_ = *identity;
    std::filesystem::create_directories(dir_.path() + "/store/build");
    put_file(dir_.path() + "/store/src/run.sh", "x");
    chmod((dir_.path() + "/store").c_str(), 0700);
    chmod((dir_.path() + "/store/src/run.sh").c_str(), 0700);
  }
  struct stat look(const std::string& name) const {
    struct stat info {};
    lstat((dir_.path() + name).c_str(), &info);
    return info;
  }
  core::TempDir dir_;
  Identity identity_;
};

TEST_F(Access, a_private_store_is_opened_to_the_build_user_and_to_nobody_else) {
  ASSERT_TRUE(own_build_directory(identity_, dir_.path() + "/store/build").ok());
  ASSERT_TRUE(open_for_reading(identity_, dir_.path() + "/store/src").ok());
  EXPECT_EQ(look("/store").st_mode & 07777, 0710u);
  EXPECT_EQ(look("/store").st_gid, identity_.gid);
  EXPECT_EQ(look("/store").st_uid, 0u);
  EXPECT_EQ(look("/store/src/run.sh").st_mode & 07777, 0750u);
  EXPECT_EQ(look("/store/build").st_uid, identity_.uid);
}

TEST_F(Access, a_directory_that_another_group_uses_is_not_taken_from_it) {
  ASSERT_EQ(chown((dir_.path() + "/store").c_str(), 0, 12345), 0);
  chmod((dir_.path() + "/store").c_str(), 0750);
  const auto owned = own_build_directory(identity_, dir_.path() + "/store/build");
  ASSERT_FALSE(owned.ok());
  EXPECT_EQ(owned.error().kind, ErrorKind::denied);
  EXPECT_NE(owned.error().message.find("/store'"), std::string::npos) << owned.error().message;
  EXPECT_EQ(look("/store").st_gid, 12345u);
}

TEST_F(Access, links_in_a_source_tree_are_left_alone) {
  put_file(dir_.path() + "/secret", "x");
  chmod((dir_.path() + "/secret").c_str(), 0600);
  std::filesystem::create_symlink(dir_.path() + "/secret", dir_.path() + "/store/src/link");
  std::filesystem::create_directory_symlink("/", dir_.path() + "/store/src/root");
  ASSERT_TRUE(open_for_reading(identity_, dir_.path() + "/store/src").ok());
  EXPECT_EQ(look("/secret").st_mode & 07777, 0600u);
}

TEST_F(Access, files_of_an_earlier_owner_in_the_build_directory_are_given_away_without_following_links) {
  put_file(dir_.path() + "/store/build/sub/f", "x");
  put_file(dir_.path() + "/secret", "x");
  std::filesystem::create_symlink(dir_.path() + "/secret", dir_.path() + "/store/build/link");
  ASSERT_TRUE(own_build_directory(identity_, dir_.path() + "/store/build").ok());
  EXPECT_EQ(look("/store/build/sub/f").st_uid, identity_.uid);
  EXPECT_EQ(look("/secret").st_uid, 0u);
}

}  // namespace
}  // namespace sluice::runners
