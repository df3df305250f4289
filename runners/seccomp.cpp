// SPDX-License-Identifier: Apache-2.0
#include "runners/seccomp.h"

#include <fmt/format.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace sluice::runners {
namespace {

struct Release {
  void operator()(void* filter) const { seccomp_release(filter); }
};

// A list that is too wide breaks tool chains: g++, cmake, lit and python's multiprocessing run under this one.
constexpr const char* denied_calls[] = {
    "ptrace", "process_vm_readv", "process_vm_writev", "mount", "umount2", "pivot_root", "unshare", "setns",
    "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup",
    "io_uring_enter", "io_uring_register", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "open_by_handle_at", "reboot", "swapon", "swapoff", "quotactl", "move_mount", "open_tree",
    "fsopen", "fsmount", "mount_setattr"};

int add_rules(scmp_filter_ctx filter) {
  const std::uint32_t deny = SCMP_ACT_ERRNO(EPERM);
  for (const char* name : denied_calls) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) continue;  // newer than this libseccomp, or absent on this machine
    if (const int rc = seccomp_rule_add(filter, deny, number, 0); rc != 0) return rc;
  }
  const scmp_arg_cmp other_family = SCMP_A0(SCMP_CMP_NE, AF_UNIX);
  if (const int rc = seccomp_rule_add_array(filter, deny, SCMP_SYS(socket), 1, &other_family); rc != 0) return rc;
  // Pushing characters into the terminal that started us; the kernel looks at the low 32 bits only.
  const scmp_arg_cmp push_input = SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCSTI);
  return seccomp_rule_add_array(filter, deny, SCMP_SYS(ioctl), 1, &push_input);
}

}  // namespace

Result<int> make_seccomp_filter() {
  const std::unique_ptr<void, Release> filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) return make_error(ErrorKind::internal, "seccomp_init failed");
  if (const int rc = add_rules(filter.get()); rc != 0)
    return make_error(ErrorKind::internal, fmt::format("seccomp rule refused: {}", std::strerror(-rc)));
  const int fd = memfd_create("seccomp", MFD_CLOEXEC);
  if (fd < 0) return make_error(ErrorKind::internal, fmt::format("memfd_create: {}", std::strerror(errno)));
  const int rc = seccomp_export_bpf(filter.get(), fd);
  if (rc != 0 || lseek(fd, 0, SEEK_SET) != 0) {
    close(fd);
    return make_error(ErrorKind::internal, fmt::format("seccomp filter could not be written: {}", std::strerror(-rc)));
  }
  return fd;
}

}  // namespace sluice::runners
