// SPDX-License-Identifier: Apache-2.0
// G47, G48, G49 and the sample of G44: what may answer for a red test, and what may not.
#include "guardrails/failure.h"
#include "test/guardrails/unit_support.h"

namespace sluice::guardrails::testing {
namespace {

using model::Evidence;
using model::TestState;

constexpr std::int64_t day = 86400;
const std::string wrong = "T :: c.mlir";

// Suite lit fails in c.mlir, which nothing touches.
class RedUnit : public UnitCase {
 public:
  explicit RedUnit(TestState state = TestState::fail) {
    lit().exit_code = 1;
    lit().tests[1] = {wrong, state, "c.mlir:7: expected 3"};
  }
  Evidence& lit() { return evidence[1]; }
  Evidence& base() { return context.base_evidence["lit"]; }
  // c.mlir alone, once more on the unit's tree.
  void repeat(TestState state) {
    Evidence again = lit();
    again.started_at += 60;
    again.selected = {wrong};
    again.tests = {{wrong, state, "c.mlir:7: expected 3"}};
    again.exit_code = state == TestState::pass ? 0 : 1;
    evidence.push_back(again);
  }
  void repeat_on_base(TestState state) {
    Evidence again = base();
    again.selected = {wrong};
    again.tests = {{wrong, state, "c.mlir:7: expected 3"}};
    context.base_repetitions.push_back(again);
  }
  model::RegisterEntry entry() {
    model::RegisterEntry e;
    e.suite = "lit";
    e.test = wrong;
    e.owner = "ada";
    e.reason = "known";
    e.since = context.now - day;
    e.expires = context.now + day;
    e.line = 4;
    return e;
  }
  void register_flake() { context.policy.flakes = {entry()}; }
  void register_failure() {
    context.policy.known_failures = {entry()};
    context.policy.known_failures[0].fingerprint = failure_fingerprint(lit().tests[1]);
  }
  void red_on_base() {
    base().exit_code = 1;
    base().tests[1] = {wrong, TestState::fail, "c.mlir:99: expected 3"};
  }
  std::vector<Repetition> wanted() { return must(repetitions_wanted(repo.reader(), proposal, model::UnitKind::bundle, evidence, context)); }
  std::string lifted(const std::string& id) {
    for (const model::VerdictItem& item : rule(id).items) {
      if (!item.lifted_by.empty()) return item.lifted_by;
    }
    return "";
  }
};

TEST(Flakes, APassAfterAFailIsRedUntilTheTestIsKnownToWaver) {
  RedUnit unit;
  unit.repeat(TestState::pass);
  EXPECT_EQ(unit.of("G47"), Judgement::block);
  EXPECT_EQ(unit.of("G44"), Judgement::block) << "the flip does not erase the red";
  EXPECT_NE(unit.why("G44").find("fail f-"), std::string::npos) << "a person can copy the fingerprint: " << unit.why("G44");
  unit.register_flake();
  EXPECT_EQ(unit.judge().judgement, Judgement::pass) << describe(unit.judge());
  EXPECT_EQ(unit.lifted("G47"), "flake register (line 4, ada, until 1970-01-03)");
  EXPECT_EQ(unit.judge().suites[1].outcome, model::Outcome::pass);
  EXPECT_EQ(unit.rule("G47").items.size(), 1u) << "the flip is recorded";
}

TEST(Flakes, WaveringOnTheBaseIsEnoughAndFailingThereOnceIsNot) {
  RedUnit unit;
  unit.repeat(TestState::pass);
  unit.repeat_on_base(TestState::pass);
  EXPECT_EQ(unit.of("G47"), Judgement::block);
  unit.repeat_on_base(TestState::fail);
  EXPECT_EQ(unit.judge().judgement, Judgement::pass) << describe(unit.judge());
  EXPECT_EQ(unit.lifted("G47"), "wavers on the base too");
  for (Evidence& e : unit.context.base_repetitions) e.tree = std::string(40, '1');
  EXPECT_EQ(unit.of("G47"), Judgement::block) << "of another tree";
}

TEST(Flakes, ATestThatFailsTwiceIsNoFlakeThoughItIsRegistered) {
  RedUnit unit;
  unit.register_flake();
  unit.repeat(TestState::fail);
  EXPECT_EQ(unit.of("G44"), Judgement::block);
  EXPECT_EQ(unit.of("G47"), Judgement::pass) << "it did not flip";
}

TEST(Flakes, AnEntryPastItsDayCountsForNothingAndIsSaid) {
  RedUnit unit;
  unit.repeat(TestState::pass);
  unit.register_flake();
  unit.context.policy.flakes[0].expires = unit.context.now;
  EXPECT_EQ(unit.of("G47"), Judgement::block);
  EXPECT_NE(unit.why("G47").find("counts for nothing any more (line 4, ada, until 1970-01-02)"), std::string::npos) << unit.why("G47");
  unit.context.policy.flakes[0].expires = unit.context.now + 1;
  EXPECT_EQ(unit.of("G47"), Judgement::pass);
  unit.context.policy.flakes[0].owner.clear();
  EXPECT_EQ(unit.of("G47"), Judgement::block) << "nobody's entry";
}

TEST(Flakes, WhatTheUnitTouchesIsNeitherRepeatedNorAccepted) {
  RedUnit unit;
  unit.lit().tests[1].id = "T :: f.cpp";  // both members change f.cpp
  EXPECT_TRUE(unit.wanted().empty());
  unit.evidence.push_back(unit.lit());
  unit.evidence.back().tests = {{"T :: f.cpp", TestState::pass, ""}};
  unit.evidence.back().exit_code = 0;
  unit.register_flake();
  unit.context.policy.flakes[0].test = "T :: f.cpp";
  EXPECT_EQ(unit.of("G47"), Judgement::block);
  EXPECT_NE(unit.why("G47").find("area that the unit touches"), std::string::npos) << unit.why("G47");
}

TEST(Flakes, ATestIsInTheTouchedAreaByItsFileOrItsNames) {
  UnitCase unit(R"sh(
    repo up; put t.cpp "TEST(Dot, Small) { a(); }\nTEST(Dot, Large) { b(); }\n"; base40 f; commit B "b"
    fork up down; line f 3 "fork"; commit D "fork"
    at up; put t.cpp "TEST(Dot, Small) { a(2); }\nTEST(Dot, Large) { b(); }\n"; commit U1 "u1")sh",
                {"U1"}, "U1");
  unit.context.policy.suites[1].kind = unit.evidence[1].kind = "gtest";
  unit.evidence[1].exit_code = 1;
  for (const auto& [id, asked] : {std::pair{"Dot.Small", false}, {"Other.Small", true}, {"t.Case", false}, {"Dot", true}}) {
    unit.evidence[1].tests = {{id, TestState::fail, "x"}};
    const auto wanted = must(repetitions_wanted(unit.repo.reader(), unit.proposal, model::UnitKind::bundle, unit.evidence, unit.context));
    EXPECT_EQ(!wanted.empty(), asked) << id;
  }
}

TEST(Flakes, WhatShouldRunAgainIsAskedOnceAndWithinTheBudget) {
  RedUnit unit;
  ASSERT_EQ(unit.wanted().size(), 1u);
  EXPECT_EQ(unit.wanted()[0].suite, "lit");
  EXPECT_EQ(unit.wanted()[0].tests, std::vector<std::string>{wrong});
  EXPECT_TRUE(unit.wanted()[0].on_base);
  unit.context.policy.rules["G47"].thresholds["single_quota"] = 99;
  EXPECT_TRUE(unit.wanted().empty());
  unit.context.policy.rules.clear();
  unit.context.policy.rules["G47"].thresholds["most_tests"] = 0;
  EXPECT_TRUE(unit.wanted().empty());
  unit.context.policy.rules.clear();
  unit.repeat(TestState::fail);
  EXPECT_TRUE(unit.wanted().empty()) << "it was";
  EXPECT_TRUE(RedUnit(TestState::pass).wanted().empty());
}

TEST(Flakes, RepetitionsBeyondTheQuotaAreRed) {
  RedUnit unit;
  unit.register_flake();
  unit.repeat(TestState::pass);
  unit.repeat(TestState::pass);
  EXPECT_EQ(unit.of("G47"), Judgement::pass) << unit.why("G47");
  unit.repeat(TestState::pass);
  EXPECT_EQ(unit.of("G47"), Judgement::block);
  EXPECT_EQ(unit.why("G47"), "repetitions cost 300 points, the quota of a unit is 200");
  RedUnit outside;  // faults of the infrastructure are nearly free
  for (int i = 0; i < 5; ++i) {
    outside.evidence.push_back(outside.lit());
    outside.evidence.back().trouble = "runner_lost";
  }
  EXPECT_EQ(outside.of("G47"), Judgement::pass);
  EXPECT_EQ(outside.judge().judgement, Judgement::block) << "red it is";
}

TEST(Flakes, ARunnersOwnRepetitionIsAFlipToo) {
  RedUnit unit(TestState::flakypass);
  unit.lit().exit_code = 0;
  EXPECT_EQ(unit.of("G47"), Judgement::block);
  EXPECT_EQ(unit.of("G44"), Judgement::pass) << "said once";
  unit.base().tests[1].state = TestState::flakypass;
  EXPECT_EQ(unit.judge().judgement, Judgement::pass) << describe(unit.judge());
}

TEST(Flakes, AnswerForNothingWhereTheRuleOnlyObserves) {
  RedUnit unit;
  unit.repeat(TestState::pass);
  unit.register_flake();
  unit.context.policy.rules["G47"].mode = model::RuleMode::observe;
  EXPECT_EQ(unit.judge().judgement, Judgement::block);
}

TEST(RedBase, AKnownFailureOfTheBaseIsSubtracted) {
  RedUnit unit;
  unit.red_on_base();
  EXPECT_EQ(unit.judge().judgement, Judgement::block) << "without an entry";
  unit.register_failure();
  EXPECT_EQ(unit.judge().judgement, Judgement::pass) << describe(unit.judge());
  EXPECT_TRUE(unit.lifted("G48").starts_with("known failure f-")) << unit.lifted("G48");
  EXPECT_TRUE(answered_by_registers(unit.context.policy, unit.base(), unit.context.now));
}

TEST(RedBase, EveryConditionIsNeeded) {
  const std::pair<const char*, void (*)(RedUnit&)> rows[] = {
      {"does not show this failure", [](RedUnit& u) { u.base().tests[1].state = TestState::pass; }},
      {"does not show this failure", [](RedUnit& u) { u.base().tests[1].detail = "something else"; }},
      {"on another day", [](RedUnit& u) { u.base().started_at -= day + 1; }},
      {"counts for nothing any more", [](RedUnit& u) { u.context.policy.known_failures[0].expires = u.context.now; }},
      {"more than 7 days", [](RedUnit& u) { u.context.policy.known_failures[0].expires = u.context.now + 8 * day; }},
      {"counts for nothing any more", [](RedUnit& u) { u.context.policy.known_failures[0].owner.clear(); }},
      {"masked", [](RedUnit& u) { u.lit().tests[1].detail = "a new failure"; }},
      {"says nothing", [](RedUnit& u) { u.lit().tests[1].detail = ""; }},
      {"area that the unit touches", [](RedUnit& u) {
         u.lit().tests[1].detail = u.base().tests[1].detail = "f.cpp:3: wrong";
         u.context.policy.known_failures[0].fingerprint = failure_fingerprint(u.lit().tests[1]);
       }},
  };
  for (const auto& [why, spoil] : rows) {
    RedUnit unit;
    unit.red_on_base();
    unit.register_failure();
    spoil(unit);
    EXPECT_EQ(unit.of("G48"), Judgement::block) << why;
    EXPECT_NE(unit.why("G48").find(why), std::string::npos) << why << " | " << unit.why("G48");
    EXPECT_EQ(unit.of("G44"), Judgement::block) << why;
    EXPECT_EQ(unit.judge().suites[1].outcome, model::Outcome::fail) << why;
  }
}

TEST(RedBase, ASuiteInWhichNothingPassesInEarnestIsStillRed) {
  RedUnit unit;
  unit.red_on_base();
  unit.register_failure();
  unit.lit().tests[0].state = TestState::xfail;
  EXPECT_EQ(unit.of("G43"), Judgement::block);
}

TEST(RedBase, TrunkIsJudgedAgainstOnlyWhenRegistersAnswerForAllOfIt) {
  RedUnit unit;
  unit.red_on_base();
  unit.register_failure();
  unit.base().tests.push_back({"T :: d.mlir", TestState::fail, "x"});
  EXPECT_FALSE(answered_by_registers(unit.context.policy, unit.base(), unit.context.now));
  unit.base().tests.pop_back();
  EXPECT_FALSE(answered_by_registers(unit.context.policy, unit.base(), unit.context.now + day)) << "past its day";
  unit.base().trouble = "timeout";
  EXPECT_FALSE(answered_by_registers(unit.context.policy, unit.base(), unit.context.now));
}

TEST(FailingFirst, ATestThatPassesOnTheBaseProvesNothingAndIsOnlyNoted) {
  UnitCase unit;
  unit.evidence[1].tests.push_back({"T :: new.mlir", TestState::pass, ""});
  Evidence first = unit.evidence[1];
  unit.context.failing_first = {{"lit", first}};
  const model::RuleResult rule = unit.rule("G49");
  EXPECT_EQ(rule.judgement, Judgement::pass);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].text, "T :: new.mlir");
  EXPECT_NE(rule.items[0].detail.find("proves nothing here"), std::string::npos);
  unit.context.failing_first["lit"].tests.back().state = TestState::fail;
  EXPECT_TRUE(unit.rule("G49").items.empty());
  unit.context.failing_first.clear();
  EXPECT_TRUE(unit.rule("G49").items.empty()) << "nobody asked";
}

