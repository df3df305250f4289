// SPDX-License-Identifier: Apache-2.0
#include "git/scratch.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// `sluice-scratch-<pid>-XXXXXX` of a process that is gone, and ours to remove.
bool is_left_over(const std::string& dir, std::string_view name) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  pid_t pid = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (parsed.ec != std::errc() || parsed.ptr == name.data() + name.size() || *parsed.ptr != '-' || pid <= 0) return false;
  if (::kill(pid, 0) == 0 || errno != ESRCH) return false;
  struct stat info {};
  return ::lstat(dir.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

void remove_left_over(const std::string& parent) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(parent.c_str()), ::closedir);
  if (!dir) return;
  std::vector<std::string> found;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string path = core::join_path(parent, entry->d_name);
    if (is_left_over(path, entry->d_name)) found.push_back(path);
  }
  for (const std::string& path : found) (void)core::remove_all(path);  // another process may be faster
}

}  // namespace

Result<core::TempDir> make_scratch_dir() {
  const std::string name = fmt::format("{}{}-", prefix, ::getpid());
  if (memory_has_room()) {
    remove_left_over(memory_dir);
    auto made = core::TempDir::create_in(memory_dir, name);
    if (made.ok()) return made;
  }
  const char* tmp = std::getenv("TMPDIR");
  remove_left_over(tmp != nullptr && *tmp != '\0' ? tmp : "/tmp");
  return core::TempDir::create(name);
}

}  // namespace sluice::git
