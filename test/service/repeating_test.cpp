// SPDX-License-Identifier: Apache-2.0
// Before a culprit is looked for, what failed runs again: flakes blame nobody, and what trunk fails at blames nobody.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/clock.h"
#include "core/file.h"
#include "core/json.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/selecting.h"
#include "service/validating.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

// Stands for a program of GoogleTest: one test per `*.case` file. One that says MOODY fails when it runs among the
// others and passes when it is asked for alone; one that says BAD always fails.
constexpr const char* program = R"sh(#!/bin/sh
rc=0; out=/build/cases.xml; f=${1#--gtest_filter=}
echo "<testsuites><testsuite name=\"Case\">" > $out
for c in /src/*.case; do
  n=$(basename $c .case)
  if [ -n "$f" ] && [ "$f" != "Case.$n" ]; then continue; fi
  state=
  if grep -q BAD $c; then state=bad; fi
  if [ -z "$f" ] && [ $n = moody ] && grep -q MOODY /src/mood*.txt; then state=moody; fi
  echo "<testcase classname=\"Case\" name=\"$n\" status=\"run\">" >> $out
  if [ -n "$state" ]; then rc=1; echo "<failure message=\"$state at line 12\"/>" >> $out; fi
  echo "</testcase>" >> $out
done
echo "</testsuite></testsuites>" >> $out
exit $rc
)sh";

constexpr const char* suite = "[[suite]]\nid = \"cases\"\nkind = \"gtest\"\nneeds = \"build\"\nresults = \"cases.xml\"\ncommand = [\"/build/cases\"]\n";

// `put` reads escapes.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return out;
}

std::string start(const std::string& more) {
  return std::string("repo up; put keep.test \"ok\\n\"; put cases '") + quoted(program) + "'; runnable cases; put moody.case \"fine\\n\"; put calm.case \"fine\\n\"; commit B \"b\"\n" +
         "fork up down; put own.txt \"own\\n\"; commit D \"fork\"\nat up\n" + more;
}

struct Told {
  service::SyncReport report;
  std::vector<std::string> steps;
  bool bisected() const {
    return std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s.find("bisecting") != std::string::npos; });
  }
  bool repeated() const {
    return std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s.find(", again: cases") != std::string::npos; });
  }
};

Told sync_and_listen(World& w) {
  Told told;
  const auto app = w.open();
  app->progress = [&](const std::string& step, std::int64_t, std::int64_t) { told.steps.push_back(step); };
  auto report = service::sync(*app, {});
  if (!report.ok()) throw std::runtime_error(report.error().message);
  told.report = std::move(*report);
  return told;
}

void add_registers(World& w, const std::string& flakes, const std::string& known) {
  auto text = core::read_file(w.config_path);
  ASSERT_TRUE(text.ok());
  ASSERT_TRUE(core::write_file(w.config_path, *text + "\n[registers]\nflakes = \"flakes.toml\"\nknown_failures = \"known.toml\"\n").ok());
  ASSERT_TRUE(core::write_file(w.history.root() + "/flakes.toml", flakes).ok());
  ASSERT_TRUE(core::write_file(w.history.root() + "/known.toml", known).ok());
}

constexpr const char* flake =
    "[[flake]]\nsuite = \"cases\"\ntest = \"Case.moody\"\nreason = \"r\"\nowner = \"ada\"\nsince = 2020-01-01\nexpires = 2099-01-01\n";

const std::string two_commits = "put mood.txt \"MOODY\\n\"; commit A \"mood\"; put other.txt \"x\\n\"; commit C \"other\"\n";

TEST(Repeating, ARegisteredFlakeLandsAndItsFlipIsInTheVerdict) {
  REQUIRE_SANDBOX();
  World w(start(two_commits), suite);
  add_registers(w, flake, "");
  const Told told = sync_and_listen(w);
  EXPECT_EQ(w.disposition("A"), model::Disposition::picked);
  EXPECT_EQ(w.disposition("C"), model::Disposition::picked);
  EXPECT_TRUE(told.repeated());
  EXPECT_FALSE(told.bisected());
  const auto app = w.open(service::Access::read);
  const auto units = app->store.units();
  ASSERT_TRUE(units.ok());
  const auto verdict = app->store.last_verdict(units->front().id);
  ASSERT_TRUE(verdict.ok() && *verdict);
  EXPECT_NE((**verdict).dump().find("flake register"), std::string::npos);
}

TEST(Repeating, AFlakeThatNobodyKnowsIsNotSearchedFor) {
  REQUIRE_SANDBOX();
  World w(start(two_commits), suite);
  const Told told = sync_and_listen(w);
  EXPECT_TRUE(told.repeated());
  EXPECT_FALSE(told.bisected()) << "a search would find noise";
  EXPECT_NE(w.disposition("A"), model::Disposition::picked);
}

TEST(Repeating, WhatFailsAgainIsSearchedForAndTheCulpritIsFound) {
  REQUIRE_SANDBOX();
  World w(start("put a.txt \"x\\n\"; commit A \"a\"; put new.case \"BAD\\n\"; put calm.case \"BAD\\n\"; commit C \"bad\"; put e.txt \"x\\n\"; commit E \"e\"\n"), suite);
  const Told told = sync_and_listen(w);
  EXPECT_TRUE(told.bisected());
  EXPECT_EQ(w.disposition("A"), model::Disposition::picked);
  EXPECT_EQ(w.disposition("C"), model::Disposition::deferred);
  EXPECT_EQ(w.disposition("E"), model::Disposition::picked);
}

TEST(Repeating, ARepetitionIsStoredBesideTheResultAndNeverInItsPlace) {
  REQUIRE_SANDBOX();
  World w(start(two_commits), suite);
  const auto once = [&](int runs) {
    const auto app = w.open();
    auto remotes = service::fetch_remotes(*app);
    auto validator = service::Validator::open(*app);
    if (!remotes.ok() || !validator.ok()) throw std::runtime_error("the world cannot be validated");
    const auto evidence = validator->run(w.history.tree("A"), {"build", "cases"}, "test");
    ASSERT_TRUE(evidence.ok()) << evidence.error().message;
    EXPECT_FALSE(service::what_is_red(evidence->at(1)).empty()) << "the first result counts";
    const auto again = validator->repeat(w.history.tree("A"), "cases", {{"Case.moody"}, {"Case.calm"}}, "test");
    ASSERT_TRUE(again.ok()) << again.error().message;
    ASSERT_EQ(again->size(), 2u);
    EXPECT_EQ(again->at(0).selected, std::vector<std::string>{"Case.moody"});
    EXPECT_EQ(again->at(0).tests.size(), 1u);
    EXPECT_TRUE(service::what_is_red(again->at(0)).empty()) << service::what_is_red(again->at(0));
    EXPECT_EQ(validator->runs(), runs);
  };
  once(2 + 3);  // build and suite; build and each test alone
  once(0);      // another process
}

TEST(Repeating, TrunkThatFailsAsTheRegisterSaysIsJudgedAgainst) {
  REQUIRE_SANDBOX();
  World w(std::string("repo up; put keep.test \"ok\\n\"; put cases '") + quoted(program) + "'; runnable cases; put calm.case \"fine\\n\"; commit B \"b\"\n" +
              "fork up down; put sad.case \"BAD\\n\"; commit D \"fork\"\nat up; put a.txt \"x\\n\"; commit A \"a\"; put sad.txt \"x\\n\"; commit T \"touches\"\n",
          suite);
  const Told red = sync_and_listen(w);
  EXPECT_NE(w.disposition("A"), model::Disposition::picked) << "nobody answers for trunk";
  std::string print;
  for (const model::Evidence& e : [&] {
         const auto app = w.open();
         auto remotes = service::fetch_remotes(*app);
         auto validator = service::Validator::open(*app);
         return std::move(*validator->run(w.history.tree("D"), {"cases"}, "test"));
       }()) {
    for (const model::TestRecord& test : e.tests) {
      if (test.id == "Case.sad") print = guardrails::failure_fingerprint(test);
    }
  }
  ASSERT_EQ(print.size(), 14u);
  const auto app = w.open(service::Access::read);
  EXPECT_NE(red.report.trunk_red.find("Case.sad " + print), std::string::npos) << "what to copy into the register: " << red.report.trunk_red;
  // A loan of a week, from yesterday.
  const std::int64_t now = app->clock.now();
  add_registers(w, "", "[[known_failure]]\nsuite = \"cases\"\ntest = \"Case.sad\"\nfingerprint = \"" + print + "\"\nreason = \"r\"\nowner = \"ada\"\nsince = " +
                           core::format_utc(now - 86400).substr(0, 10) + "\nexpires = " + core::format_utc(now + 5 * 86400).substr(0, 10) + "\n");
  sync_and_listen(w);
  EXPECT_EQ(w.disposition("A"), model::Disposition::picked);
}

TEST(Selecting, ASuiteIsAskedForSomeTestsInTheWordsOfItsKind) {
  const auto command = [](const char* kind, std::vector<std::string> argv, std::vector<std::string> tests) {
    model::SuiteConfig config;
    config.kind = kind;
    config.steps = {{"prepare"}, std::move(argv)};
    const auto selected = service::select_tests(config, tests);
    return selected ? core::join(selected->steps.back(), " ") : "";
  };
  EXPECT_EQ(command("gtest", {"/build/t", "--x"}, {"A.b", "I/A.c/0"}), "/build/t --x --gtest_filter=A.b:I/A.c/0");
  EXPECT_EQ(command("gtest", {"/build/t"}, {"A.*"}), "") << "a pattern would select others";
  EXPECT_EQ(command("gtest", {"/bin/sh", "-c", "x"}, {"A.b"}), "") << "a shell would not pass it on";
  EXPECT_EQ(command("ctest", {"ctest", "--x"}, {"a.b+c", "d"}), "ctest --x -R ^(a[.]b[+]c|d)$");
  EXPECT_EQ(command("ctest", {"python3", "t.py"}, {"a"}), "");
  EXPECT_EQ(command("lit", {"lit", "/build/test"}, {"T :: a/b.mlir"}), "lit /build/test --filter=^(T :: a/b[.]mlir)$");
  EXPECT_EQ(command("junit", {"/build/t"}, {"a"}), "");
  EXPECT_EQ(command("gtest", {"/build/t"}, {}), "");
}

// The store is one file; so are its journals.
std::string all_bytes_of_the_store(const World& w) {
  std::string all;
  for (const char* name : {"/store/sluice.db", "/store/sluice.db-wal"}) {
    std::ifstream in(w.history.root() + name, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(in), {});
  }
  return all;
}

TEST(Secrets, AHeldValueThatUpstreamBringsLandsNowhereAndIsNotStored) {
  REQUIRE_SANDBOX();
  const std::string secret = "pl4nted-S3cret-of-the-forge";
  ::setenv("SLUICE_TEST_FORGE_TOKEN", secret.c_str(), 1);
  World w("repo up; put keep.test \"ok\\n\"; commit B \"b\"\nfork up down; put own.txt \"own\\n\"; commit D \"fork\"\n"
          "at up; put leak.txt \"token: " + secret + "\\n\"; commit A \"leak\"; put c.txt \"x\\n\"; commit C \"c\"\n");
  const auto report = w.sync();
  ::unsetenv("SLUICE_TEST_FORGE_TOKEN");
  EXPECT_EQ(w.trunk_file("leak.txt"), "<absent>");
  EXPECT_EQ(w.disposition("C"), model::Disposition::picked) << "nothing else is held back";
  EXPECT_EQ(w.disposition("A"), model::Disposition::deferred);
  EXPECT_EQ(all_bytes_of_the_store(w).find(secret), std::string::npos);
  EXPECT_GT(all_bytes_of_the_store(w).size(), 10'000u);
}

TEST(Secrets, WhatATestPrintsIsStoredWithoutThem) {
  REQUIRE_SANDBOX();
  const std::string secret = "pl4nted-S3cret-of-the-forge";
  ::setenv("SLUICE_TEST_FORGE_TOKEN", secret.c_str(), 1);
  World w(std::string("repo up; put keep.test \"ok\\n\"; commit B \"b\"\nfork up down; put own.txt \"own\\n\"; commit D \"fork\"\n") +
          "at up; put broken.cpp \"BROKEN\\n\"; put \"broken " + secret + "\" \"BROKEN\\n\"; commit A \"a\"\n");
  const auto app = w.open();
  auto remotes = service::fetch_remotes(*app);
  auto validator = service::Validator::open(*app);
  ::unsetenv("SLUICE_TEST_FORGE_TOKEN");
  ASSERT_TRUE(remotes.ok() && validator.ok());
  const auto evidence = validator->run(w.history.tree("A"), {"build"}, "test");
  ASSERT_TRUE(evidence.ok()) << evidence.error().message;
  EXPECT_NE(evidence->at(0).log.find("broken"), std::string::npos) << evidence->at(0).log;
  EXPECT_EQ(evidence->at(0).log.find(secret), std::string::npos);
  EXPECT_EQ(all_bytes_of_the_store(w).find(secret), std::string::npos);
}

}  // namespace
}  // namespace sluice::test
