// SPDX-License-Identifier: Apache-2.0
// Lines as the conservation rules compare them: without whitespace, without pure syntax.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace sluice::guardrails {

// Normalised line -> how often. Only significant lines are counted.
using LineCounts = std::unordered_map<std::string, int>;

// `norm` is a line without whitespace. False for at most two bytes and for lines that say nothing on
// their own (`else:`, `};`, `#endif`, ...): they occur everywhere, so losing one means nothing.
bool significant(std::string_view norm);

// Adds every significant line of `text`.
void count_lines(std::string_view text, LineCounts& counts);
int count_of(const LineCounts& counts, const std::string& norm);
// Takes one occurrence out; false when there is none left.
bool take(LineCounts& counts, const std::string& norm);

}  // namespace sluice::guardrails
