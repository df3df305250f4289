// SPDX-License-Identifier: Apache-2.0
// The stand-in service is strict: first what it must refuse, then what we send.
#include "core/http.h"
#include "test/agent/llm_support.h"
#include "test/support/vendor_schema.h"

namespace sluice::agent::testing {
namespace {

using test::vendor_refusal;

class StandIn : public Dialects {
 protected:
  void SetUp() override {
    if (!ModelServer::has_schemas()) GTEST_SKIP() << "the vendors' schemas are not here";
  }
};
SLUICE_IN_BOTH_DIALECTS(StandIn);

// A body that uses all that we send: tools, a turn with calls, results of which one is an error, a last word.
Json whole_body(const std::string& dialect) {
  ModelServer server([](const Conversation&) {
    Turn turn = Turn::calls_of({{.name = "get_region"}, {.name = "submit", .arguments = Json::object({{"path", "a"}})}});
    turn.text = "Now.";
    if (turn.thinking.empty()) turn.thinking = "Hm.";
    return turn;
  });
  model::EndpointConfig e = server.endpoint(dialect);
  e.effort = "low";
  e.parallel_tools = false;
  const auto p = provider(e);
  LlmRequest r = request();
  answer_calls(r, ask(*p, r).reply, true);
  r.messages.push_back(user("Go on."));
  return Json::parse(p->render(r)).value();
}


Json without(const Json& object, const std::string& key) {
  Json out = Json::object();
  for (const auto& [name, value] : object.members()) {
    if (name != key) out.set(name, value);
  }
  return out;
}

// The body with something changed deep inside: `path` of keys and indices.
Json changed(const Json& in, const std::vector<std::string>& path, const std::function<Json(const Json&)>& change, std::size_t at = 0) {
  if (at == path.size()) return change(in);
  if (in.is_array()) {
    Json out = Json::array();
    for (std::size_t i = 0; i < in.items().size(); ++i) {
      out.push(std::to_string(i) == path[at] ? changed(in.items()[i], path, change, at + 1) : in.items()[i]);
    }
    return out;
  }
  Json out = in;
  out.set(path[at], changed(in[path[at]], path, change, at + 1));
  return out;
}

TEST_P(StandIn, refuses_what_the_vendor_would_refuse) {
  const Json body = whole_body(GetParam());
  const bool messages = GetParam() == "messages";
  const auto drop = [&](const std::string& key) { return without(body, key); };
  const auto put = [&](const std::string& key, Json value) { return Json(body).set(key, std::move(value)); };
  std::vector<std::pair<std::string, Json>> wrong = {
      {"no object", Json::array()},
      {"no model", drop("model")},
      {"no messages", drop("messages")},
      {"a field nobody knows", put("sampling", 1)},
      {"messages of the wrong kind", put("messages", "hello")},
      {"a role nobody has", changed(body, {"messages", "0", "role"}, [](const Json&) { return Json("robot"); })},
      {"a tool without a name", messages ? changed(body, {"tools", "0"}, [](const Json& t) { return without(t, "name"); })
                                         : changed(body, {"tools", "0", "function"}, [](const Json& t) { return without(t, "name"); })},
      {"a choice nobody has", put("tool_choice", messages ? Json::object({{"type", "sometimes"}}) : Json("sometimes"))},
  };
  if (messages) {
    wrong.emplace_back("no limit of tokens", drop("max_tokens"));
    wrong.emplace_back("a temperature", put("temperature", 1));
    wrong.emplace_back("a header in the body", put("workspace_id", "w"));
    wrong.emplace_back("a result for no call", changed(body, {"messages", "2", "content", "0"}, [](const Json& b) { return without(b, "tool_use_id"); }));
    wrong.emplace_back("a block with a field nobody knows", changed(body, {"messages", "0", "content", "0"}, [](const Json& b) { return Json(b).set("note", 1); }));
    wrong.emplace_back("a cache nobody has", changed(body, {"system", "0", "cache_control", "type"}, [](const Json&) { return Json("eternal"); }));
    wrong.emplace_back("thinking without its signature", changed(body, {"messages", "1", "content", "0"}, [](const Json& b) { return without(b, "signature"); }));
  } else {
    wrong.emplace_back("arguments that are no text", changed(body, {"messages", "2", "tool_calls", "0", "function", "arguments"}, [](const Json&) { return Json::object(); }));
    wrong.emplace_back("a result for no call", changed(body, {"messages", "3"}, [](const Json& m) { return without(m, "tool_call_id"); }));
    wrong.emplace_back("an effort nobody has", put("reasoning_effort", "enormous"));
    wrong.emplace_back("a seed", put("seed", 7));
    wrong.emplace_back("no messages at all", put("messages", Json::array()));
  }
  for (const auto& [what, json] : wrong) {
    EXPECT_NE(json, body) << what;
    EXPECT_NE(vendor_refusal(GetParam(), json), "") << what << ": " << json.dump();
  }
}

TEST_P(StandIn, takes_the_requests_that_we_send) {
  const Json body = whole_body(GetParam());
  EXPECT_EQ(vendor_refusal(GetParam(), body), "") << body.dump();
  ModelServer server(test::turns({}));
  EXPECT_EQ(vendor_refusal(GetParam(), Json::parse(provider(server.endpoint(GetParam()))->render(request())).value()), "");
}

class StandInRules : public Dialects {};
SLUICE_IN_BOTH_DIALECTS(StandInRules);

TEST_P(StandInRules, a_script_sees_the_conversation_in_words_of_no_dialect) {
  std::vector<Conversation> seen;
  ModelServer server([&](const Conversation& c) {
    seen.push_back(c);
    return c.turns == 0 ? Turn::call("get_region", Json::object({{"path", "p"}})) : Turn::call("submit");
  });
  const auto p = provider(server.endpoint(GetParam()));
  LlmRequest r = request("Here it is.");
  answer_calls(r, ask(*p, r).reply);
  r.messages.push_back(user("And this."));
  ask(*p, r);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].system, "You answer conflicts.");
  EXPECT_TRUE(seen[0].offers("submit"));
  EXPECT_FALSE(seen[0].offers("shell"));
  EXPECT_EQ(seen[0].user_text(), "Here it is.");
  EXPECT_TRUE(seen[0].last_answers().empty());
  EXPECT_EQ(seen[1].turns, 1);
  EXPECT_EQ(seen[1].requests, 1);
  ASSERT_EQ(seen[1].last_answers().size(), 1u);
  EXPECT_EQ(seen[1].last_answers()[0].name, "get_region");
  EXPECT_EQ(seen[1].answer_of("get_region")["of"].as_string(), "get_region");
  EXPECT_TRUE(seen[1].answer_of("submit").is_null());
  EXPECT_EQ(seen[1].user_text(), "Here it is.\nAnd this.");
  EXPECT_EQ(seen[1].messages[1].calls.at(0).arguments["path"].as_string(), "p");
}

