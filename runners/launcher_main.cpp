// SPDX-License-Identifier: Apache-2.0
// The launcher: the one process of ours among the processes of a run. A program of its own, linked statically
// and carried inside the library (launcher.cpp), so that it starts below any root and is never the wrong one.
//
//   launcher STATUS [-results FD] [-filter FD] [-landlock ABI] [-read PATH]... [-write PATH]... [-device PATH]...
//            -- command ...
//
// Backend A: process 1 of the namespace. Starts the command, reaps, tells how it ended.
// Backend B (-landlock): there is no namespace that takes all processes with it, so two processes watch over the
// command: when somebody kills one of them, the other kills everything. Both are subreapers, each confines
// itself so that a signal to "all processes" reaches only its own descendants, and none of those can reach it.
//
// Lines on STATUS: "child-pid": N (backend B: when it is gone, all is), "launched": 1, "not-found": ERRNO or
// "setup-error": TEXT when the command could not be started, "ended": STATUS. Without the last one, and without
// an error, the launcher itself was killed.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runners/landlock.h"

namespace {

using namespace sluice::runners;

struct Settings {
  int status = -1, results = -1, filter = -1, abi = 0;
  int argc = 0;
  char** argv = nullptr;  // "-read PATH" and so on, from 2 to argc
  char** command = nullptr;
};

void tell(const Settings& settings, const char* key, const char* value) {
  char line[512];
  const int n = std::snprintf(line, sizeof line, "\"%s\": %s\n", key, value);
  if (n > 0) (void)!::write(settings.status, line, static_cast<std::size_t>(n) < sizeof line ? static_cast<std::size_t>(n) : sizeof line - 1);
}
void tell(const Settings& settings, const char* key, int value) {
  char text[16];
  std::snprintf(text, sizeof text, "%d", value);
  tell(settings, key, text);
}

[[noreturn]] void fail(const Settings& settings, const char* what, const char* name = "") {
  char text[400];
  std::snprintf(text, sizeof text, "%s %.300s: %s", what, name, std::strerror(errno));
  tell(settings, "setup-error", text);
  ::_exit(126);
}

Settings parse(int argc, char** argv) {
  Settings settings;
  settings.argc = argc, settings.argv = argv;
  if (argc < 4) ::_exit(126);
  settings.status = std::atoi(argv[1]);
  for (int i = 2; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--") == 0) {
      settings.argc = i;
      settings.command = argv + i + 1;
      return settings;
    }
    const int number = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "-results") == 0) settings.results = number;
    if (std::strcmp(argv[i], "-filter") == 0) settings.filter = number;
    if (std::strcmp(argv[i], "-landlock") == 0) settings.abi = number;
  }
  errno = EINVAL;
  fail(settings, "no command");
}

// What the command may do below `path`.
void allow(const Settings& settings, int ruleset, const char* kind, const char* path) {
  std::uint64_t rights = landlock::execute | landlock::read_file | landlock::read_directory;
  if (std::strcmp(kind, "-write") == 0) rights = landlock::file_rights(settings.abi) & ~(landlock::make_device | landlock::device_ioctl);
  if (std::strcmp(kind, "-device") == 0) rights = landlock::read_file | landlock::write_file | landlock::truncate;
  const int fd = ::open(path, O_PATH | O_CLOEXEC);
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0) fail(settings, "cannot open", path);
  if (!S_ISDIR(info.st_mode)) rights &= landlock::execute | landlock::read_file | landlock::write_file | landlock::truncate;
  if (!landlock::allow(ruleset, rights & landlock::file_rights(settings.abi), fd)) fail(settings, "landlock_add_rule", path);
  ::close(fd);
}

void confine_command(const Settings& settings) {
  landlock::Ruleset rules;
  rules.files = landlock::file_rights(settings.abi);
  if (settings.abi >= landlock::abi_network) rules.network = landlock::bind_tcp | landlock::connect_tcp;
  if (settings.abi >= landlock::abi_scope) rules.scoped = landlock::scope_abstract_socket | landlock::scope_signal;
  const int ruleset = landlock::create(rules, settings.abi);
  if (ruleset < 0) fail(settings, "landlock_create_ruleset");
  for (int i = 2; i + 1 < settings.argc; i += 2) {
    const char* kind = settings.argv[i];
    if (std::strcmp(kind, "-read") == 0 || std::strcmp(kind, "-write") == 0 || std::strcmp(kind, "-device") == 0)
      allow(settings, ruleset, kind, settings.argv[i + 1]);
  }
  if (!landlock::restrict_self(ruleset)) fail(settings, "landlock_restrict_self");
  ::close(ruleset);
}

