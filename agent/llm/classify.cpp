// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/classify.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

using Kind = Class::Kind;

// Errors that time alone does not mend: what was bought is used up.
constexpr std::string_view spent_codes[] = {
    "enforced_spend_limit_reached", "contract_spend_limit_reached", "linked_organization_spend_limit_reached",
    "insufficient_quota",           "billing_hard_limit_reached",   "billing_error",
    "billing_not_active",           "credit_balance_too_low",       "organization_on_hold"};

// Words of an error that stand for a status, in streams, where none can come any more.
constexpr std::pair<std::string_view, int> status_words[] = {
    {"invalid_request_error", 400}, {"BadRequestError", 400},      {"authentication_error", 401}, {"billing_error", 402},
    {"permission_error", 403},      {"not_found_error", 404},      {"NotFoundError", 404},        {"timeout_error", 504},
    {"conflict_error", 409},        {"request_too_large", 413},    {"rate_limit_error", 429},     {"rate_limit_exceeded", 429},
    {"api_error", 500},             {"server_error", 500},         {"internal_error", 500},       {"InternalServerError", 500},
    {"overloaded_error", 529},      {"unavailable_error", 503},    {"exceed_context_size_error", 400},
    {"context_length_exceeded", 400}, {"invalid_api_key", 401}};

int status_in(const std::string& word) {
  if (word.size() == 3 && word[0] >= '4' && word[0] <= '5' && word[1] >= '0' && word[1] <= '9' && word[2] >= '0' && word[2] <= '9') {
    return (word[0] - '0') * 100 + (word[1] - '0') * 10 + (word[2] - '0');
  }
  for (const auto& [name, status] : status_words) {
    if (name == word) return status;
  }
  return 0;
}
int status_in(const WireError& error) {
  const int by_code = status_in(error.code);
  return by_code != 0 ? by_code : status_in(error.type);
}

bool is_spent(const WireError& error, const std::vector<std::string>& final_codes) {
  const auto hits = [&](const std::string& word) {
    if (word.empty()) return false;
    return std::find(std::begin(spent_codes), std::end(spent_codes), word) != std::end(spent_codes) ||
           std::find(final_codes.begin(), final_codes.end(), word) != final_codes.end() || word.ends_with("_billing_unavailable");
  };
  return hits(error.code) || hits(error.type);
}

// The one place where the wording of a message counts: the dialects have no code for it.
bool names_context(const WireError& error) {
  if (error.code == "context_length_exceeded" || error.type == "exceed_context_size_error" || error.code == "string_above_max_length") {
    return true;
  }
  const std::string text = core::to_lower(error.message);
  constexpr std::string_view words[] = {"context length", "context window", "context size", "maximum context", "prompt is too long",
                                        "input is too long", "too many tokens", "input length and `max_tokens` exceed"};
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view w) { return text.find(w) != std::string::npos; });
}

std::string said(const WireError& error) {
  std::string out = error.type;
  if (!error.code.empty() && error.code != error.type) out += (out.empty() ? "" : "/") + error.code;
  if (!error.message.empty()) out += (out.empty() ? "" : ": ") + error.message;
  return core::redact(core::printable(out, 300));
}

std::string_view header(const Attempt& attempt, std::string_view name) {
  for (const auto& [key, value] : attempt.headers) {
    if (core::to_lower(key) == name) return value;
  }
  return {};
}

Class retry(std::string reason, bool long_backoff, std::optional<std::int64_t> after_ms = std::nullopt) {
  return {.kind = Kind::retry, .reason = std::move(reason), .long_backoff = long_backoff, .after_ms = after_ms};
}
Class final(std::string reason, bool breaker = false, bool credential = false) {
  return {.kind = Kind::final, .reason = std::move(reason), .breaker = breaker, .credential = credential, .after_ms = {}};
}

