// SPDX-License-Identifier: Apache-2.0
// The upstream line and the fork that the benchmarks run on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/file.h"
#include "git/git.h"

namespace sluice::bench {

using model::Oid;

// From the environment:
//   SLUICE_BENCH_UPSTREAM, SLUICE_BENCH_UPSTREAM_TIP   repository, commit (default HEAD)
//   SLUICE_BENCH_FORK, SLUICE_BENCH_FORK_TIP           repository, commit (default HEAD)
//   SLUICE_BENCH_PICKS                                 commits in the pick benchmarks (default 300)
//   SLUICE_BENCH_PLAN                                  pending commits in the plan benchmarks (default 2000)
struct Line {
  std::string upstream_dir, fork_dir;
  std::unique_ptr<git::Repo> repo;   // scratch repository over both
  std::vector<model::PathConfig> paths;  // absent objects of the tips, dropped
  Oid fork_tip, fork_tree;           // the tip; its tree without the absent paths
  std::vector<Oid> picks;            // the last N first-parent commits of upstream, oldest first
  Oid upstream_tip, plan_base;       // the range of the plan benchmarks: plan_base..upstream_tip
  std::int64_t plan_commits = 0;
};

// Null, with a reason on stderr, when the environment names no repositories.
Line* line();

// Times of this run, for ratios: seconds by name.
void remember(const std::string& name, double seconds);
double recall(const std::string& name);  // 0 = not measured in this run

// Runs git, isolated; the wall time in seconds. Exits the program when git fails and `must` is set.
double time_git(const std::string& git_dir, const std::vector<std::string>& args, const std::string& input, bool must);

}  // namespace sluice::bench
