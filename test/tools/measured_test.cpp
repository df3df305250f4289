// SPDX-License-Identifier: Apache-2.0
// What people have put in the place of conflict regions is an answer that may be given, and is named as it is. The data
// does not ship with sluice; without it the test is skipped.
#include <algorithm>
#include <map>

#include "core/file.h"
#include "core/process.h"
#include "test/tools/support.h"
#include "tools/splice.h"

namespace sluice::tools::testing {
namespace {

// The classes of the data as actions. An interleaving may have one side first, when the other's lines surround none of it.
const std::map<std::string, std::vector<std::string>> classes = {
    {"ours", {"ours"}}, {"ours=theirs", {"ours"}}, {"theirs", {"theirs"}}, {"ours+theirs", {"both_ours_first"}},
    {"theirs+ours", {"both_theirs_first"}}, {"deleted", {"mixed"}}, {"base", {"mixed"}}, {"interleave", {"mixed", "both_ours_first", "both_theirs_first"}},
    {"interleave-reordered", {"mixed"}}, {"interleave+base", {"mixed"}}, {"new-lines-known-tokens", {"new"}}, {"new-lines", {"new"}}};

void expect_answers(const std::string& name, int hunks) {
  const std::string file = core::absolute_path(std::string(SLUICE_SOURCE_DIR) + "/../shared/data/conflicts/" + name);
  if (!core::exists(file)) GTEST_SKIP() << "no conflict data at " << file;
  core::ProcessOptions gzip;
  gzip.argv = {"gzip", "-dc", file};
  const auto text = core::run_process(gzip);
  if (!text.ok()) GTEST_SKIP() << "gzip: " << text.error().message;
  ASSERT_TRUE(text->ok()) << text->err;
  ASSERT_EQ(text->out_bytes, text->out.size()) << "the output was cut";
  int rows = 0;
  for (const std::string_view line : core::split_lines(text->out)) {
    const Json row = must(Json::parse(line));
    ++rows;
    git::Region region;
    region.base = row["base"].as_string();
    region.ours = row["ours"].as_string();
    region.theirs = row["theirs"].as_string();
    const auto answer = spliced(region, row["resolved"].as_string(), {});
    ASSERT_TRUE(answer.ok()) << row["id"].as_string() << ": " << answer.error().message;
    EXPECT_EQ(*answer, row["resolved"].as_string()) << row["id"].as_string();
    const std::string action = action_of(region, *answer);
    const auto allowed = classes.find(row["class"].as_string());
    ASSERT_NE(allowed, classes.end()) << row["class"].as_string();
    EXPECT_NE(std::find(allowed->second.begin(), allowed->second.end(), action), allowed->second.end())
        << row["id"].as_string() << " of class " << allowed->first << " is called " << action;
  }
  EXPECT_EQ(rows, hunks);
}

TEST(Measured, EveryResolutionOfAPickFitsItsRegionAndHasItsName) { expect_answers("fbtriton-dev.jsonl.gz", 470); }
TEST(Measured, EveryResolutionOfAMergeFitsItsRegionAndHasItsName) { expect_answers("merges-dev.jsonl.gz", 962); }

}  // namespace
}  // namespace sluice::tools::testing
