// SPDX-License-Identifier: Apache-2.0
// Rounds of checks, the accounting record, and the two ways in which a run ends.
#include <algorithm>

#include "test/tools/support.h"

namespace sluice::tools::testing {
namespace {

using Plain = Bench<ListedChecks>;
using Ruled = Bench<RuleChecks>;

Finding finding(std::string rule, Judgement judgement, std::string path, std::string text, std::string kind = "", int count = 1) {
  Finding out{std::move(rule), judgement, std::move(path), 1, text, "what would lift it", "", std::move(kind), count};
  if (!out.kind.empty()) out.item_id = core::sha256_hex(core::strip_space(text));
  return out;
}

// Says of a draft what stands in it: every line with a mark is a finding.
std::vector<Finding> marked(Level level, const Draft& draft) {
  std::vector<Finding> out;
  for (const DraftFile& file : draft.files) {
    const std::string text = file.text.value_or("");
    for (const auto line : core::split_lines(text)) {
      if (line.find("BLOCK") != std::string_view::npos) out.push_back(finding("G54", Judgement::block, file.path, std::string(line)));
      if (line.find("ASK") != std::string_view::npos) out.push_back(finding("G24", Judgement::escalate, file.path, std::string(line)));
      if (line.find("LOST") != std::string_view::npos && level == Level::static_rules) {
        const auto answered = [&](const model::AccountEntry& e) { return e.norm_sha256 == core::sha256_hex(core::strip_space(line)); };
        if (std::none_of(draft.account.begin(), draft.account.end(), answered))
          out.push_back(finding("G23", Judgement::explain, file.path, std::string(line), "downstream_lost"));
      }
      if (line.find("PASS") != std::string_view::npos) out.push_back(finding("G99", Judgement::pass, file.path, std::string(line)));
      if (line.find("C++") != std::string_view::npos && level == Level::compile) out.push_back(finding("unit-build", Judgement::block, file.path, std::string(line)));
    }
  }
  return out;
}

const char* const static_level = R"({"level":"static"})";
const char* const done = R"({"confidence":"high","summary":"both sides are kept"})";

void answer(Plain& bench, const std::string& first, const std::string& second) {
  ASSERT_FALSE(bench.resolve(0, first, "new").is_error);
  ASSERT_FALSE(bench.resolve(1, second, "new").is_error);
}

Json entry_for(const std::string& id, std::string code = "DEFERRED", std::string arg = "12") {
  Json out = Json::object({{"kind", "downstream_lost"}, {"path", "f.cpp"}, {"code", std::move(code)}, {"because", "later"}});
  Json ids = Json::array();
  return out.set("item_ids", ids.push(id)).set("arg", std::move(arg));
}

TEST(RunChecks, TellsWhatStandsInTheWayFirst) {
  Plain bench(two_regions, marked);
  answer(bench, "ASK me", "BLOCK it PASS");
  const Answer answer = bench.call("run_checks", static_level);
  ASSERT_EQ(answer.body["findings"].items().size(), 2U) << answer.body.dump();
  const Json& first = answer.body["findings"].items()[0];
  EXPECT_EQ(first["rule"].as_string(), "G54");
  EXPECT_EQ(first["judgement"].as_string(), "block");
  EXPECT_EQ(first["text"].as_string(), "BLOCK it PASS");
  EXPECT_TRUE(first["untrusted"].as_bool());
  EXPECT_EQ(answer.paths, std::vector<std::string>{"f.cpp"});
  EXPECT_FALSE(answer.is_error) << "findings are the answer";
  EXPECT_EQ(bench.checks.drafts.size(), 1U);
  EXPECT_TRUE(bench.checks.drafts[0].complete);
  EXPECT_EQ(bench.box.last_findings().size(), 2U);
}

TEST(RunChecks, ManyAndLongFindingsAreCutAndCounted) {
  Plain bench(two_regions, [](Level, const Draft&) {
    std::vector<Finding> out;
    for (int k = 0; k < 120; ++k) out.push_back(finding("G21", Judgement::explain, "f.cpp", std::string(5000, 'x') + std::to_string(k) + "\xff", "upstream_added"));
    return out;
  });
  const Answer answer = bench.call("run_checks", static_level);
  EXPECT_EQ(answer.body["findings"].items().size(), 50U);
  EXPECT_EQ(answer.body["findings_left_out"].as_int(), 70);
  EXPECT_LT(answer.body["findings"].items()[0]["text"].as_string().size(), 400U);
  EXPECT_TRUE(core::is_utf8(answer.body.dump()));
  EXPECT_EQ(bench.box.last_findings().size(), 120U);
}

TEST(RunChecks, NothingIsCompiledWhileARegionIsOpen) {
  Plain bench(two_regions, marked);
  EXPECT_NE(bench.error("run_checks", R"({"level":"compile"})").find("have no answer"), std::string::npos);
  EXPECT_EQ(bench.box.compile_checks(), 0);
  EXPECT_TRUE(bench.checks.drafts.empty());
  EXPECT_FALSE(bench.call("run_checks", static_level).is_error) << "the rules read a draft with open regions";
  EXPECT_FALSE(bench.checks.drafts.at(0).complete);
  answer(bench, "C++", "x");
  EXPECT_EQ(bench.call("run_checks", R"({"level":"compile"})").body["findings"].items().size(), 1U);
  EXPECT_EQ(bench.box.compile_checks(), 1);
  EXPECT_EQ(bench.box.static_checks(), 1);
}

TEST(RunChecks, AnOutsideFailureIsNoFinding) {
  Plain bench(two_regions, marked);
  bench.checks.fails = make_error(ErrorKind::transient, "the runner is gone");
  const auto answer = bench.box.call("run_checks", must(Json::parse(static_level)));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::transient);
  EXPECT_EQ(bench.box.static_checks(), 0);
}

TEST(Rounds, AreUnchangedWhileTheSetOfFindingsIs) {
  Plain bench(two_regions, marked);
  answer(bench, "BLOCK a", "BLOCK b");
  bench.call("run_checks", static_level);
  EXPECT_EQ(bench.box.unchanged_rounds(), 0) << "the first round";
  bench.call("run_checks", static_level);
  EXPECT_EQ(bench.box.unchanged_rounds(), 1);
  bench.call("submit", done);
  EXPECT_EQ(bench.box.unchanged_rounds(), 2) << "submit is a round";
  EXPECT_EQ(bench.box.static_checks(), 3);
  ASSERT_FALSE(bench.resolve(0, "x", "new").is_error);
  bench.call("run_checks", static_level);
  EXPECT_EQ(bench.box.unchanged_rounds(), 0);
  ASSERT_FALSE(bench.resolve(0, "BLOCK c", "new").is_error);
  bench.call("run_checks", static_level);
  EXPECT_EQ(bench.box.unchanged_rounds(), 0) << "as many findings, another line";
  bench.call("run_checks", R"({"level":"compile"})");
  EXPECT_EQ(bench.box.unchanged_rounds(), 0) << "the first of that level";
  bench.call("run_checks", static_level);
  EXPECT_EQ(bench.box.unchanged_rounds(), 1);
}

TEST(Submit, WantsEveryRegionAnsweredBeforeItChecks) {
  Plain bench(two_regions, marked);
  ASSERT_FALSE(bench.resolve(0, "x", "new").is_error);
  const Answer answer = bench.call("submit", done);
  EXPECT_TRUE(answer.is_error);
  EXPECT_EQ(answer.end, Answer::End::none);
  EXPECT_EQ(answer.body["open_regions"].items().at(0).as_string(), bench.pick.id(1));
  EXPECT_EQ(bench.box.static_checks(), 0);
}

TEST(Submit, IsRefusedWithTheFindingsAndTakenWhenThereAreNone) {
  Plain bench(two_regions, marked);
  answer(bench, "x", "BLOCK");
  Answer submitted = bench.call("submit", done);
  EXPECT_TRUE(submitted.is_error);
  EXPECT_EQ(submitted.end, Answer::End::none);
  EXPECT_EQ(submitted.body["findings"].items().size(), 1U);
  EXPECT_FALSE(submitted.body["error"].as_string().empty());
  ASSERT_FALSE(bench.resolve(1, "LOST", "new").is_error);
  EXPECT_TRUE(bench.call("submit", done).is_error) << "an explanation is asked for";
  ASSERT_FALSE(bench.resolve(1, "y", "new").is_error);
  submitted = bench.call("submit", done);
  EXPECT_FALSE(submitted.is_error);
  EXPECT_EQ(submitted.end, Answer::End::submitted);
  EXPECT_EQ(submitted.confidence, "high");
  EXPECT_EQ(submitted.summary, "both sides are kept");
  EXPECT_EQ(bench.box.static_checks(), 3);
}

TEST(Submit, WhatAPersonWillLookAtDoesNotStopIt) {
  Plain bench(two_regions, marked);
  answer(bench, "x", "ASK");
  const Answer submitted = bench.call("submit", done);
  EXPECT_EQ(submitted.end, Answer::End::submitted);
  EXPECT_EQ(submitted.body["findings"].items().size(), 1U) << "and it is named";
}

TEST(Submit, WhatCouldNotBeJudgedStopsIt) {
  Plain bench(two_regions, [](Level, const Draft&) { return std::vector<Finding>{finding("G29", Judgement::unresolved, "", "")}; });
  answer(bench, "x", "y");
  EXPECT_TRUE(bench.call("submit", done).is_error);
}

TEST(GiveUp, EndsTheRunWithAQuestion) {
  Plain bench(two_regions, marked);
  const Answer end = bench.call("give_up", R"({"category":"needs_design","question":"which of the two?"})");
  EXPECT_EQ(end.end, Answer::End::gave_up);
  EXPECT_FALSE(end.is_error);
  EXPECT_EQ(end.category, "needs_design");
  EXPECT_EQ(end.question, "which of the two?");
  EXPECT_TRUE(bench.checks.drafts.empty());
}

// ---- account -----------------------------------------------------------------------------------------------------

TEST(Account, TakesOnlyItemsOfTheLastCheck) {
  Plain bench(two_regions, marked);
  const std::string id = core::sha256_hex("LOST");
  EXPECT_NE(bench.call("account", entry_for(id)).body.dump().find("no findings"), std::string::npos);
  answer(bench, "LOST", "BLOCK");
  bench.call("run_checks", static_level);
  EXPECT_TRUE(bench.call("account", entry_for(core::sha256_hex("other"))).is_error);
  EXPECT_TRUE(bench.call("account", entry_for("")).is_error);
  Json wrong = entry_for(id).set("kind", "upstream_added");
  EXPECT_NE(bench.call("account", wrong).body.dump().find("is of kind downstream_lost"), std::string::npos);
  wrong = entry_for(id).set("path", "g.cpp");
  EXPECT_NE(bench.call("account", wrong).body.dump().find("in f.cpp"), std::string::npos);
  EXPECT_TRUE(bench.pick.buffer().entries().empty());
  EXPECT_TRUE(bench.checks.verified.empty()) << "nothing was worth a check";

  const Answer recorded = bench.call("account", entry_for(id));
  EXPECT_FALSE(recorded.is_error) << recorded.body.dump();
  EXPECT_EQ(recorded.body["recorded"].as_int(), 1);
  ASSERT_EQ(bench.pick.buffer().entries().size(), 1U);
  EXPECT_EQ(bench.pick.buffer().entries()[0].arg, "12");
  EXPECT_EQ(bench.call("run_checks", static_level).body["findings"].items().size(), 1U) << "the other one is left";
}

TEST(Account, AFalseEntryIsAnErrorAndIsNotKept) {
  Plain bench(two_regions, marked);
  answer(bench, "LOST one", "LOST two");
  bench.call("run_checks", static_level);
  Json two = entry_for(core::sha256_hex("LOSTone"), "ALREADY_PRESENT", "");
  const Answer refused = bench.call("account", two);
  EXPECT_TRUE(refused.is_error);
  EXPECT_NE(refused.body.dump().find("has the line 0 times"), std::string::npos);
  EXPECT_TRUE(bench.pick.buffer().entries().empty());
  Json ids = Json::array();
  ids.push(core::sha256_hex("LOSTone")).push("nothing");
  const Answer half = bench.call("account", entry_for("").set("item_ids", ids));
  EXPECT_TRUE(half.is_error);
  EXPECT_EQ(half.body["recorded"].as_int(), 1) << "a true entry is kept beside one that is refused";
  EXPECT_EQ(half.body["refused"].items().size(), 1U);
  EXPECT_EQ(bench.pick.buffer().entries().size(), 1U);
}

TEST(Account, ArgumentsAreWrittenAsTheRecordHasThem) {
  Plain bench(two_regions, marked);
  answer(bench, "LOST", "x");
  bench.call("run_checks", static_level);
  const std::string id = core::sha256_hex("LOST");
  for (const char* arg : {"a,b", "a b", " a , b ", "a,  b"}) {
    EXPECT_FALSE(bench.call("account", entry_for(id, "RENAMED", arg)).is_error) << arg;
    EXPECT_EQ(bench.pick.buffer().entries().at(0).arg, "a b") << arg;
  }
  for (const char* arg : {"", "a", "a,b,c", "// x,y", "a;b", "1,2"}) EXPECT_TRUE(bench.call("account", entry_for(id, "RENAMED", arg)).is_error) << arg;
  EXPECT_TRUE(bench.call("account", entry_for(id, "SUPERSEDED_BY_FORK", "abc123")).is_error);
  EXPECT_FALSE(bench.call("account", entry_for(id, "SUPERSEDED_BY_FORK", std::string(40, 'a'))).is_error);
  EXPECT_TRUE(bench.call("account", entry_for(id, "MOVED_TO", "../x")).is_error);
  EXPECT_TRUE(bench.call("account", entry_for(id, "MOVED_TO", "")).is_error);
  EXPECT_FALSE(bench.call("account", entry_for(id, "MOVED_TO", "g.cpp")).is_error);
  EXPECT_TRUE(bench.call("account", entry_for(id, "NOT_APPLICABLE", "")).is_error);
  EXPECT_TRUE(bench.call("account", entry_for(id, "DEFERRED", "")).is_error);
  EXPECT_TRUE(bench.call("account", entry_for(id, "UPSTREAM_DELETED", "x")).is_error);
  EXPECT_FALSE(bench.call("account", entry_for(id, "UPSTREAM_DELETED", "")).is_error);
  EXPECT_EQ(bench.pick.buffer().entries().size(), 1U) << "each replaced the one before";
}

TEST(Account, AnEntryCountsAsOftenAsTheLineIsFound) {
  int left = 3;
  Plain bench(two_regions, [&left](Level, const Draft&) {
    std::vector<Finding> out;
    for (int k = 0; k < left; ++k) out.push_back(finding("G23", Judgement::explain, "f.cpp", "LOST", "downstream_lost"));
    out.push_back(finding("G41", Judgement::explain, "f.cpp", "LOST", "downstream_lost"));
    return out;
  });
  bench.call("run_checks", static_level);
  bench.call("account", entry_for(core::sha256_hex("LOST")));
  EXPECT_EQ(bench.pick.buffer().entries().at(0).count, 3) << "as often as one rule finds it";
  left = 2;
  bench.call("run_checks", static_level);
  bench.call("account", entry_for(core::sha256_hex("LOST")));
  EXPECT_EQ(bench.pick.buffer().entries().at(0).count, 5) << "three are answered and two more are found";
}

// ---- with the guardrails themselves ------------------------------------------------------------------------------

// The fork's call is renamed by upstream in the same line.
constexpr const char* renamed_call = R"(
  repo up; base40 f.cpp; line f.cpp 10 "int a = old_call(1);"; commit B "b"
  fork up down; line f.cpp 10 "int a = old_call(1, fork_flag);"; commit D "d"
  at up; line f.cpp 10 "int a = new_call(1);"; commit U "u"
)";

