// SPDX-License-Identifier: Apache-2.0
// Time is passed in. No other code reads the system clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace sluice::core {

// Seconds since 1970-01-01T00:00:00Z.
using UnixTime = std::int64_t;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual UnixTime now() const = 0;
};

// The wall clock, or the fixed instant of the environment variable SLUICE_NOW
// (unix seconds, or `2026-11-30T08:00:00Z`), which makes equal inputs give equal commit ids.
class SystemClock final : public Clock {
 public:
  // Errors: invalid when SLUICE_NOW is set and is neither form.
  static Result<SystemClock> from_environment();
  UnixTime now() const override;

 private:
  bool fixed_ = false;
  UnixTime at_ = 0;
};

class FakeClock final : public Clock {
 public:
  explicit FakeClock(UnixTime at) : at_(at) {}
  UnixTime now() const override { return at_; }
  void advance(std::int64_t seconds) { at_ += seconds; }

 private:
  UnixTime at_;
};

// `2026-11-30T08:00:00Z`. UTC everywhere.
std::string format_utc(UnixTime at);
// Accepts unix seconds, `YYYY-MM-DD` (midnight) and `YYYY-MM-DDTHH:MM:SSZ`.
Result<UnixTime> parse_utc(std::string_view text);

// Milliseconds of a clock that never jumps: for time limits and elapsed times only.
std::int64_t steady_ms();

}  // namespace sluice::core
