// SPDX-License-Identifier: Apache-2.0
// A program that means harm, for traps_test.cpp: `hostile TRAP` tries one thing from inside the sandbox and
// prints "denied: why", "capped: how" or "REACHED: what". `hostile decoy` is its victim outside: a process of the
// same user with a secret, two listening sockets and a file. Victims are named by TRAP_* variables.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using std::string;

string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}
pid_t decoy() { return static_cast<pid_t>(std::atoi(variable("TRAP_PID").c_str())); }

// Every attempt that works is told; what was refused is told by the last reason.
bool reached_any = false;
string last_reason = "no attempt was made";
void attempt(const string& what, bool worked) {
  const int why = errno;
  if (worked) std::printf("REACHED: %s\n", what.c_str());
  else last_reason = what + ": " + std::strerror(why);
  reached_any |= worked;
}
int denied() {
  if (!reached_any) std::printf("denied: %s\n", last_reason.c_str());
  return reached_any ? 1 : 0;
}

bool opens(const string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}
string contents(const string& path) {
  string text;
  char buffer[65536];
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  for (ssize_t n; fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  const int why = errno;
  if (fd >= 0) close(fd);
  errno = why;
  return text;
}

int network() {
  for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK})
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW}) attempt("socket of family " + std::to_string(family), socket(family, type, 0) >= 0);
  return denied();
}

sockaddr_un address_of(const string& name, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path - 1));
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  return address;
}

int local_sockets() {
  for (const string& name : {variable("TRAP_SOCKET"), string(1, '\0') + variable("TRAP_ABSTRACT")}) {
    socklen_t length = 0;
    const sockaddr_un address = address_of(name, length);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    attempt("connect to a socket of the host", fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0)
      attempt("message to a socket of the host", sendto(pair[0], "x", 1, 0, reinterpret_cast<const sockaddr*>(&address), length) == 1);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0)
      attempt("pair connected anew", connect(pair[0], reinterpret_cast<const sockaddr*>(&address), length) == 0);
  }
  return denied();
}

int outside_files() {
  attempt("read /etc/shadow", opens("/etc/shadow", O_RDONLY));
  const string secret = variable("TRAP_FILE"), pid = variable("TRAP_PID");
  attempt("read a file of the same user", opens(secret, O_RDONLY));
  attempt("write a file of the same user", opens(secret, O_WRONLY));
  attempt("empty a file of the same user", truncate(secret.c_str(), 0) == 0 || opens(secret, O_RDONLY | O_TRUNC));
  attempt("remove a file of the same user", unlink(secret.c_str()) == 0);
  attempt("link to a file of the same user", link(secret.c_str(), "hard") == 0);
  attempt("rename a file of the same user", rename(secret.c_str(), "moved") == 0);
  for (const string& victim : {pid, string("1"), string("self")})
    attempt("outside through /proc/" + victim + "/root", opens("/proc/" + victim + "/root" + secret, O_RDONLY));
  (void)!symlink(secret.c_str(), "link");
  attempt("outside through a link", opens("link", O_RDONLY));
  return denied();
}

int environments() {
  const string mark = variable("TRAP_SECRET_PREFIX") + "in-the-environment";
  DIR* proc = opendir("/proc");
  int seen = 0;
  while (const dirent* item = proc == nullptr ? nullptr : readdir(proc)) {
    if (std::strspn(item->d_name, "0123456789") != std::strlen(item->d_name)) continue;
    ++seen;
    attempt(string("environment of process ") + item->d_name, contents(string("/proc/") + item->d_name + "/environ").find(mark) != string::npos);
  }
  attempt("environment of process 1", !contents("/proc/1/environ").empty());
  return denied();
}

int descriptors() {
  DIR* own = opendir("/proc/self/fd");
  while (const dirent* item = own == nullptr ? nullptr : readdir(own)) {
    const int fd = std::atoi(item->d_name);
    if (fd > 2 && fd != dirfd(own)) attempt("inherited descriptor " + std::to_string(fd), true);
  }
  errno = own == nullptr ? EIO : EBADF;
  attempt("descriptor 7", fcntl(7, F_GETFD) >= 0);
  return denied();
}

