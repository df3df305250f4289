// SPDX-License-Identifier: Apache-2.0
#include "runners/lit_harness.h"

#include <string_view>

namespace sluice::runners {
namespace {

// Run with -I: no module may come from the working directory. 4 = PR_SET_DUMPABLE, 3 = PR_GET_DUMPABLE, 38 =
// PR_SET_NO_NEW_PRIVS; a fork keeps them. 444 and 446 are landlock_create_ruleset and landlock_restrict_self, 2
// the scope of signals: every process that lit starts, by fork or by subprocess, can signal its own kind alone.
// lit cannot do without semaphores, whose files in /dev/shm backend B does not lend; a pipe that holds as many
// bytes as a semaphore has units is as good between a process and its forks.
constexpr const char* wrapper = R"py(
import ctypes, fcntl, os, runpy, select, signal, subprocess, sys, termios, threading
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(4, 0, 0, 0, 0)
if libc.prctl(3, 0, 0, 0, 0) != 0:
    sys.exit("lit harness: the interpreter could not be made undumpable")
results, scope, locks = int(sys.argv[1]), sys.argv[2] == "scope", sys.argv[3] == "locks"
fcntl.fcntl(results, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
# An interrupt would end the run with a list of tests that were "skipped".
signal.signal(signal.SIGINT, signal.SIG_IGN)

restricted = False
def restrict():
    global restricted
    if restricted:
        return
    rules = (ctypes.c_uint64 * 3)(0, 0, 2)
    fd = libc.syscall(444, ctypes.byref(rules), ctypes.c_size_t(24), 0)
    if fd < 0 or libc.prctl(38, 1, 0, 0, 0) != 0 or libc.syscall(446, fd, 0) != 0:
        os._exit(120)
    os.close(fd)
    restricted = True

if scope:
    os.register_at_fork(after_in_child=restrict)
    plain_init = subprocess.Popen.__init__
    def scoped_init(self, *args, **more):
        if not restricted and len(args) < 6 and more.get("preexec_fn") is None:
            more["preexec_fn"] = restrict
        plain_init(self, *args, **more)
    subprocess.Popen.__init__ = scoped_init

class PipeSemaphore:
    SEM_VALUE_MAX = 2**31 - 1
    def __init__(self, kind, value, maxvalue, name, unlink):
        self.kind, self.maxvalue, self.name, self.handle = kind, maxvalue, None, 0
        self.holder, self.depth = None, 0
        self.read, self.write = os.pipe()
        os.set_blocking(self.read, False)
        os.write(self.write, b"x" * value)
    def _is_mine(self):
        return self.depth > 0 and self.holder == (os.getpid(), threading.get_ident())
    def _count(self):
        return self.depth if self._is_mine() else 0
    def _get_value(self):
        held = ctypes.c_int(0)
        fcntl.ioctl(self.read, termios.FIONREAD, held)
        return held.value
    def _is_zero(self):
        return self._get_value() == 0
    def _after_fork(self):
        self.holder, self.depth = None, 0
    def acquire(self, block=True, timeout=None):
        if self.kind == 0 and self._is_mine():
            self.depth += 1
            return True
        while True:
            try:
                os.read(self.read, 1)
                break
            except BlockingIOError:
                pass
            if not block or (not select.select([self.read], [], [], timeout)[0] and timeout is not None):
                return False
        self.holder, self.depth = (os.getpid(), threading.get_ident()), self.depth + 1 if self.kind else 1
        return True
    def release(self):
        if self.kind == 0 and not self._is_mine():
            raise AssertionError("released by another than its holder")
        self.depth = max(0, self.depth - 1)
        if self.kind or self.depth == 0:
            os.write(self.write, b"x")
    def __enter__(self):
        return self.acquire()
    def __exit__(self, *args):
        self.release()

if locks:
    import _multiprocessing
    _multiprocessing.SemLock = PipeSemaphore

sys.argv = sys.argv[4:]
sys.path.insert(0, os.path.dirname(os.path.realpath(sys.argv[0])))
runpy.run_path(sys.argv[0], run_name="__main__")
)py";

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool trusted_place(std::string_view path) {
  return (path.starts_with("/usr/") || path.starts_with("/suites/")) && path.find("/../") == std::string_view::npos;
}

bool below(std::string_view path, std::string_view directory) {
  return path == directory || (path.starts_with(directory) && path.substr(directory.size()).starts_with('/'));
}

}  // namespace

std::optional<LitCommand> wrap_lit(const std::vector<std::string>& step, bool scope_signals, bool without_shm) {
  std::size_t next = 0;
  const std::string_view first = step.empty() ? "" : std::string_view(step[0]);
  if (first == "python3" || first == "python" || first == "/usr/bin/python3") next = 1;
  if (next >= step.size()) return std::nullopt;
  std::string script = step[next];
  const auto name = last_component(script);
  if (name != "lit" && name != "lit.py" && name != "llvm-lit") return std::nullopt;
  if (next == 0 && script == name) script = "/usr/bin/" + script;
  if (!trusted_place(script)) return std::nullopt;

  LitCommand command;
  command.argv = {"/usr/bin/python3", "-I", "-c", wrapper, "{results_fd}", scope_signals ? "scope" : "-", without_shm ? "locks" : "-", script, "-o", "/proc/self/fd/{results_fd}"};
  bool trusted = false, candidate = false;
  for (std::size_t i = next + 1; i < step.size(); ++i) {
    const std::string& word = step[i];
    if (word == "-o" || word == "--output") {
      ++i;
    } else if (!word.starts_with("--output=") && !(word.starts_with("-o") && word.size() > 2)) {
      trusted |= below(word, "/src") || below(word, "/suites");
      candidate |= below(word, "/build") || word.find("/../") != std::string::npos;
      command.argv.push_back(word);
    }
  }
  command.configured_in_build = candidate || !trusted;
  return command;
}

}  // namespace sluice::runners
