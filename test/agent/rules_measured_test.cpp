// SPDX-License-Identifier: Apache-2.0
// The rules on conflict hunks that people have resolved: how often each answers and how often it says what landed. The
// integers are those of an independent implementation, so a rule that drifts is seen. The data does not ship with
// sluice; without it the tests are skipped.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "agent/rules/rules.h"
#include "core/file.h"
#include "core/gzip.h"
#include "core/json.h"

namespace sluice::agent {
namespace {

struct Count {
  int answers = 0, right = 0;
  friend bool operator==(const Count&, const Count&) = default;
  friend void PrintTo(const Count& c, std::ostream* out) { *out << c.answers << " answers, " << c.right << " right"; }
};
using Counts = std::map<std::string, Count>;

// Empty = the data is not here.
Counts measured(const std::string& name) {
  const std::string file = core::absolute_path(std::string(SLUICE_SOURCE_DIR) + "/../shared/data/conflicts/" + name);
  Counts counts;
  if (!core::exists(file)) return counts;
  auto lines = core::LineReader::open(file);
  EXPECT_TRUE(lines.ok());
  std::string_view line;
  for (;;) {
    const auto more = lines->next(line);
    EXPECT_TRUE(more.ok());
    if (!more.ok() || !*more) return counts;
    const auto row = core::Json::parse(line);
    EXPECT_TRUE(row.ok());
    if (!row.ok()) return counts;
    const auto text = [&](std::string_view key) { return std::string_view((*row)[key].as_string()); };
    const auto answer = first_answer({text("base"), text("ours"), text("theirs"), core::language_of(text("path"))});
    Count& count = counts[answer ? std::string(answer->rule) : "none"];
    ++count.answers;
    if (answer && core::loose_form(answer->text) == core::loose_form(text("resolved"))) ++count.right;
  }
}

// The reference ends with B7. A1s and A1f together are 29 / 27 in the reference too, which has 25 / 25 and 4 / 2: it counts two pairs of sides as
// different that have the same tokens (test/core/format_measured_test.cpp names them).
TEST(RulesMeasured, answer_442_of_962_merge_hunks_and_310_are_what_landed) {
  const Counts counts = measured("merges-dev.jsonl.gz");
  if (counts.empty()) GTEST_SKIP() << "no conflict data beside the source folder";
  const Counts want = {{"A1s", {27, 25}}, {"A1f", {2, 2}},  {"A2", {5, 5}},   {"A3", {21, 17}}, {"A4", {31, 29}},
                       {"A5", {4, 4}},    {"B1", {7, 6}},   {"B2", {47, 41}}, {"B3", {11, 10}}, {"B4", {58, 38}},
                       {"B5", {43, 28}},  {"B6", {141, 74}}, {"B7", {29, 22}}, {"C1", {16, 9}}, {"none", {520, 0}}};
  EXPECT_EQ(counts, want);
}

// A1s and A1f together are 4 / 2 in the reference too, which has 3 / 2 and 1 / 0.
TEST(RulesMeasured, answer_239_of_470_fork_picks_and_164_are_what_landed) {
  const Counts counts = measured("fbtriton-dev.jsonl.gz");
  if (counts.empty()) GTEST_SKIP() << "no conflict data beside the source folder";
  const Counts want = {{"A1s", {4, 2}},  {"A2", {1, 1}},  {"A3", {7, 6}},   {"A4", {9, 8}},    {"A5", {1, 0}},
                       {"B1", {11, 10}}, {"B2", {61, 56}}, {"B3", {3, 3}},  {"B4", {29, 10}},  {"B5", {13, 8}},
                       {"B6", {71, 39}}, {"B7", {12, 9}}, {"C1", {17, 12}}, {"none", {231, 0}}};
  EXPECT_EQ(counts, want);
}

}  // namespace
}  // namespace sluice::agent
