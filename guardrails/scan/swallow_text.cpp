// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/swallow_text.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/text.h"
#include "guardrails/scan/lexical.h"

namespace sluice::guardrails {
namespace {

bool ends_word(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  const char c = text[at];
  return c == ' ' || c == '\t' || c == '\r' || c == '"' || c == '\'' || c == ')' || c == ']' || c == ',' ||
         c == ';' || c == '>' || c == '\\';
}
bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char c = text[at - 1];
  return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '(' || c == '[' || c == ',' || c == ':' ||
         c == '=';
}

// `option` as a whole word; with `open` also with more behind it.
bool has_option(std::string_view line, std::string_view option, bool open) {
  for (std::size_t at = line.find(option); at != std::string_view::npos; at = line.find(option, at + 1)) {
    if (begins_word(line, at) && (open || ends_word(line, at + option.size()))) return true;
  }
  return false;
}

// A line that speaks of how something is compiled. Only there `-w` is the compiler's.
bool about_compiling(std::string_view line) {
  const std::string low = core::to_lower(line);
  static constexpr std::array<std::string_view, 10> words = {"flags", "options", "compile", "cxx",   "clang",
                                                             "gcc",   "g++",     "nvcc",    "hipcc", "copts"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

bool is_prose(std::string_view path) {
  return path.ends_with(".md") || path.ends_with(".rst") || path.ends_with(".txt") || path.ends_with(".html");
}

std::string_view without_comment(std::string_view path, std::string_view line) {
  const std::string_view bare = core::trim(line);
  if (family_of(path) == Family::c)
    return bare.starts_with("//") || bare.starts_with("*") ? std::string_view()
                                                           : line.substr(0, line.find(" //"));
  return bare.starts_with('#') ? std::string_view() : line.substr(0, line.find(" #"));
}

}  // namespace

bool has_or_true(std::string_view line) {
  for (std::size_t bars = line.find("||"); bars != std::string_view::npos; bars = line.find("||", bars + 2)) {
    std::string_view rest = line.substr(bars + 2);
    while (rest.starts_with(' ') || rest.starts_with('\t')) rest.remove_prefix(1);
    if ((rest.starts_with("true") && ends_word(rest, 4)) || (rest.starts_with(":") && ends_word(rest, 1)))
      return true;
  }
  return false;
}

std::string_view swallowing_text(std::string_view path, std::string_view line) {
  const bool cmake_list = path.ends_with("CMakeLists.txt");
  if (is_prose(path) && !cmake_list) return {};
  line = without_comment(path, line);
  if (has_or_true(line)) return "|| true";
  if (has_option(line, "-DNDEBUG", false)) return "-DNDEBUG";
  // CHECK lines and RUN lines of tests have options of their own.
  if (has_option(line, "-Wno-", true)) return "-Wno-*";
  if (has_option(line, "-w", false) && about_compiling(line)) return "-w";
  if (family_of(path) == Family::none && core::trim(line) == "set +e") return "set +e";
  return {};
}

}  // namespace sluice::guardrails
