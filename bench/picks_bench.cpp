// SPDX-License-Identifier: Apache-2.0
// One upstream range picked onto one base: git cherry-pick in a worktree, our picks with one merge process
// and with one a core, a fold, and the fold's own requests piped into git at once.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/line.h"
#include "bench/pipe.h"

namespace sluice::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void report(benchmark::State& state, const char* name, double seconds, std::size_t picks, const std::vector<std::string>& against) {
  remember(name, seconds);
  state.SetIterationTime(seconds);
  state.counters["ms_per_pick"] = seconds * 1000 / static_cast<double>(picks);
  for (const std::string& other : against) {
    if (recall(other) > 0) state.counters["x_" + other] = recall(other) / seconds;
  }
}

void count(benchmark::State& state, const std::vector<model::Pick>& picks) {
  std::map<std::string, int> all;
  for (const model::Pick& pick : picks) ++all[std::string(model::to_string(pick.status))];
  for (const auto& [status, n] : all) state.counters[status] = n;
}

// What a person does: a worktree, cherry-pick, look, reset. Without the paths that the store lacks.
void cherry_pick(benchmark::State& state) {
  Line& l = *line();
  for (auto _ : state) {
    auto dir = core::TempDir::create("bench-worktree");
    const std::string tree_dir = dir->path() + "/w";
    git::CommitSpec spec;
    spec.tree = l.fork_tree;
    spec.parents = {l.fork_tip};
    spec.author = spec.committer = {"bench", "bench@example.com", 1'700'000'000, 0};
    spec.message = "base\n";
    const Oid base = *l.repo->write_commit(spec);
    time_git(l.repo->git_dir(), {"worktree", "add", "-q", "--detach", tree_dir, base}, "", true);
    const auto start = Clock::now();
    for (const Oid& oid : l.picks) {
      time_git("", {"-C", tree_dir, "cherry-pick", oid}, "", false);  // conflicts are part of the job
      time_git("", {"-C", tree_dir, "reset", "-q", "--hard", base}, "", true);
    }
    report(state, "cherry_pick", since(start), l.picks.size(), {});
    time_git(l.repo->git_dir(), {"worktree", "remove", "--force", tree_dir}, "", false);
  }
}

void one_process(benchmark::State& state) {
  Line& l = *line();
  for (auto _ : state) {
    auto scratch = l.repo->scratch();
    auto picker = git::Picker::open(*scratch, l.paths);
    std::vector<model::Pick> picks;
    const auto start = Clock::now();
    for (const Oid& oid : l.picks) picks.push_back(picker->pick(oid, l.fork_tree));
    report(state, "one_process", since(start), l.picks.size(), {"cherry_pick"});
    count(state, picks);
  }
}

void process_per_core(benchmark::State& state) {
  Line& l = *line();
  for (auto _ : state) {
    auto scratch = l.repo->scratch();
    std::vector<model::Pick> picks(l.picks.size());
    std::atomic<std::size_t> next{0};
    const auto start = Clock::now();
    {
      std::vector<std::jthread> threads;
      for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
        threads.emplace_back([&] {
          auto repo = git::Repo::open(scratch->git_dir());
          auto picker = git::Picker::open(*repo, l.paths);
          for (std::size_t i = next.fetch_add(1); i < l.picks.size(); i = next.fetch_add(1)) picks[i] = picker->pick(l.picks[i], l.fork_tree);
        });
      }
    }
    report(state, "process_per_core", since(start), l.picks.size(), {"cherry_pick"});
    count(state, picks);
  }
}

// A fold skips what conflicts; its requests are kept for the comparison below.
Requests& fold_requests() {
  static Requests all;
  return all;
}

std::unique_ptr<git::Repo>& fold_scratch() {
  static std::unique_ptr<git::Repo> one;
  return one;
}

void fold(benchmark::State& state) {
  Line& l = *line();
  for (auto _ : state) {
    auto& requests = fold_requests();
    requests.clear();
    fold_scratch() = std::make_unique<git::Repo>(std::move(*l.repo->scratch()));
    auto picker = git::Picker::open(*fold_scratch(), l.paths);
    std::vector<model::Pick> picks;
    Oid onto = l.fork_tree;
    const auto start = Clock::now();
    for (const Oid& oid : l.picks) {
      picks.push_back(picker->pick(oid, onto));
      requests.emplace_back(onto, oid);
      if (picks.back().status == model::PickStatus::clean) onto = picks.back().tree;
    }
    report(state, "fold", since(start), l.picks.size(), {"cherry_pick"});
    count(state, picks);
  }
}

// The same merges, known beforehand.
void fold_at_once(benchmark::State& state) {
  for (auto _ : state) {
    const double seconds = pipe_at_once(*line(), *fold_scratch(), fold_requests());
    report(state, "fold_at_once", seconds, fold_requests().size(), {});
    if (recall("fold") > 0) state.counters["fold_over_at_once"] = recall("fold") / seconds;
  }
}

}  // namespace

void add_pick_benchmarks() {
  const auto add = [](const char* name, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, run)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);
  };
  add("picks/cherry_pick_in_a_worktree", cherry_pick);
  add("picks/one_merge_process", one_process);
  add("picks/one_merge_process_a_core", process_per_core);
  add("picks/fold_one_process", fold);
  add("picks/fold_requests_piped_at_once", fold_at_once);
}

}  // namespace sluice::bench
