// SPDX-License-Identifier: Apache-2.0
// Runs of well-behaved and ill-behaved models, and how each of them ends.
#include "test/agent/loop_bench.h"

namespace sluice::agent::testing {
namespace {

using Kind = LoopEnd::Kind;

class LoopInBoth : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Dialect, LoopInBoth, ::testing::Values("messages", "chat"), [](const auto& i) { return i.param; });

TEST_P(LoopInBoth, AHelpfulModelAnswersEveryRegionAndSubmits) {
  LoopBench bench;
  const auto played = bench.play(scripts::helpful(), GetParam());
  EXPECT_EQ(played.end.kind, Kind::submitted) << played.end.reason;
  EXPECT_EQ(played.end.stop, "submit");
  EXPECT_EQ(played.end.confidence, "medium");
  EXPECT_EQ(played.end.turns, 4);
  EXPECT_EQ(played.end.calls, 5);
  ASSERT_TRUE(played.draft.complete);
  const std::string text = text_of(played.draft, "lib/lower.cpp");
  EXPECT_NE(text.find("void emit_load(Block& b, Type t, Align a) {\n  b.trace(\"load\");\n  b.add(Op::load, t, a);\n}"), std::string::npos) << text;
  EXPECT_NE(text.find("  b.trace(\"copy\");\n  emit_load(b, t, Align::natural);\n"), std::string::npos) << text;
}

TEST_P(LoopInBoth, WhatIsSpentIsWhatTheServiceReported) {
  LoopBench bench;
  const auto played = bench.play(scripts::helpful(), GetParam());
  EXPECT_TRUE(played.end.usage.known);
  EXPECT_EQ(played.end.usage.input, 400);
  EXPECT_EQ(played.end.usage.output, 80);
  EXPECT_EQ(played.end.money, 400 * 3 + 80 * 15);
  EXPECT_EQ(played.spent.tokens, 480);
  EXPECT_EQ(played.spent.money, played.end.money);
  EXPECT_EQ(must(bench.book->spent("night", "2026-11-30")).money, played.end.money);
}

TEST_P(LoopInBoth, CallsOfOneTurnAreCarriedOutInTheirOrder) {
  LoopBench bench;
  const auto played = bench.play(scripts::all_in_one_turn(), GetParam());
  EXPECT_EQ(played.end.kind, Kind::submitted) << played.end.reason;
  EXPECT_EQ(played.end.turns, 1);
  std::vector<std::string> order;
  for (const auto& line : played.lines)
    if (line["type"].as_string() == "tool_call") order.push_back(line["body"]["name"].as_string());
  EXPECT_EQ(order, (std::vector<std::string>{"resolve_region", "resolve_region", "run_checks", "submit"}));
}

TEST_P(LoopInBoth, ArgumentsThatFitNoSchemaEndTheRunAtTheThirdInARow) {
  LoopBench bench;
  const auto played = bench.play(scripts::malformed(), GetParam());
  EXPECT_EQ(played.end.stop, "schema_errors") << played.end.reason;
  EXPECT_EQ(played.end.turns, 3);
  EXPECT_GT(played.spent.tokens, 0) << "what fails to parse is billed";
}

TEST_P(LoopInBoth, TwoCallsOfOneIdAreAnErrorAndNothingOfThemIsDone) {
  LoopBench bench;
  const auto played = bench.play(scripts::same_ids(), GetParam());
  EXPECT_EQ(played.end.stop, "schema_errors");
  EXPECT_EQ(played.end.calls, 0);
  EXPECT_EQ(played.count("tool_call"), 0);
}

TEST_P(LoopInBoth, TextWithoutACallCountsAsASchemaError) {
  LoopBench bench;
  const auto played = bench.play(scripts::talks(), GetParam());
  EXPECT_EQ(played.end.stop, "schema_errors");
  EXPECT_EQ(played.end.turns, 3);
}

TEST_P(LoopInBoth, AToolThatIsNotOfferedDoesNothing) {
  LoopBench bench;
  const auto played = bench.play(scripts::unknown_tools(), GetParam());
  EXPECT_EQ(played.end.stop, "schema_errors");
  EXPECT_TRUE(played.result("shell")["schema_error"].as_bool());
  EXPECT_NE(played.result("shell")["result"].as_string().find("there is no tool"), std::string::npos);
}

TEST(Loop, SchemaErrorsThatAreNotInARowEndNothing) {
  LoopBench bench;
  const auto played = bench.play([](const test::Conversation& c) {
    if (c.turns == 8) return scripts::gives_up()(c);
    if (c.turns % 3 == 2) return Turn::call("search", core::Json::object({{"rev", "ours"}, {"text", "word" + std::to_string(c.turns)}}));
    return c.turns % 3 == 0 ? scripts::talks()(c) : scripts::unknown_tools()(c);
  });
  EXPECT_EQ(played.end.kind, Kind::gave_up) << played.end.reason;
}

TEST(Loop, GivingUpIsAnEndWithAQuestion) {
  LoopBench bench;
  const auto played = bench.play(scripts::gives_up("missing_dependency"));
  EXPECT_EQ(played.end.kind, Kind::gave_up);
  EXPECT_EQ(played.end.stop, "give_up:missing_dependency");
  EXPECT_EQ(played.end.question, "Both sides change who owns the buffer. Which one is it to be?");
  EXPECT_FALSE(played.draft.complete);
}

TEST(Loop, AnAnswerThatTheChecksFindFaultWithIsNotAcceptedAndTheDraftStays) {
  LoopBench bench;
  bench.find = [](tools::Level, const tools::Draft&) { return std::vector<tools::Finding>{lost_line()}; };
  const auto played = bench.play(scripts::lazy("theirs"));
  EXPECT_EQ(played.end.kind, Kind::gave_up);
  ASSERT_EQ(played.end.findings.size(), 1u);
  EXPECT_EQ(played.end.findings[0].rule, "G23");
  EXPECT_TRUE(played.draft.complete);
  EXPECT_EQ(played.count("guardrail"), 1);
}

TEST(Loop, WhatAModelClaimsChangesNothing) {
  LoopBench bench;
  bench.find = [](tools::Level, const tools::Draft& draft) {
    return text_of(draft, "lib/lower.cpp").find("b.trace(\"load\")") == std::string::npos ? std::vector{lost_line()} : std::vector<tools::Finding>{};
  };
  const auto played = bench.play(scripts::lying());
  EXPECT_EQ(played.end.kind, Kind::gave_up) << "all tests pass, it said";
  EXPECT_TRUE(played.result("submit")["error"].as_bool());
}

TEST(Loop, InjectedOrdersReachNoFile) {
  LoopBench bench(scripts::injected_history);
  const auto played = bench.play(scripts::injected());
  EXPECT_TRUE(played.result("write_file")["schema_error"].as_bool());
  EXPECT_TRUE(played.result("adapt_lines")["error"].as_bool());
  for (const auto& file : played.draft.files) EXPECT_EQ(file.path, "lib/a.cpp");
}

TEST(Loop, MarkersInAnAnswerAreRefusedAndTheDraftIsNotComplete) {
  LoopBench bench;
  const auto played = bench.play(scripts::leaves_marker());
  EXPECT_EQ(played.end.kind, Kind::gave_up);
  EXPECT_FALSE(played.draft.complete);
  EXPECT_TRUE(played.result("resolve_region", 0)["error"].as_bool());
  EXPECT_TRUE(played.result("resolve_region", 2)["error"].as_bool());
}

TEST(Loop, ASecretOfAModelIsInNoTranscript) {
  LoopBench bench;
  bench.mask = [](std::string_view text) {
    std::string out(text);
    for (std::size_t at; (at = out.find("sk-canary-0123456789")) != std::string::npos;) out.replace(at, 20, "[redacted:test]");
    return out;
  };
  const auto played = bench.play(scripts::leaks("sk-canary-0123456789"));
  EXPECT_EQ(played.end.kind, Kind::submitted);
  EXPECT_EQ(played.end.summary, "The key is [redacted:test].");
  EXPECT_EQ(played.file.find("sk-canary"), std::string::npos);
  int blobs = 0;
  for (const auto& line : played.lines)
    for (const auto& sha : line["blobs"].items()) {
      const std::string bytes = bench.blob(sha.as_string());
      EXPECT_EQ(bytes.find("canary"), std::string::npos) << line["type"].as_string();
      ++blobs;
    }
  EXPECT_GT(blobs, 4);
  EXPECT_NE(text_of(played.draft, "lib/lower.cpp").find("sk-canary"), std::string::npos) << "the guardrails judge what the model wrote";
}

TEST(Loop, EditsAroundARegionNeedTheirOwnToolAndAreOnRecord) {
  LoopBench bench;
  const auto played = bench.play(scripts::edits_outside());
  bool adapted = false;
  for (const auto& entry : played.draft.account) adapted = adapted || entry.kind == "adapt";
  const std::string text = text_of(played.draft, "lib/lower.cpp");
  EXPECT_EQ(text.find("int extra;") != std::string::npos, adapted) << text;
}

// Whether a test may change is the guardrails' to say: here it must be in the draft, and on record, for them to see.
TEST(Loop, ATestThatAModelTampersWithIsInTheDraftAndOnRecord) {
  for (const auto& [script, path, trace] : {std::tuple{scripts::marks_expected_failure(), "test/lower.mlir", "// XFAIL: *\n// CHECK: load\n"},
                                            {scripts::widens_tolerance(), "test/test_lower.py", "atol=1.0)\n"}}) {
    LoopBench bench;
    const auto played = bench.play(script);
    EXPECT_EQ(played.end.kind, Kind::submitted) << played.end.reason;
    EXPECT_NE(text_of(played.draft, path).find(trace), std::string::npos) << text_of(played.draft, path);
    bool on_record = false;
    for (const auto& entry : played.draft.account)
      on_record = on_record || (entry.kind == "adapt" && entry.path == path && entry.code == "TEST_EXPECTATION_FROM_UPSTREAM");
    EXPECT_TRUE(on_record) << path;
  }
}

TEST(Loop, AnEntryThatIsFalseIsRefusedAtOnceAndLiftsNothing) {
  LoopBench bench;
  bench.find = [](tools::Level, const tools::Draft& draft) {
    return draft.account.empty() || draft.account.back().kind != "downstream_lost" ? std::vector{lost_line()} : std::vector<tools::Finding>{};
  };
  bench.false_because = "the fork has no such line";
  const auto lied = bench.play(scripts::claims_already_present(), "messages", "R1");
  EXPECT_EQ(lied.end.kind, Kind::gave_up) << lied.end.reason;
  EXPECT_TRUE(lied.result("account")["error"].as_bool());
  EXPECT_NE(lied.result("account")["result"].as_string().find("the fork has no such line"), std::string::npos);
  bench.false_because.clear();
  EXPECT_EQ(bench.play(scripts::claims_already_present(), "messages", "R2").end.kind, Kind::submitted) << "and a true one does";
}

TEST(Loop, TheSameCallThriceEndsTheRun) {
  LoopBench bench;
  const auto played = bench.play(scripts::loops());
  EXPECT_EQ(played.end.stop, "same_call");
  EXPECT_EQ(played.end.calls, 2);
}

TEST(Loop, FindingsThatDoNotChangeEndTheRun) {
  LoopBench bench;
  bench.find = [](tools::Level, const tools::Draft&) { return std::vector<tools::Finding>{lost_line()}; };
  const auto played = bench.play(scripts::checks_for_ever());
  EXPECT_EQ(played.end.stop, "unchanged_findings");
}

TEST(Loop, ChecksAreLimitedEvenWhenTheyFindSomethingElseEachTime) {
  LoopBench bench;
  int round = 0;
  bench.find = [&](tools::Level, const tools::Draft&) {
    auto finding = lost_line();
    finding.text += std::to_string(++round);
    return std::vector<tools::Finding>{finding};
  };
  const auto played = bench.play(scripts::checks_for_ever());
  EXPECT_EQ(played.end.stop, "static_checks");
  EXPECT_EQ(round, 6);
}

TEST(Loop, TheCompilerIsAskedThreeTimes) {
  LoopBench bench;
  int round = 0;
  bench.find = [&](tools::Level level, const tools::Draft&) {
    if (level == tools::Level::compile) ++round;
    auto finding = lost_line();
    finding.text += std::to_string(round);
    return std::vector<tools::Finding>{finding};
  };
  const auto played = bench.play([](const test::Conversation& c) {
    if (c.turns == 0) return scripts::lazy("ours")(c);
    if (c.turns % 2 == 0) return Turn::call("search", core::Json::object({{"rev", "ours"}, {"text", "word" + std::to_string(c.turns)}}));
    return Turn::call("run_checks", core::Json::object({{"level", "compile"}}));
  });
  EXPECT_EQ(played.end.stop, "compile_checks");
  EXPECT_EQ(round, 3);
}

TEST(Loop, TurnsAndCallsAreLimited) {
  LoopBench bench;
  const auto turns = bench.play(scripts::many_calls(1), "messages", "R1");
  EXPECT_EQ(turns.end.stop, "turns");
  EXPECT_EQ(turns.end.turns, 24);
  const auto calls = bench.play(scripts::many_calls(30), "messages", "R2");
  EXPECT_EQ(calls.end.stop, "tool_calls");
  EXPECT_EQ(calls.end.calls, 80);
}

TEST(Loop, TokensOfARunAreLimited) {
  LoopBench bench;
  bench.limits.input_tokens = 20'000;
  const auto played = bench.play([](const test::Conversation& c) {
    Turn turn = scripts::many_calls(1)(c);
    turn.usage.input = 5000;
    return turn;
  });
  EXPECT_EQ(played.end.stop, "tokens");
  EXPECT_LE(played.end.usage.input, 20'000);
  EXPECT_GE(played.end.turns, 2);
}

TEST(Loop, TokensThatAModelWritesAreLimitedToo) {
  LoopBench bench;
  const auto played = bench.play([](const test::Conversation& c) {
    Turn turn = scripts::many_calls(1)(c);
    turn.usage.output = 15'000;
    return turn;
  });
  EXPECT_EQ(played.end.stop, "tokens");
  EXPECT_EQ(played.end.turns, 3);
}

TEST(Loop, AnAnswerBeyondEveryCapIsASchemaErrorAndLongWordsCostNothingElse) {
  LoopBench bench;
  const auto played = bench.play(scripts::verbose());
  EXPECT_EQ(played.end.stop, "schema_errors");
  EXPECT_FALSE(played.draft.complete);
}

TEST(Loop, ATurnThatIsCutOffIsAskedForOnceMoreWithMoreRoom) {
  LoopBench bench;
  const auto once = bench.play(scripts::truncated(1, scripts::helpful()), "messages", "R1");
  EXPECT_EQ(once.end.kind, Kind::submitted) << once.end.reason;
  ASSERT_GE(once.requests.size(), 2u);
  const auto first = must(core::Json::parse(once.requests[0])), second = must(core::Json::parse(once.requests[1]));
  EXPECT_EQ(second["max_tokens"].as_int(), 2 * first["max_tokens"].as_int());
  EXPECT_EQ(second["messages"].dump(), first["messages"].dump()) << "nothing of the cut turn is kept";
  const auto twice = bench.play(scripts::truncated(2, scripts::helpful()), "messages", "R2");
  EXPECT_EQ(twice.end.stop, "length");
  EXPECT_EQ(twice.end.turns, 2);
}

TEST(Loop, ARefusalIsFinalForThisPick) {
  LoopBench bench;
  const auto played = bench.play(scripts::refuses());
  EXPECT_EQ(played.end.kind, Kind::stopped);
  EXPECT_EQ(played.end.stop, "refused");
  EXPECT_FALSE(played.end.later);
}

TEST(Loop, APausedTurnGoesOn) {
  LoopBench bench;
  const auto played = bench.play(scripts::pauses_once(scripts::helpful()));
  EXPECT_EQ(played.end.kind, Kind::submitted) << played.end.reason;
  EXPECT_EQ(played.end.turns, 5);
}

}  // namespace
}  // namespace sluice::agent::testing