// Reading, writing and limiting a process that is not ours.
void reach_into(pid_t pid, const string& name) {
  const string proc = "/proc/" + std::to_string(pid);
  attempt("ptrace of " + name, ptrace(PTRACE_SEIZE, pid, 0, 0) == 0 || ptrace(PTRACE_ATTACH, pid, 0, 0) == 0);
  char byte = 0;
  iovec mine{&byte, 1}, theirs{&reached_any, 1};
  attempt("process_vm_writev to " + name, process_vm_writev(pid, &mine, 1, &theirs, 1, 0) == 1);
  attempt("process_vm_readv of " + name, process_vm_readv(pid, &mine, 1, &theirs, 1, 0) == 1);
  for (const char* file : {"/mem", "/environ", "/maps", "/fd/0", "/root/etc"}) attempt("open " + proc + file, opens(proc + file, O_RDONLY));
  attempt("write memory of " + name, opens(proc + "/mem", O_RDWR));
  char target[256];
  attempt("what a descriptor of " + name + " is", readlink((proc + "/fd/0").c_str(), target, sizeof target) > 0);
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  attempt("descriptor of " + name, fd >= 0 && syscall(438 /* pidfd_getfd */, fd, 0, 0) >= 0);
  const rlimit none{1, 1};
  attempt("limits of " + name, prlimit(pid, RLIMIT_CPU, &none, nullptr) == 0);
}

// The process that watches over us, and the decoy.
int other_processes() {
  reach_into(getppid(), "the supervisor");
  reach_into(decoy(), "another process of the user");
  return denied();
}

// As a test of lit: every process of lit above us. The lowest is the worker that runs us; who ends it ends this test.
int harness() {
  bool worker = true;
  int found = 0;
  for (pid_t pid = getppid(); pid > 1;) {
    const string proc = "/proc/" + std::to_string(pid), state = contents(proc + "/stat");
    const auto name_end = state.rfind(')');
    if (name_end == string::npos) break;
    if (contents(proc + "/cmdline").find("lit.py") != string::npos) {
      ++found;
      reach_into(pid, "lit");
      for (const int number : {SIGINT, SIGTERM, SIGSTOP, SIGKILL})
        if (!worker && variable("TRAP_SIGNALS") == "scoped") attempt("signal to lit", kill(pid, number) == 0);
      worker = false;
    }
    pid = static_cast<pid_t>(std::atoi(state.c_str() + name_end + 4));
  }
  if (found < 2) std::printf("REACHED: lit was not found, so nothing was tried\n");
  denied();
  return 1;  // a red test, which must stay one
}

int signals() {
  attempt("signal to another process of the user", kill(decoy(), SIGTERM) == 0);
  attempt("signal to its group", killpg(decoy(), SIGTERM) == 0);
  // Process 1 of a namespace takes signals and heeds none: what counts is that it lives on to tell our end.
  const pid_t supervisor = getppid();
  kill(supervisor, SIGKILL);
  kill(supervisor, SIGSTOP);
  kill(-1, SIGKILL);
  errno = EPERM;
  attempt("end of the supervisor", getppid() != supervisor);
  return denied();
}

int namespaces() {
  for (const int flag : {CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNS, CLONE_NEWNET}) {
    attempt("unshare", unshare(flag) == 0);
    const auto pid = static_cast<pid_t>(syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0));
    if (pid == 0) _exit(0);
    attempt("clone", pid > 0);
    unsigned long long args[11] = {static_cast<unsigned>(flag)};
    const auto third = static_cast<pid_t>(syscall(435 /* clone3 */, args, sizeof args));
    if (third == 0) _exit(0);
    attempt("clone3", third > 0);
  }
  attempt("setns", setns(0, 0) == 0);
  return denied();
}

