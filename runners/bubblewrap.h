// SPDX-License-Identifier: Apache-2.0
// The command line of backend A.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sluice::runners {

inline constexpr const char* bwrap_program = "/usr/bin/bwrap";

struct Mounts {
  std::string root;  // "" or "/" = the host's
  std::string source_dir, build_dir, suites_dir;  // absolute; "" = not bound
  std::uint64_t shm_bytes = 256u << 20, scratch_bytes = 1u << 30;
};

// Only /usr, what the root's /bin, /lib, /lib64 are, /etc/alternatives and the mounts are visible; never /,
// /run or /etc, because a socket file can be reached through any bind. Environment: PATH, HOME, LC_ALL,
// TMPDIR, SLUICE_SRC, SLUICE_BUILD, SLUICE_SUITES, then `variables`. The command is process 1 of its namespace.
std::vector<std::string> bwrap_argv(const Mounts& mounts, const std::map<std::string, std::string>& variables,
                                    int seccomp_fd, int status_fd, const std::vector<std::string>& command);

}  // namespace sluice::runners
