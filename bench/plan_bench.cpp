// SPDX-License-Identifier: Apache-2.0
// `sluice plan` over a long window against `git log -p --raw -M` over the same range plus the same picks;
// the same plan again; peak memory of sluice and its git processes together.
#include <benchmark/benchmark.h>

#include <chrono>
#include <map>

#include "bench/line.h"
#include "bench/memory.h"
#include "bench/pipe.h"
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

core::Json& first_plan() {
  static core::Json one;
  return one;
}

// In a child of its own, so that its peak memory is its own; git's processes are its children.
double run_plan(benchmark::State& state, const char* name) {
  const char* program = std::getenv("SLUICE_BENCH_PROGRAM");
  core::ProcessOptions options;
  options.argv = {program != nullptr ? program : "sluice", "--quiet", "--json", "--config", world().config, "plan"};
  options.output_cap = 64u << 20;
  MemoryWatch watch;
  const auto start = Clock::now();
  const auto result = core::run_process(options);
  const double seconds = since(start);
  const Memory peak = watch.stop();
  if (!result.ok() || !result->ok()) {
    state.SkipWithError((std::string("sluice plan failed (SLUICE_BENCH_PROGRAM names the program): ") + (result.ok() ? result->err : result.error().message)).c_str());
    return 0;
  }
  auto plan = core::Json::parse(result->out);
  if (plan.ok()) state.counters["pending"] = static_cast<double>((*plan)["commits"].items().size());
  state.counters["peak_rss_mib"] = static_cast<double>(peak.rss_kib) / 1024;
  state.counters["peak_pss_mib"] = static_cast<double>(peak.pss_kib) / 1024;
  state.counters["scratch_mib"] = static_cast<double>(peak.scratch_kib) / 1024;
  if (plan.ok() && recall(name) == 0) first_plan() = std::move(*plan);
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

void plan_first(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(run_plan(state, "plan_first"));
}

// The picks that the plan needs, in git alone, known beforehand and piped into one merge-tree: each commit
// onto trunk (`pick_trunk`), and each onto the tree that its unit would be applied to (`pick`). The plan
// cannot know the second kind beforehand, has to name conflicts, and writes all of it down; it may use every
// core for what does not build on each other. Making the requests is not counted.
void picks_alone(benchmark::State& state) {
  Line& l = *line();
  for (auto _ : state) {
    auto scratch = l.repo->scratch();
    auto picker = git::Picker::open(*scratch, l.paths);
    Requests requests;
    for (const core::Json& commit : first_plan()["commits"].items()) {
      if (commit["pick_trunk"].as_string() != "unknown") requests.emplace_back(l.fork_tree, commit["oid"].as_string());
    }
    const std::size_t onto_trunk = requests.size();
    Oid bundles = l.fork_tree;
    for (const core::Json& unit : first_plan()["units"].items()) {
      const bool bundle = unit["kind"].as_string() == "bundle";
      Oid onto = bundles;
      for (const core::Json& commit : unit["commits"].items()) {
        const model::Pick pick = picker->pick(commit.as_string(), onto);
        if (onto != l.fork_tree) requests.emplace_back(onto, commit.as_string());
        if (pick.status == model::PickStatus::clean) onto = pick.tree;
      }
      if (bundle) bundles = onto;
    }
    const double seconds = pipe_at_once(l, *scratch, requests);
    remember("plan_picks", seconds);
    state.SetIterationTime(seconds);
    state.counters["onto_trunk"] = static_cast<double>(onto_trunk);
    state.counters["in_units"] = static_cast<double>(requests.size() - onto_trunk);
    const double other = recall("log_p") + seconds;
    if (recall("plan_first") > 0) state.counters["plan_over_log_and_picks"] = recall("plan_first") / other;
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
  add("plan/first", plan_first);
  add("plan/its_picks_piped_at_once", picks_alone);
  add("plan/again_with_nothing_new", plan_again);
}

}  // namespace sluice::bench
