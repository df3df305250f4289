// SPDX-License-Identifier: Apache-2.0
#include "runners/environment.h"

#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

class EnvironmentDigest : public testing::Test {
 protected:
  EnvironmentDigest() : dir_(std::move(core::TempDir::create("sluice-root-")).value()) {
    environment_.root = dir_.path();
    std::filesystem::create_directories(dir_.path() + "/usr/bin");
  }
  // A fresh object: nothing remembered.
  std::string digest(const std::string& sandbox = "A") const {
    EnvironmentDigests digests;
    const auto text = digests.digest(environment_, sandbox);
    return text.ok() ? *text : "error: " + text.error().message;
  }
  void packages(const std::string& version, const std::string& order) {
    const std::string a = "Package: gcc\nStatus: install ok installed\nArchitecture: amd64\nVersion: " + version + "\n\n";
    const std::string b = "Package: lit\nStatus: install ok installed\nArchitecture: all\nVersion: 16\n\n";
    const std::string gone = "Package: old\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\n\n";
    put_file(dir_.path() + "/var/lib/dpkg/status", order == "ab" ? a + b : b + gone + a);
  }
  core::TempDir dir_;
  model::EnvironmentConfig environment_;
};

TEST_F(EnvironmentDigest, installed_packages_decide_in_any_order) {
  packages("12.2", "ab");
  const std::string first = digest();
  EXPECT_EQ(first.size(), 64u) << first;
  packages("12.2", "ba");
  EXPECT_EQ(digest(), first);
  packages("12.3", "ab");
  EXPECT_NE(digest(), first);
}

TEST_F(EnvironmentDigest, an_upgrade_is_noticed_by_the_object_that_remembers) {
  EnvironmentDigests digests;
  packages("12.2", "ab");
  const auto before = digests.digest(environment_, "A");
  packages("12.30", "ab");
  const auto after = digests.digest(environment_, "A");
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NE(*before, *after);
}

TEST_F(EnvironmentDigest, what_no_package_owns_counts_by_its_shape) {
  packages("12.2", "ab");
  const std::string before = digest();
  put_file(dir_.path() + "/usr/local/bin/tool", "12345");
  EXPECT_NE(digest(), before);
}

TEST_F(EnvironmentDigest, a_root_without_packages_counts_by_its_shape_and_not_by_time_stamps) {
  put_file(dir_.path() + "/usr/bin/tool", "12345");
  const std::string before = digest();
  EXPECT_EQ(before.size(), 64u);
  std::filesystem::last_write_time(dir_.path() + "/usr/bin/tool", std::filesystem::file_time_type::min() + std::chrono::hours(1));
  EXPECT_EQ(digest(), before);
  put_file(dir_.path() + "/usr/bin/tool", "123456");
  EXPECT_NE(digest(), before);
}

TEST_F(EnvironmentDigest, variables_and_sandbox_decide_the_name_does_not) {
  const std::string before = digest();
  environment_.name = "other";
  EXPECT_EQ(digest(), before);
  EXPECT_NE(digest("none"), before);
  environment_.variables["CC"] = "clang";
  EXPECT_NE(digest(), before);
}

TEST_F(EnvironmentDigest, a_root_without_usr_is_an_error) {
  environment_.root = dir_.path() + "/nowhere";
  EnvironmentDigests digests;
  EXPECT_FALSE(digests.digest(environment_, "A").ok());
}

TEST(HostEnvironment, has_a_digest_that_repeats) {
  EnvironmentDigests a, b;
  const auto one = a.digest({}, "A"), two = b.digest({}, "A");
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(*one, *two);
}

}  // namespace
}  // namespace sluice::runners
