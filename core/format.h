// SPDX-License-Identifier: Apache-2.0
// When two texts say the same: the formatting-insensitive forms `F` and `form`. Pure text functions,
// shared by the resolver rule A1s (agent) and the check of its accounting entry (guardrails), which may
// not include each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::core {

enum class Language { python, c_family, mlir, other };
Language language_of(std::string_view path);  // by file name

// Joined lines; backslash-LF and all whitespace deleted; ' becomes "; a comma before ) ] } deleted.
std::string loose_form(std::string_view text);
// Lexical form: formatting that cannot change meaning removed. nullopt = cannot be lexed.
std::optional<std::string> strict_form(std::string_view text, Language language);
// strict_form equal (both lexable) and loose_form equal: rule A1s.
bool format_equal(std::string_view a, std::string_view b, Language language);

}  // namespace sluice::core
