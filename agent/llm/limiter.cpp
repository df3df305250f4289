// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/limiter.h"

#include <algorithm>
#include <cmath>

namespace sluice::agent {

void RateLimiter::Bucket::refill(std::int64_t elapsed_ms) {
  const auto full = static_cast<double>(per_minute);
  level = std::min(full, level + full * static_cast<double>(elapsed_ms) / 60'000);
}

std::int64_t RateLimiter::Bucket::take(double amount) {
  if (per_minute <= 0) return 0;
  // What is larger than the bucket waits for a full one, else it would wait for ever.
  level -= std::min(amount, static_cast<double>(per_minute));
  return level >= 0 ? 0 : static_cast<std::int64_t>(std::ceil(-level * 60'000 / static_cast<double>(per_minute)));
}

void RateLimiter::Bucket::put(double amount) {
  if (per_minute > 0) level = std::min(static_cast<double>(per_minute), level + amount);
}

std::int64_t RateLimiter::take(std::int64_t now_ms, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  const std::int64_t elapsed = at_ms_ == 0 ? 0 : std::max<std::int64_t>(0, now_ms - at_ms_);
  at_ms_ = std::max(at_ms_, now_ms);
  requests_.refill(elapsed);
  tokens_.refill(elapsed);
  return std::max({requests_.take(1), tokens_.take(static_cast<double>(tokens)), hold_ms_ - now_ms, std::int64_t{0}});
}

void RateLimiter::give_back(std::int64_t tokens, bool unsent) {
  const std::lock_guard lock(mutex_);
  tokens_.put(static_cast<double>(tokens));
  if (unsent) requests_.put(1);
}

void RateLimiter::hold_until(std::int64_t at_ms) {
  const std::lock_guard lock(mutex_);
  hold_ms_ = std::max(hold_ms_, at_ms);
}

// Shared: each run has a provider of its own, and all of them keep to one limit.
std::shared_ptr<RateLimiter> make_rate_limiter(const model::EndpointConfig& endpoint) {
  return std::make_shared<RateLimiter>(endpoint.requests_per_minute, endpoint.tokens_per_minute);
}

}  // namespace sluice::agent
