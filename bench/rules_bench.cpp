// SPDX-License-Identifier: Apache-2.0
// The rules on one conflict hunk, all of them, on one core, beside what a user would run on it: git merge-file --union and
// wiggle, a process a hunk. The hunks are those of SLUICE_BENCH_CONFLICTS: data sets as `sluice backtest --dataset` takes
// them, separated by colons.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "agent/rules/rules.h"
#include "core/file.h"
#include "core/gzip.h"
#include "core/json.h"
#include "core/process.h"
#include "core/text.h"

namespace sluice::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_processes = 300;  // hunks that the two programs are run on

struct Hunk {
  std::string path, base, ours, theirs;
};

std::vector<Hunk>& hunks() {
  static std::vector<Hunk> all;
  return all;
}

// Hunks a second, by what was measured, for the ratios.
std::map<std::string, double>& rates() {
  static std::map<std::string, double> all;
  return all;
}

bool read(const std::string& path) {
  auto lines = core::LineReader::open(path);
  std::string_view line;
  while (lines.ok()) {
    const auto more = lines->next(line);
    if (!more.ok()) return false;
    if (!*more) return true;
    const auto row = core::Json::parse(line);
    if (!row.ok()) return false;
    hunks().push_back({(*row)["path"].as_string(), (*row)["base"].as_string(), (*row)["ours"].as_string(), (*row)["theirs"].as_string()});
  }
  return false;
}

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void report(benchmark::State& state, const std::string& name, std::size_t n, double seconds, std::int64_t answered) {
  const double rate = static_cast<double>(n) / seconds;
  rates()[name] = std::max(rates()[name], rate);
  state.SetIterationTime(seconds);
  state.counters["hunks"] = static_cast<double>(n);
  state.counters["hunks_per_s"] = rate;
  state.counters["answered"] = static_cast<double>(answered);
  for (const auto& [other, theirs] : rates())
    if (other != name) state.counters["x_" + other] = rate / theirs;
}

void rules(benchmark::State& state) {
  for (auto _ : state) {
    double slowest = 0;
    std::int64_t answered = 0;
    const auto start = Clock::now();
    for (const Hunk& hunk : hunks()) {
      const auto one = Clock::now();
      if (agent::first_answer({hunk.base, hunk.ours, hunk.theirs, core::language_of(hunk.path)})) ++answered;
      slowest = std::max(slowest, since(one));
    }
    report(state, "rules", hunks().size(), since(start), answered);
    state.counters["slowest_ms"] = slowest * 1000;
  }
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// Writing the files is not counted: whoever calls the program has them.
void program(benchmark::State& state, const std::string& name, std::vector<std::string> argv) {
  auto dir = core::TempDir::create("bench-rules");
  argv.insert(argv.end(), {"ours", "base", "theirs"});
  const std::size_t n = std::min(hunks().size(), most_processes);
  for (auto _ : state) {
    double seconds = 0;
    std::int64_t answered = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Hunk& hunk = hunks()[k * hunks().size() / n];
      write(core::join_path(dir->path(), "ours"), hunk.ours);
      write(core::join_path(dir->path(), "base"), hunk.base);
      write(core::join_path(dir->path(), "theirs"), hunk.theirs);
      core::ProcessOptions options;
      options.argv = argv;
      options.cwd = dir->path();
      options.timeout_ms = 10'000;
      const auto start = Clock::now();
      const auto result = core::run_process(options);
      seconds += since(start);
      if (!result.ok()) return state.SkipWithError(result.error().message.c_str());
      answered += result->ok() ? 1 : 0;
    }
    report(state, name, n, seconds, answered);
  }
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const char* files = std::getenv("SLUICE_BENCH_CONFLICTS");
  for (const std::string_view file : core::split(files == nullptr ? "" : files, ':')) {
    if (!file.empty() && read(std::string(file))) continue;
    std::fprintf(stderr, "SLUICE_BENCH_CONFLICTS names no data set that can be read: \"%s\"\n", std::string(file).c_str());
    return 77;
  }
  // In this order: ratios look at what was measured before.
  benchmark::RegisterBenchmark("hunks/git_merge_file_union", [](benchmark::State& state) { program(state, "union", {"git", "merge-file", "-p", "-q", "--union"}); })->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
  benchmark::RegisterBenchmark("hunks/wiggle", [](benchmark::State& state) { program(state, "wiggle", {"wiggle", "-m"}); })->UseManualTime()->Iterations(1)->Unit(benchmark::kSecond);
  benchmark::RegisterBenchmark("hunks/all_rules_one_core", rules)->UseManualTime()->Iterations(5)->Unit(benchmark::kSecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) { return sluice::bench::run(argc, argv); }
