// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "runners/runners.h"
#include "runners/sandbox.h"

namespace sluice::runners {
namespace {

// Does what a run does, so a machine that lacks a piece of it (user namespaces above all) shows it here.
std::string try_command(const Sandbox& sandbox, const char* hint) {
  auto above = core::TempDir::create("sluice-probe-");
  if (!above.ok()) return above.error().message;
  Command command;
  command.argv = {"/usr/bin/true"};
  command.mounts.build_dir = core::join_path(above->path(), "build");
  if (auto made = core::make_directories(command.mounts.build_dir); !made.ok()) return made.error().message;
  if (auto own = own_build_directory(sandbox.identity(), command.mounts.build_dir); !own.ok()) return own.error().message;
  command.timeout_ms = 20'000;
  command.memory_bytes = 256u << 20;
  command.disk.bytes = 1u << 20;
  const auto outcome = sandbox.run(command);
  if (!outcome.ok()) return outcome.error().message;
  if (!outcome->setup_error.empty()) return fmt::format("a sandbox cannot be built here ({}): {}", outcome->setup_error, hint);
  if (!outcome->lost.empty()) return outcome->lost;
  if (!outcome->process.ok())
    return fmt::format("a trivial sandboxed command ended with exit status {}: {}", outcome->process.exit_code,
                       core::printable(outcome->process.out, 300));
  return "";
}

std::string try_bubblewrap(const Sandbox& sandbox) {
  if (access(bwrap_program, X_OK) != 0) return fmt::format("{} is missing: install the package bubblewrap", bwrap_program);
  const std::string problem = try_command(sandbox, "allow unprivileged user namespaces (sysctl user.max_user_namespaces, "
                                                   "kernel.apparmor_restrict_unprivileged_userns, seccomp profile of the container)");
  return problem.empty() ? "" : "backend A (bubblewrap): " + problem;
}

std::string try_landlock(const Sandbox& sandbox) {
  std::string problem = sandbox.landlock_abi() == 0 ? "this kernel has no Landlock (Linux 5.13, lsm=landlock)" : sandbox.cannot_end_all();
  if (problem.empty()) problem = try_command(sandbox, "Landlock or the system call filter was refused");
  return problem.empty() ? "" : "backend B (Landlock): " + problem;
}

// What backend B leaves open on this machine.
std::vector<std::string> weaknesses(const Sandbox& sandbox) {
  std::vector<std::string> found;
  if (!sandbox.identity().dedicated)
    found.emplace_back("backend B runs suites as the user who started sluice: they can read or write nothing of that user's, but they can change "
                       "modes and times of that user's files; give sluice a user of its own or start it as the superuser");
  if (!sandbox.signals_are_scoped())
    found.push_back(fmt::format("Landlock of version {} does not scope signals: a suite can end other processes of its user, and lit is not observed "
                                "(Linux 6.12 does)", sandbox.landlock_abi()));
  return found;
}

}  // namespace

SandboxProbe probe_sandbox(std::optional<Backend> only) {
  SandboxProbe probe;
  probe.backend = "none";
  const auto identity = find_identity();
  if (!identity.ok()) {
    probe.uid = "caller";
    probe.limits = describe(find_cgroups());
    probe.problems.push_back(identity.error().message);
    return probe;
  }
  probe.uid = identity->name();
  for (const Backend backend : {Backend::bubblewrap, Backend::landlock}) {
    if (only && *only != backend) continue;
    const Sandbox sandbox(backend, *identity);
    probe.limits = sandbox.limits();
    std::string problem = backend == Backend::bubblewrap ? try_bubblewrap(sandbox) : try_landlock(sandbox);
    if (problem.empty()) {
      probe.usable = true, probe.backend = backend == Backend::bubblewrap ? "A" : "B";
      if (backend == Backend::landlock)
        for (auto& weakness : weaknesses(sandbox)) probe.problems.push_back(std::move(weakness));
      break;
    }
    probe.problems.push_back(std::move(problem));
  }
  if (probe.limits.empty()) probe.limits = describe(find_cgroups());
  return probe;
}

}  // namespace sluice::runners
