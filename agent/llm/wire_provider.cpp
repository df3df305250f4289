// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/wire_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "agent/llm/chat.h"
#include "agent/llm/messages.h"
#include "agent/llm/request_check.h"
#include "core/log.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr int short_retries = 2, most_attempts = 5;
constexpr std::int64_t longest_wait_ms = 300'000;  // who asks for more parks the run
constexpr std::int64_t slice_ms = 50;              // a wait is cancelled within so much

bool is_cancelled(const CallLimits& limits) { return limits.cancel != nullptr && limits.cancel->load(); }

// False when cancelled before its end.
bool pause(std::int64_t ms, const CallLimits& limits) {
  const std::int64_t end = core::steady_ms() + ms;
  for (std::int64_t left = ms; left > 0; left = end - core::steady_ms()) {
    if (is_cancelled(limits)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(left, slice_ms)));
  }
  return !is_cancelled(limits);
}

double random_share() {
  thread_local std::mt19937_64 source{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(source);
}

// Nothing of the request can have reached a model: it costs nothing.
bool is_free(const Attempt& attempt) {
  for (const char* trouble : {"resolve", "connect", "tls", "invalid", "recording"}) {
    if (attempt.trouble == trouble) return true;
  }
  return attempt.status >= 300 && !attempt.decoded.any;
}

std::string joined(const std::vector<std::string>& chunks) {
  std::string out;
  for (const std::string& chunk : chunks) out += chunk;
  return out;
}

std::string request_id(const WireAnswer& answer) {
  for (const auto& [key, value] : answer.headers) {
    const std::string name = core::to_lower(key);
    if (name == "request-id" || name == "x-request-id") return core::redact(core::printable(value, 120));
  }
  return {};
}

}  // namespace

struct WireProvider::Run {
  const CallLimits& limits;
  std::string body;
  std::int64_t estimate = 0;  // tokens, for the limiter
  LlmOutcome out;
  int retries = 0, short_ones = 0;
  bool renewed = false;
};

std::vector<std::pair<std::string, std::string>> telling_headers(const std::vector<std::pair<std::string, std::string>>& all) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : all) {
    const std::string name = core::to_lower(key);
    const bool tells = name == "content-type" || name == "retry-after" || name == "retry-after-ms" || name == "x-should-retry" ||
                       name == "request-id" || name == "x-request-id" || name.starts_with("anthropic-ratelimit-") ||
                       name.starts_with("x-ratelimit-");
    if (tells) out.emplace_back(name, value);
  }
  return out;
}

std::string WireProvider::render(const LlmRequest& request) const {
  return (endpoint_.dialect == "messages" ? render_messages(endpoint_, request) : render_chat(endpoint_, request)).dump();
}

bool WireProvider::breaker_open(LlmOutcome& out) const {
  if (policy_.breakers == nullptr) return false;
  const Result<BreakerState> state = policy_.breakers->get(breaker());
  if (!state.ok()) {
    out.kind = LlmOutcome::Kind::failed;
    out.reason = "whether the endpoint may be asked is not known: " + state.error().message;
    return true;
  }
  if (!state->open || (state->until != 0 && now() >= state->until)) return false;
  out.kind = LlmOutcome::Kind::denied;
  out.reason = fmt::format("endpoint {} is not asked any more: {}", endpoint_.name, state->reason);
  return true;
}

void WireProvider::deny(LlmOutcome& out, const Class& c) const {
  out.kind = LlmOutcome::Kind::denied;
  if (policy_.breakers == nullptr) return;
  const auto opened = policy_.breakers->open(breaker(), {.open = true, .reason = c.reason, .opened_at = now(), .until = 0});
  if (!opened.ok()) out.reason += " (and this could not be stored: " + opened.error().message + ")";
}

bool WireProvider::wait_for_place(Run& run) const {
  if (policy_.limiter == nullptr) return true;
  const std::int64_t wait = policy_.limiter->take(core::steady_ms(), run.estimate);
  const bool too_late = run.limits.deadline_ms > 0 && core::steady_ms() + wait >= run.limits.deadline_ms;
  if (!too_late && pause(wait, run.limits)) return true;
  policy_.limiter->give_back(run.estimate, true);
  run.out.kind = is_cancelled(run.limits) ? LlmOutcome::Kind::cancelled : LlmOutcome::Kind::busy;
  run.out.reason = is_cancelled(run.limits) ? "cancelled" : fmt::format("the limit of the endpoint has the run wait {} s, beyond its time", wait / 1000);
  run.out.retry_after_s = too_late ? (wait + 999) / 1000 : 0;
  return false;
}

