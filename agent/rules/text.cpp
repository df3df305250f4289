// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/text.h"

#include <algorithm>

#include "core/text.h"

namespace sluice::agent::rules {
namespace {

// What is left behind `word` and at least `blanks` whitespace; `found` = it was there.
std::string_view after(std::string_view text, std::string_view word, bool needs_blank, bool& found) {
  found = false;
  if (!text.starts_with(word)) return text;
  text.remove_prefix(word.size());
  std::size_t k = 0;
  while (k < text.size() && is_space(text[k])) ++k;
  if (needs_blank && k == 0) return text;
  found = true;
  return text.substr(k);
}

bool has_word(std::string_view text, std::string_view word, bool needs_blank) {
  bool found = false;
  after(text, word, needs_blank, found);
  return found;
}

// `from X import ...`
bool python_from(std::string_view line) {
  bool found = false;
  line = after(line, "from", true, found);
  if (!found) return false;
  std::size_t k = 0;
  while (k < line.size() && !is_space(line[k])) ++k;
  const std::string_view rest = line.substr(k);
  const std::string_view word = core::trim(rest);
  return k > 0 && word.size() < rest.size() && has_word(word, "import", true);
}

// `using a::b;`
bool cpp_using(std::string_view line) {
  bool found = false;
  line = after(line, "using", true, found);
  if (!found) return false;
  if (has_word(line, "namespace", false)) return true;
  std::size_t k = 0;
  while (k < line.size() && (in_word(line[k]) || line[k] == ':')) ++k;
  const std::string_view name = line.substr(0, k);
  const std::size_t last = name.rfind("::");
  return last != std::string_view::npos && last > 0 && last + 2 < name.size() &&
         core::trim(line.substr(k)).starts_with(';');
}

bool is_import(std::string_view line) {
  bool found = false;
  const std::string_view hash = after(line, "#", false, found);
  if (found && hash.starts_with("include")) return true;
  return has_word(line, "import", true) || line.starts_with("include(") || python_from(line) || cpp_using(line);
}

}  // namespace

std::size_t line_count(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return text.empty() || text.back() == '\n' ? ends : ends + 1;
}

bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }

bool all_imports(std::string_view text) {
  for (const std::string_view line : core::split_lines(text)) {
    const std::string_view words = core::trim(line);
    if (!words.empty() && !is_import(words)) return false;
  }
  return true;
}

}  // namespace sluice::agent::rules
