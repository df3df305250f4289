// SPDX-License-Identifier: Apache-2.0
#include "service/validating.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/file.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/model/judge_context.h"
#include "core/process.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/held_secrets.h"
#include "service/pause.h"
#include "service/selecting.h"

namespace sluice::service {

namespace {

const model::EnvironmentConfig* find_environment(const model::Config& config, const std::string& name) {
  for (const auto& environment : config.environments) {
    if (environment.name == name) return &environment;
  }
  return nullptr;
}

// The build suite in whose directory `suite` runs; empty = a directory of its own.
std::string build_of(const model::PolicyConfig& policy, const model::SuiteConfig& suite) {
  if (suite.kind == "build") return suite.id;
  if (!suite.needs.empty()) return suite.needs;
  std::string only;
  for (const auto& other : policy.suites) {
    if (other.kind != "build") continue;
    if (!only.empty()) return "";
    only = other.id;
  }
  return only;
}

constexpr std::string_view run_prefix = "sluice-run-";

// Where runs are unpacked: below the store, unless the store lies in a directory that only its owner may
// enter (/root, a private home): the build's own uid could not reach it there.
std::string work_dir(const std::string& store) {
  for (std::string dir = store; dir.size() > 1; dir.resize(dir.rfind('/'))) {
    struct stat info {};
    if (::stat(dir.c_str(), &info) == 0 && (info.st_mode & S_IXOTH) == 0) return "/var/tmp";
  }
  return core::join_path(store, "work");
}

void add_to_key(core::Sha256& sha, const model::SuiteConfig& suite, const std::string& environment_digest) {
  sha.add(environment_digest + "\n" + suite.kind + "\n" + suite.results + "\n" + suite.needs + "\n");
  for (const auto& step : suite.steps) sha.add(core::shell_quote(step) + "\n");
  sha.add(fmt::format("{} {} {} {}", suite.timeout_s, suite.memory_mib, suite.pids, suite.disk_mib));
}

bool is_red(const model::Evidence& evidence) { return !what_is_red(evidence).empty(); }

// What G04 would refuse is run again: a result that is too old, or from a time that has not come yet.
bool is_fresh(const model::Evidence& evidence, std::int64_t now) {
  const std::int64_t age = now - evidence.started_at;
  return age >= 0 && age < model::JudgeContext{}.max_evidence_age_s - 3600;
}

bool fails(const model::TestRecord& test) {
  const model::Outcome outcome = model::outcome_of(test.state);
  return outcome != model::Outcome::pass && outcome != model::Outcome::unsupported;
}

bool was_run(const model::TestRecord& test) {
  using State = model::TestState;
  return test.state != State::skip && test.state != State::unsupported && test.state != State::notrun && test.state != State::missing;
}

}  // namespace

void remove_left_over_runs(const std::string& store_path) { core::remove_left_over(work_dir(store_path), run_prefix); }

bool is_outside_trouble(const model::Evidence& evidence) {
  return evidence.trouble == "sandbox_unavailable" || evidence.trouble == "runner_lost" ||
         evidence.trouble == "cancelled" || evidence.trouble == "disk_full";
}

std::string what_is_red(const model::Evidence& evidence) {
  if (!evidence.trouble.empty()) return evidence.trouble + " " + evidence.trouble_detail;
  if (evidence.exit_code != 0) return fmt::format("exit status {}", evidence.exit_code);
  if (evidence.kind == "build") return "";
  const auto failed = std::find_if(evidence.tests.begin(), evidence.tests.end(), fails);
  if (failed != evidence.tests.end()) {
    return fmt::format("{} of {} tests do not pass, though the exit status is 0; first: {}",
                       std::count_if(evidence.tests.begin(), evidence.tests.end(), fails), evidence.tests.size(),
                       core::printable(failed->id, 120));
  }
  if (std::none_of(evidence.tests.begin(), evidence.tests.end(), was_run)) return fmt::format("none of {} tests was run", evidence.tests.size());
  return "";
}

Result<Validator> Validator::open(App& app) {
  Validator validator(app);
  runners::LocalOptions options;
  options.allow_unsandboxed = app.config.allow_unsandboxed;
  options.jobs = app.config.jobs;
  validator.held_ = held_secrets(app.config);
  TRY_ASSIGN(validator.runner_, runners::make_local_runner(options, app.clock));
  for (const auto& environment : app.config.environments) {
    TRY_ASSIGN(validator.digests_[environment.name], validator.runner_->environment_digest(environment));
  }
  return validator;
}

std::set<std::string> required_suites(const model::PolicyConfig& policy, model::UnitKind kind) {
  std::set<std::string> out;
  const std::string lane(model::suite_lane(kind));
  for (const auto& suite : policy.suites) {
    if (suite.tier == "L1" && std::find(suite.required_for.begin(), suite.required_for.end(), lane) != suite.required_for.end()) {
      out.insert(suite.id);
    }
  }
  return out;
}

std::set<std::string> Validator::required(model::UnitKind kind) const { return required_suites(app_->config.policy, kind); }

// Results are reusable for the same tree, environment *and* suite: a changed command is another suite, of
// the build that it runs in too, and so is a tree that is exported without some of its files.
std::string Validator::key_of(const model::SuiteConfig& suite) {
  const model::PolicyConfig& policy = app_->config.policy;
  core::Sha256 sha;
  add_to_key(sha, suite, digests_[suite.environment]);
  const std::string build = build_of(policy, suite);
  for (const model::SuiteConfig& other : policy.suites) {
    if (suite.kind != "build" && other.kind == "build" && other.id == build) {
      sha.add("\nbuild\n");
      add_to_key(sha, other, digests_[other.environment]);
    }
  }
  for (const model::PathConfig& path : policy.paths) {
    if (path.missing == model::MissingSay::drop) sha.add("\nwithout " + path.glob);
  }
  return sha.hex();
}

Result<std::vector<model::Evidence>> Validator::run(const Oid& tree, const std::set<std::string>& suites,
                                                    const std::string& label, bool again_when_red) {
  const model::PolicyConfig& policy = app_->config.policy;
  std::map<std::string, model::Evidence> have;
  std::map<std::string, Runs> todo;
  for (const model::SuiteConfig& suite : policy.suites) {
    if (!suites.contains(suite.id)) continue;
    TRY_ASSIGN(auto stored, app_->store.evidence(tree, suite.id, key_of(suite)));
    if (stored && is_fresh(*stored, app_->clock.now()) && (!again_when_red || !is_red(*stored) || ran_.contains({tree, suite.id}))) {
      have.emplace(suite.id, std::move(*stored));
    } else {
      todo.emplace(suite.id, Runs(1));
    }
  }
  const auto keep = [&](const model::SuiteConfig& suite, model::Evidence evidence) -> Result<void> {
    ran_.emplace(tree, suite.id);
    TRY(app_->store.put_evidence(key_of(suite), evidence));
    have.insert_or_assign(suite.id, std::move(evidence));
    return {};
  };
  TRY(execute(tree, todo, label, keep));
  std::vector<model::Evidence> out;
  for (const model::SuiteConfig& suite : policy.suites) {
    if (const auto found = have.find(suite.id); found != have.end()) out.push_back(found->second);
  }
  return out;
}

Result<std::vector<model::Evidence>> Validator::repeat(const Oid& tree, const std::string& suite_id, const std::vector<std::vector<std::string>>& tests,
                                                       const std::string& label) {
  const auto& suites = app_->config.policy.suites;
  const auto suite = std::find_if(suites.begin(), suites.end(), [&](const auto& s) { return s.id == suite_id; });
  if (suite == suites.end()) return make_error(ErrorKind::invalid, fmt::format("suite {} is not declared: it cannot be repeated", suite_id));
  // Not under the suite's own key: a repetition that passes must not stand for the result.
  const std::string key = key_of(*suite) + " again";
  TRY_ASSIGN(const auto stored, app_->store.all_evidence(tree, suite_id, key));
  std::vector<model::Evidence> out;
  std::map<std::string, Runs> todo;
  for (const std::vector<std::string>& group : tests) {
    const std::vector<std::string> selected = select_tests(*suite, group) ? group : std::vector<std::string>{};
    const auto same = std::find_if(stored.begin(), stored.end(), [&](const auto& e) { return e.selected == selected && is_fresh(e, app_->clock.now()); });
    Runs& runs = todo[suite_id];
    if (same != stored.end()) {
      out.push_back(*same);
    } else if (std::find(runs.begin(), runs.end(), selected) == runs.end()) {
      runs.push_back(selected);
    }
  }
  if (todo[suite_id].empty()) return out;
  const auto keep = [&](const model::SuiteConfig&, model::Evidence evidence) -> Result<void> {
    TRY(app_->store.put_evidence(key, evidence));
    out.push_back(std::move(evidence));
    return {};
  };
  TRY(execute(tree, todo, label, keep));
  return out;
}

// Errors: what says nothing about the tree.
Result<model::Evidence> Validator::execute_one(const model::RunRequest& request) {
  const model::SuiteConfig& suite = request.suite;
  TRY_ASSIGN(model::Evidence evidence, runner_->run(request, app_->cancel));
  ++runs_;
  if (is_outside_trouble(evidence)) {
    return make_error(ErrorKind::transient, fmt::format("suite {} was cut short: {} ({})", suite.id, evidence.trouble, evidence.trouble_detail));
  }
  if (evidence.nonce != request.nonce || evidence.tree != request.tree) {
    return make_error(ErrorKind::internal, fmt::format("runner answered suite {} for another run", suite.id));
  }
  if (evidence.environment != digests_[suite.environment]) {
    // Packages were installed or removed meanwhile: that is nobody's commit.
    return make_error(ErrorKind::transient,
                      fmt::format("environment {} changed while suite {} was due (from {} to {}); the next run starts on the new one",
                                  suite.environment, suite.id, digests_[suite.environment].substr(0, 12), evidence.environment.substr(0, 12)));
  }
  // What a test printed is stored, and shown to people.
  evidence.log = guardrails::without_secrets(evidence.log, held_);
  for (model::TestRecord& test : evidence.tests) test.detail = guardrails::without_secrets(test.detail, held_);
  return evidence;
}

Result<void> Validator::execute(const Oid& tree, const std::map<std::string, Runs>& todo, const std::string& label,
                                const std::function<Result<void>(const model::SuiteConfig&, model::Evidence)>& keep) {
  if (todo.empty()) return {};
  const model::PolicyConfig& policy = app_->config.policy;
  // A suite needs its build's directory, so that build runs again with it; its stored result stays.
  std::set<std::string> builds;
  for (const model::SuiteConfig& suite : policy.suites) {
    if (todo.contains(suite.id)) builds.insert(build_of(policy, suite));
  }
  const std::string work = work_dir(app_->config.store_path);
  TRY(core::make_directories(work));
  TRY_ASSIGN(const core::TempDir dir, core::TempDir::create_in(work, fmt::format("{}{}-", run_prefix, ::getpid())));
  const std::string source = core::join_path(dir.path(), "src");
  TRY(core::make_directories(source));
  TRY_ASSIGN(const auto skipped, app_->repo.export_tree(tree, source, policy.paths));
  for (const auto& path : skipped) core::log_debug(fmt::format("export of {}: {} is absent ({})", tree, path.path, path.policy));

  // Build suites in configured order, each followed by the suites that live in its directory.
  const auto runs_of = [&](const model::SuiteConfig& suite) {
    const auto found = todo.find(suite.id);
    return found == todo.end() ? Runs(suite.kind == "build" ? 1 : 0) : found->second;
  };
  const auto runs_in = [&](const model::SuiteConfig& suite, const std::string& build) { return build_of(policy, suite) == build && !runs_of(suite).empty(); };
  std::int64_t at = 0, planned = 0;
  for (const std::string& build : builds) {
    for (const model::SuiteConfig& suite : policy.suites) {
      if (runs_in(suite, build)) planned += static_cast<std::int64_t>(runs_of(suite).size());
    }
  }
  for (const std::string& build : builds) {
    const std::string build_dir = core::join_path(dir.path(), build.empty() ? "build" : "build-" + build);
    TRY(core::make_directories(build_dir));
    bool build_red = false;
    for (const bool building : {true, false}) {
      for (const model::SuiteConfig& suite : policy.suites) {
        if ((suite.kind == "build") != building || !runs_in(suite, build)) continue;
        if (!building && build_red) continue;
        const model::EnvironmentConfig* environment = find_environment(app_->config, suite.environment);
        if (environment == nullptr) {
          return make_error(ErrorKind::invalid, fmt::format("suite {} names environment {}, which is not configured", suite.id, suite.environment));
        }
        for (const std::vector<std::string>& selected : runs_of(suite)) {
          // Between two suites an operator may stop; what has run is stored.
          TRY_ASSIGN(const std::string stop, halted(*app_));
          if (!stop.empty()) return make_error(ErrorKind::transient, stop);
          app_->progress(fmt::format("{}: {}", label, suite.id), ++at, planned);
          // A suite that is over before its runner looks would let a run that was ended go on to land.
          if (app_->cancelled()) return make_error(ErrorKind::transient, "cancelled");
          model::RunRequest request;
          request.suite = selected.empty() ? suite : select_tests(suite, selected).value_or(suite);
          request.environment = *environment;
          request.tree = tree;
          request.source_dir = source;
          request.build_dir = build_dir;
          request.nonce = core::sha256_hex(fmt::format("{} {} {} {} {}", tree, suite.id, app_->clock.now(), dir.path(), at)).substr(0, 16);
          TRY_ASSIGN(model::Evidence evidence, execute_one(request));
          evidence.selected = selected;
          if (building) build_red = is_red(evidence);
          if (todo.contains(suite.id)) TRY(keep(suite, std::move(evidence)));
        }
      }
    }
  }
  return {};
}

}  // namespace sluice::service
