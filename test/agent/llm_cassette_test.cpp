// SPDX-License-Identifier: Apache-2.0
// Recordings: what was said once is said again byte for byte, and what was not recorded is no answer.
#include "agent/llm/cassette.h"

#include "core/file.h"
#include "test/agent/llm_support.h"

namespace sluice::agent::testing {
namespace {

using Kind = LlmOutcome::Kind;

class Cassettes : public Dialects {
 protected:
  core::TempDir folder_ = core::TempDir::create("sluice-cassette-").value();
  std::string dir_ = core::join_path(folder_.path(), "recording");

  std::string file(const std::string& name) const { return core::join_path(dir_, name); }

  std::unique_ptr<Provider> recorder(const ModelServer& server) {
    auto made = make_recorder(provider(server.endpoint(GetParam())), dir_);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return std::move(made).value();
  }
  std::unique_ptr<Provider> replay(bool strict) {
    auto made = make_replay(dir_, strict ? Replaying::strict : Replaying::by_request);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return std::move(made).value();
  }
  void change(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = core::read_file(file(name)).value_or("");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    ASSERT_TRUE(core::write_file(file(name), text.replace(at, from.size(), to)).ok());
  }
};
SLUICE_IN_BOTH_DIALECTS(Cassettes);

// A conversation of two turns, with a failed attempt in it.
std::vector<LlmOutcome> converse(Provider& p, const CallObserver& observer) {
  LlmRequest r = request();
  std::vector<LlmOutcome> out{p.call(r, {}, observer)};
  answer_calls(r, out[0].reply);
  out.push_back(p.call(r, {}, observer));
  return out;
}

test::Script two_turns() {
  Turn first = Turn::call("get_region", Json::object({{"path", "größe"}}));
  first.thinking = "Hm.";
  first.text = "é";
  first.wire.piece = 3;
  Turn half = Turn::call("submit");
  half.wire.broken = Wire::Break::reset_mid_event;
  return test::turns({first, half, Turn::call("submit")});
}

TEST_P(Cassettes, a_replay_is_the_recording_byte_for_byte) {
  Heard live, replayed;
  std::vector<LlmOutcome> first, second;
  {
    ModelServer server(two_turns());
    first = converse(*recorder(server), live.observer());
    EXPECT_TRUE(server.refusals().empty());
  }
  second = converse(*replay(true), replayed.observer());
  ASSERT_EQ(first[1].kind, Kind::ok) << first[1].reason;
  EXPECT_EQ(live.requests, replayed.requests);
  EXPECT_EQ(live.responses, replayed.responses);
  EXPECT_EQ(live.statuses, replayed.statuses);
  EXPECT_EQ(live.troubles, replayed.troubles);
  EXPECT_EQ(live.retries, replayed.retries);
  ASSERT_EQ(live.wire.size(), 3u);
  for (std::size_t i = 0; i < live.wire.size(); ++i) EXPECT_EQ(live.wire[i].chunks, replayed.wire[i].chunks) << i;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].kind, second[i].kind);
    EXPECT_EQ(first[i].attempts, second[i].attempts);
    EXPECT_EQ(first[i].reply.message.raw, second[i].reply.message.raw);
    EXPECT_EQ(first[i].reply.usage.input, second[i].reply.usage.input);
    EXPECT_EQ(first[i].spent.known, second[i].spent.known);
  }
}

TEST_P(Cassettes, equal_exchanges_give_equal_files) {
  const auto record = [&] {
    ModelServer server(test::turns({Turn::call("submit")}));
    ask(*recorder(server), request());
    return core::read_file(file("endpoint.json")).value_or("none");
  };
  const std::string endpoint = record();
  EXPECT_EQ(record(), endpoint);
  EXPECT_EQ(core::read_file(file("000001.json")).value_or("a"), core::read_file(file("000002.json")).value_or("b"));
}

TEST_P(Cassettes, a_miss_names_the_first_place_that_differs) {
  {
    ModelServer server(two_turns());
    converse(*recorder(server), {});
  }
  const auto p = replay(true);
  LlmRequest r = request();
  ASSERT_EQ(ask(*p, r).kind, Kind::ok);
  r.messages.push_back(user("Something else."));
  const LlmOutcome out = ask(*p, r);
  EXPECT_EQ(out.kind, Kind::failed);
  EXPECT_EQ(out.attempts, 1);
  EXPECT_NE(out.reason.find("request 2 differs from recording 000002.json at /messages/"), std::string::npos) << out.reason;
}

TEST_P(Cassettes, the_recorded_order_counts_only_where_it_is_asked_for) {
  LlmRequest a = request("A"), b = request("B");
  {
    ModelServer server(test::turns({Turn::say("to A"), Turn::say("to B")}));
    const auto p = recorder(server);
    ask(*p, a);
    ask(*p, b);
  }
  const LlmOutcome wrong = ask(*replay(true), b);
  EXPECT_EQ(wrong.kind, Kind::failed);
  EXPECT_NE(wrong.reason.find(GetParam() == "messages" ? "at /messages/0/content/0/text" : "at /messages/1/content"), std::string::npos) << wrong.reason;
  const auto loose = replay(false);
  EXPECT_EQ(ask(*loose, b).reply.message.text, "to B");
  EXPECT_EQ(ask(*loose, a).reply.message.text, "to A");
  EXPECT_EQ(ask(*loose, a).reply.message.text, "to A");
  const LlmOutcome miss = ask(*loose, request("C"));
  EXPECT_EQ(miss.kind, Kind::failed);
  EXPECT_NE(miss.reason.find("no recording has this request"), std::string::npos) << miss.reason;
}

