// SPDX-License-Identifier: Apache-2.0
// What becomes of a call whose attempts fail: retries and their waits, the breaker, the limits, the key.
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "agent/llm/limiter.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/log.h"
#include "test/agent/llm_support.h"

namespace sluice::agent::testing {
namespace {

using Kind = LlmOutcome::Kind;

class Retries : public Dialects {};
SLUICE_IN_BOTH_DIALECTS(Retries);

Turn good() { return Turn::call("submit"); }

// The same answer to every request.
test::Script always(Turn turn) {
  return [turn = std::move(turn)](const Conversation&) { return turn; };
}

TEST_P(Retries, an_error_of_the_moment_is_tried_again_and_costs_nothing) {
  for (const int status : {500, 529, 429, 503, 408, 409, 502}) {
    ModelServer server(test::turns({Turn::error(status, "some_error", "for now"), good()}));
    Heard heard;
    const LlmOutcome out = ask(*provider(server.endpoint(GetParam())), request(), heard.observer());
    EXPECT_EQ(out.kind, Kind::ok) << status << ": " << out.reason;
    EXPECT_EQ(out.attempts, 2) << status;
    EXPECT_TRUE(out.spent.known) << status;
    EXPECT_EQ(out.spent.output, 20) << status;
    ASSERT_EQ(heard.statuses, (std::vector<int>{status, 200}));
    EXPECT_NE(heard.responses[0].find("for now"), std::string::npos);
    ASSERT_EQ(heard.retries.size(), 1u);
    EXPECT_NE(heard.retries[0].find(std::to_string(status)), std::string::npos);
  }
}

TEST_P(Retries, attempts_end_after_three_and_where_the_service_is_busy_after_five) {
  const std::vector<std::pair<int, int>> cases = {{500, 3}, {529, 5}, {429, 5}, {400, 1}, {404, 1}};
  for (const auto& [status, attempts] : cases) {
    ModelServer server(always(Turn::error(status, "some_error", "no")));
    const LlmOutcome out = ask(*provider(server.endpoint(GetParam())), request());
    EXPECT_EQ(out.kind, Kind::failed) << status;
    EXPECT_EQ(out.attempts, attempts) << status;
    EXPECT_EQ(server.requests().size(), static_cast<std::size_t>(attempts)) << status;
    EXPECT_NE(out.reason.find(std::to_string(status)), std::string::npos) << out.reason;
  }
}

TEST_P(Retries, waits_grow_within_their_bounds) {
  const auto waits = [](const std::string& dialect, const Turn& turn) {
    ModelServer server(always(turn));
    std::vector<std::int64_t> out;
    HttpProviderOptions options;
    options.backoff_unit_ms = 4;
    const auto p = waiting_provider(server.endpoint(dialect), options);
    CallObserver observer;
    observer.retry = [&](const std::string&, std::int64_t ms) { out.push_back(ms); };
    p->call(request(), {}, observer);
    return out;
  };
  const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most) { return value >= least && value <= most; };
  const auto few = waits(GetParam(), Turn::error(500, "e", "m"));
  ASSERT_EQ(few.size(), 2u);
  EXPECT_TRUE(within(few[0], 3, 4)) << few[0];
  EXPECT_TRUE(within(few[1], 6, 8)) << few[1];
  const auto many = waits(GetParam(), Turn::error(529, "e", "m"));
  ASSERT_EQ(many.size(), 4u);
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_TRUE(within(many[i], 8, 4 * (4 << i))) << i << ": " << many[i];
  const auto told = waits(GetParam(), Turn::error(500, "e", "m").with_header("retry-after-ms", "13"));
  EXPECT_EQ(told, (std::vector<std::int64_t>{13, 13}));
  const auto negative = waits(GetParam(), Turn::error(500, "e", "m").with_header("retry-after", "-7"));
  ASSERT_EQ(negative.size(), 2u);
  EXPECT_TRUE(within(negative[0], 3, 4));
}

TEST_P(Retries, a_service_that_wants_more_than_five_minutes_parks_the_run) {
  const std::vector<std::pair<std::string, std::int64_t>> cases = {{"301", 301}, {"86400", 86'400}, {"99999999999999999999", 31'622'400}};
  for (const auto& [value, seconds] : cases) {
    ModelServer server(always(Turn::error(429, "rate_limit_error", "later").with_header("retry-after", value)));
    const LlmOutcome out = ask(*provider(server.endpoint(GetParam())), request());
    EXPECT_EQ(out.kind, Kind::busy) << value << out.reason;
    EXPECT_EQ(out.retry_after_s, seconds);
    EXPECT_EQ(out.attempts, 1);
  }
}

TEST_P(Retries, a_date_is_read_by_the_clock_that_was_handed_in) {
  const core::FakeClock clock(1'796'000'000);  // 00:53:20
  ModelServer server(always(Turn::error(429, "rate_limit_error", "later").with_header("retry-after", "Mon, 30 Nov 2026 01:53:20 GMT")));
  HttpProviderOptions options;
  options.clock = &clock;
  const LlmOutcome out = ask(*provider(server.endpoint(GetParam()), options), request());
  EXPECT_EQ(out.kind, Kind::busy);
  EXPECT_EQ(out.retry_after_s, 3600);
}

TEST_P(Retries, no_wait_goes_past_the_end_of_the_run) {
  ModelServer server(always(Turn::error(500, "api_error", "m").with_header("retry-after", "60")));
  const auto p = waiting_provider(server.endpoint(GetParam()));
  const LlmOutcome out = p->call(request(), {.deadline_ms = core::steady_ms() + 30'000, .cancel = nullptr}, {});
  EXPECT_EQ(out.kind, Kind::busy);
  EXPECT_EQ(out.retry_after_s, 60);
  EXPECT_EQ(out.attempts, 1);
}

TEST_P(Retries, an_answer_that_is_not_done_at_the_end_of_the_run_is_given_up) {
  Turn drip = good();
  drip.text = std::string(1000, 'x');
  drip.wire.piece = 1;
  drip.wire.drip_ms = 5;
  ModelServer server(always(drip));
  const LlmOutcome out = provider(server.endpoint(GetParam()))->call(request(), {.deadline_ms = core::steady_ms() + 150, .cancel = nullptr}, {});
  EXPECT_EQ(out.kind, Kind::failed);
  EXPECT_NE(out.reason.find("no time is left"), std::string::npos) << out.reason;
  EXPECT_EQ(out.attempts, 1);
  EXPECT_FALSE(out.spent.known);
}

TEST_P(Retries, a_wait_can_be_cancelled) {
  std::atomic<bool> cancel{false};
  ModelServer server(always(Turn::error(529, "overloaded_error", "m").with_header("retry-after", "200")));
  const auto p = waiting_provider(server.endpoint(GetParam()));
  CallObserver observer;
  observer.retry = [&](const std::string&, std::int64_t ms) {
    EXPECT_EQ(ms, 200'000);
    cancel = true;
  };
  EXPECT_EQ(p->call(request(), {.deadline_ms = 0, .cancel = &cancel}, observer).kind, Kind::cancelled);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_P(Retries, a_call_cancelled_beforehand_asks_nobody) {
  const std::atomic<bool> cancel{true};
  ModelServer server(always(good()));
  EXPECT_EQ(provider(server.endpoint(GetParam()))->call(request(), {.deadline_ms = 0, .cancel = &cancel}, {}).kind, Kind::cancelled);
  EXPECT_TRUE(server.requests().empty());
}

TEST_P(Retries, nobody_at_the_address_costs_nothing) {
  model::EndpointConfig e;
  { e = ModelServer(always(good())).endpoint(GetParam()); }
  const LlmOutcome out = ask(*provider(e), request());
  EXPECT_EQ(out.kind, Kind::failed);
  EXPECT_EQ(out.attempts, 3);
  EXPECT_TRUE(out.spent.known);
  EXPECT_EQ(out.spent.all_input(), 0);
}

TEST_P(Retries, too_long_a_prompt_is_told_apart_from_a_bad_one) {
  ModelServer server(test::turns({Turn::error(400, "exceed_context_size_error", "n_prompt_tokens is larger"),
                                  Turn::error(400, "invalid_request_error", "prompt is too long: 9 > 8"), Turn::error(413, "request_too_large", "m"),
                                  Turn::error(400, "invalid_request_error", "max_tokens is missing")}));
  const auto p = provider(server.endpoint(GetParam()));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(*p, request()).kind, Kind::shrink) << i;
  EXPECT_EQ(ask(*p, request()).kind, Kind::failed);
}

// ---- the breaker ------------------------------------------------------------------------------------------------

class Breakers final : public BreakerStore {
 public:
  Result<BreakerState> get(const std::string& key) override {
    if (broken) return make_error(ErrorKind::transient, "the database is locked");
    const auto found = states.find(key);
    return found == states.end() ? BreakerState{} : found->second;
  }
  Result<bool> open(const std::string& key, const BreakerState& state) override {
    if (broken) return make_error(ErrorKind::transient, "the database is locked");
    const bool first = !states[key].open;
    states[key] = state;
    told += first ? 1 : 0;
    return first;
  }
  std::map<std::string, BreakerState> states;
  int told = 0;
  bool broken = false;
};

HttpProviderOptions with(Breakers& breakers, const core::Clock* clock = nullptr, std::string credential = {}) {
  HttpProviderOptions out;
  out.breakers = &breakers;
  out.clock = clock;
  out.credential = std::move(credential);
  return out;
}

TEST_P(Retries, a_refused_key_or_a_spent_account_closes_the_endpoint_until_a_person_opens_it) {
  const std::vector<Turn> finals = {Turn::error(401, "authentication_error", "who"), Turn::error(402, "billing_error", "pay"),
                                    Turn::error(403, "permission_error", "no"),
                                    Turn::error(429, "rate_limit_error", "spent", "enforced_spend_limit_reached"),
                                    Turn::error(429, "insufficient_quota", "spent", "insufficient_quota")};
  for (const Turn& turn : finals) {
    ModelServer server(always(turn));
    Breakers breakers;
    const core::FakeClock clock(1000);
    const auto p = provider(server.endpoint(GetParam()), with(breakers, &clock));
    const LlmOutcome first = ask(*p, request());
    EXPECT_EQ(first.kind, Kind::denied) << first.reason;
    EXPECT_EQ(first.attempts, 1);
    const LlmOutcome second = ask(*p, request());
    EXPECT_EQ(second.kind, Kind::denied);
    EXPECT_EQ(second.attempts, 0);
    EXPECT_NE(second.reason.find(first.reason), std::string::npos) << second.reason;
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(breakers.told, 1);
    const BreakerState& state = breakers.states.begin()->second;
    EXPECT_EQ(state.opened_at, 1000);
    EXPECT_EQ(state.until, 0);
  }
}

TEST_P(Retries, errors_that_pass_or_concern_one_request_leave_the_endpoint_open) {
  for (const int status : {400, 404, 413, 429, 500, 529}) {
    ModelServer server(always(Turn::error(status, "some_error", "m")));
    Breakers breakers;
    ask(*provider(server.endpoint(GetParam()), with(breakers)), request());
    EXPECT_TRUE(breakers.states.empty()) << status;
  }
}

TEST_P(Retries, a_breaker_that_is_over_asks_again_and_one_that_is_not_does_not) {
  ModelServer server(always(good()));
  Breakers breakers;
  const core::FakeClock clock(1000);
  const model::EndpointConfig e = server.endpoint(GetParam());
  breakers.states[breaker_key(e, "")] = {.open = true, .reason = "was", .opened_at = 1, .until = 1000};
  const auto p = provider(e, with(breakers, &clock));
  EXPECT_EQ(ask(*p, request()).kind, Kind::ok);
  breakers.states[breaker_key(e, "")].until = 1001;
  EXPECT_EQ(ask(*p, request()).kind, Kind::denied);
}

TEST_P(Retries, another_key_has_a_breaker_of_its_own_and_none_shows_the_key) {
  ModelServer server(always(good()));
  model::EndpointConfig e = server.endpoint(GetParam());
  e.auth = "bearer";
  Breakers breakers;
  breakers.states[breaker_key(e, "key-one-1")] = {.open = true, .reason = "no", .opened_at = 1, .until = 0};
  EXPECT_EQ(ask(*provider(e, with(breakers, nullptr, "key-one-1")), request()).kind, Kind::denied);
  EXPECT_EQ(ask(*provider(e, with(breakers, nullptr, "key-two-2")), request()).kind, Kind::ok);
  EXPECT_EQ(breaker_key(e, "key-one-1").find("key-one"), std::string::npos);
}

TEST_P(Retries, an_unknown_breaker_asks_nobody) {
  ModelServer server(always(good()));
  Breakers breakers;
  breakers.broken = true;
  const LlmOutcome out = ask(*provider(server.endpoint(GetParam()), with(breakers)), request());
  EXPECT_EQ(out.kind, Kind::failed);
  EXPECT_NE(out.reason.find("locked"), std::string::npos);
  EXPECT_TRUE(server.requests().empty());
}

// ---- limits -----------------------------------------------------------------------------------------------------

TEST(RateLimits, requests_are_spread_once_the_bucket_is_empty) {
  RateLimiter limiter(2, 0);  // one in 30 s
  EXPECT_EQ(limiter.take(1000, 50), 0);
  EXPECT_EQ(limiter.take(1000, 50), 0);
  EXPECT_EQ(limiter.take(1000, 50), 30'000);
  EXPECT_EQ(limiter.take(1000, 50), 60'000);
  EXPECT_EQ(limiter.take(61'000, 50), 30'000);
  EXPECT_EQ(limiter.take(500'000, 50), 0);
}

TEST(RateLimits, tokens_count_and_what_was_not_used_comes_back) {
  RateLimiter limiter(0, 6000);  // 100 in a second
  EXPECT_EQ(limiter.take(1000, 6000), 0);
  limiter.give_back(1000, false);
  EXPECT_EQ(limiter.take(1000, 1000), 0);
  EXPECT_EQ(limiter.take(1000, 100), 1000);
  limiter.give_back(100, true);
  EXPECT_EQ(limiter.take(1000, 50), 500);
}

TEST(RateLimits, what_is_larger_than_the_bucket_waits_for_a_full_one) {
  RateLimiter limiter(0, 6000);
  EXPECT_EQ(limiter.take(1000, 1'000'000), 0);
  EXPECT_EQ(limiter.take(1000, 1'000'000), 60'000);
}

TEST(RateLimits, no_limit_is_no_wait_and_a_pause_holds_for_all) {
  RateLimiter limiter(0, 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limiter.take(1000, 1 << 20), 0);
  limiter.hold_until(5000);
  EXPECT_EQ(limiter.take(1000, 1), 4000);
  EXPECT_EQ(limiter.take(6000, 1), 0);
}

TEST_P(Retries, a_place_beyond_the_end_of_the_run_parks_it_and_is_given_back) {
  ModelServer server(always(good()));
  model::EndpointConfig e = server.endpoint(GetParam());
  e.requests_per_minute = 1;
  HttpProviderOptions options;
  options.limiter = make_rate_limiter(e);
  const auto p = provider(e, options);
  EXPECT_EQ(ask(*p, request()).kind, Kind::ok);
  for (int i = 0; i < 2; ++i) {
    const LlmOutcome out = p->call(request(), {.deadline_ms = core::steady_ms() + 10'000, .cancel = nullptr}, {});
    EXPECT_EQ(out.kind, Kind::busy);
    EXPECT_EQ(out.attempts, 0);
    EXPECT_GT(out.retry_after_s, 10);
    EXPECT_LE(out.retry_after_s, 60);
  }
  EXPECT_EQ(server.requests().size(), 1u);
}

}  // namespace
}  // namespace sluice::agent::testing