// By status, or by a word that stands for one.
Class by_status(int status, const Attempt& attempt, const WireError& error, const std::string& reason,
                const std::vector<std::string>& final_codes, core::UnixTime now) {
  if (is_spent(error, final_codes)) return final(reason, true);
  if (status == 401 || status == 402 || status == 403) return final(reason, true, status == 401);
  if (status == 413 || ((status == 400 || status == 422) && names_context(error))) return {.kind = Kind::shrink, .reason = reason, .after_ms = {}};
  if (status >= 500 || status == 408 || status == 409 || status == 429) {
    return retry(reason, status == 429 || status == 503 || status == 529, retry_after_ms(attempt.headers, now));
  }
  return final(reason);
}

Class of_error_in_answer(const Attempt& attempt, const std::vector<std::string>& final_codes, core::UnixTime now) {
  const WireError& error = *attempt.decoded.error;
  const std::string reason = "the service broke off its answer: " + said(error);
  const int status = status_in(error);
  // A word nobody knows, as vLLM and llama.cpp send it after a crash: another attempt may do.
  if (status == 0 && !is_spent(error, final_codes) && !names_context(error)) return retry(reason, false, retry_after_ms(attempt.headers, now));
  return by_status(status == 0 ? 400 : status, attempt, error, reason, final_codes, now);
}

Class of_status(const Attempt& attempt, const std::vector<std::string>& final_codes, core::UnixTime now) {
  const WireError error = attempt.decoded.error.value_or(WireError{});
  std::string reason = fmt::format("the service answered with status {}", attempt.status);
  if (const std::string words = said(error); !words.empty()) reason += ": " + words;
  const std::string_view should = header(attempt, "x-should-retry");
  const Class by = by_status(attempt.status, attempt, error, reason, final_codes, now);
  // "false" is said of this request as it stands: a shorter one is another, and a spent account stays spent.
  if (should == "false") return by.kind == Kind::retry ? final(reason) : by;
  if (should == "true") {
    return retry(reason, attempt.status == 429 || attempt.status == 503 || attempt.status == 529, retry_after_ms(attempt.headers, now));
  }
  return by;
}

}  // namespace

Class classify(const Attempt& attempt, const std::vector<std::string>& final_codes, core::UnixTime now) {
  const Decoded& decoded = attempt.decoded;
  if (attempt.trouble == "cancelled") return {.kind = Kind::cancelled, .reason = "cancelled", .after_ms = {}};
  // Ours: the request could not be sent, or no recording answers it.
  if (attempt.trouble == "invalid" || attempt.trouble == "recording") return final(attempt.trouble_detail);
  const bool ok_status = attempt.status >= 200 && attempt.status < 300;
  if (decoded.error && (ok_status || attempt.status == 0)) return of_error_in_answer(attempt, final_codes, now);
  if (!ok_status && attempt.status >= 300) return of_status(attempt, final_codes, now);
  if (!decoded.complete) {
    if (attempt.trouble == "too_large") return final("the answer is too large: " + attempt.trouble_detail);
    if (!attempt.trouble.empty()) return retry(fmt::format("the connection failed ({}): {}", attempt.trouble, attempt.trouble_detail), false);
    if (header(attempt, "x-should-retry") == "false") return final("the answer ended before its end, and the service wants no other attempt");
    return retry(decoded.any ? "the stream ended before the end of the answer" : "what came is no answer of this dialect", false);
  }
  switch (decoded.reply.stop) {
    case Stop::refusal:
      return {.kind = Kind::refused, .reason = decoded.reply.stop_detail.empty() ? "the model refused" : "the model refused: " + core::printable(decoded.reply.stop_detail, 300), .after_ms = {}};
    case Stop::context_exceeded:
      return {.kind = Kind::shrink, .reason = "the model's context window was exceeded", .after_ms = {}};
    default:
      return {.kind = Kind::ok, .reason = {}, .after_ms = {}};
  }
}

}  // namespace sluice::agent
