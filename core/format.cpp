// SPDX-License-Identifier: Apache-2.0
#include "core/format.h"

#include <algorithm>
#include <array>

#include "core/format_lex.h"
#include "core/text.h"

namespace sluice::core {
namespace {

bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

// Each token with its kind and length in front, so that no two lists give the same bytes.
std::string spell(const std::vector<FormToken>& tokens) {
  std::string out;
  for (const FormToken& t : tokens) {
    if (t.dropped) continue;
    out += "wscml"[static_cast<int>(t.kind)];
    out += std::to_string(t.text.size());
    out += ':';
    out += t.text;
  }
  return out;
}

std::string_view cut_end(std::string_view line) {
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line;
}

// Blanks collapsed, except in a string literal, where they are content. A quote without a partner on its
// line (CHECK lines hold such) is an ordinary character.
std::string collapse_mlir_line(std::string_view line) {
  line = trim(line);
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    if (is_space(line[i])) {
      while (i < line.size() && is_space(line[i])) ++i;
      out += ' ';
      continue;
    }
    std::size_t end = i + 1;
    if (line[i] == '"') {
      std::size_t k = i + 1;
      while (k < line.size() && line[k] != '"') k += line[k] == '\\' ? 2 : 1;
      if (k < line.size()) end = k + 1;
    }
    out += line.substr(i, end - i);
    i = end;
  }
  return out;
}

std::string by_lines(std::string_view text, bool mlir) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    const std::string kept = mlir ? collapse_mlir_line(line) : std::string(cut_end(line));
    if (!kept.empty()) out += kept + '\n';
  }
  return out;
}

}  // namespace

Language language_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return Language::other;
  const std::string ending = to_lower(name.substr(dot + 1));
  if (ending == "py" || ending == "pyi") return Language::python;
  if (ending == "mlir") return Language::mlir;
  constexpr std::array<std::string_view, 14> c_like = {"c",   "cc", "cpp", "cxx", "h",  "hh",  "hpp",
                                                       "hxx", "cu", "cuh", "hip", "td", "c++", "h++"};
  return std::find(c_like.begin(), c_like.end(), ending) != c_like.end() ? Language::c_family
                                                                         : Language::other;
}

std::string loose_form(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && char_at(text, i + 1) == '\n') {
      ++i;
      continue;
    }
    if (is_space(c)) continue;
    if (c == '\'') c = '"';
    if ((c == ')' || c == ']' || c == '}') && !out.empty() && out.back() == ',') out.pop_back();
    out += c;
  }
  return out;
}

std::optional<std::string> strict_form(std::string_view text, Language language) {
  std::optional<std::vector<FormToken>> tokens;
  switch (language) {
    case Language::python:
      tokens = lex_python(text);
      break;
    case Language::c_family:
      tokens = lex_c(text);
      break;
    case Language::mlir:
      return by_lines(text, true);
    case Language::other:
      return by_lines(text, false);
  }
  if (!tokens) return std::nullopt;
  return spell(*tokens);
}

bool format_equal(std::string_view a, std::string_view b, Language language) {
  if (loose_form(a) != loose_form(b)) return false;  // cheaper, and nearly always enough to say no
  const auto form_a = strict_form(a, language);
  return form_a && form_a == strict_form(b, language);
}

}  // namespace sluice::core
