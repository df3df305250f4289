// SPDX-License-Identifier: Apache-2.0
#include "service/doctor.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>

#include "config/config.h"
#include "core/file.h"
#include "core/process.h"
#include "core/text.h"
#include "runners/runners.h"
#include "service/app.h"
#include "service/model/model_ops.h"
#include "service/policy_ref.h"

namespace sluice::service {

namespace {

using Level = Finding::Level;

Finding check_git() {
  core::ProcessOptions options;
  options.argv = {"git", "--version"};
  const auto result = core::run_process(options);
  if (!result.ok() || !result->ok()) return {Level::problem, "git", "not found", "install git 2.39 or newer"};
  int major = 0, minor = 0;
  const std::string text(core::trim(result->out));
  if (std::sscanf(text.c_str(), "git version %d.%d", &major, &minor) != 2 || major < 2 || (major == 2 && minor < 39)) {
    return {Level::problem, "git", text, "install git 2.39 or newer: merge-tree --write-tree --stdin is needed"};
  }
  return {Level::ok, "git", text, ""};
}

// What a problem of the sandbox means for the suites.
const char* consequence(const runners::SandboxProbe& probe, bool allow_unsandboxed) {
  if (probe.usable) return probe.backend == "A" ? "suites run contained all the same" : "suites are contained by backend B meanwhile";
  return allow_unsandboxed ? "suites run uncontained until this is fixed" : "suites are refused until this is fixed";
}

void check_sandbox(std::vector<Finding>& out, bool allow_unsandboxed, const std::vector<model::EnvironmentConfig>& environments) {
  const runners::SandboxProbe probe = runners::probe_sandbox();
  const Level trouble = probe.usable || allow_unsandboxed ? Level::warning : Level::problem;
  if (probe.usable) {
    const std::string what = fmt::format("backend {}, uid {}, limits {}", probe.backend, probe.uid, probe.limits);
    if (probe.backend == "A") out.push_back({Level::ok, "sandbox", what, ""});
    else out.push_back({Level::warning, "sandbox", what, "weaker than backend A (bubblewrap): suites see the machine's own paths and no /dev/shm; docs/sandbox.md"});
  } else {
    out.push_back({trouble, "sandbox", allow_unsandboxed ? "none: allow_unsandboxed is set, and every record says so" : "none: allow_unsandboxed is not set",
                   consequence(probe, allow_unsandboxed)});
  }
  for (const auto& environment : environments) {
    if (probe.backend != "A" && !environment.root.empty() && environment.root != "/")
      out.push_back({Level::problem, "environment " + environment.name, fmt::format("its root {} can only be shown by backend A (bubblewrap)", environment.root),
                     "its suites cannot run on this machine"});
  }
  for (const std::string& problem : probe.problems) out.push_back({trouble, "sandbox", problem, consequence(probe, allow_unsandboxed)});
}

Finding check_remote(const App& app, const char* name, const model::RemoteConfig& remote) {
  const auto tip = app.repo.remote_tip(remote.url, remote.branch);
  if (tip.ok()) return {Level::ok, name, fmt::format("{} {} is at {}", remote.url, remote.branch, *tip), ""};
  return {Level::problem, name, tip.error().message, fmt::format("check [{}] url and branch, and access", name)};
}

Finding check_disk(const std::string& dir) {
  struct statvfs info {};
  if (::statvfs(dir.c_str(), &info) != 0) return {Level::warning, "disk", fmt::format("{} cannot be examined", dir), "check that the store's directory exists"};
  const double gib = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / (1 << 30);
  const std::string text = fmt::format("{:.1f} GiB free under {}", gib, dir);
  if (gib < 2) return {Level::problem, "disk", text, "make room: a validation needs the source tree and its build directories"};
  if (gib < 10) return {Level::warning, "disk", text, "less than 10 GiB: large forks need more"};
  return {Level::ok, "disk", text, ""};
}

// The sandbox sees /usr/bin and /bin alone: a tool elsewhere in our PATH does not count.
Finding check_suite(const model::SuiteConfig& suite) {
  for (const auto& step : suite.steps) {
    if (step.empty()) continue;
    const std::string& tool = step.front();
    const bool found = tool.starts_with("/") ? (!tool.starts_with("/usr") || core::exists(tool))
                                             : core::exists("/usr/bin/" + tool) || core::exists("/bin/" + tool) || tool.starts_with("./");
    if (!found) {
      return {Level::problem, "suite " + suite.id, fmt::format("its command {} is not in /usr/bin or /bin", tool), "install it, or correct [[suite]] command"};
    }
  }
  return {Level::ok, "suite " + suite.id, fmt::format("{}, {} step{}", suite.kind, suite.steps.size(), suite.steps.size() == 1 ? "" : "s"), ""};
}

}  // namespace

std::vector<Finding> doctor(const std::string& config_path) {
  std::vector<Finding> out{check_git()};
  if (!core::exists(config_path)) {
    check_sandbox(out, false, {});
    out.push_back({Level::warning, "configuration", fmt::format("{} does not exist", config_path), "`sluice init` writes one"});
    return out;
  }
  const auto config = config::load(config_path);
  if (!config.ok()) {
    check_sandbox(out, false, {});
    out.push_back({Level::problem, "configuration", config.error().message, "correct the file"});
    return out;
  }
  out.push_back({Level::ok, "configuration", config_path, ""});
  check_sandbox(out, config->allow_unsandboxed, config->environments);
  auto app = open_app(config_path, Access::read);
  // A policy in a ref of the fork is known to the store alone.
  const model::PolicyConfig& policy = app.ok() ? app->config.policy : config->policy;
  if (policy.suites.empty() && !config::policy_missing(policy)) {
    out.push_back({Level::problem, "suites", "no [[suite]] is configured", "without a build and a test suite nothing can be cleared"});
  }
  for (const model::SuiteConfig& suite : policy.suites) out.push_back(check_suite(suite));
  if (!app.ok()) {
    out.push_back({Level::problem, "store", app.error().message, "correct [store] path or its permissions"});
    return out;
  }
  out.push_back({Level::ok, "store", fmt::format("{}, schema {}", config->store_path, app->store.schema_version()), ""});
  out.push_back(check_disk(config->store_path));
  out.push_back(check_remote(*app, "upstream", config->upstream));
  out.push_back(check_remote(*app, "fork", config->fork));
  out.push_back({config::policy_missing(app->config.policy) ? Level::warning : Level::ok, "policy", policy_source(app->config),
                 config::policy_missing(app->config.policy) ? "`sluice plan` fetches it; without it nothing is judged" : ""});
  for (Finding& finding : check_model(*app)) out.push_back(std::move(finding));
  for (const model::ResolverConfig& driver : config->ladder.resolvers) {
    model::SuiteConfig as_suite;
    as_suite.id = driver.name;
    as_suite.kind = "merge driver";
    as_suite.steps = {driver.command};
    Finding finding = check_suite(as_suite);
    finding.subject = "driver " + driver.name;
    if (!finding.fix.empty()) finding.fix = "install it, or correct [[resolver]] command";
    out.push_back(std::move(finding));
  }
  if (config->autonomy == model::Autonomy::observe) {
    out.push_back({Level::ok, "autonomy", "observe: everything is judged, nothing is landed", ""});
  }
  return out;
}

bool healthy(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.level == Level::problem) return false;
  }
  return true;
}

namespace {
const char* word(Level level) { return level == Level::ok ? "ok" : level == Level::warning ? "warning" : "problem"; }
}  // namespace

core::Json doctor_json(const std::vector<Finding>& findings) {
  core::Json list = core::Json::array();
  for (const Finding& finding : findings) {
    list.push(core::Json::object({{"level", word(finding.level)}, {"subject", finding.subject}, {"detail", finding.detail}, {"fix", finding.fix}}));
  }
  return core::Json::object({{"schema", "sluice.doctor/1"}, {"healthy", healthy(findings)}, {"findings", std::move(list)}});
}

std::string doctor_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    out += fmt::format("{:<8} {:<16} {}\n", word(finding.level), finding.subject, core::printable(finding.detail, 400));
    if (!finding.fix.empty()) out += fmt::format("         {:<16} -> {}\n", "", finding.fix);
  }
  return out;
}

}  // namespace sluice::service
