// SPDX-License-Identifier: Apache-2.0
#include "core/renaming.h"

#include <algorithm>

#include "core/text.h"

namespace sluice::core {
namespace {

bool in_name(char c) { return is_word(c) || c == '.' || c == ':' || c == '-'; }

bool is_name(std::string_view name) {
  const bool number = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return !name.empty() && !number && is_word(name.front()) && is_word(name.back()) && std::all_of(name.begin(), name.end(), in_name);
}

// The name at the start of `text`: an identifier, or (wide) one with what qualifies it.
std::string_view name_at(std::string_view text, bool wide) {
  std::size_t end = 0;
  while (end < text.size() && (wide ? in_name(text[end]) : is_word(text[end]))) ++end;
  while (end > 0 && !is_word(text[end - 1])) --end;
  return text.substr(0, end);
}

}  // namespace

std::string rename_in(std::string_view line, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    const bool here =
        line.substr(i, from.size()) == from && (i == 0 || !is_word(line[i - 1]) || !is_word(from.front())) &&
        (i + from.size() >= line.size() || !is_word(line[i + from.size()]) || !is_word(from.back()));
    if (here) {
      out += to;
      i += from.size();
    } else {
      out += line[i++];
    }
  }
  return out;
}

std::optional<Renaming> renaming_of(std::string_view arg) {
  const std::size_t gap = arg.find(' ');
  if (gap == std::string_view::npos) return std::nullopt;
  const Renaming out{arg.substr(0, gap), arg.substr(gap + 1)};
  if (!is_name(out.from) || !is_name(out.to)) return std::nullopt;
  return out;
}

std::optional<std::string> one_renaming(std::string_view before, std::string_view after) {
  const auto differ = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto first = static_cast<std::size_t>(differ.first - before.begin());
  if (first == before.size() && first == after.size()) return std::nullopt;
  const std::string made = strip_space(after);
  // The names begin at the identifier that holds the first difference, or where it is qualified.
  std::size_t narrow = first;
  while (narrow > 0 && is_word(before[narrow - 1])) --narrow;
  std::size_t wide = narrow;
  while (wide > 0 && in_name(before[wide - 1])) --wide;
  while (wide < narrow && !is_word(before[wide])) ++wide;
  for (const std::size_t start : {narrow, wide}) {
    for (const bool old_wide : {false, true}) {
      for (const bool new_wide : {false, true}) {
        const std::string_view from = name_at(before.substr(start), old_wide), to = name_at(after.substr(start), new_wide);
        if (is_name(from) && is_name(to) && from != to && strip_space(rename_in(before, from, to)) == made)
          return std::string(from) + ' ' + std::string(to);
      }
    }
  }
  return std::nullopt;
}

}  // namespace sluice::core
