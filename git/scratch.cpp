// SPDX-License-Identifier: Apache-2.0
#include "git/scratch.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace sluice::git {

namespace {

constexpr std::string_view prefix = "sluice-scratch-";
constexpr const char* memory_dir = "/dev/shm";
// 2,000 picks are 30,000 objects, about 130 MB in memory: room for many plans, or none at all.
constexpr unsigned long long least_free = 4ull << 30;

bool memory_has_room() {
  struct statvfs info {};
  return ::statvfs(memory_dir, &info) == 0 && info.f_bavail * info.f_frsize >= least_free && ::access(memory_dir, W_OK | X_OK) == 0;
}

}  // namespace

Result<core::TempDir> make_scratch_dir() {
  const std::string name = fmt::format("{}{}-", prefix, ::getpid());
  if (memory_has_room()) {
    core::remove_left_over(memory_dir, prefix);
    auto made = core::TempDir::create_in(memory_dir, name);
    if (made.ok()) return made;
  }
  const char* tmp = std::getenv("TMPDIR");
  core::remove_left_over(tmp != nullptr && *tmp != '\0' ? tmp : "/tmp", prefix);
  return core::TempDir::create(name);
}

}  // namespace sluice::git
