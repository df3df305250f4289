// SPDX-License-Identifier: Apache-2.0
// Candidate rules and merge drivers through a whole sync: what only may propose waits, what may land is judged.
#include <gtest/gtest.h>

#include "service/model/resolver.h"
#include "test/service/model_world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

// The fork only formatted the line that upstream changes: rule A4 or B2 takes upstream's.
const char* const formatted = R"v(
  repo up
    put lib/a.cpp '// a\nint a() {\n  return call(one,two);\n}\n'
    put keep.test 'ok\n'
    commit B 'first version'
  fork up down
    swap lib/a.cpp 'call(one,two)' 'call(one, two)' ; commit D 'format'
  at up
    swap lib/a.cpp 'call(one,two)' 'call(one,two,three)' ; commit X 'a: three'
)v";

// Both append to one list: no rule answers, a merge driver may.
const char* const appended = R"v(
  repo up
    put list.txt 'one\ntwo\n' ; put keep.test 'ok\n' ; commit B 'first version'
  fork up down
    put list.txt 'one\ntwo\nthe fork own\n' ; commit D 'own'
  at up
    put list.txt 'one\ntwo\nthe upstream one\n' ; commit X 'list: one more'
)v";

std::string with_rungs(const std::string& ladder) {
  return ladder + "\n[[suite]]\nid = \"lit\"\nkind = \"lit\"\nneeds = \"build\"\nresults = \"lit.json\"\ncommand = [\"/usr/bin/python3\", \"" + lit_program +
         "\", \"-o\", \"lit.json\", \"/src\"]\n";
}

TEST(LadderRungs, ACandidateProposesAndAPersonSeesWhichRuleItWas) {
  REQUIRE_SANDBOX();
  World w(formatted);
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("X"), D::deferred);
  ASSERT_FALSE(report.notices.empty());
  EXPECT_NE(report.notices.front().find("candidate"), std::string::npos) << report.notices.front();
  EXPECT_NE(report.notices.front().find("only a person may land"), std::string::npos) << report.notices.front();
}

TEST(LadderRungs, ARuleThatThereIsNotIsAnError) {
  World w(formatted, "[ladder]\nrules = { B99 = \"land\" }\n");
  const auto app = service::open_app(w.config_path, service::Access::read);
  ASSERT_FALSE(app.ok());
  EXPECT_NE(app.error().message.find("'B99' is no candidate rule; there are A1f"), std::string::npos) << app.error().message;
  World named(formatted, "[[resolver]]\nname = \"B2\"\ncommand = [\"true\", \"%A\"]\n");
  const auto clash = service::open_app(named.config_path, service::Access::read);
  ASSERT_FALSE(clash.ok());
  EXPECT_NE(clash.error().message.find("'B2' is the name of a rule"), std::string::npos) << clash.error().message;
}

TEST(LadderRungs, OffMeansThatNoRuleIsAsked) {
  REQUIRE_SANDBOX();
  World w(formatted, "[ladder]\ncandidate = \"off\"\n");
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("X"), D::deferred);
  EXPECT_EQ(report.notices.front().find("candidate"), std::string::npos) << report.notices.front();
}

TEST(LadderRungs, LandCountsForARuleOnlyOnceTheForksOwnHistoryHasProvenIt) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  for (const bool proven : {false, true}) {
    World w(with_lit(formatted), with_rungs("[ladder]\ncandidate = \"land\"\n"));
    if (proven) {
      const auto app = w.open();
      ASSERT_TRUE(service::put_rule_proofs(app->store, {{"A4", {140, 0.98}}, {"B2", {140, 0.98}}, {"A3", {140, 0.98}}}, app->clock.now()).ok());
    }
    const auto report = w.sync();
    EXPECT_EQ(w.disposition("X"), proven ? D::adapted : D::deferred) << proven << ": " << (report.notices.empty() ? "" : report.notices.front());
    EXPECT_EQ(w.trunk_file("lib/a.cpp").find("three") != std::string::npos, proven);
  }
}

TEST(LadderRungs, FewAnswersOrALowBoundProveNothing) {
  REQUIRE_SANDBOX();
  World w(formatted);
  const auto app = w.open();
  model::LadderConfig asked;
  asked.candidate = model::RungMode::land;
  ASSERT_TRUE(service::put_rule_proofs(app->store, {{"A3", {99, 0.99}}, {"A4", {500, 0.96}}, {"B2", {100, 0.97}}}, 1).ok());
  const auto rungs = service::effective_rungs(app->store, asked);
  ASSERT_TRUE(rungs.ok());
  EXPECT_EQ(rungs->rules.at("A3"), model::RungMode::propose);
  EXPECT_EQ(rungs->rules.at("A4"), model::RungMode::propose);
  EXPECT_EQ(rungs->rules.count("B2"), 0u);
}

TEST(LadderRungs, AMergeDriverAnswersInTheSandboxAndLandsWhereItMay) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  World w(with_lit(appended), with_rungs("[ladder]\nexternal = \"land\"\n[[resolver]]\nname = \"union\"\ncommand = [\"git\", \"merge-file\", \"--union\", \"%A\", \"%O\", \"%B\"]\n"));
  const auto report = w.sync();
  EXPECT_EQ(w.disposition("X"), D::adapted) << (report.notices.empty() ? "" : report.notices.front());
  EXPECT_EQ(w.trunk_file("list.txt"), "one\ntwo\nthe fork own\nthe upstream one");
}

TEST(LadderRungs, ADriverThatFailsOrWritesElsewhereIsNotTakenAndIsNamed) {
  REQUIRE_SANDBOX();
  const std::pair<const char*, const char*> drivers[] = {
      {"exit 1", "bad leaves a conflict in list.txt"}, {"exit 200", "failed"}, {"printf 'all of it is mine\\\\n' > %A", "changed more of list.txt"}, {"rm %A; ln -s /etc/passwd %A", "failed"}};
  for (const auto& [script, said] : drivers) {
    World w(appended, std::string("[ladder]\nexternal = \"land\"\n[[resolver]]\nname = \"bad\"\ncommand = [\"/bin/sh\", \"-c\", \"") + script + "; true %A\"]\n");
    const auto report = w.sync();
    EXPECT_EQ(w.disposition("X"), D::deferred) << script;
    ASSERT_FALSE(report.notices.empty()) << script;
    EXPECT_NE(report.notices.front().find(said), std::string::npos) << script << ": " << report.notices.front();
    EXPECT_NE(w.trunk_file("list.txt").find("the fork own"), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice::test
