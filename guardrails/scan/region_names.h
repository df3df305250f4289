// SPDX-License-Identifier: Apache-2.0
// The names in and around a conflict region: words `[A-Za-z_]\w+`.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "git/read.h"

namespace sluice::guardrails {

// Every name in `text`, comments and strings included.
void add_names(std::string_view text, std::set<std::string_view>& out);
// Names outside comments and strings, without keywords, where the language of `path` is known.
std::set<std::string> names_of(std::string_view text, std::string_view path);
// The text with comments and strings blanked, line for line, where the language of `path` is known.
std::string code_of(std::string_view text, std::string_view path);
bool holds_name(std::string_view line, std::string_view name);
// Of the `count` lines before and after the region in the merged file, markers left out.
void add_names_around(const std::vector<std::string_view>& merged, const git::Region& region, std::size_t count,
                      std::set<std::string_view>& out);

}  // namespace sluice::guardrails
