// SPDX-License-Identifier: Apache-2.0
// The log, on stderr. spdlog is included in log.cpp alone. Callers format with fmt::format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::core {

enum class LogLevel { debug, info, warning, error, off };

void set_log_level(LogLevel level);
// Called before each line that is written, so that a line of progress can make room. Null: nothing.
void set_before_log(void (*call)());
// Thread-safe. Control characters other than newline and tab are escaped (a terminal must not obey a
// commit message), known secrets are replaced by [redacted].
void log(LogLevel level, std::string_view message);
inline void log_debug(std::string_view m) { log(LogLevel::debug, m); }
inline void log_info(std::string_view m) { log(LogLevel::info, m); }
inline void log_warning(std::string_view m) { log(LogLevel::warning, m); }
inline void log_error(std::string_view m) { log(LogLevel::error, m); }

// How a secret may be written: as it is, URL-encoded, as hex digits, and the base64 digits of it at each place of
// a longer text. Too short values have none: they would hit ordinary text.
std::vector<std::string> secret_forms(std::string_view value);
// Registers a value that must never appear in any output, in any of these forms.
// Values shorter than 6 bytes are ignored: they would hit ordinary text.
void register_secret(std::string_view value);
std::string redact(std::string_view text);

}  // namespace sluice::core
