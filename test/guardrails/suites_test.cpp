// SPDX-License-Identifier: Apache-2.0
// G04, G42, G43, G44, G50: silence is red, and each kind of it has its own reason.
#include <set>

#include "test/guardrails/unit_support.h"

namespace sluice::guardrails::testing {
namespace {

using model::TestState;
using model::UnitKind;

model::Evidence& lit(UnitCase& unit) { return unit.evidence[1]; }

TEST(ExpectedSuites, SixKindsOfSilenceHaveSixReasons) {
  const std::pair<const char*, void (*)(UnitCase&)> rows[] = {
      {"missing", [](UnitCase& u) { u.evidence.pop_back(); }},
      {"late", [](UnitCase& u) { lit(u).trouble = "timeout"; }},
      {"neutral",
       [](UnitCase& u) {
         lit(u).trouble = "results_missing";
         lit(u).tests.clear();
       }},
      {"skipped",
       [](UnitCase& u) {
         for (auto& t : lit(u).tests) t.state = TestState::skip;
       }},
      {"cancelled", [](UnitCase& u) { lit(u).trouble = "cancelled"; }},
      {"unknown runner", [](UnitCase& u) { lit(u).runner = "elsewhere"; }},
  };
  std::set<std::string> reasons;
  for (const auto& [word, change] : rows) {
    UnitCase unit;
    change(unit);
    EXPECT_EQ(unit.of("G42"), Judgement::block) << word;
    const std::string reason = unit.why("G42");
    EXPECT_TRUE(reason.starts_with(word)) << reason;
    reasons.insert(reason.substr(0, reason.find(':')));
    EXPECT_EQ(unit.judge().judgement, Judgement::block) << word;
    EXPECT_NE(unit.judge().suites.at(1).outcome, model::Outcome::pass) << word;
  }
  EXPECT_EQ(reasons.size(), 6u);
}

TEST(ExpectedSuites, ALostRunnerIsNoJudgement) {
  for (const char* trouble : {"runner_lost", "sandbox_unavailable", "disk_full"}) {
    UnitCase unit;
    lit(unit).trouble = trouble;
    EXPECT_EQ(unit.judge().judgement, Judgement::unresolved) << trouble << describe(unit.judge());
    EXPECT_EQ(missing_suites(unit.context.policy, UnitKind::bundle, unit.proposal.tree, unit.evidence),
              std::vector<std::string>{"lit"});
    unit.evidence.push_back(UnitCase().evidence[1]);
    unit.evidence.back().tree = unit.proposal.tree;
    EXPECT_EQ(unit.judge().judgement, Judgement::pass) << "the repeated run counts" << describe(unit.judge());
  }
}

TEST(ExpectedSuites, ARedResultIsNotErasedByALaterGreenOne) {
  UnitCase unit;
  model::Evidence red = lit(unit);
  red.exit_code = 1;
  red.tests[0].state = TestState::fail;
  red.started_at -= 500;
  unit.evidence.push_back(red);
  EXPECT_EQ(unit.of("G44"), Judgement::block);
}

TEST(ExpectedSuites, MissingOnesAreNamedByLane) {
  UnitCase unit;
  unit.context.policy.suites[1].required_for = {"chain"};
  EXPECT_EQ(missing_suites(unit.context.policy, UnitKind::bundle, unit.proposal.tree, {}),
            std::vector<std::string>{"build"});
  EXPECT_EQ(missing_suites(unit.context.policy, UnitKind::chain, unit.proposal.tree, {}),
            (std::vector<std::string>{"build", "lit"}));
  EXPECT_EQ(missing_suites(unit.context.policy, UnitKind::chain, std::string(40, '1'), unit.evidence).size(),
            2u)
      << "another tree's results";
}

TEST(ExpectedSuites, LinesOfAModelNeedAnObservedSuite) {
  UnitCase unit;
  unit.proposal.members[0].resolutions.push_back({"f.cpp", "", model::Rung::model, "", "mixed", ""});
  EXPECT_EQ(unit.of("G42"), Judgement::pass);
  lit(unit).grade = "self-reported";
  EXPECT_EQ(unit.of("G42"), Judgement::block);
}

TEST(TestedIsLanded, NoResultOfAnotherTreeEnvironmentOrTimeCounts) {
  UnitCase unit;
  EXPECT_EQ(unit.of("G04"), Judgement::pass);
  const auto broken = [](const char* name, auto&& change) {
    UnitCase other;
    change(other);
    EXPECT_EQ(other.of("G04"), Judgement::block) << name;
  };
  broken("tree", [](auto& u) { lit(u).tree = u.proposal.base_tree; });
  broken("environment", [](auto& u) { lit(u).environment = "other"; });
  broken("one second too old",
         [](auto& u) { u.context.now = lit(u).started_at + u.context.max_evidence_age_s + 1; });
  broken("nonce", [](auto& u) {
    u.context.nonces = {"n"};
    lit(u).nonce = "m";
  });
  // A clock that went back is nobody's commit: blocked all the same, without a verdict.
  UnitCase future;
  lit(future).started_at = future.context.now + 1;
  EXPECT_EQ(future.of("G04"), Judgement::unresolved);
  unit.context.now = lit(unit).started_at + unit.context.max_evidence_age_s;
  EXPECT_EQ(unit.of("G04"), Judgement::pass) << "exactly the limit";
}

TEST(Counts, ZeroTestsAreRedWithEveryRunner) {
  for (const char* kind : {"lit", "ctest", "gtest", "junit"}) {
    UnitCase unit;
    unit.context.policy.suites[1].kind = lit(unit).kind = kind;
    lit(unit).tests.clear();
    unit.context.base_evidence["lit"].tests.clear();
    EXPECT_EQ(lit(unit).exit_code, 0);
    EXPECT_EQ(unit.of("G43"), Judgement::block) << kind;
    EXPECT_NE(unit.judge().suites[1].outcome, model::Outcome::pass);
  }
  UnitCase xfail;
  for (auto& test : lit(xfail).tests) test.state = TestState::xfail;
  EXPECT_EQ(xfail.of("G43"), Judgement::block) << "everything an expected failure";
}

TEST(Counts, OneRemovedAndOneAddedKeepTheTotalAndFail) {
  UnitCase unit;
  lit(unit).tests[1].id = "T :: d.mlir";
  const model::RuleResult rule = unit.rule("G43");
  EXPECT_EQ(rule.judgement, Judgement::block);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].text, "T :: c.mlir");
}

