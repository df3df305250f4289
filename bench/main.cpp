// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "bench/line.h"

namespace sluice::bench {
void add_pick_benchmarks();
void add_plan_benchmarks();
}  // namespace sluice::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (sluice::bench::line() == nullptr) return 77;  // not run: no repositories were named
  // In this order: ratios look at the times measured before them.
  sluice::bench::add_pick_benchmarks();
  sluice::bench::add_plan_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
