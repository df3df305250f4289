// SPDX-License-Identifier: Apache-2.0
#include "core/regex.h"

#include <gtest/gtest.h>

#include "core/hash.h"

namespace sluice::core {
namespace {

TEST(Regex, searches_and_gives_groups) {
  const auto re = Regex::compile(R"((\w+)\(#(\d+)\)$)");
  ASSERT_TRUE(re.ok());
  std::vector<std::string_view> groups = {"kept"};
  EXPECT_FALSE(re->search("nothing", groups));
  EXPECT_EQ(groups.size(), 1u);
  ASSERT_TRUE(re->search("fix it(#12)", groups));
  EXPECT_EQ(groups, (std::vector<std::string_view>{"it(#12)", "it", "12"}));
  EXPECT_FALSE(re->full_match("fix it(#12)"));
  EXPECT_TRUE(re->full_match("it(#12)"));
}

TEST(Regex, any_bytes_can_be_searched) {
  const auto re = Regex::compile("\\xff.b");
  ASSERT_TRUE(re.ok());
  EXPECT_TRUE(
      re->search(std::string_view("a\xff\xfe"
                                  "b",
                                  4)));
}

TEST(Regex, a_broken_pattern_is_an_error_with_the_reason) {
  const auto re = Regex::compile("(a");
  ASSERT_FALSE(re.ok());
  EXPECT_EQ(re.error().kind, ErrorKind::invalid);
  EXPECT_NE(re.error().message.find("missing )"), std::string::npos) << re.error().message;
}

TEST(Regex, a_pattern_that_ruins_backtracking_matchers_is_linear) {
  const auto re = Regex::compile("(a+)+$");
  ASSERT_TRUE(re.ok());
  EXPECT_FALSE(re->search(std::string(100'000, 'a') + "b"));
}

TEST(Hash, is_sha256) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 parts;
  parts.add("a");
  parts.add("bc");
  EXPECT_EQ(parts.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace sluice::core
