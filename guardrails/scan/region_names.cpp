// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/region_names.h"

#include <algorithm>

#include "core/text.h"
#include "guardrails/scan/lexical.h"

namespace sluice::guardrails {
namespace {

constexpr std::size_t shortest = 2;
constexpr std::size_t marker_width = 31;

bool is_marker(std::string_view line) {
  if (line.size() < marker_width || std::string_view("<|=>").find(line.front()) == std::string_view::npos) return false;
  return line.substr(0, marker_width).find_first_not_of(line.front()) == std::string_view::npos;
}

// Words of a language, not of a program.
bool is_keyword(std::string_view name, Family family) {
  static constexpr std::string_view c[] = {
      "alignas", "alignof", "auto", "bool", "break", "case", "catch", "char", "class", "const", "const_cast", "consteval", "constexpr",
      "constinit", "continue", "decltype", "default", "define", "delete", "do", "double", "dynamic_cast", "elif", "else", "endif", "enum",
      "explicit", "extern", "false", "final", "float", "for", "friend", "goto", "if", "ifdef", "ifndef", "include", "inline", "int", "long",
      "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "override", "pragma", "private", "protected", "public",
      "reinterpret_cast", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template",
      "this", "throw", "true", "try", "typedef", "typename", "undef", "union", "unsigned", "using", "virtual", "void", "volatile", "while"};
  static constexpr std::string_view python[] = {"False", "None",  "True",   "and",  "as",     "assert", "async", "await", "break",
                                                "class", "continue", "def", "del",  "elif",   "else",   "except", "finally", "for",
                                                "from",  "global", "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
                                                "or",    "pass",   "raise", "return", "self", "try",    "while", "with",  "yield"};
  if (family == Family::c) return std::binary_search(std::begin(c), std::end(c), name);
  if (family == Family::python) return std::binary_search(std::begin(python), std::end(python), name);
  return false;
}

}  // namespace

void add_names(std::string_view text, std::set<std::string_view>& out) {
  for (const std::string_view name : core::identifiers(text, shortest)) out.insert(name);
}

std::set<std::string> names_of(std::string_view text, std::string_view path) {
  const Family family = family_of(path);
  const std::string code = blank_comments(text, family);
  std::set<std::string> out;
  for (const std::string_view name : core::identifiers(code, shortest)) {
    if (!is_keyword(name, family)) out.emplace(name);
  }
  return out;
}

std::string code_of(std::string_view text, std::string_view path) { return blank_comments(text, family_of(path)); }

bool holds_name(std::string_view line, std::string_view name) {
  if (line.find(name) == std::string_view::npos) return false;
  const std::vector<std::string_view> names = core::identifiers(line, shortest);
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_names_around(const std::vector<std::string_view>& merged, const git::Region& region, std::size_t count,
                      std::set<std::string_view>& out) {
  std::size_t left = count;
  for (std::size_t line = region.first_line; line > 1 && left > 0; --line) {
    const std::string_view text = merged[line - 2];
    if (is_marker(text)) continue;
    add_names(text, out);
    --left;
  }
  left = count;
  for (std::size_t line = region.last_line; line < merged.size() && left > 0; ++line) {
    const std::string_view text = merged[line];
    if (is_marker(text)) continue;
    add_names(text, out);
    --left;
  }
}

}  // namespace sluice::guardrails
