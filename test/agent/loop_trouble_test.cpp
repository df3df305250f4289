// SPDX-License-Identifier: Apache-2.0
// Services in trouble, and the limits that trusted code sets: money, time, what may leave.
#include <atomic>
#include <thread>

#include "test/agent/loop_bench.h"

namespace sluice::agent::testing {
namespace {

using Kind = LoopEnd::Kind;

TEST(LoopTrouble, AServiceThatRecoversIsAskedAgainAndEachAttemptIsOnRecord) {
  for (const auto& [status, type] : {std::pair{429, "rate_limit_error"}, {529, "overloaded_error"}, {500, "api_error"}}) {
    LoopBench bench;
    const auto played = bench.play(scripts::first_fails(1, Turn::error(status, type, "later"), scripts::helpful()));
    EXPECT_EQ(played.end.kind, Kind::submitted) << status << ": " << played.end.reason;
    EXPECT_EQ(played.count("retry"), 1) << status;
    EXPECT_EQ(played.count("llm_request"), played.end.turns + 1) << status;
    EXPECT_EQ(played.requests[0], played.requests[1]) << status;
  }
}

TEST(LoopTrouble, AServiceThatStaysDownEndsTheRun) {
  LoopBench bench;
  const auto played = bench.play(scripts::always(Turn::error(500, "api_error", "no")));
  EXPECT_EQ(played.end.kind, Kind::failed);
  EXPECT_EQ(played.end.stop, "endpoint");
  EXPECT_EQ(played.end.turns, 1);
  EXPECT_GT(played.count("llm_request"), 1);
  EXPECT_EQ(played.spent.tokens, 0) << "a complete answer that is an error costs nothing";
  EXPECT_FALSE(played.end.later);
}

TEST(LoopTrouble, ACreditThatIsSpentEndsTheRunUntilAnotherTime) {
  LoopBench bench;
  const auto played = bench.play(scripts::always(Turn::error(402, "billing_error", "no credit")));
  EXPECT_EQ(played.end.kind, Kind::failed);
  EXPECT_EQ(played.end.stop, "endpoint:denied") << played.end.reason;
  EXPECT_TRUE(played.end.later);
  EXPECT_EQ(played.count("llm_request"), 1);
}

TEST(LoopTrouble, AServiceThatSaysToComeBackMuchLaterIsBusy) {
  LoopBench bench;
  Turn busy = Turn::error(429, "rate_limit_error", "later");
  busy.with_header("retry-after", "3600");
  const auto played = bench.play(scripts::always(busy));
  EXPECT_EQ(played.end.stop, "endpoint:busy") << played.end.reason;
  EXPECT_TRUE(played.end.later);
}

TEST(LoopTrouble, HalfAnAnswerIsNoAnswerAndIsCharged) {
  LoopBench bench;
  ModelServer server(scripts::half_streams());
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider);
  EXPECT_EQ(played.end.kind, Kind::failed);
  EXPECT_EQ(played.end.calls, 0) << "no call of a broken stream is carried out";
  EXPECT_GT(played.spent.tokens, 1000) << "the reservation stays";
  EXPECT_GT(played.end.money, 0);
  EXPECT_EQ(played.end.money, played.spent.money);
  EXPECT_FALSE(played.end.usage.known);
}

TEST(LoopTrouble, ASlowAnswerIsAnAnswer) {
  LoopBench bench;
  const auto played = bench.play(scripts::slow(scripts::all_in_one_turn(), 1));
  EXPECT_EQ(played.end.kind, Kind::submitted) << played.end.reason;
}

TEST(LoopTrouble, AServiceThatHangsIsLeftWhenTheRunsTimeIsOver) {
  LoopBench bench;
  bench.limits.wall_ms = 300;
  ModelServer server(scripts::hangs());
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider);
  EXPECT_EQ(played.end.stop, "wall") << played.end.reason;
  EXPECT_GT(played.spent.tokens, 1000) << "nobody knows what it cost";
}

TEST(LoopTrouble, ARunThatIsCancelledWhileItWaitsEndsAsCancelled) {
  LoopBench bench;
  std::atomic<bool> cancel = false;
  bench.cancel = &cancel;
  ModelServer server([&](const test::Conversation& c) {
    cancel = true;  // the request is there; its answer never comes
    return scripts::hangs()(c);
  });
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider);
  EXPECT_EQ(played.end.kind, Kind::cancelled) << played.end.reason;
  EXPECT_EQ(played.end.stop, "cancelled");
}

TEST(LoopTrouble, ARunThatIsCancelledBeforeItBeginsAsksNobody) {
  LoopBench bench;
  std::atomic<bool> cancel = true;
  bench.cancel = &cancel;
  ModelServer server(scripts::helpful());
  auto provider = bench.make(server, "messages");
  EXPECT_EQ(bench.play(*provider).end.stop, "cancelled");
  EXPECT_TRUE(server.requests().empty());
}

