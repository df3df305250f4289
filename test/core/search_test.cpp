// SPDX-License-Identifier: Apache-2.0
#include "core/search.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace sluice::core {
namespace {

struct Outcome {
  SearchStep end;
  std::size_t probes;
};

// Plays a bundle of n members in which `culprit` is red and the prefixes in `skips` cannot be judged.
Outcome play(std::size_t n, std::size_t culprit, const std::set<std::size_t>& skips, std::size_t budget) {
  std::vector<Probe> seen;
  while (true) {
    const SearchStep step = next_step(n, seen, budget);
    if (step.kind != SearchStep::Kind::probe) return {step, seen.size()};
    EXPECT_GE(step.prefix, 1u);
    EXPECT_LT(step.prefix, n);
    for (const Probe& p : seen) EXPECT_NE(p.prefix, step.prefix) << "asked twice";
    const Observed result = skips.contains(step.prefix) ? Observed::skip
                            : step.prefix >= culprit    ? Observed::bad
                                                        : Observed::good;
    seen.push_back({step.prefix, result});
    if (seen.size() > 2 * n + 2) ADD_FAILURE() << "does not end";
    if (seen.size() > 2 * n + 2) return {step, seen.size()};
  }
}

TEST(Search, finds_every_single_bad_member_in_log_n_probes) {
  for (std::size_t n = 1; n <= 130; ++n) {
    for (std::size_t culprit = 1; culprit <= n; ++culprit) {
      const Outcome o = play(n, culprit, {}, search_budget(n));
      ASSERT_EQ(o.end.kind, SearchStep::Kind::culprit);
      EXPECT_EQ(o.end.prefix, culprit);
      EXPECT_EQ(o.end.first, culprit);
      EXPECT_EQ(o.end.last, culprit);
      EXPECT_LE(o.probes, (search_budget(n) - 1) / 2) << n;
    }
  }
}

TEST(Search, finds_every_bad_member_within_the_budget_although_some_prefixes_are_skipped) {
  std::mt19937 random(7);
  for (std::size_t n = 4; n <= 64; ++n) {
    for (std::size_t culprit = 1; culprit <= n; ++culprit) {
      // A run of unbuildable prefixes as long as a third of the bundle's logarithm allows, anywhere.
      const std::size_t length = 1 + random() % 2;
      const std::size_t start = 1 + random() % (n - 1);
      std::set<std::size_t> skips;
      for (std::size_t p = start; p < start + length && p < n; ++p) skips.insert(p);
      const Outcome o = play(n, culprit, skips, search_budget(n));
      ASSERT_EQ(o.end.kind, SearchStep::Kind::culprit)
          << "n " << n << " culprit " << culprit << " skips from " << start;
      EXPECT_LE(o.probes, search_budget(n));
      EXPECT_LE(o.end.first, culprit);
      EXPECT_GE(o.end.last, culprit);
      // Nobody is named alone unless the prefix before it was seen green.
      if (!skips.contains(culprit) && !skips.contains(culprit - 1)) {
        EXPECT_EQ(o.end.first, culprit);
        EXPECT_EQ(o.end.last, culprit);
      }
    }
  }
}

TEST(Search, names_the_whole_range_that_skipped_prefixes_hide) {
  const Outcome o = play(8, 5, {4, 5, 6}, search_budget(8));
  ASSERT_EQ(o.end.kind, SearchStep::Kind::culprit);
  EXPECT_EQ(o.end.first, 4u);
  EXPECT_EQ(o.end.last, 7u);
  EXPECT_EQ(o.end.prefix, 7u);
}

TEST(Search, stops_when_the_budget_is_spent) {
  const Outcome o = play(64, 20, {}, 3);
  EXPECT_EQ(o.end.kind, SearchStep::Kind::exhausted);
  EXPECT_EQ(o.probes, 3u);
  EXPECT_LE(o.end.first, 20u);
  EXPECT_GE(o.end.last, 20u);
}

TEST(Search, can_be_resumed_from_stored_observations_in_any_order) {
  const std::vector<Probe> one = {{16, Observed::good}, {24, Observed::bad}, {20, Observed::skip}};
  const std::vector<Probe> other = {one[2], one[1], one[0]};
  const SearchStep a = next_step(32, one, 11), b = next_step(32, other, 11);
  EXPECT_EQ(a.kind, SearchStep::Kind::probe);
  EXPECT_EQ(a.prefix, b.prefix);
  EXPECT_GT(a.prefix, 16u);
  EXPECT_LT(a.prefix, 24u);
}

TEST(Search, believes_the_lowest_red_prefix_when_observations_contradict) {
  const SearchStep s = next_step(10, {{8, Observed::good}, {3, Observed::bad}, {2, Observed::good}}, 9);
  EXPECT_EQ(s.kind, SearchStep::Kind::culprit);
  EXPECT_EQ(s.prefix, 3u);
}

TEST(Search, one_member_is_the_culprit_without_a_probe) {
  const SearchStep s = next_step(1, {}, search_budget(1));
  EXPECT_EQ(s.kind, SearchStep::Kind::culprit);
  EXPECT_EQ(s.prefix, 1u);
  EXPECT_EQ(search_budget(1), 1u);
  EXPECT_EQ(search_budget(64), 13u);
  EXPECT_EQ(search_budget(65), 15u);
  EXPECT_EQ(next_step(0, {}, 5).kind, SearchStep::Kind::exhausted);
}

}  // namespace
}  // namespace sluice::core
