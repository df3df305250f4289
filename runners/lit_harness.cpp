// SPDX-License-Identifier: Apache-2.0
#include "runners/lit_harness.h"

#include <string_view>

namespace sluice::runners {
namespace {

// 4 = PR_SET_DUMPABLE, 3 = PR_GET_DUMPABLE; a fork keeps the flag. Run with -I: no module may come from the
// working directory. The first process of a namespace inherits every orphan, so it reaps and its child is lit.
constexpr const char* wrapper = R"py(
import ctypes, fcntl, os, runpy, sys
prctl = ctypes.CDLL(None).prctl
prctl(4, 0, 0, 0, 0)
if prctl(3, 0, 0, 0, 0) != 0:
    sys.exit("lit harness: the interpreter could not be made undumpable")
results = int(sys.argv[1])
lit = os.fork()
if lit:
    os.close(results)
    while True:
        pid, status = os.wait()
        if pid == lit:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)
fcntl.fcntl(results, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
sys.argv = sys.argv[2:]
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

std::optional<LitCommand> wrap_lit(const std::vector<std::string>& step) {
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
  command.argv = {"/usr/bin/python3", "-I", "-c", wrapper, "{results_fd}", script, "-o", "/proc/self/fd/{results_fd}"};
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
