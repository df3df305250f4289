// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "landing/landing.h"

namespace sluice::landing {
namespace {

// Runs the search against a known culprit; returns the member it names (1-based), 0 for giving up.
std::size_t search(std::size_t n, std::size_t culprit, const std::set<std::size_t>& unbuildable, std::size_t& probes) {
  std::vector<core::Probe> seen;
  for (probes = 0;; ++probes) {
    const Need need = next_need(n, seen);
    if (need.kind == Need::Kind::eject) return need.prefix;
    if (need.kind == Need::Kind::give_up) return 0;
    const auto result = unbuildable.contains(need.prefix) ? core::Observed::skip
                        : need.prefix >= culprit          ? core::Observed::bad
                                                          : core::Observed::good;
    seen.push_back({need.prefix, result});
  }
}

TEST(Bundle, EveryCulpritIsFoundWithinTheBudget) {
  for (std::size_t n = 2; n <= 70; ++n) {
    for (std::size_t culprit = 1; culprit <= n; ++culprit) {
      std::size_t probes = 0;
      EXPECT_EQ(search(n, culprit, {}, probes), culprit) << n;
      EXPECT_LE(probes, core::search_budget(n)) << n;
    }
  }
}

TEST(Bundle, NobodyIsNamedWhenAnUnbuildablePrefixHidesWho) {
  std::size_t probes = 0;
  // Prefix 4 is the first bad one that can be built; 3 cannot be built: it was member 3 or member 4.
  EXPECT_EQ(search(8, 3, {3}, probes), 0u);
  EXPECT_EQ(search(8, 6, {3}, probes), 6u) << "an unbuildable prefix elsewhere does not matter";
}

TEST(Bundle, DependentsGoWithTheirCulpritAlsoThroughOthers) {
  const std::vector<Oid> members = {"a", "b", "c", "d", "e"};
  const std::vector<std::vector<Oid>> needs = {{}, {}, {"b"}, {"a"}, {"c", "a"}};
  EXPECT_EQ(with_dependents(members, needs, 1), (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_EQ(with_dependents(members, needs, 4), (std::vector<std::size_t>{4}));
}

}  // namespace
}  // namespace sluice::landing