Attempt WireProvider::attempt(Run& run, const CallObserver& observer) {
  ++run.out.attempts;
  if (observer.request) observer.request(run.body);
  AnswerReader reader(endpoint_.dialect == "messages" ? messages_decoder() : chat_decoder());
  const WireAnswer answer = exchange(run.body, run.limits, [&](std::string_view bytes) { reader.feed(bytes); });
  Attempt out{.status = answer.status, .headers = answer.headers, .trouble = answer.trouble,
              .trouble_detail = answer.trouble_detail, .decoded = reader.end(answer.trouble.empty())};
  if (observer.wire) observer.wire(answer);
  if (observer.response) {
    const std::string trouble = answer.trouble.empty() ? "" : answer.trouble + ": " + answer.trouble_detail;
    observer.response(answer.status, joined(answer.chunks), trouble);
  }
  LlmReply& reply = out.decoded.reply;
  reply.request_id = request_id(answer);
  const bool complete_answer = out.decoded.complete && !out.decoded.error;
  const bool free = is_free(out);
  Usage used = reply.usage;
  if (free) used = Usage{.known = true};
  if (!free && !complete_answer) used.known = false;
  run.out.spent += used;
  if (policy_.limiter != nullptr && used.known) policy_.limiter->give_back(run.estimate - used.all_input() - used.output, false);
  return out;
}

bool WireProvider::wait_for_retry(Run& run, const Class& c, const CallObserver& observer) const {
  LlmOutcome& out = run.out;
  out.kind = LlmOutcome::Kind::failed;
  out.reason = c.reason;
  if (c.after_ms && *c.after_ms > longest_wait_ms) {
    out.kind = LlmOutcome::Kind::busy;
    out.retry_after_s = (*c.after_ms + 999) / 1000;
    return false;
  }
  if (run.retries + 1 >= most_attempts || (!c.long_backoff && run.short_ones >= short_retries)) {
    out.reason += fmt::format("; given up after {} attempts", out.attempts);
    return false;
  }
  const auto unit = static_cast<double>(policy_.backoff_unit_ms);
  double wait = 0;
  if (c.after_ms && unit > 0) {
    wait = static_cast<double>(*c.after_ms);
  } else if (c.long_backoff) {  // 1 to 60 s, full jitter, in units of half a second
    const double most = std::min(120.0, 2.0 * (2 << run.retries));
    wait = unit * (2 + (most - 2) * random_share());
  } else {
    wait = unit * std::min(16.0, static_cast<double>(1 << run.short_ones)) * (1 - 0.25 * random_share());
  }
  const auto wait_ms = static_cast<std::int64_t>(wait);
  if (run.limits.deadline_ms > 0 && core::steady_ms() + wait_ms >= run.limits.deadline_ms) {
    out.reason += "; no time is left for another attempt";
    if (c.after_ms) {
      out.kind = LlmOutcome::Kind::busy;
      out.retry_after_s = (*c.after_ms + 999) / 1000;
    }
    return false;
  }
  if (observer.may_retry) {
    if (const std::string why = observer.may_retry(); !why.empty()) {
      out.reason += "; not tried again: " + why;
      return false;
    }
  }
  ++run.retries;
  if (!c.long_backoff) ++run.short_ones;
  if (policy_.limiter != nullptr && c.long_backoff) policy_.limiter->hold_until(core::steady_ms() + wait_ms);
  if (observer.retry) observer.retry(c.reason, wait_ms);
  if (pause(wait_ms, run.limits)) return true;
  out.kind = LlmOutcome::Kind::cancelled;
  out.reason = "cancelled";
  return false;
}

LlmOutcome WireProvider::call(const LlmRequest& request, const CallLimits& limits, const CallObserver& observer) {
  Run run{.limits = limits, .body = render(request), .out = {}};
  run.estimate = static_cast<std::int64_t>(run.body.size() / 4) + std::min(request.max_output_tokens, endpoint_.max_output_tokens);
  run.out.spent.known = true;
  if (const std::string why = unsendable(request); !why.empty()) {
    run.out.reason = "the request was not sent: " + why;  // a mistake of ours: no service would take it
    return run.out;
  }
  if (breaker_open(run.out)) return run.out;
  while (true) {
    if (is_cancelled(limits)) {
      run.out.kind = LlmOutcome::Kind::cancelled;
      run.out.reason = "cancelled";
      return run.out;
    }
    if (!wait_for_place(run)) return run.out;
    Attempt done = attempt(run, observer);
    const Class c = classify(done, endpoint_.final_codes, now());
    run.out.reason = c.reason;
    switch (c.kind) {
      case Class::Kind::ok:
      case Class::Kind::refused:
        run.out.kind = c.kind == Class::Kind::ok ? LlmOutcome::Kind::ok : LlmOutcome::Kind::refused;
        run.out.reply = std::move(done.decoded.reply);
        return run.out;
      case Class::Kind::shrink:
        run.out.kind = LlmOutcome::Kind::shrink;
        return run.out;
      case Class::Kind::cancelled:
        run.out.kind = LlmOutcome::Kind::cancelled;
        return run.out;
      case Class::Kind::final:
        if (c.credential && !std::exchange(run.renewed, true) && renew_credential()) {
          if (observer.retry) observer.retry("the credential was renewed", 0);
          continue;
        }
        run.out.kind = LlmOutcome::Kind::failed;
        if (c.breaker) deny(run.out, c);
        return run.out;
      case Class::Kind::retry:
        if (!wait_for_retry(run, c, observer)) return run.out;
        break;
    }
  }
}

}  // namespace sluice::agent
