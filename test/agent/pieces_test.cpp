// SPDX-License-Identifier: Apache-2.0
#include "agent/pieces.h"

#include <gtest/gtest.h>

namespace sluice::agent {
namespace {

git::Region region() {
  git::Region out;
  out.base = "        g(x)\n";
  out.ours = "        barrier(x)\n        g(x)\n";
  out.theirs = "        g(x + 1)\n";
  return out;
}

TEST(Reindents, ALineThatStandsDeeperOrLessDeepThanOnEverySideIsSeenWhereItMatters) {
  EXPECT_TRUE(reindents("a.py", region(), "        barrier(x)\n    g(x + 1)\n"));
  EXPECT_TRUE(reindents("ci/run.yml", region(), "            barrier(x)\n"));
  EXPECT_TRUE(reindents("sub/Makefile", region(), "\tbarrier(x)\n"));
}

TEST(Reindents, LinesOfTheSidesNewLinesAndOtherLanguagesAreNot) {
  EXPECT_FALSE(reindents("a.py", region(), "        barrier(x)\n        g(x + 1)  \n\n"));
  EXPECT_FALSE(reindents("a.py", region(), "        barrier(x)\n            new_call(x)\n"));
  EXPECT_FALSE(reindents("a.cpp", region(), "barrier(x)\n"));
  EXPECT_FALSE(reindents("NotAMakefile", region(), "barrier(x)\n"));
  EXPECT_FALSE(reindents("a.py", region(), ""));
}

}  // namespace
}  // namespace sluice::agent
