// SPDX-License-Identifier: Apache-2.0
// Landlock: what a kernel's ABI version can restrict, as raw calls. The header of Debian 12 ends at REFER, so
// the constants are ours. Also used by the launcher, which links nothing else: the C library alone.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace sluice::runners::landlock {

inline constexpr long call_create_ruleset = 444, call_add_rule = 445, call_restrict_self = 446;  // of every machine

// struct landlock_ruleset_attr; a kernel takes as much of it as it knows.
struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // ABI 4
  std::uint64_t scoped = 0;   // ABI 6
};
// struct landlock_path_beneath_attr
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t parent_fd = -1;
};

inline constexpr std::uint64_t execute = 1u << 0, write_file = 1u << 1, read_file = 1u << 2, read_directory = 1u << 3;
inline constexpr std::uint64_t remove_directory = 1u << 4, remove_file = 1u << 5, make_device = 1u << 6 | 1u << 11;
inline constexpr std::uint64_t make_directory = 1u << 7, make_file = 1u << 8, make_socket = 1u << 9, make_fifo = 1u << 10;
inline constexpr std::uint64_t make_link = 1u << 12;
inline constexpr std::uint64_t refer = 1u << 13;         // ABI 2: renaming and linking between directories
inline constexpr std::uint64_t truncate = 1u << 14;      // ABI 3
inline constexpr std::uint64_t device_ioctl = 1u << 15;  // ABI 5
inline constexpr std::uint64_t bind_tcp = 1u << 0, connect_tcp = 1u << 1;
inline constexpr std::uint64_t scope_abstract_socket = 1u << 0, scope_signal = 1u << 1;
inline constexpr int abi_refer = 2, abi_truncate = 3, abi_network = 4, abi_ioctl = 5, abi_scope = 6;

// 0 where the kernel has no Landlock or it is switched off.
inline int probe_abi() {
  const long abi = ::syscall(call_create_ruleset, nullptr, std::size_t{0}, 1u);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

inline std::uint64_t file_rights(int abi) {
  std::uint64_t all = (1u << 13) - 1;
  if (abi >= abi_refer) all |= refer;
  if (abi >= abi_truncate) all |= truncate;
  if (abi >= abi_ioctl) all |= device_ioctl;
  return all;
}

// The descriptor of a ruleset, or -1 with errno.
inline int create(const Ruleset& rules, int abi) {
  const std::size_t size = abi >= abi_scope ? sizeof rules : abi >= abi_network ? 2 * sizeof rules.files : sizeof rules.files;
  return static_cast<int>(::syscall(call_create_ruleset, &rules, size, 0u));
}
inline bool allow(int ruleset, std::uint64_t rights, int path_fd) {
  const PathBeneath rule{rights, path_fd};
  return ::syscall(call_add_rule, ruleset, 1, &rule, 0u) == 0;
}
// Needs no_new_privs. Holds for this process and all it will start.
inline bool restrict_self(int ruleset) { return ::syscall(call_restrict_self, ruleset, 0u) == 0; }

}  // namespace sluice::runners::landlock
