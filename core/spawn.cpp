// SPDX-License-Identifier: Apache-2.0
#include "core/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/file.h"
#include "core/text.h"

extern char** environ;

namespace sluice::core {
namespace {

enum class Step : int { prepare, cwd, cgroup, limit, user, descriptors, exec };

struct Failure {
  Step step;
  int error;
};

// All that the child needs, built before the fork: afterwards it may neither allocate nor lock.
struct Plan {
  std::vector<std::string> env_texts;
  std::vector<char*> argv, envp;
  std::string program;
  std::vector<const char*> cgroups;
  const char* cwd = nullptr;
  std::vector<int> keep;  // sorted, without repeats, all >= 3; includes the report pipe
  int in = -1, out = -1, err = -1, report = -1;
  const ProcessOptions* options = nullptr;
  pid_t parent = -1;
};

[[noreturn]] void give_up(const Plan& plan, Step step, int error) {
  const Failure failure{step, error};
  (void)!::write(plan.report, &failure, sizeof failure);
  ::_exit(127);
}

void close_others(const Plan& plan) {
  unsigned first = 3;
  for (const int fd : plan.keep) {
    const auto kept = static_cast<unsigned>(fd);
    if (kept > first) ::syscall(SYS_close_range, first, kept - 1, 0u);
    if (fd != plan.report) ::fcntl(fd, F_SETFD, 0);  // stays open over exec; the report pipe must not
    first = kept + 1;
  }
  if (::syscall(SYS_close_range, first, ~0u, 0u) != 0) give_up(plan, Step::descriptors, errno);
}

void drop_user(const Plan& plan) {
  const ProcessOptions& o = *plan.options;
  if (!o.uid && !o.gid) return;
  const gid_t gid = o.gid ? *o.gid : static_cast<gid_t>(*o.uid);  // the private group by convention
  // Our pipes become the user's: /dev/stdout and /dev/stderr open them again, by name, and only the owner may.
  for (int fd = 0; fd <= 2; ++fd) (void)!::fchown(fd, o.uid ? *o.uid : static_cast<uid_t>(-1), gid);
  // Raw calls: glibc's wrappers tell other threads, which a child after fork does not have.
  if (::syscall(SYS_setgroups, std::size_t{0}, nullptr) != 0) give_up(plan, Step::user, errno);
  if (::syscall(SYS_setresgid, gid, gid, gid) != 0) give_up(plan, Step::user, errno);
  if (o.uid && ::syscall(SYS_setresuid, *o.uid, *o.uid, *o.uid) != 0) give_up(plan, Step::user, errno);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(plan, Step::user, errno);
}

// Runs in the child between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(const Plan& plan) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int s = 1; s < NSIG; ++s) ::sigaction(s, &standard, nullptr);  // ignored signals would be inherited
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::setpgid(0, 0) != 0) give_up(plan, Step::prepare, errno);
  if (::dup2(plan.in, 0) < 0 || ::dup2(plan.out, 1) < 0 || ::dup2(plan.err, 2) < 0) {
    give_up(plan, Step::prepare, errno);
  }
  if (plan.cwd != nullptr && ::chdir(plan.cwd) != 0) give_up(plan, Step::cwd, errno);
  for (const char* path : plan.cgroups) {
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ::write(fd, "0", 1) != 1) give_up(plan, Step::cgroup, errno);
    ::close(fd);
  }
  for (const ResourceLimit& l : plan.options->limits) {
    const struct rlimit both { static_cast<rlim_t>(l.value), static_cast<rlim_t>(l.value) };
    if (::syscall(SYS_prlimit64, 0, l.resource, &both, nullptr) != 0) give_up(plan, Step::limit, errno);
  }
  drop_user(plan);
  // After the change of user, which clears it. When our thread has died meanwhile there is no signal.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);
  close_others(plan);
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  give_up(plan, Step::exec, errno);
}

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    std::string candidate = absolute_path(join_path(folder.empty() ? "." : folder, name));
    struct stat st {};
    if (::stat(candidate.c_str(), &st) == 0 && S_ISREG(st.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return make_error(ErrorKind::not_found,
                    fmt::format("no program '{}' in PATH; install it or extend PATH", printable(name)));
}

bool has_nul(std::string_view s) { return s.find('\0') != std::string_view::npos; }

Result<Plan> make_plan(const ProcessOptions& o) {
  Plan plan;
  plan.options = &o;
  plan.parent = ::getpid();
  if (o.argv.empty() || o.argv[0].empty())
    return make_error(ErrorKind::invalid, "empty command line: no program to run");
  for (const std::string& a : o.argv) {
    if (has_nul(a))
      return make_error(ErrorKind::invalid, fmt::format("argument '{}' holds a NUL byte", printable(a)));
    plan.argv.push_back(const_cast<char*>(a.c_str()));
  }
  plan.argv.push_back(nullptr);
  TRY_ASSIGN(plan.program, find_program(o.argv[0]));
  std::map<std::string, std::string> env;
  if (o.env) {
    env = *o.env;
  } else {
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
      const std::string_view text = *e;
      const std::size_t equals = text.find('=');
      if (equals != std::string_view::npos) env.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    for (const auto& [name, value] : o.extra_env) env.insert_or_assign(name, value);
  }
  for (const auto& [name, value] : env) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(value)) {
      return make_error(ErrorKind::invalid,
                        fmt::format("environment variable '{}' cannot be passed on: no '=' in the "
                                    "name, no NUL byte anywhere",
                                    printable(name)));
    }
    plan.env_texts.push_back(name + "=" + value);
  }
  for (std::string& e : plan.env_texts) plan.envp.push_back(e.data());
  plan.envp.push_back(nullptr);
  if (!o.cwd.empty()) plan.cwd = o.cwd.c_str();
  if (!o.cgroup_procs.empty()) plan.cgroups.push_back(o.cgroup_procs.c_str());
  for (const std::string& c : o.more_cgroup_procs) plan.cgroups.push_back(c.c_str());
  for (const int fd : o.keep_fds) {
    if (fd >= 3) plan.keep.push_back(fd);
  }
  return plan;
}