TEST(Counts, ATestThatUpstreamRemovesMayGo) {
  UnitCase unit;  // U2 deletes test/b.mlir
  unit.context.base_evidence["lit"].tests.push_back({"T :: b.mlir", TestState::pass, ""});
  const model::RuleResult rule = unit.rule("G43");
  EXPECT_EQ(rule.judgement, Judgement::pass);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].origin, "upstream");
}

TEST(Counts, ATestWhoseTextUpstreamRemovesMayGo) {
  UnitCase unit(R"sh(
    repo up; put t.cpp "TEST(Dot, Small) { a(); }\nTEST(Dot, Large) { b(); }\n"; base40 f; commit B "b"
    fork up down; line f 3 "fork"; commit D "fork"
    at up; put t.cpp "TEST(Dot, Small) { a(); }\n"; commit U1 "u1")sh",
                {"U1"}, "U1");
  unit.context.policy.suites[1].kind = "gtest";
  lit(unit).kind = "gtest";
  lit(unit).tests = {{"Dot.Small", TestState::pass, ""}};
  auto& base = unit.context.base_evidence["lit"].tests;
  base = {{"Dot.Large", TestState::pass, ""}, {"Dot.Small", TestState::pass, ""}};
  EXPECT_EQ(unit.of("G43"), Judgement::pass);
  base.push_back({"Other.Case", TestState::pass, ""});
  EXPECT_EQ(unit.of("G43"), Judgement::block);
}

TEST(Counts, NewSkipsMustBeOnTheList) {
  UnitCase unit;
  lit(unit).tests[0].state = TestState::unsupported;
  EXPECT_EQ(unit.of("G43"), Judgement::block);
  unit.context.allowed_skips["lit"]["T :: a.mlir"] = "needs a device";
  EXPECT_EQ(unit.of("G43"), Judgement::pass);
  unit.context.allowed_skips.clear();
  unit.context.policy.suites[1].allowed_skips["T :: a.mlir"] = "needs a device";
  EXPECT_EQ(unit.of("G43"), Judgement::pass);
  unit.context.policy.suites[1].allowed_skips.clear();
  unit.context.base_evidence["lit"].tests[0].state = TestState::skip;
  EXPECT_EQ(unit.of("G43"), Judgement::pass) << "skipped on the base as well";
}

TEST(Runner, ExitStatusAndReportMustAgree) {
  struct Row {
    const char* name;
    int exit_code;
    TestState first;
    Judgement want;
  };
  const Row rows[] = {
      {"all good", 0, TestState::pass, Judgement::pass},
      {"a failure and a non-zero exit", 1, TestState::fail, Judgement::block},
      {"a failure and exit 0", 0, TestState::fail, Judgement::block},
      {"no failure and a non-zero exit", 1, TestState::pass, Judgement::block},
      {"an unexpected pass, as lit 16 ends", 0, TestState::xpass, Judgement::block},
      {"an expected failure", 0, TestState::xfail, Judgement::pass},
      {"a crash", 1, TestState::crash, Judgement::block},
      {"a time-out", 1, TestState::timeout, Judgement::block},
      {"a test without result", 1, TestState::missing, Judgement::block},
  };
  for (const Row& row : rows) {
    UnitCase unit;
    lit(unit).exit_code = row.exit_code;
    lit(unit).tests[0].state = row.first;
    EXPECT_EQ(unit.of("G44"), row.want) << row.name;
    EXPECT_EQ(unit.judge().judgement, row.want) << row.name << describe(unit.judge());
  }
}

TEST(Build, MustSucceedWithNoMoreWarningsThanTheBase) {
  UnitCase unit;
  unit.evidence[0].warnings = 3;
  unit.context.base_evidence["build"].warnings = 3;
  EXPECT_EQ(unit.of("G50"), Judgement::pass);
  unit.evidence[0].warnings = 4;
  EXPECT_EQ(unit.of("G50"), Judgement::block);
  EXPECT_EQ(unit.why("G50"), "4 compiler warnings, the base has 3 (limit: 0 more)");
  unit.context.policy.rules["G50"].thresholds["threshold"] = 1;
  EXPECT_EQ(unit.of("G50"), Judgement::pass);
  unit.context.policy.rules.clear();
  unit.context.base_evidence.erase("build");
  EXPECT_EQ(unit.of("G50"), Judgement::pass) << "nothing to compare with; listed";
  unit.evidence[0].exit_code = 2;
  EXPECT_EQ(unit.of("G50"), Judgement::block);
  unit.evidence.erase(unit.evidence.begin());
  EXPECT_EQ(unit.of("G50"), Judgement::block) << "not built";
}

}  // namespace
}  // namespace sluice::guardrails::testing
