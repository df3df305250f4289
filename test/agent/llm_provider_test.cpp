// SPDX-License-Identifier: Apache-2.0
// A turn over real HTTP, in both dialects: what is sent, and what comes back.
#include "test/agent/llm_support.h"

namespace sluice::agent::testing {
namespace {

class Provider_ : public Dialects {};
SLUICE_IN_BOTH_DIALECTS(Provider_);

std::string schema_text() {
  return R"({"additionalProperties":false,"properties":{"path":{"type":"string"}},"required":[],"type":"object"})";
}

TEST(ProviderBodies, the_first_request_of_the_messages_dialect_is_this_byte_for_byte) {
  model::EndpointConfig e = ModelServer(test::turns({})).endpoint("messages");
  e.effort = "high";
  const std::string cache = R"("cache_control":{"type":"ephemeral"})";
  EXPECT_EQ(provider(e)->render(request()),
            R"({"max_tokens":8192,"messages":[{"content":[{)" + cache + R"(,"text":"Answer the conflict.","type":"text"}],"role":"user"}],)"
            R"("model":"test-model","output_config":{"effort":"high"},"stream":true,"system":[{)" + cache +
            R"(,"text":"You answer conflicts.","type":"text"}],"tool_choice":{"type":"any"},"tools":[)"
            R"({"description":"Does get_region.","input_schema":)" + schema_text() + R"(,"name":"get_region","strict":true},)"
            R"({)" + cache + R"(,"description":"Does submit.","input_schema":)" + schema_text() + R"(,"name":"submit","strict":true}]})");
}

TEST(ProviderBodies, the_first_request_of_the_chat_dialect_is_this_byte_for_byte) {
  model::EndpointConfig e = ModelServer(test::turns({})).endpoint("chat");
  e.effort = "high";
  e.parallel_tools = false;
  EXPECT_EQ(provider(e)->render(request()),
            R"({"max_completion_tokens":8192,"messages":[{"content":"You answer conflicts.","role":"system"},)"
            R"({"content":"Answer the conflict.","role":"user"}],"model":"test-model","parallel_tool_calls":false,)"
            R"("reasoning_effort":"high","store":false,"stream":true,"stream_options":{"include_usage":true},"tool_choice":"required",)"
            R"("tools":[{"function":{"description":"Does get_region.","name":"get_region","parameters":)" + schema_text() +
            R"(,"strict":true},"type":"function"},{"function":{"description":"Does submit.","name":"submit","parameters":)" +
            schema_text() + R"(,"strict":true},"type":"function"}]})");
}

TEST(ProviderBodies, what_an_endpoint_cannot_do_is_not_asked_of_it) {
  for (const std::string dialect : {"messages", "chat"}) {
    model::EndpointConfig e = ModelServer(test::turns({})).endpoint(dialect);
    e.provider = "ollama";
    e.can_force_tool = e.sends_usage_in_stream = e.strict_tools = e.cache_breakpoints = false;
    e.max_tokens_field = "max_tokens";
    e.max_output_tokens = 100;
    const std::string body = provider(e)->render(request());
    for (const char* word : {"tool_choice", "stream_options", "strict", "cache_control", "store", "effort"}) {
      EXPECT_EQ(body.find(word), std::string::npos) << dialect << ": " << word;
    }
    EXPECT_NE(body.find(R"("max_tokens":100,)"), std::string::npos) << body;
  }
}

TEST_P(Provider_, a_call_its_result_and_the_next_call_make_a_conversation) {
  ModelServer server([](const Conversation& c) {
    if (c.turns == 0) {
      Turn turn = Turn::call("get_region", Json::object({{"path", "größe/a.cpp"}}));
      turn.text = "I look first.";
      turn.usage = {.input = 1000, .cache_read = 300, .cache_write = 0, .output = 40};
      return turn;
    }
    return Turn::call("submit", Json::object({{"path", c.last_answers().at(0).body["of"].as_string()}}));
  });
  const auto p = provider(server.endpoint(GetParam()));
  LlmRequest r = request();
  LlmOutcome first = ask(*p, r);
  ASSERT_EQ(first.kind, LlmOutcome::Kind::ok) << first.reason;
  EXPECT_EQ(first.reply.stop, Stop::tool_use);
  EXPECT_EQ(first.reply.message.text, "I look first.");
  ASSERT_EQ(first.reply.message.calls.size(), 1u);
  EXPECT_EQ(first.reply.message.calls[0].name, "get_region");
  EXPECT_EQ((*first.reply.message.calls[0].arguments)["path"].as_string(), "größe/a.cpp");
  EXPECT_EQ(first.reply.usage.input, 1000);
  EXPECT_EQ(first.reply.usage.cache_read, 300);
  EXPECT_EQ(first.reply.usage.output, 40);
  EXPECT_TRUE(first.reply.usage.known);
  EXPECT_TRUE(first.spent.known);
  EXPECT_EQ(first.spent.all_input(), 1300);
  EXPECT_EQ(first.attempts, 1);
  EXPECT_EQ(first.reply.model, "test-model");
  EXPECT_EQ(first.reply.invalid, "");

  answer_calls(r, first.reply);
  const LlmOutcome second = ask(*p, r);
  ASSERT_EQ(second.kind, LlmOutcome::Kind::ok) << second.reason;
  EXPECT_EQ((*second.reply.message.calls.at(0).arguments)["path"].as_string(), "get_region");
  EXPECT_TRUE(server.refusals().empty()) << server.refusals()[0];
}

TEST_P(Provider_, an_answer_in_one_document_says_the_same_as_a_stream) {
  const auto answer = [](bool plain) {
    Turn turn = Turn::calls_of({{.name = "get_region", .arguments = Json::object({{"path", "a"}}), .id = "one"},
                                {.name = "submit", .arguments = Json::object(), .id = "two"}});
    turn.text = "Both.";
    turn.wire.plain = plain;
    return turn;
  };
  ModelServer server(test::turns({answer(false), answer(true)}));
  const auto p = provider(server.endpoint(GetParam()));
  const LlmOutcome streamed = ask(*p, request());
  const LlmOutcome plain = ask(*p, request());
  ASSERT_EQ(streamed.kind, LlmOutcome::Kind::ok) << streamed.reason;
  ASSERT_EQ(plain.kind, LlmOutcome::Kind::ok) << plain.reason;
  EXPECT_EQ(streamed.reply.message.text, plain.reply.message.text);
  ASSERT_EQ(streamed.reply.message.calls.size(), 2u);
  ASSERT_EQ(plain.reply.message.calls.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(streamed.reply.message.calls[i].id, plain.reply.message.calls[i].id);
    EXPECT_EQ(streamed.reply.message.calls[i].arguments, plain.reply.message.calls[i].arguments);
  }
  EXPECT_EQ(streamed.reply.stop, plain.reply.stop);
  EXPECT_EQ(plain.reply.usage.output, 20);
  EXPECT_TRUE(plain.reply.usage.known);
}

TEST(ProviderEcho, thinking_and_blocks_of_unknown_kinds_go_back_as_they_came) {
  const Json unknown = Json::object({{"type", "tomorrows_block"}, {"payload", Json::object({{"deep", 1}})}});
  Turn first = Turn::call("get_region");
  first.thinking = "Let me see.";
  first.extra_block = unknown;
  first.text = "Now.";
  ModelServer server(test::turns({first, Turn::call("submit")}));
  const auto p = provider(server.endpoint("messages"));
  LlmRequest r = request();
  const LlmOutcome got = ask(*p, r);
  ASSERT_EQ(got.kind, LlmOutcome::Kind::ok) << got.reason;
  answer_calls(r, got.reply);
  const Json body = Json::parse(p->render(r)).value();
  const auto& blocks = body["messages"].items().at(1)["content"].items();
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0], Json::object({{"type", "thinking"}, {"thinking", "Let me see."}, {"signature", "c2lnbmVk"}}));
  EXPECT_EQ(blocks[1]["text"].as_string(), "Now.");
  EXPECT_EQ(blocks[2], unknown);
  EXPECT_EQ(blocks[3]["type"].as_string(), "tool_use");
}

