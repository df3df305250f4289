// SPDX-License-Identifier: Apache-2.0
#include "core/search.h"

#include <algorithm>

namespace sluice::core {
namespace {

std::size_t ceil_log2(std::size_t n) {
  std::size_t bits = 0;
  while (bits < 63 && (std::size_t{1} << bits) < n) ++bits;
  return bits;
}

// The unseen prefix strictly between `low` and `high` nearest to `target`; the lower one of two.
// 0 when there is none.
std::size_t nearest_unseen(std::size_t low, std::size_t high, std::size_t target,
                           const std::vector<std::size_t>& skipped) {
  const auto free = [&](std::size_t p) { return !std::binary_search(skipped.begin(), skipped.end(), p); };
  for (std::size_t d = 0; d < high - low; ++d) {
    if (target >= low + 1 + d && free(target - d)) return target - d;
    if (target + d < high && free(target + d)) return target + d;
  }
  return 0;
}

}  // namespace

std::size_t search_budget(std::size_t n) { return 2 * ceil_log2(n) + 1; }

SearchStep next_step(std::size_t n, const std::vector<Probe>& seen, std::size_t budget) {
  if (n == 0) return {};
  // Observations can contradict each other (a flaky suite). The lowest red prefix is believed: whoever
  // is blamed was seen red, and a green above it says nothing about the members below.
  std::size_t high = n;
  for (const Probe& p : seen) {
    if (p.result == Observed::bad && p.prefix >= 1) high = std::min(high, p.prefix);
  }
  std::size_t low = 0;
  for (const Probe& p : seen) {
    if (p.result == Observed::good && p.prefix < high) low = std::max(low, p.prefix);
  }
  std::vector<std::size_t> skipped;
  for (const Probe& p : seen) {
    if (p.result == Observed::skip && p.prefix > low && p.prefix < high) skipped.push_back(p.prefix);
  }
  std::sort(skipped.begin(), skipped.end());
  skipped.erase(std::unique(skipped.begin(), skipped.end()), skipped.end());

  SearchStep step{SearchStep::Kind::culprit, high, low + 1, high};
  if (skipped.size() == high - low - 1) return step;
  if (seen.size() >= budget) {
    step.kind = SearchStep::Kind::exhausted;
    return step;
  }
  // Prefixes that cannot be judged come in runs (one member broke the build, a later one mended it):
  // step away from the middle by 1, 2, 4 .. to alternate sides, so that a run of length r costs log r.
  const std::size_t middle = low + (high - low) / 2;
  std::size_t target = middle;
  if (const std::size_t k = skipped.size(); k > 0) {
    const std::size_t away = std::size_t{1} << std::min<std::size_t>(k - 1, 62);
    target =
        k % 2 == 1 ? middle - std::min(away, middle - low - 1) : middle + std::min(away, high - 1 - middle);
  }
  step.kind = SearchStep::Kind::probe;
  step.prefix = nearest_unseen(low, high, target, skipped);
  return step;
}

}  // namespace sluice::core