TEST(FailingFirst, TheNewTestFilesAreThoseThatUpstreamAddsAndTheForkLacks) {
  UnitCase unit(R"sh(
    repo up; base40 f.cpp; put test/a.mlir "1\n"; commit B "b"
    fork up down; put test/own.mlir "2\n"; commit D "fork"
    at up; put test/new.mlir "3\n"; put test/a.mlir "4\n"; put lib.cpp "5\n"; commit U1 "u1")sh",
                {"U1"}, "U1");
  EXPECT_TRUE(must(new_test_files(unit.repo.reader(), unit.proposal, unit.context.policy)).empty()) << "it costs a run: only where asked";
  unit.context.policy.rules["G49"].mode = model::RuleMode::observe;
  const auto files = must(new_test_files(unit.repo.reader(), unit.proposal, unit.context.policy));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files.begin()->first, "test/new.mlir");
}

TEST(Sample, OfASelfReportedSuiteIsAskedForWhereAModelWroteAndADisagreementIsRed) {
  UnitCase unit;
  model::Evidence& lit = unit.evidence[1];
  for (const char* id : {"A.a", "A.b", "A.c", "A.d"}) lit.tests.push_back({id, TestState::pass, ""});
  const auto wanted = [&] { return must(repetitions_wanted(unit.repo.reader(), unit.proposal, model::UnitKind::bundle, unit.evidence, unit.context)); };
  unit.proposal.members[0].resolutions.push_back({"f.cpp", "", model::Rung::model, "", "mixed", ""});
  EXPECT_TRUE(wanted().empty()) << "observed";
  lit.grade = "self-reported";
  ASSERT_EQ(wanted().size(), 1u);
  EXPECT_TRUE(wanted()[0].one_by_one);
  EXPECT_EQ(wanted()[0].tests.size(), 3u);
  EXPECT_EQ(wanted()[0].tests, wanted()[0].tests);
  unit.context.policy.rules["G44"].thresholds["sample"] = 1;
  EXPECT_EQ(wanted()[0].tests.size(), 1u);
  unit.proposal.members[0].resolutions.clear();
  EXPECT_TRUE(wanted().empty()) << "no line of a model";
  for (const auto& [state, want] : {std::pair{TestState::pass, Judgement::pass}, {TestState::fail, Judgement::block}, {TestState::skip, Judgement::block}}) {
    model::Evidence one = unit.evidence[1];
    one.selected = {"A.b"};
    one.tests = {{"A.b", state, ""}};
    unit.evidence.resize(2);
    unit.evidence.push_back(one);
    EXPECT_EQ(unit.of("G44"), want) << model::to_string(state);
  }
  unit.evidence.back().tests.clear();
  EXPECT_NE(unit.why("G44").find("run by itself it is not reported"), std::string::npos);
}

}  // namespace
}  // namespace sluice::guardrails::testing