TEST_P(StandInRules, a_conversation_that_no_service_would_take_is_refused) {
  const auto refused = [&](const std::vector<LlmMessage>& messages) {
    ModelServer server([](const Conversation&) { return Turn::say("never"); });
    LlmRequest r = request();
    r.messages = messages;
    // Past the provider, which would not send it.
    core::HttpRequest post;
    post.url = server.url() + (GetParam() == "messages" ? "/v1/messages" : "/v1/chat/completions");
    post.headers = {{"Content-Type", "application/json"}, {"anthropic-version", "2023-06-01"}};
    post.body = provider(server.endpoint(GetParam()))->render(r);
    const auto sent = core::HttpClient().send(post, nullptr, nullptr, nullptr);
    EXPECT_EQ(sent.value().response.status, server.refusals().empty() ? 200 : 400);
    return server.refusals().empty() ? std::string() : server.refusals()[0];
  };
  LlmMessage call;
  call.role = LlmMessage::Role::assistant;
  call.calls = {{.id = "c", .name = "submit", .raw = "{}", .arguments = Json::object()}};
  LlmMessage result;
  result.role = LlmMessage::Role::tools;
  result.answers = {{"c", "{}", false}};
  LlmMessage other = result;
  other.answers[0].call_id = "d";
  EXPECT_EQ(refused({user("x"), call, result}), "");
  EXPECT_NE(refused({user("x"), call}), "");
  EXPECT_NE(refused({user("x"), call, user("y")}), "");
  EXPECT_NE(refused({user("x"), call, other}), "");
  EXPECT_NE(refused({user("x"), result}), "");
  EXPECT_NE(refused({call, result}), "");
}

}  // namespace
}  // namespace sluice::agent::testing
