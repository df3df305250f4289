// SPDX-License-Identifier: Apache-2.0
// One run: reserve, look at what leaves, call, settle, carry out, until something ends it.
#include "agent/loop/loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/loop/conversation.h"
#include "agent/loop/redaction.h"
#include "agent/loop/run.h"

namespace sluice::agent {
namespace {

using Kind = LoopEnd::Kind;

constexpr std::int64_t least_output = 256;       // less is no room for a call
constexpr std::size_t answers_limit = 96 << 10;  // bytes of tool results before old ones go
constexpr std::size_t kept_turns = 4;

}  // namespace

std::int64_t estimate_tokens(std::size_t bytes) { return static_cast<std::int64_t>(bytes / 3) + 64; }

Run::Run(const LoopSetup& setup, LlmRequest first) : s_(setup), request_(std::move(first)), started_(core::steady_ms()) {
  end_.transcript = setup.transcript->run();
  end_.usage.known = true;
  for (LlmMessage& message : request_.messages) message.text = masked_document(message.text, s_.mask);
}

Result<LoopEnd> run_loop(const LoopSetup& setup, LlmRequest first) { return Run(setup, std::move(first)).go(); }

Result<LoopEnd> Run::go() {
  Result<void> done = record_start();
  while (done.ok() && !ended_) done = turn();
  end_.findings = s_.toolbox->last_findings();
  if (done.ok()) {
    TRY(record_stop());
    return std::move(end_);
  }
  // Something outside failed. Whoever reads the transcript should see why it ends, if it can still be written.
  stop(Kind::failed, "outside", done.error().message);
  (void)record_stop();
  return done.error();
}

void Run::stop(Kind kind, std::string name, std::string reason) {
  ended_ = true;
  end_.kind = kind;
  end_.stop = std::move(name);
  end_.reason = masked(reason);
}

bool Run::may_go_on() {
  const LoopLimits& limits = s_.limits;
  if (cancelled())
    stop(Kind::cancelled, "cancelled", "the run was cancelled");
  else if (core::steady_ms() >= deadline())
    stop(Kind::stopped, "wall", fmt::format("the run took longer than its {} s", limits.wall_ms / 1000));
  else if (end_.turns >= limits.turns)
    stop(Kind::stopped, "turns", fmt::format("the model did not submit within {} turns", limits.turns));
  return !ended_;
}

Result<void> Run::turn() {
  if (!may_go_on()) return {};
  elide_old_answers(request_, answers_limit, kept_turns);
  const LoopLimits& limits = s_.limits;
  const std::int64_t output_left = limits.output_tokens - end_.usage.output;
  request_.max_output_tokens = std::min(request_.max_output_tokens, std::max<std::int64_t>(output_left, 1));
  const std::string rendered = s_.provider->render(request_);
  const std::int64_t input = estimate_tokens(rendered.size());
  if (output_left < least_output || end_.usage.all_input() + input > limits.input_tokens) {
    stop(Kind::stopped, "tokens",
         fmt::format("the run has used {} tokens of input and {} of output; {} and {} are allowed, and the next call may need {} more of input",
                     end_.usage.all_input(), end_.usage.output, limits.input_tokens, limits.output_tokens, input));
    return {};
  }
  if (const Result<void> leave = s_.outgate->check(request_, rendered); !leave.ok()) {
    TRY(s_.transcript->add("guardrail", core::Json::object({{"what", "outgate"}, {"reason", leave.error().message}})));
    stop(Kind::stopped, "outgate", leave.error().message);
    return {};
  }
  const Result<Reservation> reservation = s_.budget->reserve(s_.account, input, request_.max_output_tokens);
  if (!reservation.ok()) {
    if (reservation.error().kind != ErrorKind::denied) return reservation.error();
    const std::string& why = reservation.error().message;
    TRY(s_.transcript->add("budget", core::Json::object({{"what", "denied"}, {"reason", why}})));
    stop(Kind::stopped, why.substr(0, why.find(' ')), why);  // a denial begins with its scope: budget:night
    return {};
  }
  TRY(s_.transcript->add("budget", core::Json::object({{"what", "reserved"}, {"id", reservation->id}, {"tokens", reservation->tokens}, {"money", reservation->money}})));
  return ask(*reservation, input);
}

Result<void> Run::ask(const Reservation& reservation, std::int64_t input) {
  ++end_.turns;
  attempts_ = 0;
  Result<void> written;  // the first trouble of a callback: they cannot return one
  const auto keep = [&written](Result<void> result) {
    if (written.ok() && !result.ok()) written = std::move(result);
  };
  CallObserver observer;
  observer.request = [&](std::string_view body) {
    if (attempts_++ == 0 && s_.sent) s_.sent(paths_of(request_));
    keep(record_request(body));
  };
  observer.response = [&](int status, std::string_view body, const std::string& trouble) { keep(record_response(status, body, trouble)); };
  observer.retry = [&](const std::string& why, std::int64_t wait_ms) {
    keep(s_.transcript->add("retry", core::Json::object({{"why", why}, {"wait_ms", wait_ms}})));
  };
  // A further attempt may be billed as well, whatever became of the one before.
  std::vector<Reservation> held = {reservation};
  std::string denied;
  observer.may_retry = [&]() -> std::string {
    const Result<Reservation> more = s_.budget->reserve(s_.account, input, request_.max_output_tokens);
    if (more.ok()) {
      held.push_back(*more);
      return {};
    }
    return denied = more.error().message;
  };
  LlmOutcome outcome = s_.provider->call(request_, {deadline(), s_.cancel}, observer);
  // Far more than was asked for, or than was sent: whoever says so is not believed, and the reservation stands.
  const std::int64_t tries = std::max(1, attempts_);
  if (outcome.spent.output > 2 * tries * request_.max_output_tokens + 100'000 || outcome.spent.all_input() > 4 * tries * reservation.tokens + 1'000'000)
    outcome.spent = Usage{};
  std::int64_t reserved = 0;
  for (std::size_t k = 0; k < held.size(); ++k) {
    // What is known is charged once; where an attempt said nothing, every reservation stands.
    TRY(s_.budget->settle(held[k], k > 0 && outcome.spent.known ? Usage{0, 0, 0, 0, true} : outcome.spent));
    reserved += held[k].money;
  }
  const std::int64_t priced = s_.budget->price(outcome.spent);
  const std::int64_t money = outcome.spent.known ? priced : std::max(priced, reserved);
  end_.money += money;
  end_.usage += outcome.spent;
  TRY(written);
  TRY(s_.transcript->add("budget", core::Json::object({{"what", "settled"}, {"id", reservation.id}, {"known", outcome.spent.known},
                                                       {"input", outcome.spent.input}, {"cache_read", outcome.spent.cache_read},
                                                       {"cache_write", outcome.spent.cache_write}, {"output", outcome.spent.output}, {"money", money}})));
  if (!denied.empty()) {
    TRY(s_.transcript->add("budget", core::Json::object({{"what", "denied"}, {"reason", denied}})));
    stop(Kind::stopped, denied.substr(0, denied.find(' ')), denied);
    return {};
  }
  return after(std::move(outcome));
}

Result<void> Run::after(LlmOutcome outcome) {
  switch (outcome.kind) {
    case LlmOutcome::Kind::ok: return take(std::move(outcome.reply));
    case LlmOutcome::Kind::refused:
      stop(Kind::stopped, "refused", outcome.reason.empty() ? "the service refused: " + outcome.reply.stop_detail : outcome.reason);
      return {};
    case LlmOutcome::Kind::shrink: too_long(outcome.reason); return {};
    case LlmOutcome::Kind::cancelled:
      if (!cancelled() && core::steady_ms() >= deadline())
        stop(Kind::stopped, "wall", fmt::format("the run took longer than its {} s", s_.limits.wall_ms / 1000));
      else
        stop(Kind::cancelled, "cancelled", "the run was cancelled");
      return {};
    case LlmOutcome::Kind::busy:
      end_.later = true;
      stop(Kind::failed, "endpoint:busy", outcome.reason);
      return {};
    case LlmOutcome::Kind::denied:
      end_.later = true;
      stop(Kind::failed, "endpoint:denied", outcome.reason);
      return {};
    case LlmOutcome::Kind::failed: break;
  }
  if (!cancelled() && core::steady_ms() >= deadline())
    stop(Kind::stopped, "wall", fmt::format("the run took longer than its {} s: {}", s_.limits.wall_ms / 1000, outcome.reason));
  else
    stop(Kind::failed, "endpoint", outcome.reason);
  return {};
}

Result<void> Run::take(LlmReply reply) {
  switch (reply.stop) {
    case Stop::refusal: stop(Kind::stopped, "refused", "the model refused: " + reply.stop_detail); return {};
    case Stop::context_exceeded: too_long("the context of the model is full"); return {};
    case Stop::length: cut_off(); return {};
    case Stop::other:
      stop(Kind::failed, "endpoint", fmt::format("the service ended the turn with '{}', which is not known", masked(reply.stop_raw)));
      return {};
    case Stop::pause:
      request_.messages.push_back(masked_echo(std::move(reply.message), s_.mask));
      return {};
    case Stop::end_turn:
    case Stop::tool_use: break;
  }
  if (!reply.invalid.empty()) {
    const std::string why = reply.invalid;
    return refuse_turn(std::move(reply), why, true);
  }
  if (reply.message.calls.empty())
    return refuse_turn(std::move(reply), "There was no tool call in your turn, and its text is read by nobody. Call a tool; submit or give_up end the run.", false);
  return carry_out(std::move(reply));
}

void Run::too_long(const std::string& reason) {
  if (!shrunk_ && shrink(request_)) {
    shrunk_ = true;
    return;
  }
  stop(Kind::stopped, "context", "the conversation is too long for the model, also after it was shortened: " + reason);
}

// What was cut off is never mended: the same request again, once, with all the room that the endpoint has.
void Run::cut_off() {
  if (++lengths_ >= s_.limits.length_stops)
    stop(Kind::stopped, "length", fmt::format("the model's turn was cut off at its limit of output {} times", lengths_));
  else
    request_.max_output_tokens = std::max(request_.max_output_tokens, s_.provider->endpoint().max_output_tokens);
}

}  // namespace sluice::agent