TEST(LoopTrouble, ABudgetThatIsSpentEndsTheRunBeforeTheCall) {
  LoopBench bench;
  bench.caps.night.tokens = 40'000;
  ModelServer server([](const test::Conversation& c) {
    Turn turn = scripts::many_calls(1)(c);
    turn.usage.input = 9000;
    return turn;
  });
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider, "R1");
  EXPECT_EQ(played.end.kind, Kind::stopped);
  EXPECT_EQ(played.end.stop, "budget:night") << played.end.reason;
  EXPECT_NE(played.end.reason.find("40000 tokens"), std::string::npos);
  EXPECT_EQ(played.count("llm_request"), played.end.turns);
  const std::size_t asked = server.requests().size();
  EXPECT_LE(must(bench.book->spent("night", "2026-11-30")).tokens, 40'000);
  // The next run of the night does not even begin.
  const auto next = bench.play(*provider, "R2");
  EXPECT_EQ(next.end.stop, "budget:night");
  EXPECT_EQ(server.requests().size(), asked + static_cast<std::size_t>(next.end.turns));
}

TEST(LoopTrouble, ALineOfAFileThatIsNeverSentLeavesByNoWay) {
  const std::string line = "the key of the night build: hunter2hunter2hunter2";
  LoopBench bench;
  bench.never_send = {"config/"};
  bench.never_sent = [line] { return std::vector<std::string>{line + "\n"}; };
  // The model asks for it, and then says it itself.
  ModelServer server([line](const test::Conversation& c) {
    if (c.turns == 0) return Turn::call("read_lines", core::Json::object({{"rev", "ours"}, {"path", "config/keys.txt"}, {"start", 1}, {"end", 5}}));
    if (c.turns == 1) return Turn::call("search", core::Json::object({{"rev", "ours"}, {"text", "hunter2"}}));
    return Turn::call("search", core::Json::object({{"rev", "ours"}, {"text", line}}));
  });
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider);
  EXPECT_TRUE(played.result("read_lines")["error"].as_bool());
  for (const auto& request : server.requests()) {
    EXPECT_EQ(request.body.find("the key of the night build"), std::string::npos);
  }
  EXPECT_EQ(played.sent, (std::vector<std::string>{"lib/lower.cpp"}));
  EXPECT_EQ(played.end.stop, "outgate");
  EXPECT_NE(played.end.reason.find("(of the model)"), std::string::npos) << played.end.reason;
}

TEST(LoopTrouble, AMessageThatHoldsSuchALineIsNotSentAtAll) {
  LoopBench bench;
  bench.never_send = {"config/"};
  bench.never_sent = [] { return std::vector<std::string>{"lower: loads know their alignment (#12)\n"}; };
  ModelServer server(scripts::helpful());
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider);
  EXPECT_EQ(played.end.stop, "outgate") << played.end.reason;
  EXPECT_TRUE(server.requests().empty());
  EXPECT_EQ(played.spent.tokens, 0) << "nothing is reserved for what is not sent";
  EXPECT_TRUE(played.sent.empty());
}

TEST(LoopTrouble, SecretsLeaveNeitherInTheFirstMessageNorInAToolsResult) {
  LoopBench bench;
  bench.mask = [](std::string_view text) {
    std::string out(text);
    for (const std::string secret : {"hunter2hunter2", "alignment"})
      for (std::size_t at; (at = out.find(secret)) != std::string::npos;) out.replace(at, secret.size(), "[redacted:test]");
    return out;
  };
  ModelServer server([](const test::Conversation& c) {
    if (c.turns == 0) return Turn::call("read_lines", core::Json::object({{"rev", "ours"}, {"path", "config/keys.txt"}, {"start", 1}, {"end", 1}}));
    return scripts::gives_up()(c);
  });
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider);
  EXPECT_EQ(played.end.kind, Kind::gave_up) << played.end.reason;
  ASSERT_EQ(server.requests().size(), 2u);
  for (const auto& request : server.requests()) {
    EXPECT_EQ(request.body.find("hunter2hunter2"), std::string::npos);
    EXPECT_EQ(request.body.find("alignment"), std::string::npos);
  }
  EXPECT_NE(server.requests()[0].body.find("loads know their [redacted:test]"), std::string::npos);
  EXPECT_NE(server.requests()[1].body.find("the key of the night build: [redacted:test]"), std::string::npos);
}

