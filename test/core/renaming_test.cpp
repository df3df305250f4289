// SPDX-License-Identifier: Apache-2.0
#include "core/renaming.h"

#include <gtest/gtest.h>

#include "core/region_side.h"

namespace sluice::core {
namespace {

TEST(Renaming, ReplacesWholeIdentifiersOnly) {
  EXPECT_EQ(rename_in("f(ff, f_, f) f", "f", "g"), "g(ff, f_, g) g");
  EXPECT_EQ(rename_in("ns::f::g", "ns::f", "m"), "m::g");
  EXPECT_EQ(rename_in("", "f", "g"), "");
}

TEST(Renaming, AnArgumentIsTwoNamesAndNothingElse) {
  ASSERT_TRUE(renaming_of("old new").has_value());
  EXPECT_EQ(renaming_of("ns::old new-name")->to, "new-name");
  for (const char* wrong : {"", "old", "old  new", "old new more", "// x", "1 2", "old -new", "old;x new", "old ("}) EXPECT_FALSE(renaming_of(wrong).has_value()) << wrong;
}

TEST(Renaming, IsFoundWhereOneNameMakesTheDifference) {
  EXPECT_EQ(one_renaming("f(a, b);", "g(a, b);"), "f g");
  EXPECT_EQ(one_renaming("x = tile(tile);", "x = tile_id(tile_id);"), "tile tile_id");
  EXPECT_EQ(one_renaming("ns::f(1);", "f(1);"), "ns::f f");
  EXPECT_EQ(one_renaming("f(1);", "ns::f(1);"), "f ns::f");
  EXPECT_EQ(one_renaming("a.f(1);", "a.g(1);"), "f g");
  EXPECT_EQ(one_renaming("f(1);\nf(2);", "g(1);\ng(2);"), "f g");
  EXPECT_EQ(one_renaming("f(1); f(2);", "g(1); f(2);"), std::nullopt) << "only one of two";
  EXPECT_EQ(one_renaming("f(1);", "f(2);"), std::nullopt) << "a number is no name";
  EXPECT_EQ(one_renaming("f(1);", "f(1);"), std::nullopt);
  EXPECT_EQ(one_renaming("f(1);", ""), std::nullopt);
  EXPECT_EQ(one_renaming("", "f(1);"), std::nullopt);
  EXPECT_EQ(one_renaming("f", "g"), "f g");
  EXPECT_EQ(one_renaming("// x", "x"), std::nullopt);
}

TEST(ConflictMarker, IsOfTheTwoSizesInEveryForm) {
  for (const std::size_t n : {7U, 31U}) {
    for (const char c : std::string("<|>")) {
      const std::string marker(n, c);
      for (const char* end : {"", "\n", "\r\n", " ours", " ours\n"}) EXPECT_TRUE(is_conflict_marker(marker + end)) << marker << end;
      for (const char* end : {"x", "\tours"}) EXPECT_FALSE(is_conflict_marker(marker + end)) << marker << end;
      EXPECT_FALSE(is_conflict_marker(" " + marker));
      EXPECT_FALSE(is_conflict_marker(marker + c)) << "one more";
    }
    EXPECT_TRUE(is_conflict_marker(std::string(n, '=')));
    EXPECT_FALSE(is_conflict_marker(std::string(n, '=') + " x")) << "the middle one has no name";
  }
  EXPECT_FALSE(is_conflict_marker(""));
  EXPECT_FALSE(is_conflict_marker("\n"));
}

}  // namespace
}  // namespace sluice::core
