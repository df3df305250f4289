// SPDX-License-Identifier: Apache-2.0
// The policy in a ref of the fork: fetched with the remotes, never read from what is judged, never replaced by defaults.
#include <gtest/gtest.h>

#include "config/config.h"
#include "core/file.h"
#include "service/doctor.h"
#include "service/gate.h"
#include "service/policy_ref.h"
#include "service/remotes.h"
#include "service/service.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

using model::Judgement;

constexpr const char* script = R"v(
  repo up
    base40 f                       ; commit B "tiles: the first version"
  fork up down
    insert f 30 "fork_guard(value);\nfork_more(value);" ; commit D "fork: guards"
    branch policy main ; put sluice-policy.toml "[rules.G23]\nmode = \"off\"\n\n[[suite]]\nid = \"compile\"\nkind = \"build\"\ncommand = [\"true\"]\n\n[[path]]\nglob = \"ci/\"\nclass = \"protected\"\n" ; commit POL "policy"
    on main
  at up
    line f 5 "line 5 UP"           ; commit U "tiles: line 5"
    put ci/run "echo\n"            ; commit U2 "ci: run"
)v";

struct Fork {
  test_support::History h{script};
  std::string config;
  Fork() {
    h.run("at up; push_bare up; at down; push_bare down");
    config = h.root() + "/sluice.toml";
    write(config, "[fork]\nurl = \"down.git\"\nbranch = \"main\"\n[upstream]\nurl = \"up.git\"\nbranch = \"main\"\n[store]\npath = \"store\"\n"
                  "[policy]\nref = \"refs/heads/policy\"\npath = \"sluice-policy.toml\"\n");
  }
  static void write(const std::string& path, const std::string& text) { ASSERT_TRUE(core::write_file(path, text).ok()); }
  service::App open() {
    auto app = service::open_app(config, service::Access::write);
    if (!app.ok()) throw std::runtime_error(app.error().message);
    return std::move(*app);
  }
};

TEST(PolicyRef, ItIsFetchedWithTheRemotesAndItsBlobIsInForce) {
  Fork f;
  {
    service::App app = f.open();
    EXPECT_TRUE(config::policy_missing(app.config.policy)) << "nothing was fetched yet";
    const auto remotes = service::fetch_remotes(app);
    ASSERT_TRUE(remotes.ok()) << remotes.error().message;
    EXPECT_EQ(app.config.policy.blob, f.h.git("down", {"rev-parse", "policy:sluice-policy.toml"}));
    EXPECT_EQ(app.config.policy.rules.at("G23").mode, model::RuleMode::off);
    const auto plan = service::plan_document(app, *remotes);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ((*plan)["policy"]["blob"].as_string(), app.config.policy.blob);
    EXPECT_NE(service::plan_text(*plan).find("refs/heads/policy:sluice-policy.toml"), std::string::npos);
    // Upstream's change of what the policy protects goes where a person sees it.
    std::string route;
    for (const auto& commit : (*plan)["commits"].items()) {
      if (commit["oid"].as_string() == f.h.id("U2")) route = commit["route"].as_string();
    }
    EXPECT_EQ(route, "chain");
  }
  const service::App later = f.open();
  EXPECT_FALSE(config::policy_missing(later.config.policy)) << "what was fetched last is known to those who only look";
  EXPECT_NE(service::doctor_text(service::doctor(f.config)).find("blob " + later.config.policy.blob), std::string::npos);
  EXPECT_NE(service::doctor_text(service::doctor(f.config)).find("suite compile"), std::string::npos) << "the suites are those of the policy in the ref";
}

TEST(PolicyRef, WithoutTheRefOrTheFileNothingIsJudgedWithDefaults) {
  Fork f;
  f.h.git("down.git", {"update-ref", "-d", "refs/heads/policy"});
  {
    service::App app = f.open();
    const auto none = service::fetch_remotes(app);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::transient) << "an outside failure";
    EXPECT_NE(none.error().message.find("refs/heads/policy:sluice-policy.toml"), std::string::npos) << none.error().message;
    EXPECT_TRUE(config::policy_missing(app.config.policy));
  }
  f.h.git("down.git", {"update-ref", "refs/heads/policy", f.h.id("D")});
  service::App app = f.open();
  const auto empty = service::fetch_remotes(app);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().kind, ErrorKind::transient);
  EXPECT_NE(empty.error().message.find("no such file"), std::string::npos) << empty.error().message;
}

