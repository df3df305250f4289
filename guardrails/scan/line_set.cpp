// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/line_set.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace sluice::guardrails {

bool significant(std::string_view norm) {
  static constexpr std::array<std::string_view, 10> syntax = {"else", "else:", "};",     "#endif", "return",
                                                              "pass", "try:",  "\"\"\"", "/*",     "*/"};
  return norm.size() > 2 && std::find(syntax.begin(), syntax.end(), norm) == syntax.end();
}

void count_lines(std::string_view text, LineCounts& counts) {
  for (const std::string_view line : core::split_lines(text)) {
    std::string norm = core::strip_space(line);
    if (significant(norm)) ++counts[std::move(norm)];
  }
}

int count_of(const LineCounts& counts, const std::string& norm) {
  const auto found = counts.find(norm);
  return found == counts.end() ? 0 : found->second;
}

bool take(LineCounts& counts, const std::string& norm) {
  const auto found = counts.find(norm);
  if (found == counts.end() || found->second <= 0) return false;
  --found->second;
  return true;
}

}  // namespace sluice::guardrails
