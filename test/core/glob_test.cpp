// SPDX-License-Identifier: Apache-2.0
#include "core/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::core {
namespace {

TEST(Glob, matches_as_the_header_says) {
  struct Row {
    const char* pattern;
    const char* path;
    bool want;
  };
  const Row table[] = {
      {"*.pdf", "a.pdf", true},
      {"*.pdf", "doc/x/a.pdf", true},
      {"*.pdf", "a.pdf/x", false},
      {"src/*.c", "src/a.c", true},
      {"src/*.c", "src/x/a.c", false},
      {"src/**/*.c", "src/a.c", true},
      {"src/**/*.c", "src/x/y/a.c", true},
      {"**/test", "test", true},
      {"**/test", "a/b/test", true},
      {"a/**/b", "a/b", true},
      {"a/**/b", "a/x/c", false},
      {"dir/", "dir/a", true},
      {"dir/", "dir/a/b", true},
      {"dir/", "dir", false},
      {"dir/", "x/dir/a", false},
      {"a?c", "abc", true},
      {"a?c", "a/c", false},
      {"x/a?c", "x/ac", false},
      {"[abc].h", "b.h", true},
      {"[a-c].h", "d.h", false},
      {"[!a-c].h", "d.h", true},
      {"[]x].h", "].h", true},
      {"[x.h", "[x.h", true},
      {"/README", "README", true},
      {"/README", "a/README", false},
      {"a**c", "abbc", true},
      {"a/**", "a/b/c", true},
      {"*", "a/b", true},
      {"", "a", false},
      {"a", "", false},
      {"\xff*", "\xff\xfe", true},
      {"a/b", "a/b/c", false},
  };
  for (const Row& r : table)
    EXPECT_EQ(glob_match(r.pattern, r.path), r.want) << r.pattern << " on " << r.path;
}

// A matcher that backtracks needs longer than the age of the universe for this one.
TEST(Glob, hostile_patterns_do_not_blow_up) {
  std::string pattern, path;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  for (int i = 0; i < 2000; ++i) path += 'a';
  EXPECT_FALSE(glob_match(pattern + "b", path));
  std::string stars, deep;
  for (int i = 0; i < 100; ++i) stars += "**/a/";
  for (int i = 0; i < 500; ++i) deep += "a/";
  EXPECT_FALSE(glob_match(stars + "b", deep + "c"));
}

}  // namespace
}  // namespace sluice::core
