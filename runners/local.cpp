// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

#include "core/file.h"
#include "core/text.h"
#include "runners/artefacts.h"
#include "runners/environment.h"
#include "runners/lit_harness.h"
#include "runners/results.h"
#include "runners/runners.h"
#include "runners/sandbox.h"

namespace sluice::runners {
namespace {

std::int64_t time_limit_s(const model::SuiteConfig& suite) {
  if (suite.timeout_s > 0) return suite.timeout_s;
  return suite.kind == "build" ? 3600 : 1800;
}

void replace_jobs(std::string& word, const std::string& jobs) {
  constexpr std::string_view placeholder = "{jobs}";
  for (std::size_t at = 0; (at = word.find(placeholder, at)) != std::string::npos; at += jobs.size())
    word.replace(at, placeholder.size(), jobs);
}

Result<void> check(const model::RunRequest& request) {
  const auto& suite = request.suite;
  const auto invalid = [&](std::string_view what) {
    return make_error(ErrorKind::invalid, fmt::format("suite '{}': {}", core::printable(suite.id), what));
  };
  if (suite.steps.empty()) return invalid("no command; give at least one step");
  for (const auto& step : suite.steps) {
    if (step.empty() || step[0].empty()) return invalid("a step is an empty command");
    for (const auto& word : step)
      if (word.find('\0') != std::string::npos) return invalid("a step holds a NUL byte");
  }
  if (request.source_dir.empty() || request.build_dir.empty()) return invalid("a run needs a source and a build directory");
  if (suite.kind != "build") {
    if (const auto pattern = results_pattern(suite.results); !pattern.ok()) return invalid(pattern.error().message);
  }
  for (const auto& [name, value] : request.environment.variables)
    if (name.empty() || name.find('=') != std::string::npos || (name + value).find('\0') != std::string::npos)
      return invalid(fmt::format("environment variable '{}' cannot be set", core::printable(name)));
  return {};
}

// One log of all steps, capped as a whole in the way run_process caps one.
class Log {
 public:
  explicit Log(std::size_t cap) : cap_(cap) {}
  void add(const std::vector<std::string>& argv, const core::ProcessResult& process) {
    text_ += fmt::format("$ {}\n{}", core::shell_quote(argv), process.out);
    if (!text_.ends_with('\n')) text_ += '\n';
    bytes_ += process.out_bytes;
    capped_ |= process.out_bytes > cap_;
  }
  void say(std::string_view line) { text_ += fmt::format("[{}]\n", line); }
  void put_into(model::Evidence& evidence) {
    if (text_.size() > cap_ + cap_ / 8) {
      const std::size_t half = cap_ / 2, lost = text_.size() - 2 * half;
      text_ = text_.substr(0, half) + fmt::format("\n[... truncated {} bytes ...]\n", lost) + text_.substr(text_.size() - half);
      capped_ = true;
    }
    evidence.log = std::move(text_);
    evidence.log_bytes = bytes_;
    if (capped_) note(evidence, fmt::format("output of {} bytes was cut to {}", bytes_, cap_));
  }
  static void note(model::Evidence& evidence, std::string_view sentence) {
    if (!evidence.trouble_detail.empty()) evidence.trouble_detail += "; ";
    evidence.trouble_detail += sentence;
  }

 private:
  std::size_t cap_;
  std::string text_;
  std::uint64_t bytes_ = 0;
  bool capped_ = false;
};

using Configuration = std::map<std::string, std::string>;

// lit is a witness as long as nothing that it executes as configuration was changed under it.
bool unchanged(const Result<Configuration>& before, const Result<Configuration>& after) {
  if (!before.ok() || !after.ok()) return false;
  return std::all_of(before->begin(), before->end(), [&](const auto& file) {
    const auto now = after->find(file.first);
    return now != after->end() && now->second == file.second;
  });
}

class LocalRunner final : public Runner {
 public:
  LocalRunner(const LocalOptions& options, Sandbox sandbox, const core::Clock& clock)
      : options_(options), sandbox_(std::move(sandbox)), clock_(clock) {}

  Result<model::Evidence> run(const model::RunRequest& request, const std::atomic<bool>* cancel) override;

  Result<std::string> environment_digest(const model::EnvironmentConfig& environment) override {
    const Backend backend = sandbox_.backend();
    return digests_.digest(environment, backend == Backend::bubblewrap ? "A" : backend == Backend::landlock ? "B" : "none");
  }

 private:
  Command command_for(const model::RunRequest& request) const;
  // False: later steps make no sense.
  bool run_step(const std::vector<std::string>& step, Command command, model::Evidence& evidence, Log& log, std::vector<Piped>& piped) const;
  static void doubt(model::Evidence& evidence, std::string_view trouble, std::string_view detail);
  void conclude_tests(const model::RunRequest& request, std::int64_t started_ns, const std::vector<Piped>& piped, model::Evidence& evidence) const;
  void conclude_build(const model::RunRequest& request, model::Evidence& evidence) const;

