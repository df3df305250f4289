// SPDX-License-Identifier: Apache-2.0
#include "bench/line.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/process.h"
#include "core/result.h"

namespace sluice::bench {

namespace {

std::string env(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

template <class T>
T need(core::Result<T> result, const char* what) {
  if (result.ok()) return std::move(*result);
  std::fprintf(stderr, "bench: %s: %s\n", what, result.error().message.c_str());
  std::exit(1);
}

std::unique_ptr<Line> make_line() {
  auto out = std::make_unique<Line>();
  out->upstream_dir = env("SLUICE_BENCH_UPSTREAM", "");
  out->fork_dir = env("SLUICE_BENCH_FORK", "");
  if (out->upstream_dir.empty() || out->fork_dir.empty()) {
    std::fprintf(stderr, "bench: set SLUICE_BENCH_UPSTREAM and SLUICE_BENCH_FORK to two repositories (bench/line.h)\n");
    return nullptr;
  }
  out->repo = std::make_unique<git::Repo>(need(git::Repo::scratch_over({out->upstream_dir, out->fork_dir}), "open"));
  const git::Reader& reader = out->repo->reader();
  const git::Reader upstream = need(git::Reader::open(out->upstream_dir), "upstream");
  const git::Reader fork = need(git::Reader::open(out->fork_dir), "fork");
  out->upstream_tip = need(upstream.resolve(env("SLUICE_BENCH_UPSTREAM_TIP", "HEAD")), "upstream tip");
  out->fork_tip = need(fork.resolve(env("SLUICE_BENCH_FORK_TIP", "HEAD")), "fork tip");
  const Oid tree = need(reader.tree_of(out->fork_tip), "fork tree");

  // Absent objects leave the tree, so that both contenders can pick at all.
  std::vector<git::TreeUpdate> drops;
  for (const std::string& path : need(reader.missing_paths(tree), "missing paths")) {
    model::PathConfig policy;
    policy.glob = path;
    policy.missing = model::MissingSay::drop;
    out->paths.push_back(policy);
    drops.push_back({path, std::nullopt});
  }
  out->fork_tree = drops.empty() ? tree : need(out->repo->write_tree(tree, drops), "reduced tree");

  const auto all = need(reader.first_parents("", out->upstream_tip), "first-parent line");
  const std::size_t picks = std::stoul(env("SLUICE_BENCH_PICKS", "300")), plan = std::stoul(env("SLUICE_BENCH_PLAN", "2000"));
  for (std::size_t i = all.size() > picks ? all.size() - picks : 0; i < all.size(); ++i) out->picks.push_back(all[i]);
  const std::size_t from = all.size() > plan ? all.size() - plan : 1;
  out->plan_base = all[from - 1];
  out->plan_commits = static_cast<std::int64_t>(all.size() - from);
  return out;
}

std::map<std::string, double>& times() {
  static std::map<std::string, double> all;
  return all;
}

}  // namespace

Line* line() {
  static const std::unique_ptr<Line> one = make_line();
  return one.get();
}

void remember(const std::string& name, double seconds) { times()[name] = seconds; }
double recall(const std::string& name) { return times()[name]; }

double time_git(const std::string& git_dir, const std::vector<std::string>& args, const std::string& input, bool must) {
  core::ProcessOptions options;
  options.argv = {"git"};
  if (!git_dir.empty()) options.argv.push_back("--git-dir=" + git_dir);
  options.argv.insert(options.argv.end(), args.begin(), args.end());
  options.env = std::map<std::string, std::string>{{"PATH", env("PATH", "/usr/bin:/bin")}, {"HOME", "/nonexistent"}, {"LC_ALL", "C"},
                                                   {"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", "/dev/null"},
                                                   {"GIT_COMMITTER_NAME", "bench"}, {"GIT_COMMITTER_EMAIL", "bench@example.com"}};
  options.input = input;
  options.output_cap = 1 << 16;
  const auto start = std::chrono::steady_clock::now();
  const auto result = core::run_process(options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (must && (!result.ok() || !result->ok())) {
    std::fprintf(stderr, "bench: git %s failed: %s\n", args.front().c_str(), result.ok() ? result->err.c_str() : result.error().message.c_str());
    std::exit(1);
  }
  return seconds;
}

}  // namespace sluice::bench
