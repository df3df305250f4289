// SPDX-License-Identifier: Apache-2.0
// The key of an endpoint: where it comes from, where it goes, and where it must never be seen.
#include <dirent.h>

#include <cstdlib>

#include "agent/llm/cassette.h"
#include "core/file.h"
#include "core/log.h"
#include "test/agent/llm_support.h"

namespace sluice::agent::testing {
namespace {

using Kind = LlmOutcome::Kind;
const std::string canary = "sk-canary-4f1d9a7733";

class Keys : public Dialects {};
SLUICE_IN_BOTH_DIALECTS(Keys);

struct Folder {
  core::TempDir dir = core::TempDir::create("sluice-key-").value();
  std::string file(const std::string& name) const { return core::join_path(dir.path(), name); }
};

model::EndpointConfig with_file(const std::string& path) {
  model::EndpointConfig e;
  e.auth = "bearer";
  e.key_file = path;
  return e;
}

TEST(Credential, comes_from_a_variable_or_a_file_without_the_blanks_around_it) {
  setenv("SLUICE_TEST_KEY", (" " + canary + "\n").c_str(), 1);
  model::EndpointConfig e;
  e.auth = "x-api-key";
  e.key_env = "SLUICE_TEST_KEY";
  EXPECT_EQ(read_credential(e).value_or(""), canary);
  unsetenv("SLUICE_TEST_KEY");
  const Folder folder;
  ASSERT_TRUE(core::write_file(folder.file("key"), "sk-of-a-file\r\n").ok());
  EXPECT_EQ(read_credential(with_file(folder.file("key"))).value_or(""), "sk-of-a-file");
  EXPECT_EQ(core::redact("it is sk-of-a-file."), "it is [redacted].");
}

TEST(Credential, is_empty_where_the_endpoint_wants_none) {
  model::EndpointConfig e;
  e.auth = "none";
  e.key_env = "SLUICE_TEST_KEY_THAT_IS_NOT_SET";
  const auto got = read_credential(e);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(*got, "");
}

TEST(Credential, an_error_names_where_it_was_looked_for_and_never_the_value) {
  const Folder folder;
  model::EndpointConfig e;
  e.auth = "bearer";
  const auto why = [](const model::EndpointConfig& of) {
    const auto got = read_credential(of);
    EXPECT_FALSE(got.ok());
    return got.ok() ? std::string() : got.error().message;
  };
  EXPECT_NE(why(e).find("key_env"), std::string::npos);
  e.key_env = "SLUICE_TEST_KEY";
  unsetenv("SLUICE_TEST_KEY");
  EXPECT_NE(why(e).find("SLUICE_TEST_KEY"), std::string::npos);
  setenv("SLUICE_TEST_KEY", "", 1);
  EXPECT_NE(why(e).find("empty"), std::string::npos);
  for (const std::string value : {"two words", "a\nb: c", "caf\xC3\xA9-key"}) {
    setenv("SLUICE_TEST_KEY", value.c_str(), 1);
    const std::string message = why(e);
    EXPECT_EQ(message.find(value), std::string::npos) << message;
    EXPECT_NE(message.find("SLUICE_TEST_KEY"), std::string::npos) << message;
  }
  unsetenv("SLUICE_TEST_KEY");
  EXPECT_NE(why(with_file(folder.file("none"))).find("none"), std::string::npos);
  ASSERT_TRUE(core::write_file(folder.file("large"), std::string(20'000, 'k')).ok());
  EXPECT_EQ(why(with_file(folder.file("large"))).find("kkkk"), std::string::npos);
}

TEST_P(Keys, the_key_travels_in_its_header_alone) {
  for (const std::string auth : {"x-api-key", "bearer"}) {
    ModelServer server([](const Conversation&) { return Turn::call("submit"); });
    server.require_key(canary);
    model::EndpointConfig e = server.endpoint(GetParam());
    e.auth = auth;
    HttpProviderOptions options;
    options.credential = canary;
    Heard heard;
    ASSERT_EQ(ask(*provider(e, options), request(), heard.observer()).kind, Kind::ok);
    const test::SeenRequest seen = server.requests().at(0);
    EXPECT_EQ(seen.header("x-api-key"), auth == "x-api-key" ? canary : "");
    EXPECT_EQ(seen.header("authorization"), auth == "bearer" ? "Bearer " + canary : "");
    EXPECT_EQ(seen.body.find(canary), std::string::npos);
    EXPECT_EQ(seen.path.find(canary), std::string::npos);
    for (const std::string& text : {heard.requests.at(0), heard.responses.at(0)}) EXPECT_EQ(text.find(canary), std::string::npos);
  }
}

std::string all_files(const std::string& dir) {
  std::string out;
  DIR* open = opendir(dir.c_str());
  while (const dirent* entry = readdir(open)) {
    const auto text = core::read_file(core::join_path(dir, entry->d_name));
    if (text.ok()) out += *text;
  }
  closedir(open);
  return out;
}

TEST_P(Keys, a_service_that_repeats_the_key_puts_it_into_no_reason_and_no_recording) {
  core::register_secret(canary);
  const Folder folder;
  const std::string dir = folder.file("recording");
  Turn telling = Turn::say("Your key is " + canary + ", is it not?");
  telling.wire.plain = true;  // in one piece: what is cut up into several events, nobody can find
  ModelServer server(test::turns({Turn::error(400, "invalid_request_error", "Incorrect key provided: " + canary)
                                      .with_header("x-request-id", "id-" + canary).with_header("set-cookie", "session=" + canary),
                                  telling}));
  model::EndpointConfig e = server.endpoint(GetParam());
  e.auth = "bearer";
  HttpProviderOptions options;
  options.credential = canary;
  auto recorder = make_recorder(provider(e, options), dir);
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  Heard heard;
  const LlmOutcome out = ask(**recorder, request(), heard.observer());
  EXPECT_EQ(out.kind, Kind::failed);
  EXPECT_EQ(out.reason.find(canary), std::string::npos) << out.reason;
  EXPECT_NE(out.reason.find("[redacted]"), std::string::npos) << out.reason;
  EXPECT_EQ(ask(**recorder, request()).kind, Kind::ok);
  const std::string files = all_files(dir);
  EXPECT_NE(files.find("[redacted]"), std::string::npos);
  EXPECT_EQ(files.find(canary), std::string::npos);
  EXPECT_EQ(files.find("session="), std::string::npos);
  EXPECT_EQ(files.find("uthorization"), std::string::npos);
}

TEST(Recording, a_key_that_lies_across_two_pieces_is_masked_and_the_pieces_become_one) {
  core::register_secret(canary);
  const Folder folder;
  model::EndpointConfig e;
  e.dialect = "chat";
  e.model = "m";
  WireAnswer answer;
  answer.status = 200;
  answer.chunks = {"{\"a\":\"" + canary.substr(0, 9), canary.substr(9) + "\"}"};
  ASSERT_TRUE(write_cassette(folder.dir.path(), e, "{\"of\":\"" + canary + "\"}", answer).ok());
  const auto read = read_cassettes(folder.dir.path(), e);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->at(0).answer.chunks, (std::vector<std::string>{"{\"a\":\"[redacted]\"}"}));
  EXPECT_EQ(read->at(0).request["of"].as_string(), "[redacted]");
}

TEST_P(Keys, a_key_file_that_was_exchanged_is_read_again_once) {
  const Folder folder;
  ASSERT_TRUE(core::write_file(folder.file("key"), "sk-old-key").ok());
  ModelServer server([](const Conversation&) { return Turn::call("submit"); });
  server.require_key("sk-new-key");
  model::EndpointConfig e = server.endpoint(GetParam());
  e.auth = "bearer";
  e.key_file = folder.file("key");
  HttpProviderOptions options;
  options.credential = read_credential(e).value_or("");
  const auto p = provider(e, options);
  const LlmOutcome same = ask(*p, request());
  EXPECT_EQ(same.kind, Kind::denied);
  EXPECT_EQ(same.attempts, 1);
  ASSERT_TRUE(core::write_file(folder.file("key"), "sk-new-key").ok());
  const LlmOutcome renewed = ask(*p, request());
  EXPECT_EQ(renewed.kind, Kind::ok) << renewed.reason;
  EXPECT_EQ(renewed.attempts, 2);
  EXPECT_EQ(ask(*p, request()).attempts, 1);
  server.require_key("sk-third-key");
  ASSERT_TRUE(core::write_file(folder.file("key"), "sk-wrong-key").ok());
  EXPECT_EQ(ask(*p, request()).attempts, 2);
}

TEST(ProviderSettings, what_cannot_work_is_refused_with_the_name_of_its_key) {
  struct Case {
    const char* key;
    std::function<void(model::EndpointConfig&)> spoil;
  };
  const std::vector<Case> cases = {
      {"dialect", [](auto& e) { e.dialect = "responses"; }},
      {"base_url", [](auto& e) { e.base_url = "ftp://example.com"; }},
      {"model", [](auto& e) { e.model.clear(); }},
      {"auth", [](auto& e) { e.auth = "basic"; }},
      {"key_env", [](auto& e) { e.auth = "bearer"; }},
      {"max_tokens_field", [](auto& e) { e.max_tokens_field = "tokens"; }},
      {"max_output_tokens", [](auto& e) { e.max_output_tokens = 0; }},
      {"ca_file", [](auto& e) { e.ca_file = "/no/such/file.pem"; }},
  };
  const model::EndpointConfig fine = ModelServer(test::turns({})).endpoint("chat");
  EXPECT_TRUE(make_http_provider(fine, {}).ok());
  for (const Case& c : cases) {
    model::EndpointConfig e = fine;
    c.spoil(e);
    const auto made = make_http_provider(e, {});
    ASSERT_FALSE(made.ok()) << c.key;
    EXPECT_EQ(made.error().kind, ErrorKind::invalid);
    EXPECT_NE(made.error().message.find(c.key), std::string::npos) << made.error().message;
  }
}

}  // namespace
}  // namespace sluice::agent::testing