// A provider of another kind than ours: whatever it hands over is looked at again.
class Fixed final : public Provider {
 public:
  explicit Fixed(LlmOutcome outcome) : outcome_(std::move(outcome)) {}
  LlmOutcome call(const LlmRequest&, const CallLimits&, const CallObserver&) override { return outcome_; }
  std::string render(const LlmRequest&) const override { return "{}"; }
  const model::EndpointConfig& endpoint() const override { return endpoint_; }

 private:
  LlmOutcome outcome_;
  model::EndpointConfig endpoint_ = testing::endpoint();
};

TEST(LoopTrouble, CallsThatCannotBeToldApartAreNotCarriedOutWhoeverHandsThemOver) {
  for (const auto& [first, second] : {std::pair{"same", "same"}, {"", "other"}}) {
    LlmOutcome outcome;
    outcome.kind = LlmOutcome::Kind::ok;
    outcome.spent.known = true;
    outcome.reply.stop = Stop::tool_use;
    outcome.reply.message.role = LlmMessage::Role::assistant;
    for (const std::string id : {first, second}) outcome.reply.message.calls.push_back({id, "list_conflicts", "{}", core::Json::object()});
    Fixed provider(outcome);
    LoopBench bench;
    const auto played = bench.play(provider);
    EXPECT_EQ(played.end.stop, "schema_errors");
    EXPECT_EQ(played.end.calls, 0);
  }
}

TEST(LoopTrouble, AWordThatNobodyKnowsEndsTheRun) {
  LlmOutcome outcome;
  outcome.kind = LlmOutcome::Kind::ok;
  outcome.spent.known = true;
  outcome.reply.stop = Stop::other;
  outcome.reply.stop_raw = "on_strike";
  Fixed provider(outcome);
  LoopBench bench;
  const auto played = bench.play(provider);
  EXPECT_EQ(played.end.kind, Kind::failed);
  EXPECT_NE(played.end.reason.find("on_strike"), std::string::npos);
}

TEST(LoopTrouble, APromptThatIsTooLongIsShortenedOnce) {
  const auto too_long = [](int times) {
    return scripts::first_fails(times, Turn::error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), scripts::helpful());
  };
  LoopBench bench;
  const auto once = bench.play(too_long(1), "messages", "R1");
  EXPECT_EQ(once.end.kind, Kind::submitted) << once.end.stop << ": " << once.end.reason;
  ASSERT_GE(once.requests.size(), 2u);
  EXPECT_LT(once.requests[1].size(), once.requests[0].size());
  EXPECT_NE(once.requests[1].find("(taken out: the message was too long)"), std::string::npos);
  const auto twice = bench.play(too_long(2), "messages", "R2");
  EXPECT_EQ(twice.end.stop, "context");
  EXPECT_EQ(twice.end.turns, 2);
}

TEST(LoopTrouble, ASecondTimeItIsTooLongEndsTheRunWhateverCouldStillGo) {
  LoopBench bench;
  const Turn too_long = Turn::error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum");
  const auto played = bench.play([too_long](const test::Conversation& c) {
    return c.requests == 0 || c.requests == 4 ? too_long : scripts::many_calls(3)(c);
  });
  EXPECT_EQ(played.end.stop, "context");
  EXPECT_EQ(played.end.turns, 5);
}

TEST(LoopTrouble, OldToolResultsGiveWayAndTheConversationStaysWhole) {
  LoopBench bench(R"~(
    repo up ; base40 f.txt ; put big.txt "$(seq -f 'a long line of some file, number %.0f, with words' 1 2500)\n" ; commit B base
    fork up down ; line f.txt 10 'ours' ; commit D 'ours'
    at up ; line f.txt 10 'theirs' ; commit X theirs
  )~");
  const auto played = bench.play([](const test::Conversation& c) {
    if (c.turns == 12) return Turn::call("give_up", core::Json::object({{"category", "missing_context"}, {"question", "which?"}}));
    return Turn::call("read_lines", core::Json::object({{"rev", "ours"}, {"path", "big.txt"}, {"start", c.turns * 200 + 1}, {"end", c.turns * 200 + 200}}));
  });
  EXPECT_EQ(played.end.kind, Kind::gave_up) << played.end.reason;
  EXPECT_NE(played.requests.back().find("was taken out to save room"), std::string::npos) << played.requests.back().size();
  EXPECT_EQ(played.requests[2].find("was taken out to save room"), std::string::npos);
  EXPECT_EQ(played.requests.back().find("number 150, with words"), std::string::npos);
  for (const auto* kept : {"number 1601,", "number 1801,", "number 2001,", "number 2201,"})  // of the last four turns
    EXPECT_NE(played.requests.back().find(kept), std::string::npos) << kept;
  EXPECT_LT(played.requests.back().size(), 200'000u);
}

}  // namespace
}  // namespace sluice::agent::testing
