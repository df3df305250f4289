// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "config/config.h"
#include "core/file.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

constexpr const char* script = R"v(
  repo up
    base40 f ; put .github/workflows/ci.yml "ci\n" ; put cmake/llvm-hash.txt "1\n"
    put CMakeLists.txt "project(x)\nenable_testing()\n"          ; commit B "tiles: the first version"
  fork up down
    drop .github/workflows/ci.yml                                  ; commit D "fork: no CI"
  at up
    put a "1\n"                                                    ; commit A "a"
    put b "1\n"                                                    ; commit Bq "b"
  at down
    put a "1\n"  ; commit Old "[Cherry-pick] 'a'" "Summary.\n\nReactor Cherry-pick Revision: $(id A)\n\nReviewed by: x"
)v";

TEST(Init, WritesAConfigurationThatPlansWithNoHandEdit) {
  test_support::History h(script);
  h.run("at up; push_bare up; at down; push_bare down");
  service::InitOptions options;
  options.upstream = h.path("up.git");
  options.fork = h.path("down.git");
  options.config_path = h.root() + "/sluice.toml";
  const auto outcome = service::init(options, [](const std::string&, std::int64_t, std::int64_t) {}, nullptr);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const auto config = config::load(options.config_path);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->autonomy, model::Autonomy::observe);
  EXPECT_EQ(config->upstream.branch, "main");
  ASSERT_EQ(config->trailer_patterns.size(), 1u);
  ASSERT_FALSE(config->policy.suites.empty());
  for (const model::SuiteConfig& suite : config->policy.suites) {
    const bool told = std::any_of(outcome->findings.begin(), outcome->findings.end(),
                                  [&](const std::string& finding) { return finding.find("suite `" + suite.id + "`") != std::string::npos; });
    EXPECT_TRUE(told) << suite.id << " is in the configuration, and no finding names it";
  }

  auto app = service::open_app(options.config_path, service::Access::write);
  ASSERT_TRUE(app.ok()) << app.error().message;
  app->progress = [](const std::string&, std::int64_t, std::int64_t) {};
  const auto remotes = service::fetch_remotes(*app);
  ASSERT_TRUE(remotes.ok()) << remotes.error().message;
  const auto plan = service::make_plan(*app, *remotes);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->ledger.at(h.id("A")).disposition, model::Disposition::picked) << "read from the fork's own trailer";
  EXPECT_EQ(plan->pins.contiguous, 1);
}

TEST(Init, DoesNotOverwriteAndNamesWhatIsWrong) {
  test_support::History h(script);
  h.run("at up; push_bare up; at down; push_bare down");
  const service::Progress quiet = [](const std::string&, std::int64_t, std::int64_t) {};
  service::InitOptions options;
  options.upstream = h.path("up.git");
  options.fork = h.path("down.git");
  options.config_path = h.root() + "/sluice.toml";
  ASSERT_TRUE(core::write_file(options.config_path, "mine\n").ok());
  auto outcome = service::init(options, quiet, nullptr);
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("--force"), std::string::npos);
  EXPECT_EQ(*core::read_file(options.config_path), "mine\n");

  options.config_path = h.root() + "/other.toml";
  options.fork_branch = "no-such-branch";
  outcome = service::init(options, quiet, nullptr);
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("no-such-branch"), std::string::npos) << outcome.error().message;
  EXPECT_FALSE(core::exists(options.config_path));

  options.fork_branch.clear();
  options.fork = h.root() + "/nowhere";
  outcome = service::init(options, quiet, nullptr);
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("nowhere"), std::string::npos) << outcome.error().message;
  EXPECT_EQ(outcome.error().message.find("\\x0A"), std::string::npos) << "git's lines are one sentence: " << outcome.error().message;
}

}  // namespace
}  // namespace sluice::test