TEST_P(Cassettes, a_strict_replay_ends_with_its_recording) {
  {
    ModelServer server(test::turns({Turn::say("once")}));
    ask(*recorder(server), request());
  }
  const auto p = replay(true);
  EXPECT_EQ(ask(*p, request()).kind, Kind::ok);
  const LlmOutcome out = ask(*p, request());
  EXPECT_EQ(out.kind, Kind::failed);
  EXPECT_NE(out.reason.find("ends after 1"), std::string::npos) << out.reason;
  EXPECT_TRUE(out.spent.known);
}

TEST_P(Cassettes, an_altered_or_damaged_recording_is_refused_by_name) {
  {
    ModelServer server(test::turns({Turn::say("the truth")}));
    ask(*recorder(server), request());
  }
  const std::string whole = core::read_file(file("000001.json")).value_or("");
  const auto refused = [&](const std::string& why) {
    const auto made = make_replay(dir_, Replaying::strict);
    ASSERT_FALSE(made.ok()) << why;
    EXPECT_EQ(made.error().kind, ErrorKind::invalid);
    EXPECT_NE(made.error().message.find("000001.json"), std::string::npos) << made.error().message;
    EXPECT_NE(made.error().message.find(why), std::string::npos) << made.error().message;
    ASSERT_TRUE(core::write_file(file("000001.json"), whole).ok());
  };
  // "the truth" goes out in pieces, but its first letters stay together.
  change("000001.json", "the", "teh");
  refused("altered");
  change("000001.json", "\"status\": 200", "\"status\": 201");
  refused("altered");
  ASSERT_TRUE(core::write_file(file("000001.json"), "").ok());
  refused("not JSON");
  ASSERT_TRUE(core::write_file(file("000001.json"), whole.substr(0, whole.size() / 2)).ok());
  refused("not JSON");
  EXPECT_TRUE(make_replay(dir_, Replaying::strict).ok());
}

TEST_P(Cassettes, a_recording_of_another_model_is_refused) {
  {
    ModelServer server(test::turns({Turn::say("x")}));
    ask(*recorder(server), request());
  }
  change("endpoint.json", "\"test-model\"", "\"best-model\"");
  const auto made = make_replay(dir_, Replaying::by_request);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("dialect and model"), std::string::npos) << made.error().message;
  ModelServer server(test::turns({}));
  const auto second = make_recorder(provider(server.endpoint(GetParam())), dir_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another endpoint"), std::string::npos) << second.error().message;
}

TEST_P(Cassettes, bytes_that_are_no_text_are_kept) {
  const std::string bytes = std::string("\x1f\x8b\0\xff\xfe", 5) + "data";
  {
    ModelServer server([&](const Conversation&) { return Turn::raw(500, bytes, "application/octet-stream"); });
    ask(*recorder(server), request());
  }
  Heard heard;
  ask(*replay(true), request(), heard.observer());
  ASSERT_EQ(heard.responses.size(), 3u);
  EXPECT_EQ(heard.responses[0], bytes);
}

TEST_P(Cassettes, neither_address_nor_key_is_written) {
  ModelServer server(test::turns({Turn::call("submit")}));
  ask(*recorder(server), request());
  for (const char* name : {"endpoint.json", "000001.json"}) {
    const std::string text = core::read_file(file(name)).value_or("");
    EXPECT_NE(text, "");
    EXPECT_EQ(text.find("127.0.0.1"), std::string::npos) << text;
  }
}

TEST(Recording, a_folder_that_is_none_is_told) {
  const core::TempDir empty = core::TempDir::create("sluice-cassette-").value();
  for (const std::string& dir : {core::join_path(empty.path(), "none"), empty.path()}) {
    const auto made = make_replay(dir, Replaying::strict);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().kind, ErrorKind::not_found) << made.error().message;
    EXPECT_NE(made.error().message.find(dir), std::string::npos) << made.error().message;
  }
}

TEST(Recording, the_first_difference_is_a_json_pointer) {
  const auto at = [](const char* a, const char* b) { return first_difference(Json::parse(a).value(), Json::parse(b).value()); };
  EXPECT_EQ(at("{}", "{}"), "");
  EXPECT_EQ(at(R"({"a":1,"b":2})", R"({"a":1,"b":3})"), "/b");
  EXPECT_EQ(at(R"({"a":1})", R"({"a":1,"b":3})"), "/b");
  EXPECT_EQ(at(R"({"a":1,"b":3})", R"({"a":1})"), "/b");
  EXPECT_EQ(at(R"({"b":1})", R"({"a":1})"), "/a");
  EXPECT_EQ(at(R"({"a":[1,{"x/y":[]},2]})", R"({"a":[1,{"x/y":[0]},3]})"), "/a/1/x~1y/0");
  EXPECT_EQ(at("[1,2]", "[1]"), "/1");
  EXPECT_EQ(at(R"({"a~b":{"c":"x"}})", R"({"a~b":{"c":"y"}})"), "/a~0b/c");
}

}  // namespace
}  // namespace sluice::agent::testing
