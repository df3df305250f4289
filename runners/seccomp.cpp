// SPDX-License-Identifier: Apache-2.0
#include "runners/seccomp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "runners/landlock.h"

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

// Queues, semaphores and memory that the kernel names for all processes of the machine, and that stay.
constexpr const char* shared_objects[] = {"shmget", "shmat", "semget", "semop", "semtimedop", "msgget", "msgsnd", "msgrcv",
                                          "mq_open", "mq_unlink"};

constexpr std::uint32_t deny = SCMP_ACT_ERRNO(EPERM);
// The kernel looks at the low 32 bits of most arguments only.
constexpr std::uint64_t low = 0xffffffffu;

// Adds rules until one is refused, and remembers why.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

  void all(const char* name, std::uint32_t action = deny) { add(name, action, {}); }
  void when(const char* name, scmp_arg_cmp condition) { add(name, deny, {condition}); }
  void when(const char* name, scmp_arg_cmp one, scmp_arg_cmp two) { add(name, deny, {one, two}); }
  int error() const { return error_; }

 private:
  void add(const char* name, std::uint32_t action, const std::vector<scmp_arg_cmp>& conditions) {
    const int number = seccomp_syscall_resolve_name(name);
    if (error_ != 0 || number == __NR_SCMP_ERROR) return;  // newer than this libseccomp, or absent on this machine
    error_ = seccomp_rule_add_array(filter_, action, number, static_cast<unsigned>(conditions.size()), conditions.data());
  }
  scmp_filter_ctx filter_;
  int error_ = 0;
};

void add_common(Rules& rules) {
  for (const char* name : denied_calls) rules.all(name);
  // Pushing characters into the terminal that started us.
  rules.when("ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, low, TIOCSTI));
  // The limits of another process of the same user: of the harness, or of us.
  rules.when("prlimit64", SCMP_A0(SCMP_CMP_NE, 0));
}

void add_for_no_namespaces(Rules& rules, int landlock_abi) {
  // An unnamed pair of connected sockets can send nowhere else, but a datagram socket takes an address for each
  // message, and a process of this user may listen at one.
  rules.all("socket");
  rules.all("connect");
  rules.when("socketpair", SCMP_A0(SCMP_CMP_NE, AF_UNIX));
  rules.when("socketpair", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_DGRAM));
  rules.when("socketpair", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_RAW));  // becomes a datagram socket
  for (const char* name : shared_objects) rules.all(name);
  for (const std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP})
    rules.when("clone", SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
  rules.all("clone3", SCMP_ACT_ERRNO(ENOSYS));  // its flags are in memory; the C library then takes clone
  for (const std::uint64_t bit : {S_ISUID, S_ISGID}) {
    rules.when("chmod", SCMP_A1(SCMP_CMP_MASKED_EQ, bit, bit));
    rules.when("fchmod", SCMP_A1(SCMP_CMP_MASKED_EQ, bit, bit));
    rules.when("fchmodat", SCMP_A2(SCMP_CMP_MASKED_EQ, bit, bit));
  }
  // Owners and attributes of files anywhere; Landlock looks at neither.
  for (const char* name : {"chown", "lchown", "fchownat", "setxattr", "lsetxattr", "removexattr", "lremovexattr"}) rules.all(name);
  rules.when("setpriority", SCMP_A1(SCMP_CMP_NE, 0));
  if (landlock_abi >= landlock::abi_truncate) return;
  // Emptying a file without opening it for writing.
  rules.all("truncate");
  rules.all("openat2", SCMP_ACT_ERRNO(ENOSYS));
  rules.when("open", SCMP_A1(SCMP_CMP_MASKED_EQ, O_TRUNC | O_ACCMODE, O_TRUNC | O_RDONLY));
  rules.when("openat", SCMP_A2(SCMP_CMP_MASKED_EQ, O_TRUNC | O_ACCMODE, O_TRUNC | O_RDONLY));
}

int add_rules(scmp_filter_ctx filter, const FilterNeeds& needs) {
  Rules rules(filter);
  add_common(rules);
  if (needs.no_namespaces) add_for_no_namespaces(rules, needs.landlock_abi);
  else rules.when("socket", SCMP_A0(SCMP_CMP_NE, AF_UNIX));
  return rules.error();
}

}  // namespace

Result<int> make_seccomp_filter(const FilterNeeds& needs) {
  const std::unique_ptr<void, Release> filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) return make_error(ErrorKind::internal, "seccomp_init failed");
  if (const int rc = add_rules(filter.get(), needs); rc != 0)
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
