// SPDX-License-Identifier: Apache-2.0
// Resource limits of every process of a run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/process.h"

namespace sluice::runners {

// Three quarters of the machine's.
std::uint64_t default_memory();

struct LimitsWanted {
  std::int64_t timeout_ms = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t memory_bytes = 0;  // of each process; 0 = a control group does it
  std::int64_t pids = 0;           // of the user; 0 = likewise
  uid_t uid = 0;
};
std::vector<core::ResourceLimit> resource_limits(const LimitsWanted& wanted);

}  // namespace sluice::runners
