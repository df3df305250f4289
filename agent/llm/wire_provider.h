// SPDX-License-Identifier: Apache-2.0
// A provider whose calls are exchanges of bytes, with retries: over HTTP, or out of a recording.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/llm/classify.h"
#include "agent/llm/limiter.h"
#include "agent/llm/llm.h"

namespace sluice::agent {

class WireProvider : public Provider {
 public:
  LlmOutcome call(const LlmRequest& request, const CallLimits& limits, const CallObserver& observer) final;
  std::string render(const LlmRequest& request) const final;
  const model::EndpointConfig& endpoint() const final { return endpoint_; }

 protected:
  struct Policy {
    std::shared_ptr<RateLimiter> limiter;  // may be null; shared by the runs of a process
    BreakerStore* breakers = nullptr;      // may be null
    const core::Clock* clock = nullptr;    // may be null: dates of Retry-After then count for nothing
    std::int64_t backoff_unit_ms = 500;    // 0: never waits
  };
  WireProvider(model::EndpointConfig endpoint, Policy policy) : endpoint_(std::move(endpoint)), policy_(std::move(policy)) {}

  // One attempt; `sink` gets each piece of the body as it comes.
  virtual WireAnswer exchange(const std::string& body, const CallLimits& limits, const std::function<void(std::string_view)>& sink) = 0;
  // Of the credential in use; of no interest where there are no breakers.
  virtual std::string breaker() const { return {}; }
  // True when there is another credential than the one that was refused, now in use.
  virtual bool renew_credential() { return false; }

 private:
  struct Run;
  core::UnixTime now() const { return policy_.clock != nullptr ? policy_.clock->now() : 0; }
  bool breaker_open(LlmOutcome& out) const;
  bool wait_for_place(Run& run) const;
  Attempt attempt(Run& run, const CallObserver& observer);
  bool wait_for_retry(Run& run, const Class& c, const CallObserver& observer) const;
  void deny(LlmOutcome& out, const Class& c) const;

  model::EndpointConfig endpoint_;
  Policy policy_;
};

// Of a WireAnswer: what a recording and the classifier need, and nothing that identifies anybody.
std::vector<std::pair<std::string, std::string>> telling_headers(const std::vector<std::pair<std::string, std::string>>& all);

}  // namespace sluice::agent