TEST(WithTheRules, AnAnswerIsTakenOnceItIsAccountedFor) {
  Ruled bench(renamed_call);
  ASSERT_FALSE(bench.resolve(0, "int a = new_call(1, fork_flag);\n", "new").is_error);
  const Answer refused = bench.call("submit", done);
  ASSERT_TRUE(refused.is_error);
  int accounted = 0;
  for (const Json& f : refused.body["findings"].items()) {
    const std::string& kind = f["kind"].as_string();
    ASSERT_FALSE(kind.empty()) << f.dump();
    Json arguments = Json::object({{"kind", kind}, {"path", f["path"]}, {"because", "the line carries both changes"}});
    Json ids = Json::array();
    arguments.set("item_ids", ids.push(f["item_id"]));
    if (kind == "downstream_lost") {
      arguments.set("code", "SUPERSEDED_BY_FORK").set("arg", bench.pick.history.id("D"));
      EXPECT_TRUE(bench.call("account", arguments).is_error) << "the commit that wrote the line has not superseded it";
      arguments.set("code", "RENAMED").set("arg", "old_call,new_call");
    } else {
      arguments.set("code", "ALREADY_PRESENT");
      EXPECT_TRUE(bench.call("account", arguments).is_error) << "the fork never had the line";
      arguments.set("code", "NOT_APPLICABLE").set("arg", "the call without the flag");
    }
    const Answer kept = bench.call("account", arguments);
    EXPECT_FALSE(kept.is_error) << kept.body.dump();
    ++accounted;
  }
  EXPECT_EQ(accounted, 2);
  const Answer submitted = bench.call("submit", done);
  EXPECT_EQ(submitted.end, Answer::End::submitted) << submitted.body.dump();
}

TEST(WithTheRules, AMarkerLeftBehindIsFoundInADraft) {
  Ruled bench(renamed_call);
  const Answer answer = bench.call("run_checks", static_level);
  EXPECT_NE(answer.body.dump().find("\"rule\":\"G20\""), std::string::npos) << answer.body.dump();
}

TEST(WithTheRules, AFileOfOneSideHasItsRecord) {
  for (const char* action : {"ours", "theirs"}) {
    Ruled bench(R"(
      repo up; base40 f.cpp; base40 g.cpp; commit B "b"
      fork up down; drop f.cpp; commit D "d"
      at up; line f.cpp 10 "ten up"; commit U "u"
    )");
    ASSERT_FALSE(bench.resolve(0, "", action).is_error);
    EXPECT_EQ(bench.checks.of("G28", must(bench.pick.buffer().draft())), Judgement::pass) << action;
    EXPECT_EQ(bench.checks.of("G20", must(bench.pick.buffer().draft())), Judgement::pass) << action;
  }
}

}  // namespace
}  // namespace sluice::tools::testing
