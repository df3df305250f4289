// SPDX-License-Identifier: Apache-2.0
#include "runners/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>

#include "core/text.h"
#include "runners/seccomp.h"

namespace sluice::runners {
namespace {

constexpr std::uint64_t largest_file = 4ull << 30;

std::uint64_t default_memory() {
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4 * 3 : 4ull << 30;
}

// RLIMIT_NPROC counts all processes of a user, so those that run already come on top.
std::uint64_t processes_of(uid_t uid) {
  std::uint64_t count = 0;
  DIR* dir = opendir("/proc");
  if (dir == nullptr) return count;
  while (const dirent* item = readdir(dir)) {
    struct stat info {};
    if (std::isdigit(static_cast<unsigned char>(item->d_name[0])) && fstatat(dirfd(dir), item->d_name, &info, 0) == 0)
      count += info.st_uid == uid ? 1 : 0;
  }
  closedir(dir);
  return count;
}

std::vector<core::ResourceLimit> rlimits(const Command& command, std::uint64_t memory, bool memory_group, bool pids_group, uid_t uid) {
  std::vector<core::ResourceLimit> limits{{RLIMIT_CORE, 0},
                                          {RLIMIT_FSIZE, std::min(largest_file, std::max<std::uint64_t>(command.disk.bytes, 1u << 20))},
                                          {RLIMIT_NOFILE, 1024}};
  // Per process; a thread of it per core may burn the whole wall time.
  if (command.timeout_ms > 0)
    limits.push_back({RLIMIT_CPU, static_cast<std::uint64_t>(command.timeout_ms / 1000 + 1) * std::max(1u, std::thread::hardware_concurrency())});
  if (!memory_group) limits.push_back({RLIMIT_DATA, memory});
  if (!pids_group) limits.push_back({RLIMIT_NPROC, static_cast<std::uint64_t>(command.pids) + processes_of(uid)});
  return limits;
}

struct Pipe {
  core::Fd read, write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return make_error(ErrorKind::internal, fmt::format("pipe: {}", std::strerror(errno)));
  return Pipe{core::Fd(ends[0]), core::Fd(ends[1])};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
}

// Without mounts, /src, /build and /suites must be put in place of the words: at the start of an argument,
// after a sign that ends a path, or after an option of one letter (-I/src/include).
std::string place_path(std::string_view word, std::string_view name, const std::string& directory) {
  const auto in_path = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_.-/", c) != nullptr; };
  std::string text;
  std::size_t at = 0;
  for (std::size_t hit; (hit = word.find(name, at)) != std::string_view::npos; at = hit + name.size()) {
    const std::size_t end = hit + name.size();
    const bool option = hit >= 2 && word[hit - 2] == '-' && (hit == 2 || word[hit - 3] == ' ');
    const bool whole = (hit == 0 || option || !in_path(word[hit - 1])) && (end == word.size() || word[end] == '/' || !in_path(word[end]));
    text.append(word.substr(at, hit - at)).append(whole ? std::string_view(directory) : name);
  }
  return text.append(word.substr(at));
}

std::vector<std::string> plain_argv(const Command& command) {
  std::vector<std::string> argv = command.argv;
  for (auto& word : argv) {
    word = place_path(word, "/src", command.mounts.source_dir);
    word = place_path(word, "/build", command.mounts.build_dir);
    if (!command.mounts.suites_dir.empty()) word = place_path(word, "/suites", command.mounts.suites_dir);
  }
  if (argv[0].find('/') == std::string::npos) argv[0] = "/usr/bin/" + argv[0];
  return argv;
}

// bwrap tells by --json-status-fd: without an "exit-code" the command was never started, so a command
// cannot pass off its own failure as ours by what it prints.
void read_status(const std::string& status, const Command& command, Outcome& outcome) {
  const auto& process = outcome.process;
  if (process.timed_out || process.cancelled || process.signal != 0 || process.exit_code == 0) return;
  if (status.find("\"exit-code\"") != std::string::npos) return;
  if (core::trim(process.out).starts_with("bwrap: execvp " + command.argv[0] + ": ")) outcome.not_found = command.argv[0];
  else outcome.setup_error = core::printable(core::trim(process.out), 500);
}

}  // namespace

Sandbox::Sandbox(Backend backend, Identity identity) : backend_(backend), identity_(identity), cgroups_(find_cgroups()) {}

Result<Outcome> Sandbox::run(const Command& given) const {
  Command command = given;
  const std::uint64_t memory = command.memory_bytes > 0 ? command.memory_bytes : default_memory();
  TRY_ASSIGN(Pipe status, make_pipe());
  Pipe results;
  if (command.results_pipe) {
    TRY_ASSIGN(results, make_pipe());
    // Opened again through /proc/self/fd, where the owner counts.
    if (identity_.dedicated && fchown(results.write.get(), identity_.uid, identity_.gid) != 0)
      return make_error(ErrorKind::internal, fmt::format("pipe: {}", std::strerror(errno)));
    for (auto& word : command.argv) replace_all(word, "{results_fd}", std::to_string(results.write.get()));
  }

  core::ProcessOptions options;
  core::Fd filter;
  options.env.emplace();
  if (backend_ == Backend::bubblewrap) {
    TRY_ASSIGN(const int fd, make_seccomp_filter());
    filter = core::Fd(fd);
    command.mounts.shm_bytes = std::min(command.mounts.shm_bytes, memory / 4);
    command.mounts.scratch_bytes = std::min(command.mounts.scratch_bytes, memory / 2);
    options.argv = bwrap_argv(command.mounts, command.variables, fd, status.write.get(), command.results_pipe, command.argv);
    options.keep_fds = {fd, status.write.get()};
  } else {
    options.argv = plain_argv(command);
    options.cwd = command.mounts.build_dir;
    options.env = {{"PATH", "/usr/bin:/bin"}, {"HOME", command.mounts.build_dir}, {"LC_ALL", "C"}, {"TMPDIR", "/tmp"}};
    for (const auto& [name, value] : command.variables) options.env->insert_or_assign(name, value);
  }
  if (command.results_pipe) options.keep_fds.push_back(results.write.get());

  std::optional<CgroupLeaf> leaf;
  if (!cgroups_.empty()) {
    TRY_ASSIGN(auto made, CgroupLeaf::create(cgroups_, {memory, command.pids}));
    leaf.emplace(std::move(made));
    options.more_cgroup_procs = leaf->procs_files();
  }
  bool memory_group = false, pids_group = false;
  for (const auto& site : cgroups_) memory_group |= site.memory, pids_group |= site.pids;
  options.limits = rlimits(command, memory, memory_group, pids_group, identity_.uid);
  if (identity_.dedicated) options.uid = identity_.uid, options.gid = identity_.gid;
  options.timeout_ms = command.timeout_ms;
  options.output_cap = command.output_cap;
  options.merge_stderr = true;

  Watch watch({.build_dir = command.mounts.build_dir, .disk = command.disk, .cancel = command.cancel,
               .status_fd = status.read.get(), .results_fd = results.read.get()});
  options.cancel = watch.stop();
  auto process = core::run_process(options);
  Outcome outcome;
  if (leaf) outcome.survivors = !leaf->kill_all();
  status.write.close();
  results.write.close();
  outcome.survivors |= !watch.wait_for_namespace();
  watch.finish();

  if (!process.ok()) {
    // The command itself could not be executed; inside the sandbox bwrap says that.
    if (backend_ != Backend::none || process.error().kind != ErrorKind::not_found) return process.error();
    outcome.not_found = command.argv[0];
    return outcome;
  }
  outcome.process = std::move(*process);
  if (backend_ == Backend::bubblewrap) read_status(watch.status(), command, outcome);
  outcome.disk_trouble = watch.disk_trouble();
  if (leaf) outcome.limits_hit = leaf->limits_hit();
  outcome.results = watch.results();
  outcome.results_too_large = watch.results_too_large();
  return outcome;
}

}  // namespace sluice::runners
