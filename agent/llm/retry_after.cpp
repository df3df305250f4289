// SPDX-License-Identifier: Apache-2.0
// The header Retry-After: seconds, or a date in one of the three forms that HTTP has had.
#include <time.h>

#include <charconv>

#include "agent/llm/classify.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr double most_ms = 366.0 * 86'400'000;  // longer waits are all the same: nobody waits

// A decimal number, all of it.
std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) return text.front() == '-' ? -1 : most_ms;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> positive_ms(double ms) {
  if (!(ms > 0)) return std::nullopt;  // NaN too
  return static_cast<std::int64_t>(ms < most_ms ? ms + 0.5 : most_ms);
}

std::optional<core::UnixTime> date(const std::string& text) {
  for (const char* form : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"}) {
    tm parts{};
    const char* end = strptime(text.c_str(), form, &parts);
    if (end != nullptr && *end == '\0') return timegm(&parts);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> retry_after_ms(const std::vector<std::pair<std::string, std::string>>& headers, core::UnixTime now) {
  std::optional<std::int64_t> seconds;
  for (const auto& [key, raw] : headers) {
    const std::string name = core::to_lower(key);
    const std::string value(core::trim(raw));
    if (value.empty()) continue;
    if (name == "retry-after-ms") {
      if (const auto ms = number(value)) {
        if (const auto wait = positive_ms(*ms)) return wait;
      }
    }
    if (name == "retry-after" && !seconds) {
      if (const auto s = number(value)) {
        seconds = positive_ms(*s * 1000);
      } else if (const auto at = now > 0 ? date(value) : std::nullopt) {
        seconds = positive_ms(static_cast<double>(*at - now) * 1000);
      }
    }
  }
  return seconds;
}

}  // namespace sluice::agent
