// SPDX-License-Identifier: Apache-2.0
#include "runners/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "core/file.h"
#include "core/text.h"
#include "runners/confinement.h"
#include "runners/landlock.h"
#include "runners/launcher.h"
#include "runners/limits.h"
#include "runners/paths.h"
#include "runners/seccomp.h"

namespace sluice::runners {
namespace {

// A tmpfs caps bytes, not inodes; no tool chain puts as many files there.
constexpr std::uint64_t scratch_files = 100'000;

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

}  // namespace

// All that one run needs beside its cgroup.
struct Sandbox::Plan {
  Command command;
  core::ProcessOptions process;
  Pipe status, results;
  core::Fd launcher_status, filter, image;
  std::optional<core::TempDir> scratch;
  std::string scratch_dir;
  std::vector<std::string> scratch_inside;
  std::string name;  // of the command, as the suite gives it
};

Sandbox::Sandbox(Backend backend, Identity identity) : Sandbox(backend, identity, landlock::probe_abi()) {}

Sandbox::Sandbox(Backend backend, Identity identity, int landlock_abi)
    : backend_(backend), identity_(identity), landlock_abi_(std::min(landlock_abi, landlock::probe_abi())), cgroups_(find_cgroups()) {}

bool Sandbox::signals_are_scoped() const { return backend_ != Backend::none && landlock_abi_ >= landlock::abi_scope; }

std::string Sandbox::cannot_end_all() const {
  if (backend_ != Backend::landlock || landlock_abi_ >= landlock::abi_scope || !cgroups_.empty()) return "";
  return fmt::format("nothing here ends a process that has left its group: Landlock of version {} (a kernel older than 6.12) does not scope "
                     "signals, and no control group can be made", landlock_abi_);
}

std::string Sandbox::describe_backend() const {
  if (backend_ == Backend::bubblewrap) return fmt::format("A bwrap uid:{}", identity_.name());
  if (backend_ == Backend::landlock) return fmt::format("B landlock:{} uid:{} paths:replaced", landlock_abi_, identity_.name());
  return "none (allow_unsandboxed)";
}

Result<void> Sandbox::plan_bubblewrap(Plan& plan) const {
  TRY_ASSIGN(const int filter, make_seccomp_filter());
  plan.filter = core::Fd(filter);
  // bwrap closes its own before it starts the launcher.
  plan.launcher_status = core::Fd(fcntl(plan.status.write.get(), F_DUPFD_CLOEXEC, 3));
  if (!plan.launcher_status) return make_error(ErrorKind::internal, fmt::format("pipe: {}", std::strerror(errno)));
  const LauncherOptions options{.status_fd = plan.launcher_status.get(), .results_fd = plan.results.write.get()};
  plan.process.argv = bwrap_argv(plan.command.mounts, plan.command.variables, filter, plan.status.write.get(),
                                 launcher_argv(plan.image.get(), options, plan.command.argv));
  plan.process.env.emplace();
  plan.process.keep_fds = {filter, plan.status.write.get(), options.status_fd, plan.image.get()};
  plan.scratch_inside = {"/tmp", "/dev/shm"};
  return {};
}

Result<void> Sandbox::plan_confinement(Plan& plan) const {
  const Mounts& mounts = plan.command.mounts;
  const Places places = places_of(mounts);
  TRY(check_places(places));
  const std::string above = mounts.build_dir.substr(0, mounts.build_dir.rfind('/'));
  TRY_ASSIGN(auto scratch, core::TempDir::create_in(above, fmt::format("sluice-scratch-{}", getpid())));
  plan.scratch.emplace(std::move(scratch));
  plan.scratch_dir = plan.scratch->path();
  TRY(own_build_directory(identity_, plan.scratch_dir));
  TRY_ASSIGN(const int filter, make_seccomp_filter({.no_namespaces = true, .landlock_abi = landlock_abi_}));
  plan.filter = core::Fd(filter);
  LauncherOptions options{.status_fd = plan.status.write.get(), .results_fd = plan.results.write.get(), .filter_fd = filter, .landlock_abi = landlock_abi_};
  allow_paths(mounts, plan.scratch_dir, options);
  for (auto& word : plan.command.argv) word = place_paths(word, places);
  plan.process.argv = launcher_argv(plan.image.get(), options, plan.command.argv);
  plan.process.env = plain_environment(mounts, plan.scratch_dir, plan.command.variables);
  plan.process.cwd = mounts.build_dir;
  plan.process.keep_fds = {filter, options.status_fd, plan.image.get()};
  return {};
}

void Sandbox::plan_bare(Plan& plan) const {
  const Mounts& mounts = plan.command.mounts;
  for (const auto& word : plan.command.argv) plan.process.argv.push_back(place_paths(word, places_of(mounts)));
  if (plan.process.argv[0].find('/') == std::string::npos) plan.process.argv[0] = "/usr/bin/" + plan.process.argv[0];
  plan.process.env = plain_environment(mounts, "/tmp", plan.command.variables);
  plan.process.cwd = mounts.build_dir;
}

Result<void> Sandbox::make_plan(Plan& plan, std::uint64_t memory) const {
  Command& command = plan.command;
  const bool own_root = command.mounts.root.empty() || command.mounts.root == "/";
  if (backend_ != Backend::bubblewrap && !own_root)
    return make_error(ErrorKind::denied, fmt::format("the environment's root '{}' can only be shown by backend A (bubblewrap), which does not work here",
                                                     core::printable(command.mounts.root)));
  if (const std::string why = cannot_end_all(); !why.empty()) return make_error(ErrorKind::denied, why);
  TRY_ASSIGN(plan.status, make_pipe());
  if (backend_ != Backend::none) {
    TRY_ASSIGN(plan.image, launcher_image());
  }
  if (command.results_pipe) {
    TRY_ASSIGN(plan.results, make_pipe());
    // Opened again through /proc/self/fd, where the owner counts.
    if (identity_.dedicated && fchown(plan.results.write.get(), identity_.uid, identity_.gid) != 0)
      return make_error(ErrorKind::internal, fmt::format("pipe: {}", std::strerror(errno)));
    for (auto& word : command.argv) replace_all(word, "{results_fd}", std::to_string(plan.results.write.get()));
  }
  command.mounts.shm_bytes = std::min(command.mounts.shm_bytes, memory / 4);
  command.mounts.scratch_bytes = std::min(command.mounts.scratch_bytes, memory / 2);
  if (backend_ == Backend::bubblewrap) TRY(plan_bubblewrap(plan));
  if (backend_ == Backend::landlock) TRY(plan_confinement(plan));
  if (backend_ == Backend::none) plan_bare(plan);
  if (command.results_pipe) plan.process.keep_fds.push_back(plan.results.write.get());
  bool memory_group = false, pids_group = false;
  for (const auto& site : cgroups_) memory_group |= site.memory, pids_group |= site.pids;
  plan.process.limits = resource_limits({.timeout_ms = command.timeout_ms, .disk_bytes = command.disk.bytes, .memory_bytes = memory_group ? 0 : memory,
                                         .pids = pids_group ? 0 : command.pids, .uid = identity_.uid});
  if (identity_.dedicated) plan.process.uid = identity_.uid, plan.process.gid = identity_.gid;
  plan.process.timeout_ms = command.timeout_ms;
  plan.process.output_cap = command.output_cap;
  plan.process.merge_stderr = true;
  return {};
}

// The launcher tells on its own descriptor, which no command can reach, so a command cannot pass off its own
// failure as ours by what it prints, and a launcher that was killed is not a command that failed.
void Sandbox::judge_end(const Plan& plan, const Watch& watch, Outcome& outcome) const {
  const auto& process = outcome.process;
  if (process.timed_out || process.cancelled) return;
  const LauncherReport report = parse_launcher_report(watch.status());
  const std::string how = process.signal != 0 ? fmt::format("signal {}", process.signal) : fmt::format("exit status {}", process.exit_code);
  if (!report.setup_error.empty()) outcome.setup_error = report.setup_error;
  else if (report.not_found) outcome.not_found = plan.name;
  else if (!report.launched && process.signal == 0) outcome.setup_error = core::printable(core::trim(process.out), 500);
  else if (!report.ended || process.signal != 0) outcome.lost = fmt::format("the sandbox was ended from outside while the command ran ({})", how);
}

Result<Outcome> Sandbox::run(const Command& given) const {
  Plan plan;
  plan.command = given, plan.name = given.argv[0];
  const std::uint64_t memory = given.memory_bytes > 0 ? given.memory_bytes : default_memory();
  Outcome outcome;
  TRY(make_plan(plan, memory));
  std::optional<CgroupLeaf> leaf;
  if (!cgroups_.empty()) {
    TRY_ASSIGN(auto made, CgroupLeaf::create(cgroups_, {memory, given.pids}));
    leaf.emplace(std::move(made));
    plan.process.more_cgroup_procs = leaf->procs_files();
  }
  Watch watch({.build_dir = given.mounts.build_dir, .disk = given.disk, .scratch_dir = plan.scratch_dir, .scratch_inside = plan.scratch_inside,
               .scratch = {.bytes = plan.command.mounts.scratch_bytes, .files = scratch_files}, .cancel = given.cancel,
               .status_fd = plan.status.read.get(), .results_fd = plan.results.read.get()});
  plan.process.cancel = watch.stop();
  auto process = core::run_process(plan.process);
  // Backend B's launcher ends what is left by itself; a group, where there is one, makes sure.
  if (leaf) outcome.survivors = !leaf->kill_all();
  plan.status.write.close();
  plan.launcher_status.close();
  plan.results.write.close();
  outcome.survivors |= !watch.wait_for_namespace();
  watch.finish();

  if (!process.ok()) {
    // Without a sandbox the command itself could not be executed; inside, the launcher says that.
    if (backend_ != Backend::none || process.error().kind != ErrorKind::not_found) return process.error();
    outcome.not_found = given.argv[0];
    return outcome;
  }
  outcome.process = std::move(*process);
  if (backend_ != Backend::none) judge_end(plan, watch, outcome);
  outcome.disk_trouble = watch.disk_trouble();
  if (leaf) outcome.limits_hit = leaf->limits_hit();
  outcome.results = watch.results();
  outcome.results_too_large = watch.results_too_large();
  return outcome;
}

}  // namespace sluice::runners
