// SPDX-License-Identifier: Apache-2.0
// `sluice plan` over a long window against `git log -p --raw -M` over the same range plus the same picks;
// the same plan again; peak memory of both plan and git.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <set>

#include "bench/line.h"
#include "core/process.h"
#include "service/service.h"

namespace sluice::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A fork that starts at plan_base and carries the model fork's tree, so that exactly the range is pending.
struct PlanWorld {
  core::TempDir dir;
  std::string config;
};

PlanWorld make_world() {
  Line& l = *line();
  PlanWorld world{std::move(*core::TempDir::create("bench-plan")), ""};
  auto repo = git::Repo::scratch_over({l.upstream_dir, l.fork_dir});
  git::CommitSpec spec;
  spec.tree = *repo->reader().tree_of(l.fork_tip);
  spec.parents = {l.plan_base};
  spec.author = spec.committer = {"bench", "bench@example.com", 1'700'000'000, 0};
  spec.message = "the fork, as one commit\n";
  const Oid tip = *repo->write_commit(spec);
  (void)repo->set_ref("refs/heads/fork", tip, std::nullopt);
  (void)repo->set_ref("refs/heads/upstream", l.upstream_tip, std::nullopt);
  const std::string both = world.dir.path() + "/both.git";
  time_git(repo->git_dir(), {"worktree", "prune"}, "", false);
  core::ProcessOptions copy;
  copy.argv = {"cp", "-r", repo->git_dir(), both};
  (void)core::run_process(copy);
  world.config = world.dir.path() + "/sluice.toml";
  std::string text = "[fork]\nurl = \"" + both + "\"\nbranch = \"fork\"\n[upstream]\nurl = \"" + both + "\"\nbranch = \"upstream\"\n[store]\npath = \"store\"\n";
  for (const model::PathConfig& path : l.paths) text += "[[path]]\nglob = \"" + path.glob + "\"\nmissing = \"drop\"\n";
  (void)core::write_file(world.config, text);
  return world;
}

PlanWorld& world() {
  static PlanWorld one = make_world();
  return one;
}

// In a child of its own, so that its peak memory is its own; git's processes are its children.
double run_plan(benchmark::State& state, const char* name) {
  const char* program = std::getenv("SLUICE_BENCH_PROGRAM");
  core::ProcessOptions options;
  options.argv = {program != nullptr ? program : "sluice", "--quiet", "--json", "--config", world().config, "plan"};
  options.output_cap = 64u << 20;
  const auto start = Clock::now();
  const auto result = core::run_process(options);
  const double seconds = since(start);
  if (!result.ok() || !result->ok()) {
    state.SkipWithError((std::string("sluice plan failed (SLUICE_BENCH_PROGRAM names the program): ") + (result.ok() ? result->err : result.error().message)).c_str());
    return 0;
  }
  const auto plan = core::Json::parse(result->out);
  if (plan.ok()) state.counters["pending"] = static_cast<double>((*plan)["commits"].items().size());
  remember(name, seconds);
  return seconds;
}

void log_p(benchmark::State& state) {
  Line& l = *line();
  for (auto _ : state) {
    const double seconds = time_git(l.repo->git_dir(), {"log", "-p", "--raw", "-M", "--first-parent", l.plan_base + ".." + l.upstream_tip}, "", false);
    remember("log_p", seconds);
    state.SetIterationTime(seconds);
  }
}

// The picks that a plan makes, in git alone: each commit onto trunk, with one process.
void picks_alone(benchmark::State& state) {
  Line& l = *line();
  const auto commits = l.repo->reader().first_parents(l.plan_base, l.upstream_tip);
  for (auto _ : state) {
    auto scratch = l.repo->scratch();
    auto picker = git::Picker::open(*scratch, l.paths);
    const auto start = Clock::now();
    for (const Oid& oid : *commits) benchmark::DoNotOptimize(picker->pick(oid, l.fork_tree));
    const double seconds = since(start);
    remember("plan_picks", seconds);
    state.SetIterationTime(seconds);
    state.counters["commits"] = static_cast<double>(commits->size());
  }
}

void plan_first(benchmark::State& state) {
  for (auto _ : state) {
    const double seconds = run_plan(state, "plan_first");
    state.SetIterationTime(seconds);
    const double other = recall("log_p") + recall("plan_picks");
    if (other > 0) state.counters["over_log_and_picks"] = seconds / other;
  }
}

void plan_again(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(run_plan(state, "plan_again"));
}

}  // namespace

void add_plan_benchmarks() {
  const auto add = [](const char* name, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, run)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);
  };
  add("plan/git_log_p_raw_M", log_p);
  add("plan/picks_alone", picks_alone);
  add("plan/first", plan_first);
  add("plan/again_with_nothing_new", plan_again);
}

}  // namespace sluice::bench