  LocalOptions options_;
  Sandbox sandbox_;
  const core::Clock& clock_;
  EnvironmentDigests digests_;
};

Command LocalRunner::command_for(const model::RunRequest& request) const {
  Command command;
  command.mounts = {.root = request.environment.root,
                    .source_dir = core::absolute_path(request.source_dir),
                    .build_dir = core::absolute_path(request.build_dir),
                    .suites_dir = request.suites_dir.empty() ? "" : core::absolute_path(request.suites_dir)};
  command.variables = request.environment.variables;
  command.memory_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, request.suite.memory_mib)) << 20;
  command.pids = request.suite.pids > 0 ? request.suite.pids : 512;
  command.disk.bytes = static_cast<std::uint64_t>(request.suite.disk_mib > 0 ? request.suite.disk_mib : 8192) << 20;
  command.output_cap = options_.log_cap;
  return command;
}

// Less than this free and a failing step says nothing about the tree. The suite's own quota is `disk_limit`.
bool is_full(const std::string& directory) {
  constexpr unsigned long long least_free = 8ull << 20;
  struct statvfs info {};
  return ::statvfs(directory.c_str(), &info) == 0 && info.f_bavail * info.f_frsize < least_free;
}

// The first reason stays: what follows it is mostly its consequence.
void LocalRunner::doubt(model::Evidence& evidence, std::string_view trouble, std::string_view detail) {
  if (!evidence.trouble.empty()) return;
  evidence.trouble = trouble;
  Log::note(evidence, detail);
}

bool LocalRunner::run_step(const std::vector<std::string>& step, Command command, model::Evidence& evidence, Log& log,
                           std::vector<Piped>& piped) const {
  command.argv = step;
  std::optional<LitCommand> lit;
  const bool contained = sandbox_.backend() != Backend::none;
  if (evidence.kind == "lit" && contained && (lit = wrap_lit(step, sandbox_.signals_are_scoped(), sandbox_.backend() == Backend::landlock))) {
    command.argv = lit->argv;
    command.results_pipe = true;
  }
  const Result<Configuration> before = lit ? lit_configuration(command.mounts.build_dir) : Configuration();
  const auto ran = sandbox_.run(command);
  if (!ran.ok()) {
    doubt(evidence, "sandbox_unavailable", ran.error().message);
    return false;
  }
  const auto& process = ran->process;
  log.add(step, process);
  if (evidence.exit_code <= 0) evidence.exit_code = process.exit_code;
  if (!ran->limits_hit.empty()) Log::note(evidence, ran->limits_hit);
  if (lit) {
    const bool same = unchanged(before, lit_configuration(command.mounts.build_dir));
    // In a namespace a test can only end its harness; without one, of the same user, it may do more.
    const bool guarded = sandbox_.backend() == Backend::bubblewrap || sandbox_.signals_are_scoped();
    piped.push_back({ran->results, ran->results_too_large, same && guarded});
    if (!guarded) Log::note(evidence, fmt::format("lit could be reached by signals of its tests: Landlock of version {} does not scope them", sandbox_.landlock_abi()));
    if (!same) Log::note(evidence, "lit's configuration in /build changed while the tests ran");
    else if (lit->configured_in_build) Log::note(evidence, "lit read its configuration from /build, which the candidate's build wrote");
  }
  if (!ran->setup_error.empty()) doubt(evidence, "sandbox_unavailable", ran->setup_error);
  else if (!ran->not_found.empty()) doubt(evidence, "command_not_found", fmt::format("no command '{}' in the sandbox (PATH=/usr/bin:/bin)", core::printable(ran->not_found)));
  else if (!ran->disk_trouble.empty()) doubt(evidence, "disk_limit", ran->disk_trouble);
  else if (process.cancelled) doubt(evidence, "cancelled", "the run was cancelled");
  else if (process.timed_out) doubt(evidence, "timeout", fmt::format("the time limit of the suite was reached in `{}`", core::printable(core::shell_quote(step))));
  else if (process.exit_code != 0 && is_full(command.mounts.build_dir)) doubt(evidence, "disk_full", "the file system of the build directory is full: free space on this machine");
  else if (!ran->lost.empty()) doubt(evidence, "runner_lost", ran->lost);
  if (ran->survivors) doubt(evidence, "runner_lost", "a process of the run outlived SIGKILL for 10 seconds");
  if (!evidence.trouble.empty()) return false;
  return evidence.kind != "build" || process.exit_code == 0;
}

void LocalRunner::conclude_tests(const model::RunRequest& request, std::int64_t started_ns, const std::vector<Piped>& piped,
                                 model::Evidence& evidence) const {
  if (!evidence.trouble.empty()) return;  // a list that a killed harness wrote is partial at best
  const auto pattern = results_pattern(request.suite.results);
  if (!pattern.ok()) return doubt(evidence, "results_missing", pattern.error().message);
  auto collected = !piped.empty() ? parse_piped(piped, evidence.kind)
                                  : collect_results(request.build_dir, *pattern, evidence.kind, started_ns);
  if (!collected.trouble.empty()) doubt(evidence, collected.trouble, collected.detail);
  evidence.tests = std::move(collected.tests);
  if (!piped.empty() && std::all_of(piped.begin(), piped.end(), [](const Piped& step) { return step.observed; })) evidence.grade = "observed";
}