int mounts() {
  attempt("mount", mount("none", "/tmp", "tmpfs", 0, nullptr) == 0);
  attempt("mount over /build", mount("/usr", variable("HOME").c_str(), nullptr, MS_BIND, nullptr) == 0);
  attempt("remount", mount(nullptr, "/suites", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0);
  attempt("umount", umount2("/proc", MNT_DETACH) == 0);
  attempt("fsopen", syscall(430, "tmpfs", 0) >= 0);
  attempt("pivot_root", syscall(SYS_pivot_root, ".", ".") == 0);
  attempt("chroot", chroot(".") == 0);
  return denied();
}

int kernel_calls() {
  char zeros[256] = {};
  attempt("io_uring", syscall(425, 8, zeros) >= 0);
  attempt("keyctl", syscall(SYS_keyctl, 0, -3, 1) >= 0);
  attempt("add_key", syscall(SYS_add_key, "user", "x", "y", 1, -3) >= 0);
  attempt("bpf", syscall(SYS_bpf, 5, zeros, 128) >= 0);
  attempt("perf_event_open", syscall(SYS_perf_event_open, zeros, 0, -1, -1, 0) >= 0);
  attempt("userfaultfd", syscall(SYS_userfaultfd, 1) >= 0);
  attempt("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, zeros, 0) >= 0);
  attempt("init_module", syscall(SYS_init_module, zeros, 0, "") == 0);
  attempt("TIOCSTI", ioctl(0, TIOCSTI, "x") == 0 || errno != EPERM);
  return denied();
}

int foreign_calls() {
#ifdef __x86_64__
  const pid_t child = fork();
  if (child == 0) {
    long number = 359;  // socket of the 32-bit table
    asm volatile("int $0x80" : "+a"(number) : "b"(AF_INET), "c"(SOCK_STREAM), "d"(0) : "memory", "r8", "r9", "r10", "r11");
    _exit(number >= 0 ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  // The third table: 32-bit pointers in 64-bit mode.
  const pid_t third = fork();
  if (third == 0) _exit(syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0 ? 1 : 0);
  int third_status = 0;
  waitpid(third, &third_status, 0);
  if (WIFEXITED(third_status) && WEXITSTATUS(third_status) == 1) return std::printf("REACHED: a network socket by an x32 system call\n"), 1;
  if (WIFSIGNALED(status)) std::printf("killed: 32-bit system call: %s\n", strsignal(WTERMSIG(status)));
  else std::printf(WEXITSTATUS(status) == 0 ? "denied: 32-bit system call\n" : "REACHED: a network socket by a 32-bit system call\n");
  return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? 1 : 0;
#else
  std::printf("skipped: no second table of system calls on this machine\n");
  return 0;
#endif
}

int trusted_files() {
  for (const char* name : {"SLUICE_SRC", "SLUICE_SUITES"}) {
    const string directory = variable(name), file = directory + "/trusted.txt";
    if (contents(file).empty()) std::printf("REACHED: %s cannot even be read\n", file.c_str()), reached_any = true;
    attempt("write " + file, opens(file, O_WRONLY));
    attempt("append to " + file, opens(file, O_WRONLY | O_APPEND));
    attempt("empty " + file, truncate(file.c_str(), 0) == 0 || opens(file, O_RDONLY | O_TRUNC));
    attempt("remove " + file, unlink(file.c_str()) == 0);
    attempt("replace " + file, opens("new", O_CREAT | O_WRONLY) && rename("new", file.c_str()) == 0);
    attempt("move " + file, rename(file.c_str(), "moved") == 0);
    attempt("exchange " + file, opens("new", O_CREAT | O_WRONLY) && syscall(SYS_renameat2, AT_FDCWD, "new", AT_FDCWD, file.c_str(), 2) == 0);
    attempt("new file in " + directory, opens(directory + "/new", O_CREAT | O_WRONLY));
    attempt("new directory in " + directory, mkdir((directory + "/d").c_str(), 0700) == 0);
    attempt("link in " + directory, symlink("x", (directory + "/l").c_str()) == 0);
    (void)!link(file.c_str(), "alias");
    attempt("write through a hard link", opens("alias", O_WRONLY));
    attempt("write /usr", opens("/usr/new", O_CREAT | O_WRONLY));
  }
  return denied();
}

int privileges() {
  attempt("gaining privileges by exec", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1);
  attempt("becoming the superuser", setuid(0) == 0 && geteuid() == 0 && variable("TRAP_CALLER") != "0");
  const string program = variable("SLUICE_SUITES") + "/setuid";
  if (access(program.c_str(), X_OK) != 0) {
    std::printf("skipped: a set-uid program needs the superuser to make it; no_new_privs is %s\n", reached_any ? "off" : "on");
    return reached_any ? 1 : 0;
  }
  const pid_t child = fork();
  if (child == 0) {
    execl(program.c_str(), program.c_str(), "euid", nullptr);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  errno = EPERM;
  attempt("a set-uid program is the superuser", WIFEXITED(status) && WEXITSTATUS(status) == 42);
  return denied();
}

int core_dump() {
  const pid_t child = fork();
  if (child == 0) std::abort();
  int status = 0;
  waitpid(child, &status, 0);
  rlimit limit{};
  getrlimit(RLIMIT_CORE, &limit);
  errno = EPERM;
  attempt("core dump", WCOREDUMP(status) || limit.rlim_max != 0);
  return denied();
}

int queues() {
  const int shared = shmget(static_cast<key_t>(std::atoi(variable("TRAP_KEY").c_str())), 4096, IPC_CREAT | 0600);
  const long queue = syscall(SYS_mq_open, variable("TRAP_QUEUE").c_str(), O_CREAT | O_RDWR, 0600, nullptr);
  std::printf("%s: System V memory %s, POSIX queue %s\n", shared >= 0 || queue >= 0 ? "capped" : "denied", shared >= 0 ? "of its own namespace" : "refused",
              queue >= 0 ? "of its own namespace" : "refused");
  return 0;
}

// The floods: they end by an error, by a signal, or by the runner.
int fill(const string& directory, std::size_t file_mib) {
  static char block[1 << 20];
  std::memset(block, 'x', sizeof block);
  std::size_t mib = 0;
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; mib < 10'240; ++i) {
    const int fd = open((directory + "/big" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) break;
    std::size_t here = 0;
    while (here < file_mib && write(fd, block, sizeof block) == static_cast<ssize_t>(sizeof block)) ++here;
    mib += here;
    const int why = errno;
    close(fd);
    errno = why;
    if (here == 0) break;
  }
  if (mib == 0) std::printf("denied: %s: %s\n", directory.c_str(), std::strerror(errno));
  else if (mib >= 10'240) std::printf("REACHED: %zu MiB written to %s\n", mib, directory.c_str());
  else std::printf("capped: %zu MiB, then %s\n", mib, std::strerror(errno));
  return 0;
}

int files_flood() {
  long made = 0;
  const string directory = variable("TMPDIR") + "/";
  while (made < 3'000'000 && mknod((directory + std::to_string(made)).c_str(), S_IFREG | 0600, 0) == 0) ++made;
  std::printf(made < 3'000'000 ? "capped: %ld files\n" : "REACHED: %ld files\n", made);
  return 0;
}

int fork_storm() {
  int made = 0;
  pid_t child = 0;
  while (made < 2000 && (child = fork()) > 0) ++made;
  if (child == 0) {
    for (;;) pause();
  }
  std::printf(child < 0 ? "capped: fork %d refused: %s\n" : "REACHED: %d forks\n", made + 1, std::strerror(errno));
  return 0;
}

int memory_bomb() {
  for (int i = 0; i < 64; ++i) {
    void* block = std::malloc(64u << 20);
    if (block == nullptr) return std::printf("capped: %d MiB, then %s\n", i * 64, std::strerror(errno)), 0;
    std::memset(block, i, 64u << 20);
  }
  std::printf("REACHED: 4 GiB of memory\n");
  return 0;
}

// Pages that belong to no process, so no limit of a process counts them.
int shared_memory_bomb() {
  static char block[1 << 20];
  std::memset(block, 'x', sizeof block);
  const int fd = memfd_create("bomb", MFD_CLOEXEC);
  int mib = 0;
  signal(SIGXFSZ, SIG_IGN);
  while (mib < 2048 && write(fd, block, sizeof block) == static_cast<ssize_t>(sizeof block)) ++mib;
  std::printf(mib < 2048 ? "capped: %d MiB, then %s\n" : "REACHED: %d MiB of shared memory\n", mib, std::strerror(errno));
  return 0;
}

int output_flood() {
  static char block[1 << 20];
  std::memset(block, 'x', sizeof block);
  for (int i = 0; i < 1024; ++i)
    if (write(1, block, sizeof block) < 0) return 1;
  return 0;
}

int daemonise() {
  for (int i = 0; i < 3; ++i) {
    if (fork() != 0) continue;
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 64; ++fd) close(fd);
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
    execl("/proc/self/exe", variable("TRAP_MARK").c_str(), "wait", nullptr);
    _exit(1);
  }
  return 0;
}

// A storm of processes that leave their group as fast as they can.
int daemon_storm() {
  for (int i = 0; i < 8; ++i) {
    if (fork() != 0) continue;
    for (;;) {
      setsid();
      if (fork() > 0) _exit(0);
    }
  }
  return 0;
}

// Something else than a file where the runner looks for its results.
int plant(const string& kind) {
  const string suites = variable("SLUICE_SUITES"), results = "r.json";
  int failed = -1;
  if (kind == "link") failed = symlink((suites + "/forged.json").c_str(), results.c_str());
  if (kind == "fifo") failed = mkfifo(results.c_str(), 0600);
  if (kind == "socket") failed = mknod(results.c_str(), S_IFSOCK | 0600, 0);
  if (kind == "device") failed = mknod(results.c_str(), S_IFCHR | 0600, static_cast<dev_t>(0x105));  // zero
  if (kind == "directory") failed = mkdir(results.c_str(), 0700);
  if (kind == "hardlink") failed = link((suites + "/forged.json").c_str(), results.c_str());
  if (kind == "outside") failed = link(variable("TRAP_FILE").c_str(), results.c_str());
  if (failed != 0) std::printf("denied: %s: %s\n", kind.c_str(), std::strerror(errno));
  return 0;
}

int be_decoy() {
  for (const string& name : {variable("TRAP_SOCKET"), string(1, '\0') + variable("TRAP_ABSTRACT")}) {
    socklen_t length = 0;
    const sockaddr_un address = address_of(name, length);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, reinterpret_cast<const sockaddr*>(&address), length) != 0 || listen(fd, 8) != 0) return 1;
  }
  std::printf("ready\n");
  std::fflush(stdout);
  char end;
  return read(0, &end, 1) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<string, std::function<int()>> traps{
      {"network", network}, {"sockets", local_sockets}, {"files", outside_files}, {"environ", environments}, {"descriptors", descriptors},
      {"processes", other_processes}, {"harness", harness}, {"signals", signals}, {"namespaces", namespaces}, {"mounts", mounts}, {"calls", kernel_calls},
      {"calls32", foreign_calls}, {"trusted", trusted_files}, {"privileges", privileges}, {"core", core_dump}, {"queues", queues},
      {"shm", [] { return fill("/dev/shm", 10'240); }}, {"disk", [] { return fill(variable("HOME"), 16); }}, {"inodes", files_flood},
      {"forks", fork_storm}, {"memory", memory_bomb}, {"memfd", shared_memory_bomb}, {"output", output_flood}, {"daemon", daemonise}, {"storm", daemon_storm},
      {"plant-link", [] { return plant("link"); }}, {"plant-fifo", [] { return plant("fifo"); }},
      {"plant-socket", [] { return plant("socket"); }}, {"plant-device", [] { return plant("device"); }},
      {"plant-directory", [] { return plant("directory"); }}, {"plant-hardlink", [] { return plant("hardlink"); }},
      {"plant-outside", [] { return plant("outside"); }}, {"euid", [] { return geteuid() == 0 ? 42 : 0; }}, {"decoy", be_decoy},
      {"wait", [] { for (;;) pause(); return 0; }}};
  const auto trap = traps.find(argc > 1 ? argv[1] : "");
  if (trap == traps.end()) return std::printf("no such trap\n"), 2;
  const int result = trap->second();
  std::fflush(stdout);
  return result;
}
