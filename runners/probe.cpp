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
std::string try_bubblewrap(const Identity& identity, std::string& limits) {
  if (access(bwrap_program, X_OK) != 0) return fmt::format("{} is missing: install the package bubblewrap", bwrap_program);
  const Sandbox sandbox(Backend::bubblewrap, identity);
  limits = sandbox.limits();
  auto build = core::TempDir::create("sluice-probe-");
  if (!build.ok()) return build.error().message;
  if (auto own = own_build_directory(identity, build->path()); !own.ok()) return own.error().message;
  Command command;
  command.argv = {"/usr/bin/true"};
  command.mounts.build_dir = build->path();
  command.timeout_ms = 20'000;
  command.memory_bytes = 256u << 20;
  command.disk.bytes = 1u << 20;
  const auto outcome = sandbox.run(command);
  if (!outcome.ok()) return outcome.error().message;
  if (!outcome->setup_error.empty())
    return fmt::format("bubblewrap cannot build a sandbox here ({}): allow unprivileged user namespaces "
                       "(sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns, seccomp profile of the container)",
                       outcome->setup_error);
  if (!outcome->process.ok())
    return fmt::format("a trivial sandboxed command ended with exit status {}: {}", outcome->process.exit_code,
                       core::printable(outcome->process.out, 300));
  return "";
}

}  // namespace

SandboxProbe probe_sandbox() {
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
  if (auto problem = try_bubblewrap(*identity, probe.limits); !problem.empty()) probe.problems.push_back(std::move(problem));
  else probe.usable = true, probe.backend = "A";
  if (probe.limits.empty()) probe.limits = describe(find_cgroups());
  return probe;
}

}  // namespace sluice::runners
