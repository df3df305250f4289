// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "core/text.h"

namespace sluice::core {
namespace {

// Days since 1970-01-01 of a date of the proleptic Gregorian calendar; years are counted from March,
// so that the leap day is the last of its year.
std::int64_t days_of(std::int64_t year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

struct Date {
  std::int64_t year;
  int month, day;
};

Date date_of(std::int64_t days) {
  const std::int64_t z = days + 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const auto mp = static_cast<int>((5 * doy + 2) / 153);
  const int day = static_cast<int>(doy) - (153 * mp + 2) / 5 + 1;
  const int month = mp < 10 ? mp + 3 : mp - 9;
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

// Exactly `text`, decimal digits only.
std::optional<int> digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`.
std::optional<UnixTime> parse_calendar(std::string_view text) {
  const bool has_time = text.size() == 20;
  if ((text.size() != 10 && !has_time) || text[4] != '-' || text[7] != '-') return std::nullopt;
  if (has_time && (text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z'))
    return std::nullopt;
  const auto year = digits(text.substr(0, 4)), month = digits(text.substr(5, 2)),
             day = digits(text.substr(8, 2));
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1) return std::nullopt;
  const std::int64_t days = days_of(*year, *month, *day);
  if (date_of(days).month != *month) return std::nullopt;  // 31 April
  if (!has_time) return days * 86400;
  const auto hour = digits(text.substr(11, 2)), minute = digits(text.substr(14, 2)),
             second = digits(text.substr(17, 2));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return days * 86400 + *hour * 3600 + *minute * 60 + *second;
}

}  // namespace

Result<SystemClock> SystemClock::from_environment() {
  SystemClock clock;
  const char* fixed = std::getenv("SLUICE_NOW");
  if (fixed == nullptr || *fixed == '\0') return clock;
  auto at = parse_utc(fixed);
  if (!at) return make_error(ErrorKind::invalid, "environment variable SLUICE_NOW: " + at.error().message);
  clock.fixed_ = true;
  clock.at_ = *at;
  return clock;
}

UnixTime SystemClock::now() const {
  if (fixed_) return at_;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

std::string format_utc(UnixTime at) {
  const std::int64_t days = (at >= 0 ? at : at - 86399) / 86400;
  const std::int64_t seconds = at - days * 86400;
  const Date d = date_of(days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", d.year, d.month, d.day, seconds / 3600,
                     seconds / 60 % 60, seconds % 60);
}

Result<UnixTime> parse_utc(std::string_view text) {
  UnixTime seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // Beyond a year of twelve digits nothing is a date any more, and day arithmetic could overflow.
  constexpr UnixTime most = 1'000'000'000'000'000;
  if (error == std::errc() && end == text.data() + text.size() && seconds >= -most && seconds <= most)
    return seconds;
  if (const auto at = parse_calendar(text)) return *at;
  return make_error(ErrorKind::invalid, fmt::format("'{}' is no time; write unix seconds, 2026-11-30 or "
                                                    "2026-11-30T08:00:00Z",
                                                    printable(text, 60)));
}

std::int64_t steady_ms() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace sluice::core
