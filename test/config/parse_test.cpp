// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "test/config/support.h"

namespace sluice::config {
namespace {

TEST(Parse, TheSmallestConfigurationHasSafeDefaults) {
  const model::Config c = parsed(smallest);
  EXPECT_EQ(c.file, "/etc/sluice/sluice.toml");
  EXPECT_EQ(c.fork.url, "/srv/fork");
  EXPECT_EQ(c.upstream.branch, "main");
  EXPECT_EQ(c.upstream_repo, "");
  EXPECT_EQ(c.store_path, "/etc/sluice/state");
  EXPECT_EQ(c.autonomy, model::Autonomy::observe);
  EXPECT_FALSE(c.allow_unsandboxed);
  EXPECT_TRUE(c.policy.suites.empty());
  EXPECT_EQ(c.policy.sha256.size(), 64u);
}

TEST(Parse, TheExampleFillsEveryField) {
  const Result<model::Config> loaded = load(SLUICE_SOURCE_DIR "/examples/sluice.toml");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const model::Config& c = *loaded;
  EXPECT_EQ(c.fork.url, "git@github.com:example/compiler.git");
  EXPECT_EQ(c.upstream_repo, "example-upstream/compiler");
  EXPECT_EQ(c.window_days, 2);
  EXPECT_EQ(c.store_path, SLUICE_SOURCE_DIR "/examples/.sluice");
  EXPECT_EQ(c.trailer_patterns.size(), 2u);
  EXPECT_EQ(c.subject_prefix, "[upstream] ");
  EXPECT_EQ(c.committer_email, "sluice@example.org");
  EXPECT_EQ(c.bundle_max, 32);
  EXPECT_EQ(c.jobs, 8);
  ASSERT_EQ(c.environments.size(), 1u);
  EXPECT_EQ(c.environments[0].root, "/srv/images/toolchain-17");
  EXPECT_EQ(c.environments[0].variables.at("CC"), "clang-17");
  ASSERT_EQ(c.policy.paths.size(), 8u);
  EXPECT_EQ(c.policy.paths[0].klass, model::PathClass::deleted);
  EXPECT_EQ(c.policy.paths[1].missing, model::MissingSay::drop);
  EXPECT_EQ(c.policy.paths[2].klass, model::PathClass::pin);
  EXPECT_EQ(c.policy.paths[2].owner, "toolchain team");
  EXPECT_EQ(c.policy.paths[3].klass, model::PathClass::risk);
  EXPECT_EQ(c.policy.paths[3].upstream, model::UpstreamSay::explain);
  EXPECT_EQ(c.policy.paths[4].upstream, model::UpstreamSay::ours);
  EXPECT_EQ(c.policy.paths[5].klass, model::PathClass::protected_);
  EXPECT_EQ(c.policy.paths[5].upstream, model::UpstreamSay::block);
  EXPECT_EQ(c.policy.paths[6].klass, model::PathClass::generated);
  EXPECT_EQ(c.policy.paths[7].klass, model::PathClass::test);
  EXPECT_EQ(c.policy.fork_surface.size(), 2u);
  EXPECT_EQ(c.policy.rules.at("G26").mode, model::RuleMode::observe);
  EXPECT_TRUE(c.policy.rules.at("G26").thresholds.empty());
  EXPECT_FALSE(c.policy.rules.at("G10").mode.has_value());
  EXPECT_EQ(c.policy.rules.at("G10").thresholds.at("threshold"), 5);
  ASSERT_EQ(c.policy.invariants.size(), 1u);
  EXPECT_EQ(c.policy.invariants[0].path, "lib/Analysis/*.cpp");
  EXPECT_EQ(c.policy.invariants[0].pattern, R"(\bnarrow_interval\()");
  EXPECT_EQ(c.policy.invariants[0].min, 2);
  EXPECT_NE(c.policy.invariants[0].why.find("barrier"), std::string::npos);
  ASSERT_EQ(c.policy.suites.size(), 3u);
  const model::SuiteConfig& build = c.policy.suites[0];
  ASSERT_EQ(build.steps.size(), 2u);
  EXPECT_EQ(build.steps[1], (std::vector<std::string>{"cmake", "--build", "/build"}));
  EXPECT_EQ(build.timeout_s, 5400);
  EXPECT_EQ(build.memory_mib, 32768);
  EXPECT_EQ(build.pids, 2048);
  EXPECT_EQ(build.disk_mib, 40960);
  const model::SuiteConfig& lit = c.policy.suites[1];
  EXPECT_EQ(lit.kind, "lit");
  EXPECT_EQ(lit.needs, "build");
  EXPECT_EQ(lit.results, "lit.json");
  EXPECT_EQ(lit.steps.size(), 1u);
  EXPECT_EQ(lit.allowed_skips.at("COMPILER :: gpu/smoke.mlir"), "the build machine has no GPU");
  EXPECT_EQ(c.policy.suites[2].timeout_s, 1800);
}

TEST(Parse, RelativePathsAreRelativeToTheFile) {
  const model::Config c = parsed(
      "[fork]\nurl = \"../fork.git\"\nbranch = \"main\"\n[upstream]\nurl = \"up\"\nbranch = \"main\"\n"
      "[store]\npath = \"/var/sluice\"\n");
  EXPECT_EQ(c.fork.url, "/etc/fork.git");
  EXPECT_EQ(c.upstream.url, "/etc/sluice/up");
  EXPECT_EQ(c.store_path, "/var/sluice");
}

TEST(Parse, AFullCommitIdPinsUpstream) {
  std::string text = smallest;
  const std::string oid(40, 'a');
  text.replace(text.rfind("\"main\""), 6, "\"" + oid + "\"");
  EXPECT_EQ(parsed(text).upstream.branch, oid);
}

TEST(Parse, LandIsTakenWhenItIsWritten) {
  EXPECT_EQ(parsed(with("[landing]\nautonomy = \"land\"\n")).autonomy, model::Autonomy::land);
}

TEST(Parse, ThePolicyHashFollowsThePolicyAlone) {
  const std::string policy =
      build_suite + "[[path]]\nglob = \"a\"\nclass = \"pin\"\n[fork_surface]\nglobs = [\"x\", \"y\"]\n";
  const std::string base = parsed(with(policy)).policy.sha256;
  const std::string unrelated[] = {
      with("# a comment\n" + policy),
      with(policy + "[landing]\nautonomy = \"land\"\n[message]\nsubject_prefix = \"x \"\n"),
      with("[fork_surface]\nglobs = [\"y\", \"x\"]\n[[path]]\nclass = \"pin\"\nglob = \"a\"\n" + build_suite),
      with(policy + "[[runner]]\nkind = \"local\"\njobs = 3\n"),
  };
  for (const std::string& text : unrelated) EXPECT_EQ(parsed(text).policy.sha256, base) << text;
  const std::string related[] = {
      with(policy + "[rules.G26]\nmode = \"off\"\n"),
      with(policy + "[rules.G26]\nthreshold = 2\n"),
      with(policy + "[[path]]\nglob = \"b\"\nclass = \"pin\"\n"),
      with(policy + "[[path]]\nglob = \"b\"\nupstream = \"ours\"\n"),
      with(policy + "[[path]]\nglob = \"b\"\nmissing = \"drop\"\n"),
      with(policy + "[[suite]]\nid = \"b2\"\nkind = \"build\"\ncommand = [\"make\"]\n"),
      with(policy + "[[invariant]]\npath = \"a\"\npattern = 'x'\n"),
      with(policy + "[[invariant]]\npath = \"a\"\npattern = 'x'\nmin = 2\n"),
      with(build_suite + "timeout = 5\n" + policy.substr(build_suite.size())),
      with(build_suite + "allowed_skips = { a = \"b\" }\n" + policy.substr(build_suite.size())),
  };
  std::set<std::string> all{base};
  for (const std::string& text : related) EXPECT_TRUE(all.insert(parsed(text).policy.sha256).second) << text;
}

TEST(Parse, InvariantsHaveNoOrderAndAMinimumOfOne) {
  const std::string a = "[[invariant]]\npath = \"a\"\npattern = 'x'\n", b = "[[invariant]]\npath = \"b\"\npattern = 'y'\n";
  EXPECT_EQ(parsed(with(a + b)).policy.sha256, parsed(with(b + a)).policy.sha256);
  EXPECT_EQ(parsed(with(a)).policy.invariants.at(0).min, 1);
}

TEST(Parse, AMissingFileNamesTheWayToGetOne) {
  const auto config = load("/nowhere/sluice.toml");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().kind, ErrorKind::not_found);
  EXPECT_NE(config.error().message.find("sluice init"), std::string::npos) << config.error().message;
}

TEST(Parse, ExplainShowsTheEffectiveValues) {
  const Result<model::Config> loaded = load(SLUICE_SOURCE_DIR "/examples/sluice.toml");
  ASSERT_TRUE(loaded.ok());
  const std::string text = explain(*loaded);
  for (const char* want :
       {"example/compiler.git branch main", "observe (plans and judges", "commits older than 2 days",
        "cmake --build /build", "/build/lit.json",
        "class pin, upstream list, missing blob fail, owner toolchain team", "time 5400 s",
        "G26                observe", "threshold 5", "lib/Fork/", "the build machine has no GPU",
        R"(2 or more lines match \bnarrow_interval\()", "slower, and no test says so"})
    EXPECT_NE(text.find(want), std::string::npos) << want << "\n" << text;
  EXPECT_NE(explain(parsed(smallest)).find("nothing can land"), std::string::npos);
}

}  // namespace
}  // namespace sluice::config
