// SPDX-License-Identifier: Apache-2.0
// Requests and tokens a minute: one token bucket, shared by all runs that ask one endpoint.
#pragma once

#include <cstdint>
#include <mutex>

#include "agent/llm/llm.h"

namespace sluice::agent {

// Places are given out in the order of the calls of take(). Times are core::steady_ms(), handed in.
class RateLimiter {
 public:
  RateLimiter(std::int64_t requests_per_minute, std::int64_t tokens_per_minute)
      : requests_{requests_per_minute, static_cast<double>(requests_per_minute)},
        tokens_{tokens_per_minute, static_cast<double>(tokens_per_minute)} {}

  // Takes a place for a request of about so many tokens; returns how long it must wait for it.
  std::int64_t take(std::int64_t now_ms, std::int64_t tokens);
  // What a request did not use after all (negative: used beyond); `unsent`: its place, too.
  void give_back(std::int64_t tokens, bool unsent);
  // The service asked for a pause: nobody goes before.
  void hold_until(std::int64_t at_ms);

 private:
  struct Bucket {
    std::int64_t per_minute = 0;  // 0 = not limited
    double level = 0;             // may fall below 0: places given out ahead of time
    void refill(std::int64_t elapsed_ms);
    std::int64_t take(double amount);
    void put(double amount);
  };
  std::mutex mutex_;
  Bucket requests_, tokens_;
  std::int64_t at_ms_ = 0, hold_ms_ = 0;
};

}  // namespace sluice::agent
