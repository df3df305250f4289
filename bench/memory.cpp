// SPDX-License-Identifier: Apache-2.0
#include "bench/memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

namespace sluice::bench {
namespace {

namespace fs = std::filesystem;

constexpr auto interval = std::chrono::milliseconds(100);
constexpr int looks_per_walk = 10;  // the scratch objects are many files

void descendants(long pid, std::vector<long>& out) {
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored)) {
    std::ifstream children(task.path() / "children");
    for (long child = 0; children >> child;) {
      out.push_back(child);
      descendants(child, out);
    }
  }
}

long blocks_kib(const fs::path& dir) {
  long out = 0;
  std::error_code code;
  for (auto it = fs::recursive_directory_iterator(dir, code); it != fs::recursive_directory_iterator(); it.increment(code)) {
    struct stat info {};
    if (code || ::lstat(it->path().c_str(), &info) != 0) break;
    out += static_cast<long>(info.st_blocks) / 2;
  }
  return out;
}

std::set<std::string> scratch_dirs() {
  std::set<std::string> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev/shm", ignored)) out.insert(entry.path());
  return out;
}

}  // namespace

MemoryWatch::MemoryWatch() : before_(scratch_dirs()) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    for (int n = 0; !stop.stop_requested(); ++n) {
      look();
      if (n % looks_per_walk == 0) {
        long kib = 0;
        for (const std::string& dir : scratch_dirs())
          if (!before_.contains(dir)) kib += blocks_kib(dir);
        peak_.scratch_kib = std::max(peak_.scratch_kib, kib);
      }
      std::this_thread::sleep_for(interval);
    }
  });
}

void MemoryWatch::look() {
  std::vector<long> all;
  descendants(::getpid(), all);
  Memory now;
  for (const long pid : all) {
    std::ifstream rollup("/proc/" + std::to_string(pid) + "/smaps_rollup");
    std::string word;
    for (long kib = 0; rollup >> word;) {
      if (word == "Rss:" && rollup >> kib) now.rss_kib += kib;
      if (word == "Pss:" && rollup >> kib) now.pss_kib += kib;
    }
  }
  peak_.rss_kib = std::max(peak_.rss_kib, now.rss_kib);
  peak_.pss_kib = std::max(peak_.pss_kib, now.pss_kib);
}

Memory MemoryWatch::stop() {
  thread_.request_stop();
  thread_.join();
  return peak_;
}

}  // namespace sluice::bench
