// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/glob.h"
#include "test/config/support.h"

namespace sluice::config {
namespace {

InitialConfig found() {
  InitialConfig f;
  f.fork = {"git@github.com:team/compiler.git", "main"};
  f.upstream = {"https://github.com/up/compiler.git", "main"};
  f.upstream_repo = "up/compiler";
  f.trailers = {{"^Reactor Backport Revision: ([0-9a-f]{40})$",
                 "Reactor Backport Revision: " + std::string(40, 'a'), 812},
                {"^it's: ([0-9a-f]{40})$", "x", 1}};
  f.missing = {{"docs/*.pdf", "1 blob of 9 MB is absent"}};
  f.deleted = {{".github/workflows/", "12 files that the fork deleted"}};
  f.pins = {{"cmake/llvm-hash.txt", "changed 40 times, holds one commit id"}};
  f.fork_surface = {"lib/Fork/"};
  f.build = InitialConfig::Build::cmake_ninja;
  f.ctest = true;
  return f;
}

TEST(Initial, WhatIsWrittenIsReadBack) {
  const std::string text = render_initial(found());
  const Result<model::Config> parsed_back = parse(text, "/etc/sluice/sluice.toml");
  ASSERT_TRUE(parsed_back.ok()) << parsed_back.error().message << "\n" << text;
  const model::Config& c = *parsed_back;
  EXPECT_EQ(c.fork.url, "git@github.com:team/compiler.git");
  EXPECT_EQ(c.upstream.branch, "main");
  EXPECT_EQ(c.upstream_repo, "up/compiler");
  EXPECT_EQ(c.store_path, "/etc/sluice/.sluice");
  EXPECT_EQ(c.autonomy, model::Autonomy::observe);
  EXPECT_EQ(c.trailer_patterns, (std::vector<std::string>{"^Reactor Backport Revision: ([0-9a-f]{40})$",
                                                          "^it's: ([0-9a-f]{40})$"}));
  ASSERT_EQ(c.policy.paths.size(), 3u);
  EXPECT_EQ(c.policy.paths[0].missing, model::MissingSay::drop);
  EXPECT_EQ(c.policy.paths[1].klass, model::PathClass::deleted);
  EXPECT_EQ(c.policy.paths[2].klass, model::PathClass::pin);
  EXPECT_EQ(c.policy.fork_surface, (std::vector<std::string>{"lib/Fork/"}));
  ASSERT_EQ(c.policy.suites.size(), 2u);
  EXPECT_EQ(c.policy.suites[0].steps[0],
            (std::vector<std::string>{"cmake", "-S", "/src", "-B", "/build", "-G", "Ninja"}));
  const model::SuiteConfig& tests = c.policy.suites[1];
  EXPECT_EQ(tests.kind, "ctest");
  EXPECT_EQ(tests.results, "ctest.xml");
  EXPECT_NE(std::find(tests.steps[0].begin(), tests.steps[0].end(), "--no-tests=error"),
            tests.steps[0].end());
  EXPECT_NE(text.find("812 times"), std::string::npos);
  EXPECT_NE(text.find("1 blob of 9 MB is absent"), std::string::npos);
}

TEST(Initial, AnEmptyFindingIsStillAConfiguration) {
  InitialConfig f;
  f.fork = {"/srv/fork", "main"};
  f.upstream = {"/srv/upstream", "main"};
  const Result<model::Config> c = parse(render_initial(f), "sluice.toml");
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_TRUE(c->policy.suites.empty());
  EXPECT_TRUE(c->policy.paths.empty());
}

TEST(Initial, MakeAndASubdirectoryAreWritten) {
  InitialConfig f = found();
  f.build = InitialConfig::Build::cmake_make;
  f.ctest = false;
  f.source_subdir = "llvm";
  const Result<model::Config> c = parse(render_initial(f), "sluice.toml");
  ASSERT_TRUE(c.ok()) << c.error().message;
  ASSERT_EQ(c->policy.suites.size(), 1u);
  EXPECT_EQ(c->policy.suites[0].steps[0][2], "/src/llvm");
  EXPECT_EQ(c->policy.suites[0].steps[0][6], "Unix Makefiles");
}

TEST(Initial, TheCommentedLinesAreRightToo) {
  // A person uncomments them: every comment that looks like a setting or a section must be accepted.
  InitialConfig bare;
  bare.fork = {"/srv/fork", "main"};
  bare.upstream = {"/srv/upstream", "main"};
  for (const InitialConfig& f : {found(), bare}) {
    const std::string text = render_initial(f);
    std::string uncommented;
    std::size_t at = 0;
    while (at < text.size()) {
      std::size_t end = text.find('\n', at);
      std::string line = text.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("# [") || (line.starts_with("# ") && line.find(" = ") != std::string::npos &&
                                      line.find(' ', 2) == line.find(" = ")))
        line.erase(0, 2);
      uncommented += line + "\n";
    }
    EXPECT_NE(uncommented, text);
    const Result<model::Config> c = parse(uncommented, "sluice.toml");
    EXPECT_TRUE(c.ok()) << c.error().message << "\n" << uncommented;
  }
}

TEST(Initial, HostileFindingsStayTextAndComments) {
  InitialConfig f = found();
  f.trailers[0].example = "x\n[landing]\nautonomy = \"land\"\n\x1b[31m";
  f.missing = {{"a\"b\n\xff'c.bin", "why\n[landing]\nautonomy = \"land\""}};
  f.fork_surface = {std::string("d\x01\xc3\xa4/\xc3(")};
  f.fork.url = "/srv/a\"b'c\\d";
  const std::string text = render_initial(f);
  const Result<model::Config> c = parse(text, "sluice.toml");
  ASSERT_TRUE(c.ok()) << c.error().message << "\n" << text;
  EXPECT_EQ(c->autonomy, model::Autonomy::observe);
  EXPECT_EQ(c->fork.url, "/srv/a\"b'c\\d");
  EXPECT_TRUE(core::glob_match(c->policy.paths[0].glob, "a\"b\n\xff'c.bin"));
  EXPECT_EQ(c->policy.fork_surface[0], "d?\xc3\xa4/?(");
}

TEST(Initial, ALiteralGlobMatchesItsPathAndIsAccepted) {
  for (const char* path : {"README.md", "a/b.c", "odd [x]/{y}*\\z", "\xff/\x01", "a/\xe2\x82"}) {
    const std::string glob = literal_glob(path);
    EXPECT_TRUE(core::glob_match(glob, path)) << glob;
    InitialConfig f = found();
    f.missing = {{glob, ""}};
    EXPECT_TRUE(parse(render_initial(f), "sluice.toml").ok()) << glob;
  }
  EXPECT_FALSE(core::glob_match(literal_glob("README.md"), "sub/README.md"));
}

}  // namespace
}  // namespace sluice::config
