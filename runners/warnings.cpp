// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <set>
#include <string>

#include "core/text.h"
#include "runners/runners.h"

namespace sluice::runners {
namespace {

// Colours stay in a log when a generator forces them.
std::string without_colours(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      for (i += 2; i < line.size() && !std::isalpha(static_cast<unsigned char>(line[i])); ++i) {}
    } else if (line[i] != '\r') {
      text += line[i];
    }
  }
  return text;
}

// The lines that compilers print under a diagnostic: "   12 | #warning: x", "      | ^".
bool is_source_line(std::string_view line) {
  const auto at = line.find_first_not_of(" \t0123456789");
  return at != std::string_view::npos && line[at] == '|';
}

// gcc, clang, ld: "...: warning: text"; nvcc: "f(12): warning #177-D: text", "nvcc warning : text";
// MSVC: "f(12,3): warning C4996: text". Not "CMake Warning" and not "3 warnings generated.".
bool is_warning(std::string_view line) {
  constexpr std::string_view word = "warning";
  for (std::size_t at = 0; (at = line.find(word, at)) != std::string_view::npos; at += word.size()) {
    if (at > 0 && line[at - 1] != ' ') continue;
    std::string_view rest = line.substr(at + word.size());
    if (rest.starts_with(": ") || rest.starts_with(" : ") || rest.starts_with("[")) return true;
    if (!rest.starts_with(" #") && !rest.starts_with(" C")) continue;
    rest.remove_prefix(2);
    const auto digits = rest.find_first_not_of("0123456789");
    if (digits != 0 && digits != std::string_view::npos && (rest.substr(digits).starts_with(":") || rest.substr(digits).starts_with("-D"))) return true;
  }
  return false;
}

}  // namespace

int count_warnings(std::string_view log) {
  // A warning in a header comes once per includer and in any order: distinct lines are what can be compared.
  std::set<std::string> distinct;
  for (const auto raw : core::split_lines(log)) {
    if (raw.find("warning") == std::string_view::npos) continue;
    const std::string line = without_colours(raw);
    if (!is_source_line(line) && is_warning(line)) distinct.insert(std::string(core::trim(line)));
  }
  return static_cast<int>(distinct.size());
}

}  // namespace sluice::runners
