// SPDX-License-Identifier: Apache-2.0
// A service that misbehaves, in each way that is known, over real HTTP and in both dialects.
#include "core/text.h"
#include "test/agent/llm_support.h"

namespace sluice::agent::testing {
namespace {

using Kind = LlmOutcome::Kind;
using Break = Wire::Break;

class Faults : public Dialects {};
SLUICE_IN_BOTH_DIALECTS(Faults);

Turn good() {
  Turn out = Turn::call("get_region", Json::object({{"path", "größe \"\\\n😀.cpp"}}));
  out.text = "I look, é.";
  return out;
}

// `faulty` once, then a good turn.
struct Once {
  ModelServer server;
  Heard heard;
  LlmOutcome out;
  Once(const std::string& dialect, const Turn& faulty)
      : server([faulty](const Conversation& c) { return c.requests == 0 ? faulty : good(); }) {
    out = ask(*provider(server.endpoint(dialect)), request(), heard.observer());
  }
};

void expect_good(const LlmOutcome& out, const std::string& what) {
  ASSERT_EQ(out.kind, Kind::ok) << what << ": " << out.reason;
  EXPECT_EQ(out.reply.invalid, "") << what;
  EXPECT_EQ(out.reply.message.text, "I look, é.") << what;
  ASSERT_EQ(out.reply.message.calls.size(), 1u) << what;
  ASSERT_TRUE(out.reply.message.calls[0].arguments.has_value()) << what << ": " << out.reply.message.calls[0].raw;
  EXPECT_EQ((*out.reply.message.calls[0].arguments)["path"].as_string(), "größe \"\\\n😀.cpp") << what;
  EXPECT_EQ(out.reply.stop, Stop::tool_use) << what;
}

TEST_P(Faults, odd_ways_to_send_a_good_answer_change_nothing) {
  const auto with = [](auto change) {
    Wire wire;
    change(wire);
    return wire;
  };
  const std::vector<std::pair<const char*, Wire>> cases = {
      {"as it should be", {}},
      {"bytes one by one", with([](Wire& w) { w.piece = 1; })},
      {"CRLF", with([](Wire& w) { w.crlf = true; })},
      {"CRLF in pieces", with([](Wire& w) { w.crlf = true; w.piece = 7; })},
      {"a byte order mark", with([](Wire& w) { w.bom = true; })},
      {"comments and pings", with([](Wire& w) { w.comments = w.pings = true; })},
      {"gzip", with([](Wire& w) { w.gzip = true; })},
      {"gzip of a document", with([](Wire& w) { w.gzip = w.plain = true; })},
      {"a document", with([](Wire& w) { w.plain = true; })},
      {"a stream called JSON", with([](Wire& w) { w.content_type = "application/json"; })},
      {"a stream called text", with([](Wire& w) { w.content_type = "text/plain"; })},
      {"a document called a stream", with([](Wire& w) { w.plain = true; w.content_type = "text/event-stream"; })},
      {"HTTP/1.0 until the end", with([](Wire& w) { w.close_delimited = true; })},
      {"a document until the end", with([](Wire& w) { w.close_delimited = w.plain = true; })},
      {"a drip", with([](Wire& w) { w.drip_ms = 2; })},
      {"arguments cut in their escapes", with([](Wire& w) { w.argument_piece = 1; })},
      {"arguments cut in their letters", with([](Wire& w) { w.argument_piece = 2; })},
  };
  for (const auto& [what, wire] : cases) {
    Turn turn = good();
    turn.wire = wire;
    const Once once(GetParam(), turn);
    expect_good(once.out, what);
    EXPECT_EQ(once.out.attempts, 1) << what;
    EXPECT_TRUE(once.out.spent.known) << what;
  }
}

TEST_P(Faults, what_breaks_off_is_tried_again_and_charged_as_unknown) {
  Turn half = good();
  const std::vector<std::pair<const char*, Break>> cases = {{"before the head", Break::reset_before_head},
                                                            {"after the head", Break::reset_after_head},
                                                            {"in an event", Break::reset_mid_event},
                                                            {"between two events", Break::half}};
  for (const auto& [what, broken] : cases) {
    half.wire.broken = broken;
    const Once once(GetParam(), half);
    expect_good(once.out, what);
    EXPECT_EQ(once.out.attempts, 2) << what;
    EXPECT_FALSE(once.out.spent.known) << what;
    EXPECT_EQ(once.heard.retries.size(), 1u) << what;
    EXPECT_EQ(once.heard.requests.size(), 2u) << what;
    EXPECT_EQ(once.heard.statuses.size(), 2u) << what;
  }
}

TEST_P(Faults, a_stream_without_its_end_is_no_short_success) {
  Turn turn = good();
  turn.wire.no_end = true;
  const Once once(GetParam(), turn);
  expect_good(once.out, "then whole");
  EXPECT_EQ(once.out.attempts, 2);
}

TEST_P(Faults, silence_ends_the_attempt) {
  for (const Break broken : {Break::hang_before_head, Break::hang_mid_event}) {
    Turn turn = good();
    turn.wire.broken = broken;
    ModelServer server([&](const Conversation& c) { return c.requests == 0 ? turn : good(); });
    model::EndpointConfig e = server.endpoint(GetParam());
    e.idle_timeout_s = 1;
    const LlmOutcome out = ask(*provider(e), request());
    expect_good(out, "after the silence");
    EXPECT_EQ(out.attempts, 2);
  }
}

TEST_P(Faults, a_hanging_call_can_be_cancelled) {
  std::atomic<bool> cancel{false};
  ModelServer server([&](const Conversation&) {
    Turn turn = good();
    turn.wire.broken = Break::hang_mid_event;
    cancel = true;
    return turn;
  });
  const LlmOutcome out = provider(server.endpoint(GetParam()))->call(request(), {.deadline_ms = 0, .cancel = &cancel}, {});
  EXPECT_EQ(out.kind, Kind::cancelled);
  EXPECT_FALSE(out.spent.known);
}

TEST_P(Faults, an_error_in_mid_stream_wins_over_the_end_that_follows_it) {
  const Json error = GetParam() == "messages"
                         ? Json::object({{"type", "error"}, {"error", Json::object({{"type", "overloaded_error"}, {"message", "busy"}})}})
                         : Json::object({{"error", Json::object({{"message", "busy"}, {"type", "server_error"}, {"code", 503}})}});
  for (const bool then_done : {false, true}) {
    Turn turn = good();
    turn.wire.error = error;
    turn.wire.then_done = then_done;
    const Once once(GetParam(), turn);
    expect_good(once.out, "after the error");
    EXPECT_EQ(once.out.attempts, 2);
    ASSERT_EQ(once.heard.retries.size(), 1u);
    EXPECT_NE(once.heard.retries[0].find("busy"), std::string::npos) << once.heard.retries[0];
  }
}

TEST_P(Faults, errors_of_llama_cpp_are_errors) {
  Turn turn = good();
  turn.wire.error = Json::object({{"code", 500}, {"message", "slot gone"}, {"type", "server_error"}});
  for (const bool old : {false, true}) {
    turn.wire.old_error_line = old;
    const Once once(GetParam(), turn);
    expect_good(once.out, "after the error");
    ASSERT_EQ(once.heard.retries.size(), 1u) << old;
    EXPECT_NE(once.heard.retries[0].find("slot gone"), std::string::npos) << once.heard.retries[0];
  }
}

TEST_P(Faults, a_page_of_a_proxy_is_no_answer) {
  const std::string page = "<html><head><title>502 Bad Gateway</title></head></html>";
  for (const int status : {200, 502}) {
    const Once once(GetParam(), Turn::raw(status, page, "text/html"));
    expect_good(once.out, "after the page");
    EXPECT_EQ(once.out.attempts, 2) << status;
  }
  ModelServer server([&](const Conversation&) { return Turn::raw(200, page, "text/html"); });
  const LlmOutcome out = ask(*provider(server.endpoint(GetParam())), request());
  EXPECT_EQ(out.kind, Kind::failed);
  EXPECT_EQ(out.attempts, 3);
}

TEST_P(Faults, an_answer_of_ten_mebibytes_is_not_taken_and_not_asked_for_again) {
  for (const bool plain : {false, true}) {
    Turn turn = good();
    turn.wire.pad = 10u << 20;
    turn.wire.plain = plain;
    const Once once(GetParam(), turn);
    ASSERT_EQ(once.out.kind, Kind::ok) << once.out.reason;
    EXPECT_NE(once.out.reply.invalid, "") << plain;
    EXPECT_TRUE(once.out.reply.message.calls.empty());
    EXPECT_LT(once.out.reply.message.text.size(), 9u << 20);
    EXPECT_EQ(once.out.attempts, 1);
  }
}

TEST_P(Faults, a_document_that_is_no_json_is_billed_and_invalid) {
  const Once once(GetParam(), Turn::raw(200, R"({"content": [)"));
  ASSERT_EQ(once.out.kind, Kind::ok);
  EXPECT_NE(once.out.reply.invalid, "");
  EXPECT_EQ(once.out.reply.stop, Stop::end_turn);
  EXPECT_FALSE(once.out.spent.known);
  EXPECT_EQ(once.out.attempts, 1);
}

TEST_P(Faults, documents_of_no_dialect_are_invalid) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "[";
  for (const std::string& body : {std::string("{}"), std::string("[]"), std::string(R"({"choices":[],"content":3})"), deep}) {
    const Once once(GetParam(), Turn::raw(200, body));
    ASSERT_EQ(once.out.kind, Kind::ok) << body << once.out.reason;
    EXPECT_NE(once.out.reply.invalid, "") << body;
  }
}

TEST_P(Faults, a_missing_count_makes_the_usage_unknown) {
  for (const bool plain : {false, true}) {
    Turn turn = good();
    turn.wire.no_usage = true;
    turn.wire.plain = plain;
    const Once once(GetParam(), turn);
    expect_good(once.out, "without usage");
    EXPECT_FALSE(once.out.reply.usage.known) << plain;
    EXPECT_FALSE(once.out.spent.known) << plain;
  }
}

TEST_P(Faults, a_count_that_cannot_be_makes_the_usage_unknown) {
  for (const TurnUsage& usage : std::vector<TurnUsage>{{.input = -1}, {.input = 1, .cache_read = 0, .cache_write = 0, .output = -7},
                                                       {.input = 5'000'000'000}}) {
    Turn turn = good();
    turn.usage = usage;
    const Once once(GetParam(), turn);
    expect_good(once.out, "odd usage");
    EXPECT_FALSE(once.out.reply.usage.known) << usage.input << " " << usage.output;
  }
}

TEST_P(Faults, each_stop_has_its_outcome) {
  struct Case {
    std::string stop;
    Kind kind;
    Stop want;
  };
  std::vector<Case> cases = {{"end_turn", Kind::ok, Stop::end_turn}, {"length", Kind::ok, Stop::length}, {"tomorrow", Kind::ok, Stop::other},
                             {"refusal", Kind::refused, Stop::refusal}};
  if (GetParam() == "messages") {
    cases.push_back({"pause", Kind::ok, Stop::pause});
    cases.push_back({"stop_sequence", Kind::ok, Stop::end_turn});
    cases.push_back({"context_exceeded", Kind::shrink, Stop::other});
  }
  for (const Case& c : cases) {
    Turn turn = Turn::say("Well.");
    turn.stop = c.stop;
    turn.refusal_category = "cyber";
    if (c.stop == "refusal") turn.refusal_text = "not this";
    const Once once(GetParam(), turn);
    EXPECT_EQ(to_string(once.out.kind), to_string(c.kind)) << c.stop;
    EXPECT_EQ(to_string(once.out.reply.stop), to_string(c.want)) << c.stop;
    EXPECT_EQ(once.out.attempts, 1) << c.stop;
    if (c.stop == "refusal") {
      EXPECT_EQ(once.out.reply.stop_detail, GetParam() == "messages" ? "cyber: not this" : "not this");
      EXPECT_NE(once.out.reason.find("not this"), std::string::npos);
    }
    if (c.stop == "tomorrow") {
      EXPECT_EQ(once.out.reply.stop_raw, "tomorrow");
    }
  }
}

TEST_P(Faults, calls_decide_whatever_the_stop_says) {
  Turn calls = good();
  calls.stop = "end_turn";
  EXPECT_EQ(Once(GetParam(), calls).out.reply.stop, Stop::tool_use);
  Turn words = Turn::say("No call.");
  words.stop = "tool_use";
  EXPECT_EQ(Once(GetParam(), words).out.reply.stop, Stop::end_turn);
}

TEST_P(Faults, arguments_are_handed_on_as_they_are_and_never_mended) {
  const auto arguments = [](const std::string& dialect, const std::string& raw) {
    Turn turn;
    turn.calls = {{.name = "submit", .id = "c", .raw = raw}};
    Once once(dialect, turn);
    EXPECT_EQ(once.out.kind, Kind::ok);
    EXPECT_EQ(once.out.reply.message.calls.size(), 1u);
    EXPECT_EQ(once.out.reply.message.calls.at(0).raw, raw);
    return once.out.reply.message.calls.at(0).arguments;
  };
  EXPECT_EQ(arguments(GetParam(), R"({"path":"a)"), std::nullopt);
  EXPECT_EQ(arguments(GetParam(), R"({"path":"a"} and more)"), std::nullopt);
  EXPECT_EQ(arguments(GetParam(), "\xC3("), std::nullopt);
  EXPECT_EQ(arguments(GetParam(), std::string(100, '[')), std::nullopt);
  EXPECT_EQ(arguments(GetParam(), "7"), Json(7));
  EXPECT_EQ(arguments(GetParam(), ""), Json::object());
}

TEST_P(Faults, a_call_that_the_limit_cut_off_has_no_arguments) {
  Turn turn;
  turn.calls = {{.name = "submit", .id = "c", .raw = R"({"path":"a)"}};
  turn.stop = "length";
  const Once once(GetParam(), turn);
  ASSERT_EQ(once.out.kind, Kind::ok);
  EXPECT_EQ(once.out.reply.stop, Stop::length);
  EXPECT_EQ(once.out.reply.message.calls.at(0).arguments, std::nullopt);
}

TEST_P(Faults, a_conversation_goes_on_after_arguments_that_were_no_object) {
  Turn turn;
  turn.calls = {{.name = "submit", .id = "c", .raw = R"({"path":)"}, {.name = "submit", .id = "d", .raw = "[1]"}};
  ModelServer server([&](const Conversation& c) { return c.requests == 0 ? turn : good(); });
  const auto p = provider(server.endpoint(GetParam()));
  LlmRequest r = request();
  const LlmOutcome first = ask(*p, r);
  answer_calls(r, first.reply, true);
  expect_good(ask(*p, r), "second");
  EXPECT_TRUE(server.refusals().empty()) << server.refusals()[0];
}

TEST_P(Faults, an_answer_that_breaks_the_rules_of_calls_has_no_calls_and_says_why) {
  const auto one = [](const std::string& id, const std::string& name) { return test::TurnCall{.name = name, .id = id}; };
  const std::vector<std::pair<std::vector<test::TurnCall>, std::string>> cases = {
      {{one("a", "submit"), one("a", "submit")}, "two calls have the id 'a'"},
      {{one("a", "submit"), one(std::string(300, 'i'), "submit")}, "longer than 256"},
      {{one("a", "sub mit")}, "is no name of a tool"},
      {{one("a", std::string(65, 'n'))}, "is no name of a tool"},
      {{one("a", "")}, "is no name of a tool"},
      {std::vector<test::TurnCall>(129, one("", "submit")), "at most 128"},
  };
  for (const auto& [calls, why] : cases) {
    ModelServer server([&](const Conversation& c) { return c.requests == 0 ? Turn::calls_of(calls) : good(); });
    const auto p = provider(server.endpoint(GetParam()));
    LlmRequest r = request();
    const LlmOutcome out = ask(*p, r);
    ASSERT_EQ(out.kind, Kind::ok) << why;
    EXPECT_NE(out.reply.invalid.find(why), std::string::npos) << out.reply.invalid;
    EXPECT_TRUE(out.reply.message.calls.empty()) << why;
    EXPECT_EQ(out.reply.stop, Stop::end_turn) << why;
    EXPECT_TRUE(out.spent.known) << why;
    // And it does not stand in the way of the next turn.
    r.messages.push_back(out.reply.message);
    r.messages.push_back(user("That was not valid."));
    expect_good(ask(*p, r), "after " + why);
    EXPECT_TRUE(server.refusals().empty()) << server.refusals()[0];
  }
}

TEST_P(Faults, tools_nobody_offered_and_two_calls_at_once_are_for_the_caller_to_judge) {
  model::EndpointConfig e;
  ModelServer server([](const Conversation&) {
    return Turn::calls_of({{.name = "shell", .id = "a"}, {.name = "submit", .id = "b"}});
  });
  e = server.endpoint(GetParam());
  e.parallel_tools = false;
  const LlmOutcome out = ask(*provider(e), request());
  ASSERT_EQ(out.kind, Kind::ok);
  EXPECT_EQ(out.reply.invalid, "");
  ASSERT_EQ(out.reply.message.calls.size(), 2u);
  EXPECT_EQ(out.reply.message.calls[0].name, "shell");
}

TEST(FaultsOfStreams, events_that_are_no_json_spoil_a_whole_answer_and_end_nothing_else) {
  const std::string spoiled =
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n"
      "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\n\n"
      "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n"
      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
  const Once once("messages", Turn::raw(200, spoiled, "text/event-stream"));
  ASSERT_EQ(once.out.kind, Kind::ok);
  EXPECT_NE(once.out.reply.invalid.find("could not be read"), std::string::npos);
  EXPECT_TRUE(once.out.spent.known);
  EXPECT_EQ(once.out.spent.output, 9);
}

TEST(FaultsOfStreams, a_count_that_falls_is_not_believed) {
  const std::string falling =
      "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":100}}}\n\n"
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n"
      "data: {\"type\":\"message_stop\"}\n\n";
  const Once once("messages", Turn::raw(200, falling, "text/event-stream"));
  ASSERT_EQ(once.out.kind, Kind::ok);
  EXPECT_FALSE(once.out.spent.known);
}

TEST(FaultsOfStreams, pieces_of_calls_are_joined_by_their_index_and_extras_are_echoed) {
  const std::string stream =
      R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"hm "}}]})" "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","extra_content":{"s":"sig"},"function":{"name":"submit","arguments":"{\"pa"}}]}}]})" "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"reasoning_content":"so","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"get_region","arguments":""}}]}}]})" "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"th\":\"x\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})" "\n\n"
      "data: [DONE]\n\n";
  const Once once("chat", Turn::raw(200, stream, "text/event-stream"));
  ASSERT_EQ(once.out.kind, Kind::ok) << once.out.reason;
  ASSERT_EQ(once.out.reply.message.calls.size(), 2u);
  EXPECT_EQ(once.out.reply.message.calls[0].id, "a");
  EXPECT_EQ((*once.out.reply.message.calls[1].arguments)["path"].as_string(), "x");
  const Json& raw = once.out.reply.message.raw;
  EXPECT_EQ(raw["reasoning_content"].as_string(), "hm so");
  EXPECT_EQ(raw["tool_calls"].items()[1]["extra_content"]["s"].as_string(), "sig");
}

}  // namespace
}  // namespace sluice::agent::testing
