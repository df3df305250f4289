// SPDX-License-Identifier: Apache-2.0
#include "runners/watch.h"

#include <unistd.h>

#include "runners/walk.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

class Disk : public testing::Test {
 protected:
  Disk() : dir_(std::move(core::TempDir::create("sluice-disk-")).value()) {}
  std::string trouble(DiskLimits limits) const {
    const auto use = measure_disk(dir_.path(), limits);
    return use.ok() ? beyond(*use, limits) : use.error().message;
  }
  core::TempDir dir_;
};

TEST_F(Disk, files_and_bytes_are_counted_apart) {
  for (int i = 0; i < 20; ++i) put_file(dir_.path() + "/f" + std::to_string(i), "x");
  EXPECT_EQ(trouble({.bytes = 1u << 20, .files = 20}), "");
  EXPECT_NE(trouble({.bytes = 1u << 20, .files = 19}).find("19 files"), std::string::npos);
  EXPECT_NE(trouble({.bytes = 4096, .files = 100}).find("disk_mib"), std::string::npos);
}

TEST_F(Disk, the_target_of_a_link_does_not_count) {
  std::filesystem::create_directory_symlink("/usr", dir_.path() + "/link");
  const auto use = measure_disk(dir_.path(), {.bytes = 1u << 30});
  ASSERT_TRUE(use.ok());
  EXPECT_EQ(use->files, 1u);
}

TEST_F(Disk, nesting_beyond_the_limit_is_reported) {
  std::string path = dir_.path();
  for (int i = 0; i < max_walk_depth + 10; ++i) path += "/d";
  std::filesystem::create_directories(path);
  EXPECT_NE(trouble({.bytes = 1u << 30}).find("nested deeper"), std::string::npos);
}

TEST_F(Disk, a_wish_to_cancel_and_a_full_pipe_are_both_served) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<bool> cancel{false};
  Watch watch({.build_dir = dir_.path(), .disk = {.bytes = 1u << 30}, .cancel = &cancel, .results_fd = ends[0], .results_cap = 300'000});
  const std::string block(100'000, 'x');
  for (int i = 0; i < 5; ++i) ASSERT_EQ(write(ends[1], block.data(), block.size()), 100'000);
  cancel = true;
  while (!watch.stop()->load()) std::this_thread::yield();
  close(ends[1]);
  watch.finish();
  close(ends[0]);
  EXPECT_TRUE(watch.results_too_large());
  EXPECT_LE(watch.results().size(), 300'000u);
}

}  // namespace
}  // namespace sluice::runners
