// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/lexical.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "guardrails/scan/lexical_roles.h"

namespace sluice::guardrails {
namespace {

bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return path.ends_with(e); });
}

// Overwrites [from, to) with blanks, line breaks kept.
void blank(std::string& out, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, out.size()); ++i) {
    if (out[i] != '\n') out[i] = ' ';
  }
}

// End of the string literal that opens at `i` with quote `q`; a line end closes it, as a lone quote in
// unusual text must not swallow the rest of the file.
std::size_t end_of_string(std::string_view text, std::size_t i, char q) {
  for (std::size_t k = i + 1; k < text.size(); ++k) {
    if (text[k] == '\\')
      k += text.substr(k + 1, 2) == "\r\n" ? 2 : 1;
    else if (text[k] == q || text[k] == '\n')
      return k;
  }
  return text.size();
}

// End of the line comment at `i`: a backslash before the line's end goes on with it.
std::size_t end_of_comment(std::string_view text, std::size_t i) {
  std::size_t end = text.find('\n', i);
  while (end != std::string_view::npos) {
    const std::size_t last = end > i && text[end - 1] == '\r' ? end - 1 : end;
    if (last <= i || text[last - 1] != '\\') return end;
    end = text.find('\n', end + 1);
  }
  return text.size();
}

std::string blank_c(std::string_view text, Strings strings) {
  std::string out(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      const std::size_t end = end_of_comment(text, i);
      blank(out, i, end);
      i = end;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      const std::size_t close = text.find("*/", i + 2);
      const std::size_t end = close == std::string_view::npos ? text.size() : close + 2;
      blank(out, i, end);
      i = end - 1;
    } else if (c == '"' && i > 0 && text[i - 1] == 'R' && (i < 2 || !is_word(text[i - 2]))) {
      constexpr std::size_t longest = 18;  // a search to the end for every R" would not be linear
      const std::size_t open = text.substr(i, longest).find_first_of("(\n") + i;
      if (open < i || text[open] == '\n') continue;
      const std::string close = ")" + std::string(text.substr(i + 1, open - i - 1)) + "\"";
      const std::size_t at = text.find(close, open);
      const std::size_t end = at == std::string_view::npos ? text.size() : at + close.size();
      if (strings == Strings::blanked) blank(out, i + 1, end - 1);
      i = end - 1;
    } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(text[i - 1])))) {  // not the ' of 1'000
      const std::size_t end = end_of_string(text, i, c);
      if (strings == Strings::blanked) blank(out, i + 1, end);
      i = end;
    }
  }
  return out;
}

std::string blank_python(std::string_view text, Strings strings) {
  std::string out(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      blank(out, i, end);
      i = end;
    } else if (c == '"' || c == '\'') {
      const std::string triple(3, c);
      if (text.substr(i, 3) == triple) {
        std::size_t k = i + 3;
        while (k < text.size() && text.substr(k, 3) != triple) k += text[k] == '\\' ? 2 : 1;
        blank(out, i + 3, k);  // a docstring says as little as a comment
        i = std::min(k + 2, text.size());
      } else {
        const std::size_t end = end_of_string(text, i, c);
        if (strings == Strings::blanked) blank(out, i + 1, end);
        i = end;
      }
    }
  }
  return out;
}

std::string blank_cmake(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#') {
      std::size_t end = std::min(text.find('\n', i), text.size());
      if (text.substr(i, 3) == "#[[") {
        const std::size_t close = text.find("]]", i);
        end = close == std::string_view::npos ? text.size() : close + 2;
      }
      blank(out, i, end);
      i = end;
    }
  }
  return out;
}

}  // namespace

Family family_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (ends_with_any(name, {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".cu", ".cuh", ".hip", ".inc",
                           ".inl", ".td"})) {
    return Family::c;
  }
  if (ends_with_any(name, {".py", ".pyi"})) return Family::python;
  if (name == "CMakeLists.txt" || name.ends_with(".cmake")) return Family::cmake;
  return Family::none;
}

std::string blank_comments(std::string_view text, Family family, Strings strings) {
  switch (family) {
    case Family::c:
      return blank_c(text, strings);
    case Family::python:
      return blank_python(text, strings);
    case Family::cmake:
      return blank_cmake(text);
    case Family::none:
      break;
  }
  return std::string(text);
}

std::vector<Occurrence> occurrences(std::string_view blanked, Family family, std::size_t min_length) {
  std::vector<Occurrence> out;
  std::uint32_t number = 0;
  std::string_view previous;  // last line with anything on it
  for (const std::string_view line : core::split_lines(blanked)) {
    ++number;
    for (std::size_t i = 0; i < line.size();) {
      if (!is_word(line[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < line.size() && is_word(line[end])) ++end;
      const bool number_token = line[i] >= '0' && line[i] <= '9';
      if (!number_token) {
        Site site{line, previous, i, end};
        switch (family) {
          case Family::c:
            note_c(site, min_length, number, out);
            break;
          case Family::python:
            note_python(site, min_length, number, out);
            break;
          case Family::cmake:
            note_cmake(site, min_length, number, out);
            break;
          case Family::none:
            break;
        }
      }
      i = end;
    }
    if (!core::trim(line).empty()) previous = line;
  }
  return out;
}

}  // namespace sluice::guardrails
