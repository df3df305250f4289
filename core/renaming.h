// SPDX-License-Identifier: Apache-2.0
// One name put in the place of another in a line. Pure text functions, shared by those who write the accounting
// entries RENAMED and API_RENAME (tools) and their check (guardrails), which may not include each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::core {

inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The argument of RENAMED and API_RENAME: two names with one blank between. Anything else than a name (`// x`, a
// whole statement) would make any line of any other.
struct Renaming {
  std::string_view from, to;
};
std::optional<Renaming> renaming_of(std::string_view arg);
inline constexpr const char* renaming_form = "the argument must be the old and the new name with one blank between";

// Replaces whole identifiers `from` by `to`. REQUIRES: `from` not empty.
std::string rename_in(std::string_view line, std::string_view from, std::string_view to);
// The argument of the one renaming that makes `after` of `before` (blanks aside); nullopt = none does.
std::optional<std::string> one_renaming(std::string_view before, std::string_view after);

}  // namespace sluice::core
