// SPDX-License-Identifier: Apache-2.0
#include "runners/artefacts.h"

#include <sys/stat.h>

#include "core/hash.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

class Artefacts : public testing::Test {
 protected:
  Artefacts() : dir_(std::move(core::TempDir::create("sluice-artefacts-")).value()) {}
  std::string digest() const { return digest_artefacts(dir_.path()).value_or("error"); }
  core::TempDir dir_;
};

TEST_F(Artefacts, executables_and_libraries_make_the_digest_and_nothing_else_does) {
  put_file(dir_.path() + "/bin/tool", "program");
  chmod((dir_.path() + "/bin/tool").c_str(), 0755);
  put_file(dir_.path() + "/lib/libx.a", "archive");
  const std::string before = digest();
  EXPECT_EQ(before, core::sha256_hex(core::sha256_hex("program") + " bin/tool\n" + core::sha256_hex("archive") + " lib/libx.a\n"));
  put_file(dir_.path() + "/build.log", "text");
  put_file(dir_.path() + "/a.o", "object");
  put_file(dir_.path() + "/CMakeFiles/3.25/a.out", "trial");
  chmod((dir_.path() + "/CMakeFiles/3.25/a.out").c_str(), 0755);
  std::filesystem::create_symlink("/usr/bin/true", dir_.path() + "/link");
  EXPECT_EQ(digest(), before);
  put_file(dir_.path() + "/lib/libx.so.1", "library");
  EXPECT_NE(digest(), before);
}

TEST_F(Artefacts, one_byte_or_another_name_changes_the_digest) {
  put_file(dir_.path() + "/x.so", "a");
  const std::string a = digest();
  put_file(dir_.path() + "/x.so", "b");
  EXPECT_NE(digest(), a);
  put_file(dir_.path() + "/x.so", "a");
  EXPECT_EQ(digest(), a);
  std::filesystem::rename(dir_.path() + "/x.so", dir_.path() + "/y.so");
  EXPECT_NE(digest(), a);
}

TEST_F(Artefacts, nesting_without_end_is_an_error_and_not_a_partial_digest) {
  std::string path = dir_.path();
  for (int i = 0; i < 200; ++i) path += "/d";
  std::filesystem::create_directories(path);
  EXPECT_FALSE(digest_artefacts(dir_.path()).ok());
}

}  // namespace
}  // namespace sluice::runners