TEST(ProviderEcho, the_breakpoint_of_the_cache_moves_to_the_newest_results) {
  Turn first = Turn::call("get_region");
  ModelServer server(test::turns({first, Turn::call("submit")}));
  const auto p = provider(server.endpoint("messages"));
  LlmRequest r = request();
  answer_calls(r, ask(*p, r).reply, true);
  const Json body = Json::parse(p->render(r)).value();
  const auto& messages = body["messages"].items();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_FALSE(messages[0]["content"].items()[0].has("cache_control"));
  EXPECT_TRUE(messages[2]["content"].items().back().has("cache_control"));
  EXPECT_TRUE(messages[2]["content"].items()[0]["is_error"].as_bool());
}

TEST(ProviderEcho, results_and_a_word_of_ours_are_one_message_with_the_results_first) {
  ModelServer server(test::turns({Turn::call("get_region"), Turn::say("Fine.")}));
  const auto p = provider(server.endpoint("messages"));
  LlmRequest r = request();
  answer_calls(r, ask(*p, r).reply);
  r.messages.push_back(user("Go on."));
  EXPECT_EQ(ask(*p, r).kind, LlmOutcome::Kind::ok);
  EXPECT_TRUE(server.refusals().empty()) << server.refusals()[0];
  const Json body = Json::parse(p->render(r)).value();
  ASSERT_EQ(body["messages"].items().size(), 3u);
  EXPECT_EQ(body["messages"].items()[2]["content"].items()[0]["type"].as_string(), "tool_result");
  EXPECT_EQ(body["messages"].items()[2]["content"].items()[1]["text"].as_string(), "Go on.");
}

