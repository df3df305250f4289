// SPDX-License-Identifier: Apache-2.0
#include "runners/limits.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <thread>

namespace sluice::runners {
namespace {

constexpr std::uint64_t largest_file = 4ull << 30;

// RLIMIT_NPROC counts all processes of a user, so those that run already come on top.
std::uint64_t processes_of(uid_t uid) {
  std::uint64_t count = 0;
  DIR* dir = opendir("/proc");
  if (dir == nullptr) return count;
  while (const dirent* item = readdir(dir)) {
    struct stat info {};
    if (std::isdigit(static_cast<unsigned char>(item->d_name[0])) && fstatat(dirfd(dir), item->d_name, &info, 0) == 0)
      count += info.st_uid == uid ? 1 : 0;
  }
  closedir(dir);
  return count;
}

}  // namespace

std::uint64_t default_memory() {
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4 * 3 : 4ull << 30;
}

std::vector<core::ResourceLimit> resource_limits(const LimitsWanted& wanted) {
  std::vector<core::ResourceLimit> limits{{RLIMIT_CORE, 0},
                                          {RLIMIT_FSIZE, std::min(largest_file, std::max<std::uint64_t>(wanted.disk_bytes, 1u << 20))},
                                          {RLIMIT_NOFILE, 1024}};
  // Per process; a thread of it per core may burn the whole wall time.
  if (wanted.timeout_ms > 0)
    limits.push_back({RLIMIT_CPU, static_cast<std::uint64_t>(wanted.timeout_ms / 1000 + 1) * std::max(1u, std::thread::hardware_concurrency())});
  if (wanted.memory_bytes > 0) limits.push_back({RLIMIT_DATA, wanted.memory_bytes});
  if (wanted.pids > 0) limits.push_back({RLIMIT_NPROC, static_cast<std::uint64_t>(wanted.pids) + processes_of(wanted.uid)});
  return limits;
}

}  // namespace sluice::runners
