// SPDX-License-Identifier: Apache-2.0
// What one identifier does on its line, per language family.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/renaming.h"
#include "guardrails/scan/lexical.h"

namespace sluice::guardrails {

using core::is_word;

struct Site {
  std::string_view line;           // blanked
  std::string_view previous;       // the last line before it that is not blank
  std::size_t begin = 0, end = 0;  // of the identifier in `line`

  std::string_view name() const { return line.substr(begin, end - begin); }
  std::string_view before() const;  // trimmed at its right end
  char next() const;                // first character after it that is no blank; 0 at the line end
  bool indented() const { return !line.empty() && (line[0] == ' ' || line[0] == '\t'); }
};

void note_c(const Site& site, std::size_t min_length, std::uint32_t line, std::vector<Occurrence>& out);
void note_python(const Site& site, std::size_t min_length, std::uint32_t line, std::vector<Occurrence>& out);
void note_cmake(const Site& site, std::size_t min_length, std::uint32_t line, std::vector<Occurrence>& out);

}  // namespace sluice::guardrails
