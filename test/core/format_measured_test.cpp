// SPDX-License-Identifier: Apache-2.0
// Rule A1s on conflict hunks that people have resolved: how often it answers and how often what landed
// agrees. The data does not ship with sluice; without it the test is skipped.
#include <gtest/gtest.h>

#include <string>

#include "core/file.h"
#include "core/format.h"
#include "core/json.h"
#include "core/process.h"
#include "core/text.h"

namespace sluice::core {
namespace {

struct Measured {
  int hunks = 0, answers = 0, right = 0;
  std::string misses;  // ids, for the reader of a failure
};

// A resolution counts as right when only formatting that `F` ignores separates it from the answer.
Measured measure(const std::string& lines) {
  Measured m;
  for (const std::string_view line : split_lines(lines)) {
    const auto row = Json::parse(line);
    EXPECT_TRUE(row.ok()) << row.error().message;
    if (!row.ok()) continue;
    ++m.hunks;
    const std::string& ours = (*row)["ours"].as_string();
    if (!format_equal(ours, (*row)["theirs"].as_string(), language_of((*row)["path"].as_string()))) continue;
    ++m.answers;
    if (loose_form(ours) == loose_form((*row)["resolved"].as_string())) {
      ++m.right;
    } else {
      m.misses += (*row)["id"].as_string() + "\n";
    }
  }
  return m;
}

std::string data_file(const std::string& name) {
  return absolute_path(std::string(SLUICE_SOURCE_DIR) + "/../shared/data/conflicts/" + name);
}

void expect_measured(const std::string& name, int hunks, int answers, const std::string& misses) {
  const std::string file = data_file(name);
  if (!exists(file)) GTEST_SKIP() << "no conflict data at " << file;
  ProcessOptions gzip;
  gzip.argv = {"gzip", "-dc", file};
  const auto text = run_process(gzip);
  if (!text.ok()) GTEST_SKIP() << "gzip: " << text.error().message;
  ASSERT_TRUE(text->ok()) << text->err;
  ASSERT_EQ(text->out_bytes, text->out.size()) << "the output was cut";
  const Measured m = measure(text->out);
  EXPECT_EQ(m.hunks, hunks);
  EXPECT_EQ(m.answers, answers);
  EXPECT_EQ(m.misses, misses);
}

// Two answers differ from what landed. In the first the author also removed a pair of parentheses; in the
// second, a known defect of the data, the landed file holds the block twice. In both the sides differ in
// line breaks inside brackets (and one trailing comma of a call) alone, so the answer is right.
TEST(FormatMeasured, a1s_answers_27_of_962_merge_hunks_and_25_are_what_landed) {
  expect_measured("merges-dev.jsonl.gz", 962, 27,
                  "fbtriton:49350eff158a:merge:third_party/tlx/tutorials/testing/test_correctness.py:1\n"
                  "fbtriton:96313f1fceb4:7e6c965e6961:third_party/proton/test/test_instrumentation.py:1\n");
}

// Both that differ are known defects of the data: a block that landed twice.
TEST(FormatMeasured, a1s_answers_4_of_470_fork_picks_and_2_are_what_landed) {
  expect_measured("fbtriton-dev.jsonl.gz", 470, 4,
                  "fbtriton:96313f1fceb4:7e6c965e6961:third_party/proton/test/test_instrumentation.py:1\n"
                  "fbtriton:b43d69357c42:218560e29b4e:python/test/gluon/test_core.py:0\n");
}

}  // namespace
}  // namespace sluice::core
