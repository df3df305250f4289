// SPDX-License-Identifier: Apache-2.0
// The table of what an attempt came to, row by row, without a server.
#include "agent/llm/classify.h"

#include <gtest/gtest.h>

#include "core/json.h"

namespace sluice::agent {
namespace {

using core::Json;
using Kind = Class::Kind;
using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr core::UnixTime now = 1'796'000'000;

const char* name(Kind kind) {
  switch (kind) {
    case Kind::ok: return "ok";
    case Kind::retry: return "retry";
    case Kind::shrink: return "shrink";
    case Kind::refused: return "refused";
    case Kind::final: return "final";
    case Kind::cancelled: return "cancelled";
  }
  return "?";
}

struct Row {
  const char* what;
  int status;
  std::string body;  // of an error
  Kind want;
  bool breaker = false, long_backoff = false;
};

std::string messages_error(const std::string& type, const std::string& message = "m", const std::string& code = {}) {
  return R"({"type":"error","error":{"type":")" + type + R"(","message":")" + message + R"(")" +
         (code.empty() ? "" : R"(,"details":{"error_code":")" + code + R"("})") + "}}";
}
std::string chat_error(const std::string& type, const std::string& code, const std::string& message = "m") {
  return R"({"error":{"type":")" + type + R"(","code":)" + code + R"(,"message":")" + message + R"("}})";
}

Attempt attempt(int status, const std::string& body, Headers headers = {}) {
  Attempt out;
  out.status = status;
  out.headers = std::move(headers);
  const auto json = Json::parse(body);
  if (json.ok()) out.decoded.error = error_in(*json);
  return out;
}

Attempt answer(Stop stop) {
  Attempt out;
  out.status = 200;
  out.decoded.complete = out.decoded.any = true;
  out.decoded.reply.stop = stop;
  return out;
}

TEST(Classify, each_status_and_error_has_its_class) {
  const std::vector<Row> rows = {
      {"bad request", 400, messages_error("invalid_request_error"), Kind::final},
      {"too many tools", 400, messages_error("invalid_request_error", "m", "available_tools_limit_exceeded"), Kind::final},
      {"context, by message", 400, messages_error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), Kind::shrink},
      {"context, by code", 400, chat_error("invalid_request_error", "\"context_length_exceeded\""), Kind::shrink},
      {"context, of llama.cpp", 400, chat_error("exceed_context_size_error", "400"), Kind::shrink},
      {"context, of vLLM", 400, chat_error("BadRequestError", "400", "This model's maximum context length is 4096 tokens"), Kind::shrink},
      {"context, 422", 422, chat_error("x", "null", "the context window is full"), Kind::shrink},
      {"unprocessable", 422, chat_error("x", "null"), Kind::final},
      {"too large", 413, "<html>413</html>", Kind::shrink},
      {"no key", 401, messages_error("authentication_error"), Kind::final, true},
      {"billing", 402, messages_error("billing_error"), Kind::final, true},
      {"not allowed", 403, messages_error("permission_error"), Kind::final, true},
      {"a proxy forbids", 403, "<html>forbidden</html>", Kind::final, true},
      {"no such model", 404, messages_error("not_found_error"), Kind::final},
      {"time-out", 408, messages_error("timeout_error"), Kind::retry},
      {"conflict", 409, messages_error("conflict_error"), Kind::retry},
      {"teapot", 418, "", Kind::final},
      {"too often", 429, messages_error("rate_limit_error"), Kind::retry, false, true},
      {"ramp", 429, messages_error("rate_limit_error", "m", "ramp_limit_exceeded"), Kind::retry, false, true},
      {"spent", 429, messages_error("rate_limit_error", "m", "enforced_spend_limit_reached"), Kind::final, true},
      {"contract", 429, messages_error("rate_limit_error", "m", "contract_spend_limit_reached"), Kind::final, true},
      {"linked", 402, messages_error("billing_error", "m", "linked_organization_spend_limit_reached"), Kind::final, true},
      {"quota", 429, chat_error("insufficient_quota", "\"insufficient_quota\""), Kind::final, true},
      {"of the configuration", 429, chat_error("limit", "\"house_rule\""), Kind::final, true},
      {"near the configuration", 429, chat_error("limit", "\"house_rules\""), Kind::retry, false, true},
      {"a number as code", 429, chat_error("x", "429"), Kind::retry, false, true},
      {"our side", 500, messages_error("api_error"), Kind::retry},
      {"internal, of vLLM", 500, messages_error("internal_error"), Kind::retry},
      {"a gateway", 502, "<html>bad gateway</html>", Kind::retry},
      {"keys unreachable", 503, messages_error("api_error", "m", "cmek_key_unreachable"), Kind::retry, false, true},
      {"gateway time-out", 504, messages_error("timeout_error"), Kind::retry},
      {"overloaded", 529, messages_error("overloaded_error"), Kind::retry, false, true},
      {"redirect", 302, "", Kind::final},
  };
  for (const Row& row : rows) {
    const Class got = classify(attempt(row.status, row.body), {"house_rule"}, now);
    EXPECT_STREQ(name(got.kind), name(row.want)) << row.what;
    EXPECT_EQ(got.breaker, row.breaker) << row.what;
    EXPECT_EQ(got.long_backoff, row.long_backoff) << row.what;
    EXPECT_FALSE(got.reason.empty()) << row.what;
  }
}

TEST(Classify, an_error_in_a_stream_goes_by_its_type_whatever_follows) {
  const std::vector<Row> rows = {
      {"overloaded", 200, messages_error("overloaded_error"), Kind::retry, false, true},
      {"too often", 200, messages_error("rate_limit_error"), Kind::retry, false, true},
      {"our side", 200, messages_error("api_error"), Kind::retry},
      {"no key", 200, messages_error("authentication_error"), Kind::final, true},
      {"bad request", 200, messages_error("invalid_request_error"), Kind::final},
      {"spent", 200, messages_error("rate_limit_error", "m", "enforced_spend_limit_reached"), Kind::final, true},
      {"a bare object", 200, R"({"code":500,"message":"m","type":"server_error"})", Kind::retry},
      {"vLLM's number", 200, chat_error("BadRequestError", "400"), Kind::final},
      {"an unknown word", 200, chat_error("EngineDeadError", "null"), Kind::retry},
      {"only text", 200, R"({"error":"model runner has stopped"})", Kind::retry},
      {"context", 200, chat_error("exceed_context_size_error", "400"), Kind::shrink},
  };
  for (const Row& row : rows) {
    Attempt a = attempt(row.status, row.body);
    ASSERT_TRUE(a.decoded.error.has_value()) << row.what;
    a.decoded.complete = true;  // an end was seen, too
    const Class got = classify(a, {}, now);
    EXPECT_STREQ(name(got.kind), name(row.want)) << row.what;
    EXPECT_EQ(got.breaker, row.breaker) << row.what;
    EXPECT_EQ(got.long_backoff, row.long_backoff) << row.what;
  }
}

TEST(Classify, the_service_may_say_itself_whether_to_come_again) {
  const auto said = [](int status, const std::string& body, const std::string& word) {
    return classify(attempt(status, body, {{"X-Should-Retry", word}}), {}, now).kind;
  };
  EXPECT_EQ(said(500, messages_error("api_error"), "false"), Kind::final);
  EXPECT_EQ(said(500, messages_error("api_error"), "maybe"), Kind::retry);
  EXPECT_EQ(said(400, messages_error("invalid_request_error"), "true"), Kind::retry);
  EXPECT_EQ(said(400, messages_error("invalid_request_error"), "false"), Kind::final);
  // What is too long may come again shorter, and a spent account is closed for the next run too.
  EXPECT_EQ(said(400, messages_error("invalid_request_error", "prompt is too long"), "false"), Kind::shrink);
  EXPECT_TRUE(classify(attempt(429, messages_error("x", "m", "enforced_spend_limit_reached"), {{"x-should-retry", "false"}}), {}, now).breaker);
}

TEST(Classify, only_a_refused_key_may_be_renewed) {
  EXPECT_TRUE(classify(attempt(401, ""), {}, now).credential);
  EXPECT_FALSE(classify(attempt(403, ""), {}, now).credential);
}

TEST(Classify, a_transport_that_failed_is_tried_again_and_what_it_completed_counts) {
  for (const char* trouble : {"resolve", "connect", "tls", "reset", "idle", "time_out", "other"}) {
    Attempt a;
    a.trouble = trouble;
    EXPECT_EQ(classify(a, {}, now).kind, Kind::retry) << trouble;
    Attempt whole = answer(Stop::tool_use);
    whole.trouble = trouble;
    EXPECT_EQ(classify(whole, {}, now).kind, Kind::ok) << trouble;
  }
  Attempt large;
  large.status = 200;
  large.trouble = "too_large";
  EXPECT_EQ(classify(large, {}, now).kind, Kind::final);
}

TEST(Classify, what_we_cancelled_is_cancelled_whatever_had_come) {
  Attempt a = answer(Stop::tool_use);
  a.trouble = "cancelled";
  const Class got = classify(a, {}, now);
  EXPECT_EQ(got.kind, Kind::cancelled);
  EXPECT_FALSE(got.breaker);
}

TEST(Classify, a_complete_answer_goes_by_its_stop) {
  EXPECT_EQ(classify(answer(Stop::end_turn), {}, now).kind, Kind::ok);
  EXPECT_EQ(classify(answer(Stop::length), {}, now).kind, Kind::ok);
  EXPECT_EQ(classify(answer(Stop::pause), {}, now).kind, Kind::ok);
  EXPECT_EQ(classify(answer(Stop::other), {}, now).kind, Kind::ok);
  EXPECT_EQ(classify(answer(Stop::refusal), {}, now).kind, Kind::refused);
  EXPECT_EQ(classify(answer(Stop::context_exceeded), {}, now).kind, Kind::shrink);
}

TEST(Classify, an_answer_that_stops_short_is_none) {
  Attempt a;
  a.status = 200;
  a.decoded.any = true;
  EXPECT_EQ(classify(a, {}, now).kind, Kind::retry);
  a.headers = {{"x-should-retry", "false"}};
  EXPECT_EQ(classify(a, {}, now).kind, Kind::final);
}

TEST(RetryAfter, is_milliseconds_seconds_or_a_date_and_nothing_that_is_not_ahead) {
  struct Case {
    Headers headers;
    std::optional<std::int64_t> want;
  };
  const std::vector<Case> cases = {
      {{}, std::nullopt},
      {{{"retry-after-ms", "250"}}, 250},
      {{{"Retry-After-Ms", "1500.4"}, {"Retry-After", "99"}}, 1500},
      {{{"retry-after-ms", "-5"}, {"retry-after", "2"}}, 2000},
      {{{"retry-after-ms", "soon"}, {"retry-after", "2"}}, 2000},
      {{{"retry-after", "2"}}, 2000},
      {{{"retry-after", " 0.5 "}}, 500},
      {{{"retry-after", "0"}}, std::nullopt},
      {{{"retry-after", "-3"}}, std::nullopt},
      {{{"retry-after", "nan"}}, std::nullopt},
      {{{"retry-after", "tomorrow"}}, std::nullopt},
      {{{"retry-after", "2 s"}}, std::nullopt},
      {{{"retry-after", "99999999999999999999999"}}, 31'622'400'000},
      {{{"retry-after", "1e400"}}, 31'622'400'000},
      // now is 2026-11-30T00:53:20Z
      {{{"retry-after", "Mon, 30 Nov 2026 00:53:50 GMT"}}, 30'000},
      {{{"retry-after", "Monday, 30-Nov-26 00:53:50 GMT"}}, 30'000},
      {{{"retry-after", "Mon Nov 30 00:53:50 2026"}}, 30'000},
      {{{"retry-after", "Mon, 30 Nov 2026 00:53:20 GMT"}}, std::nullopt},
      {{{"retry-after", "Mon, 30 Nov 2020 00:53:20 GMT"}}, std::nullopt},
  };
  for (const Case& c : cases) {
    const auto got = retry_after_ms(c.headers, now);
    EXPECT_EQ(got, c.want) << (c.headers.empty() ? "" : c.headers.back().second);
  }
  EXPECT_EQ(retry_after_ms({{"retry-after", "Mon, 30 Nov 2026 00:53:50 GMT"}}, 0), std::nullopt);
}

}  // namespace
}  // namespace sluice::agent