TEST_P(Provider_, a_conversation_that_no_service_would_take_is_not_sent) {
  ModelServer server([](const Conversation&) { return Turn::call("submit"); });
  const auto p = provider(server.endpoint(GetParam()));
  const auto refused = [&](auto spoil) {
    LlmRequest r = request();
    answer_calls(r, ask(*p, r).reply);
    const std::size_t before = server.requests().size();
    spoil(r);
    const LlmOutcome out = ask(*p, r);
    EXPECT_EQ(out.kind, LlmOutcome::Kind::failed);
    EXPECT_EQ(out.attempts, 0);
    EXPECT_TRUE(out.spent.known);
    EXPECT_EQ(server.requests().size(), before);
    return out.reason;
  };
  EXPECT_NE(refused([](LlmRequest& r) { r.messages.pop_back(); }).find("has no answer"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.messages.back() = user("No result today."); }).find("has no answer"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.messages.back().answers[0].call_id = "x"; }).find("call x"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.messages.push_back(r.messages.back()); }).find("a second one"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.messages.erase(r.messages.begin()); }).find("first message"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.messages.clear(); }).find("first message"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.tools.push_back(r.tools[0]); }).find("offered twice"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.tools[0].name = "get region"; }).find("no name"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.tools[0].schema = Json::object(); }).find("of an object"), std::string::npos);
  EXPECT_NE(refused([](LlmRequest& r) { r.max_output_tokens = 0; }).find("more than 0"), std::string::npos);
}

TEST_P(Provider_, a_request_of_the_wrong_shape_is_refused_by_the_vendors_schema) {
  if (!ModelServer::has_schemas()) GTEST_SKIP() << "the vendors' schemas are not here";
  ModelServer server(test::turns({Turn::say("never")}));
  model::EndpointConfig e = server.endpoint(GetParam());
  e.effort = "enormous";
  const LlmOutcome out = ask(*provider(e), request());
  EXPECT_EQ(out.kind, LlmOutcome::Kind::failed);
  ASSERT_EQ(server.refusals().size(), 1u);
  EXPECT_NE(server.refusals()[0].find("effort"), std::string::npos) << server.refusals()[0];
}

TEST_P(Provider_, equal_requests_give_equal_bytes_and_the_bytes_sent_are_those_rendered) {
  ModelServer server(test::turns({Turn::call("submit"), Turn::call("submit")}));
  const auto p = provider(server.endpoint(GetParam()));
  Heard heard;
  ask(*p, request(), heard.observer());
  ask(*p, request(), heard.observer());
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].body, server.requests()[1].body);
  EXPECT_EQ(server.requests()[0].body, p->render(request()));
  EXPECT_EQ(heard.requests.at(0), p->render(request()));
  EXPECT_EQ(server.requests()[0].path, GetParam() == "messages" ? "/v1/messages" : "/v1/chat/completions");
}

TEST_P(Provider_, a_base_url_may_or_may_not_end_with_its_version) {
  ModelServer server([](const Conversation&) { return Turn::call("submit"); });
  for (const char* end : {"", "/", "/v1", "/v1/"}) {
    model::EndpointConfig e = server.endpoint(GetParam());
    e.base_url += end;
    EXPECT_EQ(ask(*provider(e), request()).kind, LlmOutcome::Kind::ok) << end;
  }
}

}  // namespace
}  // namespace sluice::agent::testing
