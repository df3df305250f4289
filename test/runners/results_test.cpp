// SPDX-License-Identifier: Apache-2.0
#include "runners/results.h"

#include "runners/sandbox.h"
#include "test/runners/runs.h"

namespace sluice::runners {
namespace {

TEST(ResultsPattern, stays_below_the_build_directory) {
  EXPECT_EQ(results_pattern("/build/a/r.xml").value_or(""), "a/r.xml");
  EXPECT_EQ(results_pattern("./r.xml").value_or(""), "r.xml");
  EXPECT_EQ(results_pattern("reports/*.xml").value_or(""), "reports/*.xml");
  for (const char* bad : {"", "/", "/etc/passwd", "..", "a/../b", "/build/../x", "/build/"}) EXPECT_FALSE(results_pattern(bad).ok()) << bad;
}

class OldResults : public testing::Test {
 protected:
  OldResults() : dir_(std::move(core::TempDir::create("sluice-old-")).value()) {}
  core::TempDir dir_;
};

TEST_F(OldResults, are_removed_without_following_links) {
  const std::string build = dir_.path() + "/build";
  put_file(dir_.path() + "/outside/r.xml", "keep");
  put_file(build + "/r.xml", "old");
  std::filesystem::create_symlink(dir_.path() + "/outside", build + "/d");
  std::filesystem::create_symlink(dir_.path() + "/outside/r.xml", build + "/l.xml");
  ASSERT_TRUE(remove_old_results(build, "r.xml").ok());
  ASSERT_TRUE(remove_old_results(build, "d/r.xml").ok());
  ASSERT_TRUE(remove_old_results(build, "l.xml").ok());
  EXPECT_FALSE(core::exists(build + "/r.xml"));
  EXPECT_FALSE(std::filesystem::is_symlink(build + "/l.xml"));
  EXPECT_EQ(get_file(dir_.path() + "/outside/r.xml"), "keep");
}

TEST_F(OldResults, match_the_pattern_and_nothing_deeper) {
  put_file(dir_.path() + "/r.xml", "");
  put_file(dir_.path() + "/sub/r.xml", "");
  ASSERT_TRUE(remove_old_results(dir_.path(), "*.xml").ok());
  EXPECT_FALSE(core::exists(dir_.path() + "/r.xml"));
  EXPECT_TRUE(core::exists(dir_.path() + "/sub/r.xml"));
  ASSERT_TRUE(remove_old_results(dir_.path(), "**/r.xml").ok());
  EXPECT_FALSE(core::exists(dir_.path() + "/sub/r.xml"));
}

TEST_F(OldResults, a_directory_in_their_place_is_an_error) {
  std::filesystem::create_directory(dir_.path() + "/r.xml");
  EXPECT_FALSE(remove_old_results(dir_.path(), "r.xml").ok());
}

// Backend "none" runs nothing of the sandbox; the paths of the inside must still mean the same.
TEST_F(OldResults, without_a_sandbox_the_paths_of_the_inside_are_put_in_place) {
  const std::string build = dir_.path() + "/b", source = dir_.path() + "/s";
  std::filesystem::create_directory(build);
  put_file(source + "/f.txt", "content");
  const Sandbox bare(Backend::none, Identity{false, geteuid(), getegid()});
  Command command;
  command.argv = {"sh", "-c", "cat /src/f.txt; pwd; echo -I/src/inc /usr/src/x /srcx --dir=/build"};
  command.mounts.source_dir = source;
  command.mounts.build_dir = build;
  command.timeout_ms = 30'000;
  command.disk.bytes = 1u << 20;
  const auto outcome = bare.run(command);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->process.out, "content" + build + "\n-I" + source + "/inc /usr/src/x /srcx --dir=" + build + "\n");
  command.argv = {"no-such-tool"};
  const auto missing = bare.run(command);
  ASSERT_TRUE(missing.ok());
  EXPECT_EQ(missing->not_found, "no-such-tool");
}

}  // namespace
}  // namespace sluice::runners
