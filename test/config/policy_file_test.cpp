// SPDX-License-Identifier: Apache-2.0
// A policy that stands in a ref of the fork: where it may be, what may stand in it, and how errors name it.
#include <map>

#include "test/config/support.h"

namespace sluice::config {
namespace {

const std::string elsewhere = "[policy]\nref = \"refs/heads/policy\"\npath = \"ci/sluice-policy.toml\"\n";
const std::string name = "refs/heads/policy:ci/sluice-policy.toml";

PolicyText policy(const std::string& text) {
  PolicyText out;
  out.text = text;
  out.name = name;
  out.blob = std::string(40, 'b');
  out.beside = [](const std::string& path) -> Result<std::string> { return make_error(ErrorKind::not_found, path + ": no such file"); };
  return out;
}

std::string error_of_policy(const std::string& text) {
  model::Config config = parsed(with(elsewhere));
  const auto read = read_policy(policy(text), config);
  if (read.ok()) return "";
  EXPECT_EQ(read.error().kind, ErrorKind::invalid);
  EXPECT_TRUE(policy_missing(config.policy)) << "half a policy is in force";
  return read.error().message;
}

TEST(Policy, TheOperatorsFileSaysWhereItStands) {
  const model::Config config = parsed(with(elsewhere));
  EXPECT_EQ(config.policy.ref, "refs/heads/policy");
  EXPECT_EQ(config.policy.path, "ci/sluice-policy.toml");
  EXPECT_TRUE(policy_missing(config.policy)) << "nothing is judged by defaults";
  EXPECT_FALSE(policy_missing(parsed(smallest).policy));
}

TEST(Policy, ARefThatIsNoBranchAndAPathThatLeavesTheTreeAreRefused) {
  for (const auto& [text, want] : std::map<std::string, std::string>{
           {"[policy]\nref = \"policy\"\npath = \"p.toml\"\n", "sluice.toml:10: [policy] ref: 'policy' is not a branch of the fork, written refs/heads/NAME"},
           {"[policy]\nref = \"refs/heads/-x\"\npath = \"p.toml\"\n", "[policy] ref:"},
           {"[policy]\nref = \"refs/heads/p\"\npath = \"/etc/p.toml\"\n", "[policy] path: '/etc/p.toml'"},
           {"[policy]\nref = \"refs/heads/p\"\npath = \"a/../p.toml\"\n", "[policy] path:"},
           {"[policy]\nref = \"refs/heads/p\"\n", "[policy] lacks the key 'path'"},
           {"[policy]\nref = \"refs/heads/p\"\npath = \"p\"\nblob = \"x\"\n", "unknown key 'blob' in [policy]"}}) {
    const std::string message = error_of(with(text));
    EXPECT_NE(message.find(want), std::string::npos) << text << message;
  }
}

TEST(Policy, NothingOfItMayStandInBothPlaces) {
  const std::string message = error_of(with(elsewhere + build_suite));
  EXPECT_NE(message.find("sluice.toml:12: [[suite]] stands in refs/heads/policy:ci/sluice-policy.toml"), std::string::npos) << message;
  EXPECT_NE(error_of(with("[rules.G10]\nmode = \"observe\"\n" + elsewhere)).find("[rules] stands in"), std::string::npos);
}

TEST(Policy, ItsSectionsBecomeThePolicyInForce) {
  model::Config config = parsed(with(elsewhere));
  const auto read = read_policy(policy(build_suite + "[[path]]\nglob = \"docs/\"\nclass = \"risk\"\nowner = \"docs team\"\n[rules.G26]\nmode = \"observe\"\n"
                                       "[fork_surface]\nglobs = [\"lib/Fork/\"]\n[[invariant]]\npath = \"a.c\"\npattern = \"guard\"\n"), config);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(policy_missing(config.policy));
  EXPECT_EQ(config.policy.ref, "refs/heads/policy");
  EXPECT_EQ(config.policy.blob, std::string(40, 'b'));
  EXPECT_EQ(config.policy.suites.size(), 1u);
  EXPECT_EQ(config.policy.rules.at("G26").mode, model::RuleMode::observe);
  EXPECT_EQ(config.policy.invariants.size(), 1u);
  EXPECT_EQ(config.policy.sha256.size(), 64u);
  EXPECT_EQ(config.fork.branch, "main") << "the operator's own stays";
}

TEST(Policy, ItsOwnPathIsProtectedBeforeEveryEntry) {
  model::Config config = parsed(with(elsewhere));
  ASSERT_TRUE(read_policy(policy("[[path]]\nglob = \"ci/**\"\nclass = \"generated\"\n"), config).ok());
  ASSERT_EQ(config.policy.paths.size(), 2u);
  EXPECT_EQ(config.policy.paths[0].glob, "ci/sluice-policy.toml");
  EXPECT_EQ(config.policy.paths[0].klass, model::PathClass::protected_);
}

TEST(Policy, ErrorsNameRefPathAndLine) {
  EXPECT_EQ(error_of_policy("\n[[path]]\nglob = \"a/\"\nowner = \"x\"\nclas = \"risk\"\n"), name + ":5: unknown key 'clas' in [[path]]; did you mean 'class'?");
  EXPECT_TRUE(error_of_policy("[[path]]\nglob =\n").starts_with(name + ":2: "));
  const std::string fork = error_of_policy("[fork]\nurl = \"x\"\n");
  EXPECT_TRUE(fork.starts_with(name + ":1: [fork] does not belong in a policy")) << fork;
  EXPECT_NE(error_of_policy("[policy]\nref = \"refs/heads/x\"\n").find("[policy] does not belong in a policy"), std::string::npos) << "it may not move itself";
  EXPECT_NE(error_of_policy("[[environment]]\nname = \"x\"\n").find("[[environment]] does not belong"), std::string::npos);
}

TEST(Policy, ASuiteIsCheckedAgainstTheOperatorsEnvironments) {
  const std::string suite = "[[suite]]\nid = \"b\"\nkind = \"build\"\ncommand = [\"make\"]\nenvironment = \"gpu\"\n";
  EXPECT_NE(error_of_policy(suite).find("'gpu' is not defined"), std::string::npos);
  model::Config config = parsed(with("[[environment]]\nname = \"gpu\"\n" + elsewhere));
  EXPECT_TRUE(read_policy(policy(suite), config).ok());
  PolicyText alone = policy(suite);
  alone.without_operator = true;
  model::Config none;
  EXPECT_TRUE(read_policy(alone, none).ok()) << "who judges without an operator's file runs nothing";
}

TEST(Policy, RegistersAreReadBesideIt) {
  PolicyText given = policy(build_suite + "[registers]\nflakes = \"ci/flakes.toml\"\n");
  std::string asked;
  given.beside = [&](const std::string& path) -> Result<std::string> {
    asked = path;
    return std::string("[[flake]]\nsuite = \"build\"\ntest = \"a\"\nreason = \"race\"\nowner = \"x\"\nsince = 2026-01-01\nexpires = 2026-02-01\n");
  };
  model::Config config = parsed(with(elsewhere));
  const auto read = read_policy(given, config);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(asked, "ci/flakes.toml");
  EXPECT_EQ(config.policy.flakes.size(), 1u);
  EXPECT_EQ(config.policy.paths.size(), 2u) << "the register is protected, too";
}

}  // namespace
}  // namespace sluice::config
