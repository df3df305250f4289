// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "config/config.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "service/calibrate/kept.h"
#include "service/calibrate/rows.h"
#include "service/calibrate/run.h"
#include "service/remotes.h"

namespace sluice::service {

namespace {

using calibrate::Kept;
using calibrate::Row;
using calibrate::RowResult;
using calibrate::Rows;
using calibrate::Sample;

// The layout of kept results.
constexpr int kept_version = 1;

// What is looked at: with a store, or two repositories.
struct Place {
  model::Config config;
  std::unique_ptr<App> app;          // null without a store
  std::unique_ptr<git::Repo> scratch;  // sees both histories
  ingest::HistoryOptions history;
  std::string source, text, keep_in;
};

Result<std::string> text_of(const std::string& path) {
  if (path.empty()) return std::string();
  return core::read_file(path);
}

Result<Oid> named(const git::Reader& reader, const std::string& name, const std::string& what) {
  auto oid = reader.resolve(name);
  if (!oid.ok()) return make_error(oid.error().kind, fmt::format("{} {}: {}", what, core::printable(name), oid.error().message));
  return oid;
}

Result<void> open_store(const CalibrateOptions& options, Place& place) {
  for (const auto& [given, flag] : {std::pair{!options.branches.empty(), "--branch"}, {!options.upstream_tip.empty(), "--upstream-tip"}}) {
    if (given) return make_error(ErrorKind::invalid, fmt::format("{} goes with --fork-repo; with a configuration alone the fork's trunk and upstream's tip are those of the store", flag));
  }
  TRY_ASSIGN(App app, open_app(options.config, Access::read));
  place.app = std::make_unique<App>(std::move(app));
  place.config = place.app->config;
  TRY_ASSIGN(const Remotes remotes, known_remotes(*place.app));
  TRY_ASSIGN(git::Repo scratch, place.app->repo.scratch());
  place.scratch = std::make_unique<git::Repo>(std::move(scratch));
  place.history.lines = {{place.config.fork.branch, remotes.fork_tip, Oid{}}};
  place.history.upstream_tip = remotes.upstream_tip;
  place.source = fmt::format("{} at {} of the store, as last fetched", place.config.fork.branch, remotes.fork_tip.substr(0, 12));
  place.keep_in = options.out_dir.empty() ? place.config.store_path : options.out_dir;
  return {};
}

Result<void> open_repositories(const CalibrateOptions& options, Place& place) {
  if (!options.config.empty()) {
    TRY_ASSIGN(place.config, config::load(options.config));
  }
  const std::string upstream_repo = options.upstream_repo.empty() ? options.fork_repo : options.upstream_repo;
  TRY_ASSIGN(const git::Reader fork, git::Reader::open(options.fork_repo));
  TRY_ASSIGN(const git::Reader upstream, git::Reader::open(upstream_repo));
  const bool one = fork.git_dir() == upstream.git_dir();
  std::vector<std::string> stores{options.fork_repo};
  if (!one) stores.insert(stores.begin(), upstream_repo);
  TRY_ASSIGN(git::Repo scratch, git::Repo::scratch_over(stores));
  place.scratch = std::make_unique<git::Repo>(std::move(scratch));
  place.keep_in = options.out_dir;
  place.source = core::printable(options.fork_repo);
  if (!options.rows.empty()) return {};
  if (one && options.upstream_tip.empty()) return make_error(ErrorKind::invalid, "--upstream-tip is needed where fork and upstream are in one repository");
  TRY_ASSIGN(place.history.upstream_tip, named(upstream, options.upstream_tip.empty() ? "HEAD" : options.upstream_tip, "--upstream-tip"));
  const std::vector<std::string> branches = options.branches.empty() ? std::vector<std::string>{"HEAD"} : options.branches;
  for (const std::string& branch : branches) {
    TRY_ASSIGN(const Oid tip, named(fork, branch, "--branch"));
    place.history.lines.push_back({branch, tip, Oid{}});
  }
  place.source = fmt::format("{} of {}", core::join(branches, ", "), place.source);
  return {};
}

Result<Place> open_place(const CalibrateOptions& options) {
  Place place;
  TRY_ASSIGN(place.text, text_of(options.config));
  if (options.fork_repo.empty() && options.config.empty()) {
    return make_error(ErrorKind::invalid, "nothing to look at: give --config, or --fork-repo and --upstream-repo");
  }
  if (options.fork_repo.empty() && !options.upstream_repo.empty()) return make_error(ErrorKind::invalid, "--upstream-repo needs --fork-repo");
  const auto opened = options.fork_repo.empty() ? open_store(options, place) : open_repositories(options, place);
  if (!opened.ok()) return opened.error();
  const model::PolicyConfig& policy = place.config.policy;
  if (!policy.ref.empty() && policy.blob.empty()) {
    return make_error(ErrorKind::transient, fmt::format("the policy stands in {}:{} of the fork, and is not at hand; run `sluice plan`, then calibrate with the configuration alone",
                                                        policy.ref, policy.path));
  }
  if (auto checked = guardrails::check_policy(policy); !checked.ok()) {
    return make_error(checked.error().kind, fmt::format("{}: {}", place.config.file, checked.error().message));
  }
  for (const std::string& glob : options.drop_missing) {
    model::PathConfig path;
    path.glob = glob;
    path.missing = model::MissingSay::drop;
    place.config.policy.paths.insert(place.config.policy.paths.begin(), path);
  }
  place.history.trailers = place.config.trailer_patterns;
  place.history.since = options.since;
  place.history.limit = options.limit;
  if (!options.rows.empty()) place.source = fmt::format("the rows of {}", core::printable(options.rows));
  return place;
}

// Every rule is asked, whatever its mode: one that only observes is what calibration is about.
model::PolicyConfig measured_policy(const model::PolicyConfig& policy) {
  model::PolicyConfig out = policy;
  for (const guardrails::RuleInfo& rule : guardrails::catalogue()) {
    model::RuleConfig& config = out.rules[rule.id];
    if (config.mode != model::RuleMode::off) config.mode = model::RuleMode::enforce;
    config.calibrated = 0;
  }
  return out;
}

// Whatever a result depends on besides its commits.
std::string context_of(const model::PolicyConfig& measured, const guardrails::RuleFilter& filter) {
  core::Sha256 sha;
  sha.add(fmt::format("{} {} {} {}", kept_version, guardrails::measure_version, git::pick_recipe_version(), config::policy_sha256(measured)));
  for (const guardrails::RuleInfo& rule : guardrails::catalogue()) sha.add(fmt::format(" {}:{}", rule.id, rule.version));
  for (const std::string& rule : filter.rules) sha.add(" only " + rule);
  return sha.hex().substr(0, 16);
}

Result<guardrails::RuleFilter> filter_of(const CalibrateOptions& options) {
  const auto known = guardrails::catalogue();
  for (const std::string& rule : options.rules) {
    if (std::none_of(known.begin(), known.end(), [&](const guardrails::RuleInfo& info) { return info.id == rule; })) {
      return make_error(ErrorKind::invalid, fmt::format("--rules {}: there is no such rule; `sluice gate --rules` lists them", core::printable(rule)));
    }
  }
  guardrails::RuleFilter out{options.rules, {}};
  std::sort(out.rules.begin(), out.rules.end());
  return out;
}

std::vector<Sample> count(const std::vector<Row>& rows, std::vector<RowResult> results, CalibrateReport& report) {
  std::vector<Sample> samples;
  for (const Row& row : rows) ++(row.upstream.size() > 1 ? report.bundles : report.singles);
  for (RowResult& result : results) {
    for (const calibrate::Skipped& skipped : result.skipped) report.left_out[skipped.why] += skipped.members;
    for (Sample& sample : result.samples) {
      // The object differs from pick to pick, the reason does not.
      if (sample.kind == calibrate::Kind::unresolved) ++report.unresolved[sample.why.substr(0, sample.why.find(':'))];
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

Result<void> propose(const Place& place, const guardrails::RuleFilter& filter, const std::vector<Sample>& samples, CalibrateReport& report) {
  const model::PolicyConfig& policy = place.config.policy;
  report.population = calibrate::population_of(samples);
  report.figures = calibrate::figures_of(samples);
  report.rules = calibrate::rules_of(samples);
  report.numbers = calibrate::propose_numbers(samples, policy, filter, report.limits);
  report.modes = calibrate::propose_modes(report.rules, policy, filter, report.limits);
  report.edits = calibrate::edits_of(report.numbers, report.modes, policy);
  if (!policy.ref.empty()) {
    report.elsewhere = fmt::format("the policy stands in {}:{} of the fork: these sections go there", policy.ref, policy.path);
  } else if (place.config.file.empty()) {
    report.elsewhere = "there is no configuration to change: these sections go into one";
  }
  if (!report.elsewhere.empty()) return {};
  report.file = place.config.file;
  report.text_before = place.text;
  auto edited = config::edit_sections(place.text, report.edits);
  if (edited.ok()) {
    report.edited = std::move(*edited);
  } else {
    report.elsewhere = fmt::format("{}: {}", report.file, edited.error().message);
    report.file.clear();
  }
  return {};
}

}  // namespace

Result<CalibrateReport> calibrate_rules(const CalibrateOptions& options) {
  TRY_ASSIGN(const guardrails::RuleFilter filter, filter_of(options));
  TRY_ASSIGN(const Place place, open_place(options));
  const model::PolicyConfig measured = measured_policy(place.config.policy);
  TRY_ASSIGN(Kept kept, Kept::open(place.keep_in, context_of(measured, filter)));
  Result<Rows> found = options.rows.empty() ? calibrate::rows_of_history(place.scratch->reader(), place.history, options.progress, options.cancel)
                                            : calibrate::rows_of_table(options.rows, options.since, options.limit);
  if (!found.ok()) return found.error();
  CalibrateReport report;
  report.source = place.source;
  report.limits = options.limits;
  report.scanned = found->scanned;
  report.left_out = std::move(found->left_out);
  TRY_ASSIGN(calibrate::RunOutcome outcome,
             calibrate::judge_rows(*place.scratch, found->rows, measured, filter, kept, {options.jobs, options.cancel, options.progress}));
  report.kept = outcome.kept;
  const std::vector<Sample> samples = count(found->rows, std::move(outcome.results), report);
  TRY(propose(place, filter, samples, report));
  return report;
}

}  // namespace sluice::service
