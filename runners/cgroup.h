// SPDX-License-Identifier: Apache-2.0
// Control groups, as far as this machine lends them: v2 where its controllers are free, else v1, always a
// cgroup2 leaf for `cgroup.kill` where one can be made. What was found is named on every record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"

namespace sluice::runners {

struct CgroupLimits {
  std::uint64_t memory_bytes = 0;
  std::int64_t pids = 0;
};

// A directory below which leaves can be made, and what they can do.
struct CgroupSite {
  int version = 2;
  std::string directory;
  bool memory = false, pids = false, cpu = false, kill = false;
};

// Sites that a leaf could be made in just now; leaves of dead processes are cleared away. Empty = rlimits only.
std::vector<CgroupSite> find_cgroups();
// "cgroup-v1 pids,memory,cpu + cgroup-v2 kill", "rlimits".
std::string describe(const std::vector<CgroupSite>& sites);

// One run's own group in every site. Destruction kills what is in it and removes it.
class CgroupLeaf {
 public:
  // Errors: denied (a leaf or its limit could not be set); nothing is left behind.
  static Result<CgroupLeaf> create(const std::vector<CgroupSite>& sites, const CgroupLimits& limits);
  CgroupLeaf(CgroupLeaf&&) noexcept = default;
  CgroupLeaf& operator=(CgroupLeaf&&) = delete;
  ~CgroupLeaf();

  std::vector<std::string> procs_files() const;
  // Kills every process in the leaf and waits for the last; false when one is left after 10 seconds.
  bool kill_all();
  // "memory limit reached, 3 processes killed", "" when no limit was hit.
  std::string limits_hit() const;

 private:
  CgroupLeaf() = default;
  std::vector<std::string> directories_;
};

}  // namespace sluice::runners