TEST(PolicyRef, AWrongPolicyNamesRefPathAndLine) {
  Fork f;
  f.h.run("at down; on policy; put sluice-policy.toml \"\\n[rules.G98]\\nmode = \\\"off\\\"\\n\"; commit POL2 \"a rule that is none\"; push_bare down");
  service::App app = f.open();
  const auto wrong = service::fetch_remotes(app);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind, ErrorKind::invalid);
  EXPECT_TRUE(wrong.error().message.starts_with("refs/heads/policy:sluice-policy.toml:2: [rules.G98]")) << wrong.error().message;
}

TEST(PolicyRef, AnOperatorsFileWithARuleThatIsNoneIsRefusedWithItsLine) {
  Fork f;
  Fork::write(f.config, "[fork]\nurl = \"down.git\"\nbranch = \"main\"\n[upstream]\nurl = \"up.git\"\nbranch = \"main\"\n[store]\npath = \"store\"\n[rules.G10]\nlimit = 3\n");
  const auto app = service::open_app(f.config, service::Access::read);
  ASSERT_FALSE(app.ok());
  EXPECT_NE(app.error().message.find("sluice.toml:9: [rules.G10] limit"), std::string::npos) << app.error().message;
}

service::GateOptions gate_options(const Fork& f) {
  service::GateOptions options;
  options.upstream_repo = f.h.path("up");
  options.fork_repo = f.h.path("down");
  options.result = "candidate";
  return options;
}

constexpr const char* candidate = R"v(
  at down
    branch candidate main
    line f 5 "line 5 UP" ; swap f "fork_guard(value);\n" ""
    put sluice.toml "[fork]\nurl = \"x\"\nbranch = \"main\"\n[upstream]\nurl = \"y\"\nbranch = \"main\"\n[store]\npath = \"s\"\n[rules.G23]\nmode = \"off\"\n[rules.G02]\nmode = \"off\"\n[rules.G10]\nmode = \"off\"\n[rules.G12]\nmode = \"off\"\n"
    commit P "pick of U, which chooses its own policy" "Upstream-Commit: $(id U)"
)v";

TEST(PolicyRef, GateNeverReadsAConfigurationOfTheJudgedCommit) {
  Fork f;
  f.h.run(candidate);
  auto options = gate_options(f);
  const auto report = service::gate_all(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->judgement(), Judgement::block) << "G12: it brings a sluice.toml of its own: " << service::gate_text(*report);
  options.config = f.h.path("down") + "/sluice.toml";
  const auto refused = service::gate_all(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("is a file of the judged commit"), std::string::npos) << refused.error().message;
}

TEST(PolicyRef, GateTakesItFromARefThatIsNamed) {
  Fork f;
  f.h.run("at down; branch candidate main; line f 5 \"line 5 UP\"; swap f \"fork_guard(value);\\n\" \"\"; commit P \"pick\" \"Upstream-Commit: $(id U)\"");
  auto options = gate_options(f);
  options.rules = {"G23", "G20"};
  auto report = service::gate_all(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GT(report->judgement(), Judgement::pass);
  options.policy = "policy:sluice-policy.toml";
  report = service::gate_all(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->judgement(), Judgement::pass) << "that policy has G23 off: " << service::gate_text(*report);
  EXPECT_NE(service::gate_text(*report).find("off: G23"), std::string::npos) << service::gate_text(*report);
  EXPECT_EQ(service::gate_json(*report)["policy_blob"].as_string(), f.h.git("down", {"rev-parse", "policy:sluice-policy.toml"}));
  options.policy = "nowhere:sluice-policy.toml";
  const auto missing = service::gate_all(options);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::transient);
  options.policy = "policy:no.toml";
  EXPECT_EQ(service::gate_all(options).error().kind, ErrorKind::transient);
}

}  // namespace
}  // namespace sluice::test
