// SPDX-License-Identifier: Apache-2.0
// Peak memory of everything that this process has started, while the object lives.
#pragma once

#include <set>
#include <string>
#include <thread>

namespace sluice::bench {

struct Memory {
  long rss_kib = 0;      // resident sets, added up: pages that processes share count once for each
  long pss_kib = 0;      // the same with shared pages divided among those who share them
  long scratch_kib = 0;  // scratch objects in /dev/shm: memory of no process
};

class MemoryWatch {
 public:
  MemoryWatch();
  Memory stop();

 private:
  void look();
  Memory peak_;
  std::set<std::string> before_;  // scratch directories of others
  std::jthread thread_;
};

}  // namespace sluice::bench