void install_filter(const Settings& settings) {
  static sock_filter code[4096];
  const ssize_t bytes = ::pread(settings.filter, code, sizeof code, 0);
  if (bytes <= 0 || bytes % static_cast<ssize_t>(sizeof code[0]) != 0 || bytes == sizeof code) fail(settings, "cannot read the system call filter");
  const sock_fprog program{static_cast<unsigned short>(static_cast<std::size_t>(bytes) / sizeof code[0]), code};
  if (::prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, &program) != 0) fail(settings, "seccomp");
}

[[noreturn]] void become_command(const Settings& settings) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (settings.abi > 0) {
    if (::setsid() < 0) fail(settings, "setsid");
    confine_command(settings);
  }
  if (settings.filter >= 0) install_filter(settings);
  if (settings.results >= 0) ::fcntl(settings.results, F_SETFD, 0);
  ::execvp(settings.command[0], settings.command);
  tell(settings, "not-found", errno);
  ::_exit(127);
}

pid_t start_command(const Settings& settings) {
  const pid_t pid = ::fork();
  if (pid < 0) fail(settings, "fork");
  if (pid == 0) become_command(settings);
  // The results are the command's to write; whoever else held the descriptor would keep the pipe open.
  if (settings.results >= 0) ::close(settings.results);
  return pid;
}

int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

int run_first_process(const Settings& settings) {
  tell(settings, "launched", 1);
  const pid_t command = start_command(settings);
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    if (pid < 0 && errno != EINTR) fail(settings, "waitpid");
    if (pid != command) continue;
    tell(settings, "ended", code_of(status));
    return code_of(status);
  }
}

// From here on a signal to all processes reaches those that this one starts, and no others.
bool scope_signals(const Settings& settings) {
  if (settings.abi < landlock::abi_scope) return false;
  landlock::Ruleset rules;
  rules.scoped = landlock::scope_signal;
  const int ruleset = landlock::create(rules, settings.abi);
  if (ruleset < 0 || !landlock::restrict_self(ruleset)) fail(settings, "landlock_restrict_self");
  ::close(ruleset);
  // Never on trust: without the scope the next line of kill_all would end everything of this user.
  if (::kill(::getppid(), 0) == 0 || errno != EPERM) {
    errno = EPROTO;
    fail(settings, "signals are not scoped");
  }
  return true;
}

// Without a scope (ABI < 6) the control group of the run does this.
void kill_all(bool scoped, pid_t child) {
  for (int attempt = 0; attempt < 10'000; ++attempt) {
    ::kill(scoped ? -1 : child, SIGKILL);
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0) {}
    if (pid < 0 && errno == ECHILD) return;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

// Waits for `child`; -1 when the run must end before: our parent or the reader of STATUS has gone.
int wait_for(const Settings& settings, int signals, pid_t child) {
  for (;;) {
    pollfd wait[2] = {{signals, POLLIN, 0}, {settings.status, 0, 0}};
    if (::poll(wait, 2, -1) < 0 && errno != EINTR) return -1;
    if ((wait[1].revents & POLLERR) != 0) return -1;
    signalfd_siginfo info;
    if (::read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info) && info.ssi_signo == SIGTERM) return -1;
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
      if (pid == child) return code_of(status);
  }
}

int listen_to_signals(const Settings& settings) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  ::sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &set, nullptr);
  const int fd = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) fail(settings, "signalfd");
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) fail(settings, "subreaper");
  return fd;
}

[[noreturn]] void run_inner(const Settings& settings, pid_t outer) {
  // Out of the process group that is killed with the outer one, which must not be the end of both.
  if (::setsid() < 0) fail(settings, "setsid");
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != outer) ::_exit(126);
  const int signals = listen_to_signals(settings);
  const bool scoped = scope_signals(settings);
  tell(settings, "child-pid", ::getpid());
  tell(settings, "launched", 1);
  const pid_t command = start_command(settings);
  const int code = wait_for(settings, signals, command);
  if (code >= 0) tell(settings, "ended", code);
  kill_all(scoped, command);
  ::_exit(code >= 0 ? code : 128 + SIGKILL);
}

int run_outer(const Settings& settings) {
  const int signals = listen_to_signals(settings);
  const bool scoped = scope_signals(settings);
  const pid_t self = ::getpid(), inner = ::fork();
  if (inner < 0) fail(settings, "fork");
  if (inner == 0) run_inner(settings, self);
  if (settings.results >= 0) ::close(settings.results);
  const int code = wait_for(settings, signals, inner);
  kill_all(scoped, inner);
  return code >= 0 ? code : 128 + SIGKILL;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  // Nobody may read our memory or take our descriptors; exec resets the flag, so only we can set it.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) fail(settings, "dumpable");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail(settings, "no_new_privs");
  constexpr unsigned close_on_exec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (::syscall(SYS_close_range, 3u, ~0u, close_on_exec) != 0)
    for (int fd = 3; fd < 1024; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return settings.abi > 0 ? run_outer(settings) : run_first_process(settings);
}