void LocalRunner::conclude_build(const model::RunRequest& request, model::Evidence& evidence) const {
  evidence.warnings = count_warnings(evidence.log);
  // Twice the quota: programs have some holes, and a quota's worth of files that are nothing else must not keep us.
  auto digest = digest_artefacts(request.build_dir, 2 * command_for(request).disk.bytes);
  if (digest.ok()) evidence.artefact_digest = std::move(*digest);
  else doubt(evidence, "results_unreadable", digest.error().message);
}

Result<model::Evidence> LocalRunner::run(const model::RunRequest& request, const std::atomic<bool>* cancel) {
  TRY(check(request));
  const auto& suite = request.suite;
  TRY(own_build_directory(sandbox_.identity(), request.build_dir));
  TRY(open_for_reading(sandbox_.identity(), request.source_dir));
  if (!request.suites_dir.empty()) TRY(open_for_reading(sandbox_.identity(), request.suites_dir));

  model::Evidence evidence;
  evidence.suite = suite.id, evidence.kind = suite.kind, evidence.tier = suite.tier;
  evidence.tree = request.tree, evidence.nonce = request.nonce;
  TRY_ASSIGN(evidence.environment, environment_digest(request.environment));
  evidence.runner = "local";
  evidence.sandbox = sandbox_.describe_backend();
  evidence.limits = sandbox_.limits();
  // The candidate's own scripts and programs decide what is reported; conclude_tests knows the exception.
  evidence.grade = "self-reported";
  evidence.started_at = clock_.now();

  const std::int64_t start_ms = core::steady_ms(), limit_ms = time_limit_s(suite) * 1000;
  TRY_ASSIGN(const std::int64_t started_ns, file_time_now(request.build_dir));
  if (suite.kind != "build") {
    TRY_ASSIGN(const std::string pattern, results_pattern(suite.results));
    if (const auto removed = remove_old_results(request.build_dir, pattern); !removed.ok())
      doubt(evidence, "results_stale", removed.error().message);
  }
  const std::int64_t jobs = options_.jobs > 0 ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
  Command command = command_for(request);
  command.cancel = cancel;
  Log log(options_.log_cap);
  if (sandbox_.backend() != Backend::bubblewrap)
    log.say(fmt::format("nothing is mounted: /src is {}, /build is {}, /suites is {}", command.mounts.source_dir, command.mounts.build_dir,
                        command.mounts.suites_dir.empty() ? "absent" : command.mounts.suites_dir));
  std::vector<Piped> piped;
  for (auto step : suite.steps) {
    if (!evidence.trouble.empty()) break;
    for (auto& word : step) replace_jobs(word, std::to_string(jobs));
    command.timeout_ms = limit_ms - (core::steady_ms() - start_ms);
    if (command.timeout_ms <= 0) {
      doubt(evidence, "timeout", fmt::format("the time limit of {} s was used up before `{}`", limit_ms / 1000, core::printable(core::shell_quote(step))));
      break;
    }
    if (!run_step(step, command, evidence, log, piped)) break;
  }
  log.put_into(evidence);
  if (suite.kind == "build") conclude_build(request, evidence);
  else conclude_tests(request, started_ns, piped, evidence);
  evidence.wall_ms = core::steady_ms() - start_ms;
  return evidence;
}

}  // namespace

Result<std::unique_ptr<Runner>> make_local_runner(const LocalOptions& options, const core::Clock& clock) {
  const auto identity = find_identity();
  SandboxProbe probe;
  if (options.force == Backend::none) probe.problems.emplace_back("no sandbox was asked for");
  else probe = probe_sandbox(options.force);
  if (probe.usable && identity.ok()) {
    const Backend backend = probe.backend == "A" ? Backend::bubblewrap : Backend::landlock;
    const Sandbox sandbox = options.landlock_abi ? Sandbox(backend, *identity, *options.landlock_abi) : Sandbox(backend, *identity);
    return std::unique_ptr<Runner>(std::make_unique<LocalRunner>(options, sandbox, clock));
  }
  if (!options.allow_unsandboxed || options.force.value_or(Backend::none) != Backend::none)
    return make_error(ErrorKind::denied, fmt::format("untrusted code cannot be contained on this machine: {}. To run it all the same set "
                                                     "allow_unsandboxed = true in [[runner]]; every record will say so",
                                                     core::join(probe.problems, "; ")));
  // Without containment a dedicated user is still better than ours.
  const Identity weak = identity.ok() ? *identity : Identity{false, geteuid(), getegid()};
  return std::unique_ptr<Runner>(std::make_unique<LocalRunner>(options, Sandbox(Backend::none, weak), clock));
}

}  // namespace sluice::runners
