// SPDX-License-Identifier: Apache-2.0
// What calibration counts of one pick.
#include "guardrails/measure.h"

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr const char* conflict = R"(
  repo up; base40 f.cpp; put g.cpp "int g;\n"; commit B "b"
  fork up down; line f.cpp 10 "line 10 of the fork"; commit D "d"
  at up; line f.cpp 10 "line 10 of upstream"; line f.cpp 30 "line 30 of upstream"; commit U "u"
)";

PickMeasure measured(Pick& pick) {
  JudgeMemory memory;
  return must(measure(pick.repo.reader(), pick.facts, pick.policy, memory));
}

TEST(Measure, AMergeThatLandedAsItWasIsIdentical) {
  Pick pick("repo up; base40 f.cpp; commit B \"b\"\nfork up down; put own \"1\\n\"; commit D \"d\"\nat up; line f.cpp 3 \"line 3 of upstream\"; commit U \"u\"");
  const PickMeasure m = measured(pick);
  EXPECT_TRUE(m.identical);
  EXPECT_FALSE(m.conflicted);
  EXPECT_EQ(m.upstream_added, 1);
  EXPECT_EQ(m.upstream_missing + m.files_outside + m.changed_lines + m.own_added, 0);
}

TEST(Measure, AnAnswerAloneReachesNoFurtherThanItsConflict) {
  Pick pick(conflict);
  std::string answer = pick.text(pick.history.tree("U"), "f.cpp");
  pick.put("f.cpp", answer);
  const PickMeasure m = measured(pick);
  EXPECT_TRUE(m.conflicted);
  EXPECT_FALSE(m.identical);
  EXPECT_EQ(m.files_outside, 0);
  EXPECT_EQ(m.lines_beyond, (std::array<std::int64_t, 7>{}));
  EXPECT_EQ(m.upstream_added, 2);
  EXPECT_EQ(m.upstream_missing, 0);
  EXPECT_EQ(m.conflict_lines, 3) << "base, ours, theirs";
}

TEST(Measure, WhatStandsElsewhereIsCountedByItsDistance) {
  Pick pick(conflict);
  // The fork's side at the conflict, upstream's other line taken back, a line of its own in another file. The region
  // is 7 lines of M long and begins with line 10, so line 30 is 19 lines behind it.
  pick.put("f.cpp", pick.text(pick.history.tree("D"), "f.cpp"));
  pick.put("g.cpp", "int g;\nint own;\n");
  const PickMeasure m = measured(pick);
  EXPECT_EQ(m.files_outside, 1);
  EXPECT_EQ(m.lines_beyond, (std::array<std::int64_t, 7>{2, 2, 2, 2, 2, 0, 0})) << "one line out, one in";
  EXPECT_EQ(m.upstream_missing, 2);
  EXPECT_EQ(m.own_added, 1);
  EXPECT_EQ(m.changed_files, 2);
}

}  // namespace
}  // namespace sluice::guardrails::testing
