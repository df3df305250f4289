// SPDX-License-Identifier: Apache-2.0
// One classifier of what became of an attempt, for every endpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/llm/decoded.h"
#include "core/clock.h"

namespace sluice::agent {

struct Attempt {
  int status = 0;  // 0: no status line came
  std::vector<std::pair<std::string, std::string>> headers;
  std::string trouble;  // kind of core::HttpTrouble; empty = the transport ended as it should
  std::string trouble_detail;
  Decoded decoded;
};

struct Class {
  enum class Kind { ok, retry, shrink, refused, final, cancelled } kind = Kind::final;
  std::string reason;          // one sentence; empty when ok
  bool breaker = false;        // final: nothing may be asked of this endpoint with this credential
  bool credential = false;     // final: another credential may mend it (401)
  bool long_backoff = false;   // retry: the service has too much to do
  std::optional<std::int64_t> after_ms;  // retry: what the service asked for
};

// `final_codes`: of the endpoint, beside those that are known.
Class classify(const Attempt& attempt, const std::vector<std::string>& final_codes, core::UnixTime now);

// What was asked for by retry-after-ms, or by retry-after in seconds or as a date. Nothing that is not positive.
// `now` 0: not known, dates count for nothing.
std::optional<std::int64_t> retry_after_ms(const std::vector<std::pair<std::string, std::string>>& headers, core::UnixTime now);

}  // namespace sluice::agent
