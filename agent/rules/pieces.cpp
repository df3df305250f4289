// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/pieces.h"

#include "agent/rules/text.h"
#include "core/text.h"

namespace sluice::agent::rules {

int PieceReader::id_of(std::string_view text) {
  return ids_.try_emplace(std::string(text), static_cast<int>(ids_.size())).first->second;
}

Pieces PieceReader::lines(std::string_view text) {
  Pieces out;
  std::size_t gap = 0, at = 0;
  for (const std::string_view line : core::split_lines_keep(text)) {
    const std::string id = core::strip_space(line);
    if (!id.empty()) {
      out.ids.push_back(id_of(id));
      out.spellings.push_back({text.substr(gap, at - gap), line});
      gap = at + line.size();
    }
    at += line.size();
  }
  out.tail = text.substr(gap);
  return out;
}

Pieces PieceReader::tokens(std::string_view text) {
  Pieces out;
  std::size_t gap = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_space(text[at])) {
      at = end;
      continue;
    }
    if (in_word(text[at]))
      while (end < text.size() && in_word(text[end])) ++end;
    out.ids.push_back(id_of(text.substr(at, end - at)));
    out.spellings.push_back({text.substr(gap, at - gap), text.substr(at, end - at)});
    gap = at = end;
  }
  out.tail = text.substr(gap);
  return out;
}

Pieces PieceReader::spaced_tokens(std::string_view text) {
  Pieces out;
  const std::string_view whole = text;
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t gap = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (in_word(c)) {
      while (end < text.size() && in_word(text[end])) ++end;
    } else if (c == ' ' || c == '\t') {
      while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
    } else if (is_space(c) && c != '\n') {
      at = end;
      continue;
    }
    out.ids.push_back(id_of(text.substr(at, end - at)));
    out.spellings.push_back({text.substr(gap, at - gap), text.substr(at, end - at)});
    gap = at = end;
  }
  out.tail = whole.substr(gap);
  return out;
}

}  // namespace sluice::agent::rules
