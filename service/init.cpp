// SPDX-License-Identifier: Apache-2.0
#include "service/init.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "config/config.h"
#include "core/file.h"
#include "core/glob.h"
#include "core/text.h"
#include "ingest/ingest.h"
#include "service/unit_text.h"

namespace sluice::service {

namespace {

constexpr std::size_t max_listed = 40;  // entries of one kind: a configuration is for people

bool is_ci_path(const std::string& path) {
  return path.starts_with(".github/") || path.starts_with(".gitlab-ci") || path.starts_with(".circleci/") ||
         path.starts_with(".azure-pipelines") || path.starts_with(".buildkite/") || path == ".travis.yml" || path == "appveyor.yml";
}

// Names under which projects pin a toolchain or dependency.
bool is_pin_path(const std::string& path) {
  static constexpr const char* patterns[] = {"cmake/llvm-hash.txt", "cmake/llvm-info.json", "cmake/*-version.txt", "**/*-hash.txt",
                                             "**/*-pin.txt", "**/*-pin*.txt", "*.lock", "package-lock.json", ".gitmodules"};
  return std::any_of(std::begin(patterns), std::end(patterns), [&](const char* glob) { return core::glob_match(glob, path); });
}

// Upstream's files that the fork removed: whole CI folders as one glob, others one by one.
std::vector<config::FoundPath> deleted_paths(const std::vector<git::TreeDelta>& fork_changes, std::vector<std::string>& findings) {
  std::map<std::string, int> folders;
  std::vector<std::string> others;
  for (const git::TreeDelta& delta : fork_changes) {
    if (delta.before.mode == 0 || delta.after.mode != 0) continue;
    if (is_ci_path(delta.path)) {
      const auto slash = delta.path.rfind('/');
      ++folders[slash == std::string::npos ? delta.path : delta.path.substr(0, slash + 1)];
    } else {
      others.push_back(delta.path);
    }
  }
  std::vector<config::FoundPath> out;
  int files = 0;
  for (const auto& [folder, n] : folders) {
    const std::string glob = folder.ends_with("/") ? config::literal_glob(folder) + "**" : config::literal_glob(folder);
    out.push_back({glob, fmt::format("CI that the fork removed ({} file{})", n, n == 1 ? "" : "s")});
    files += n;
  }
  if (files > 0) findings.push_back(fmt::format("the fork removed {} of upstream: upstream's changes there are won't-port (class = \"deleted\")", counted(static_cast<std::size_t>(files), "CI file")));
  if (!others.empty()) {
    findings.push_back(fmt::format("the fork removed {} other files, e.g. {}: upstream's changes to them go to a chain until a [[path]] entry says otherwise",
                                   others.size(), core::printable(others.front(), 80)));
  }
  return out;
}

Result<std::vector<config::FoundPath>> missing_paths(const git::Reader& reader, const std::vector<Oid>& trees, std::vector<std::string>& findings) {
  std::set<std::string> seen;
  for (const Oid& tree : trees) {
    TRY_ASSIGN(const auto paths, reader.missing_paths(tree));
    seen.insert(paths.begin(), paths.end());
  }
  std::vector<config::FoundPath> out;
  for (const std::string& path : seen) out.push_back({config::literal_glob(path), "its content is absent from the object store"});
  if (!seen.empty()) {
    findings.push_back(fmt::format("{} file{} absent from the object stores, e.g. {}: left out of picks (missing = \"drop\")", seen.size(),
                                   seen.size() == 1 ? " is" : "s are", core::printable(*seen.begin(), 80)));
  }
  return out;
}

Result<void> guess_build(const git::Reader& reader, const Oid& tree, config::InitialConfig& found, std::vector<std::string>& findings) {
  TRY_ASSIGN(const auto cmake, reader.file(tree, "CMakeLists.txt"));
  if (!cmake) {
    findings.push_back("no CMakeLists.txt at the root: write the [[suite]] entries by hand before `sluice sync`");
    return {};
  }
  found.build = core::exists("/usr/bin/ninja") ? config::InitialConfig::Build::cmake_ninja : config::InitialConfig::Build::cmake_make;
  found.ctest = cmake->find("enable_testing") != std::string::npos || cmake->find("include(CTest)") != std::string::npos ||
                cmake->find("add_test") != std::string::npos;
  findings.push_back(fmt::format("a CMake project: suite `build`{}", found.ctest ? " and suite `ctest`" : "; no add_test seen, add a test suite by hand"));
  return {};
}

}  // namespace

Result<InitOutcome> init(const InitOptions& options, const Progress& progress, const std::atomic<bool>* cancel) {
  InitOutcome outcome;
  outcome.config_path = core::absolute_path(options.config_path);
  if (core::exists(outcome.config_path) && !options.force) {
    return make_error(ErrorKind::conflict, fmt::format("{} exists already; --force overwrites it", outcome.config_path));
  }
  const std::string dir = outcome.config_path.substr(0, outcome.config_path.rfind('/'));
  config::InitialConfig found;
  found.store_path = options.store_path.empty() ? "sluice-store" : core::absolute_path(options.store_path);
  const std::string store_dir = options.store_path.empty() ? core::join_path(dir, "sluice-store") : found.store_path;
  const auto absolute_url = [](const std::string& url) { return core::exists(url) ? core::absolute_path(url) : url; };
  found.upstream = {absolute_url(options.upstream), options.upstream_branch};
  found.fork = {absolute_url(options.fork), options.fork_branch};

  // A first rendering is parsed before anything is fetched, so that bad URLs are refused by one judge.
  {
    config::InitialConfig probe = found;
    if (probe.upstream.branch.empty()) probe.upstream.branch = "HEAD";
    if (probe.fork.branch.empty()) probe.fork.branch = "HEAD";
    TRY(config::parse(config::render_initial(probe), "the options of init"));
  }
  TRY(core::make_directories(store_dir));
  TRY_ASSIGN(StoreLock lock, StoreLock::take(store_dir));
  TRY_ASSIGN(git::Repo repo, git::Repo::open(core::join_path(store_dir, "repo.git")));
  for (model::RemoteConfig* remote : {&found.upstream, &found.fork}) {
    if (!remote->branch.empty()) continue;
    TRY_ASSIGN(remote->branch, repo.default_branch(remote->url));
    outcome.findings.push_back(fmt::format("{}: default branch {}", remote->url, remote->branch));
  }
  progress("fetching upstream", 0, 0);
  TRY_ASSIGN(const auto upstream, repo.fetch(found.upstream.url, found.upstream.branch, "refs/sluice/upstream", git::FetchLimits{}, cancel));
  progress("fetching the fork", 0, 0);
  TRY_ASSIGN(const auto fork, repo.fetch(found.fork.url, found.fork.branch, "refs/sluice/fork", git::FetchLimits{}, cancel));
  for (const auto* fetched : {&upstream, &fork}) {
    if (!fetched->note.empty()) outcome.findings.push_back(fetched->note);
  }
  found.upstream_repo = config::repo_of_url(found.upstream.url);

  const git::Reader& reader = repo.reader();
  TRY_ASSIGN(const Oid upstream_tree, reader.tree_of(upstream.tip));
  TRY_ASSIGN(const Oid fork_tree, reader.tree_of(fork.tip));
  auto base = reader.merge_base(fork.tip, upstream.tip);
  if (!base.ok()) {
    return make_error(ErrorKind::invalid, fmt::format("{} {} and {} {} have no common history ({}); is one of them the wrong repository or branch?",
                                                      found.upstream.url, found.upstream.branch, found.fork.url, found.fork.branch, base.error().message));
  }
  TRY_ASSIGN(const Oid base_tree, reader.tree_of(*base));
  TRY_ASSIGN(const auto line, reader.first_parents(*base, upstream.tip));
  outcome.findings.push_back(fmt::format("fork base {}; upstream has {} first-parent commits since then", *base, line.size()));

  progress("reading the fork's trailers", 0, 0);
  TRY_ASSIGN(const auto trailers, ingest::find_trailers(repo, *base, fork.tip, upstream.tip));
  for (const ingest::SeenTrailer& trailer : trailers) {
    found.trailers.push_back({trailer.pattern, trailer.example, trailer.count});
    outcome.findings.push_back(fmt::format("the fork names upstream commits as `{}` ({} times)", core::printable(trailer.example, 80), trailer.count));
  }
  if (trailers.empty()) outcome.findings.push_back("no trailer in the fork names an upstream commit: its past picks are recognised by content alone");

  progress("looking for absent objects", 0, 0);
  TRY_ASSIGN(found.missing, missing_paths(reader, {base_tree, fork_tree, upstream_tree}, outcome.findings));
  TRY_ASSIGN(const auto fork_changes, reader.diff_trees(base_tree, fork_tree));
  found.deleted = deleted_paths(fork_changes, outcome.findings);
  TRY(reader.walk(upstream_tree, [&](const std::string& path, const git::TreeEntry&) {
    if (is_pin_path(path) && found.pins.size() < max_listed) found.pins.push_back({config::literal_glob(path), "pins a toolchain or dependency"});
    return true;
  }));
  for (const auto& pin : found.pins) outcome.findings.push_back(fmt::format("{} pins something: its moves go to the pin lane", pin.glob));
  TRY(guess_build(reader, fork_tree, found, outcome.findings));
  outcome.findings.push_back("autonomy is observe: everything is planned and judged, nothing is landed until [landing] autonomy = \"land\"");

  const std::string text = config::render_initial(found);
  TRY(config::parse(text, outcome.config_path));
  TRY(core::write_file(outcome.config_path, text));
  return outcome;
}

}  // namespace sluice::service
