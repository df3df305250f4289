// SPDX-License-Identifier: Apache-2.0
#include "guardrails/invariants.h"

#include <fmt/format.h>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

// A pattern longer than this says no more, and nobody reads it.
constexpr std::size_t longest = 160;

bool printable(char c) { return c >= ' ' && c < 0x7F; }

// A glob that matches this path: what a glob or a text of the configuration cannot hold becomes `?`.
std::string glob_of(std::string_view path) {
  std::string out = "/";
  for (const char c : path) out += printable(c) && std::string_view("*?[]{}\\\"").find(c) == std::string_view::npos ? c : '?';
  return out;
}

// A regular expression that matches the line with any blanks between its words.
std::string pattern_of(std::string_view line) {
  std::string out;
  bool blank = false;
  for (const char c : core::trim(line)) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    if (out.size() >= longest) return out;
    if (blank) out += R"(\s+)";
    blank = false;
    if (!printable(c)) {
      out += '.';
      continue;
    }
    if (std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// As a TOML string: literal where it can be.
std::string quoted(std::string_view text) {
  if (text.find('\'') == std::string_view::npos) return fmt::format("'{}'", text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string proposed_invariant(std::string_view path, std::string_view line, std::string_view commit) {
  if (core::trim(line).empty()) return "";
  std::string out = fmt::format("[[invariant]]\npath = \"{}\"\npattern = {}\n", glob_of(path), quoted(pattern_of(line)));
  if (!commit.empty()) out += fmt::format("why = \"fork commit {}\"\n", commit);
  return out;
}

}  // namespace sluice::guardrails