struct Pipe {
  Fd read, write;
};

// Both ends at 3 or above, so that dup2 onto 0, 1 and 2 never meets an end that is still needed.
Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return make_error(ErrorKind::internal, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  Pipe p{Fd(ends[0]), Fd(ends[1])};
  for (Fd* fd : {&p.read, &p.write}) {
    if (fd->get() >= 3) continue;
    Fd higher(::fcntl(fd->get(), F_DUPFD_CLOEXEC, 3));
    if (!higher)
      return make_error(ErrorKind::internal, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    *fd = std::move(higher);
  }
  return p;
}

Error start_error(const ProcessOptions& o, const Failure& f) {
  const std::string why = std::strerror(f.error);
  const std::string name = printable(o.argv[0]);
  switch (f.step) {
    case Step::cwd:
      return make_error(ErrorKind::invalid,
                        fmt::format("cannot run '{}' in {}: {}", name, printable(o.cwd), why));
    case Step::cgroup:
      return make_error(ErrorKind::internal,
                        fmt::format("cannot put '{}' into its control group: {}", name, why));
    case Step::limit:
      return make_error(ErrorKind::internal,
                        fmt::format("cannot set the resource limits of '{}': {}", name, why));
    case Step::user:
      return make_error(ErrorKind::denied, fmt::format("cannot run '{}' as another user: {}", name, why));
    case Step::exec:
      if (f.error == ENOENT || f.error == ENOTDIR) {
        return make_error(ErrorKind::not_found,
                          fmt::format("no program '{}' (or its interpreter): {}", name, why));
      }
      if (f.error == EACCES || f.error == EPERM) {
        return make_error(ErrorKind::denied, fmt::format("'{}' may not be executed: {}", name, why));
      }
      return make_error(ErrorKind::invalid, fmt::format("'{}' cannot be executed: {}", name, why));
    case Step::prepare:
    case Step::descriptors:
      break;
  }
  return make_error(ErrorKind::internal, fmt::format("cannot start '{}': {}", name, why));
}

}  // namespace

Result<Spawned> spawn(const ProcessOptions& options) {
  TRY_ASSIGN(Plan plan, make_plan(options));
  TRY_ASSIGN(Pipe in, make_pipe());
  TRY_ASSIGN(Pipe out, make_pipe());
  Pipe err;
  if (!options.merge_stderr) {
    TRY_ASSIGN(err, make_pipe());
  }
  TRY_ASSIGN(Pipe report, make_pipe());
  plan.in = in.read.get();
  plan.out = out.write.get();
  plan.err = options.merge_stderr ? plan.out : err.write.get();
  plan.report = report.write.get();
  plan.keep.push_back(plan.report);
  std::sort(plan.keep.begin(), plan.keep.end());
  plan.keep.erase(std::unique(plan.keep.begin(), plan.keep.end()), plan.keep.end());

  // No signal may reach a handler of ours in the child before it has reset them.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  const int fork_error = errno;
  if (pid == 0) become(plan);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    return make_error(
        fork_error == EAGAIN || fork_error == ENOMEM ? ErrorKind::transient : ErrorKind::internal,
        fmt::format("cannot fork for '{}': {}", printable(options.argv[0]), std::strerror(fork_error)));
  }
  report.write.close();
  Failure failure{};
  ssize_t n = 0;
  do {
    n = ::read(report.read.get(), &failure, sizeof failure);
  } while (n < 0 && errno == EINTR);
  Spawned child;
  child.pid = pid;
  child.pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const int pidfd_error = errno;
  if (n == static_cast<ssize_t>(sizeof failure)) {
    (void)kill_and_reap(child);
    return start_error(options, failure);
  }
  if (!child.pidfd) {
    (void)kill_and_reap(child);
    return make_error(ErrorKind::internal,
                      fmt::format("cannot watch '{}' (pidfd_open): {}", printable(options.argv[0]),
                                  std::strerror(pidfd_error)));
  }
  child.in = std::move(in.write);
  child.out = std::move(out.read);
  child.err = std::move(err.read);
  for (const Fd* fd : {&child.in, &child.out, &child.err}) {
    if (*fd) ::fcntl(fd->get(), F_SETFL, ::fcntl(fd->get(), F_GETFL) | O_NONBLOCK);
  }
  return child;
}

SigpipeGuard::SigpipeGuard() {
  sigset_t pipe_only, pending;
  ::sigemptyset(&pipe_only);
  ::sigaddset(&pipe_only, SIGPIPE);
  ::sigpending(&pending);
  if (::sigismember(&pending, SIGPIPE) == 1) return;  // blocked by somebody else already
  active_ = ::pthread_sigmask(SIG_BLOCK, &pipe_only, &before_) == 0;
}

SigpipeGuard::~SigpipeGuard() {
  if (!active_) return;
  sigset_t pipe_only;
  ::sigemptyset(&pipe_only);
  ::sigaddset(&pipe_only, SIGPIPE);
  const struct timespec now {};
  while (::sigtimedwait(&pipe_only, nullptr, &now) == SIGPIPE) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace sluice::core
