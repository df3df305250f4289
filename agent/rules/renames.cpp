// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/renames.h"

#include <unordered_map>

#include "agent/rules/text.h"

namespace sluice::agent::rules {
namespace {

using Names = std::unordered_map<int, std::string_view>;  // id of the old name -> the new one

bool is_name(std::string_view token) { return !token.empty() && starts_name(token.front()); }

// Empty = `side` is not base with names exchanged.
Names exchanged(const Pieces& base, const Pieces& side) {
  if (base.size() != side.size()) return {};
  Names names;
  for (std::size_t k = 0; k < base.size(); ++k) {
    if (base.ids[k] == side.ids[k]) continue;
    const std::string_view from = base.spellings[k].body, to = side.spellings[k].body;
    if (!is_name(from) || !is_name(to)) return {};
    if (names.try_emplace(base.ids[k], to).first->second != to) return {};
  }
  for (std::size_t k = 0; k < base.size(); ++k)
    if (base.ids[k] == side.ids[k] && names.contains(base.ids[k])) return {};
  return names;
}

bool is_word(const Pieces& pieces, std::size_t k) { return !is_blank(pieces.spellings[k].body); }

// The same tokens, blanks and line ends aside.
bool same_tokens(const Pieces& a, const Pieces& b) {
  std::size_t i = 0, j = 0;
  for (;;) {
    while (i < a.size() && !is_word(a, i)) ++i;
    while (j < b.size() && !is_word(b, j)) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a.ids[i++] != b.ids[j++]) return false;
  }
}

std::optional<std::string> applied(const Names& names, const Pieces& base, const Pieces& other) {
  if (names.empty() || same_tokens(base, other)) return std::nullopt;
  std::string out;
  bool any = false;
  for (std::size_t k = 0; k < other.size(); ++k) {
    out += other.spellings[k].gap;
    const auto name = names.find(other.ids[k]);
    any = any || name != names.end();
    out += name == names.end() ? other.spellings[k].body : name->second;
  }
  if (!any) return std::nullopt;
  out += other.tail;
  if (out.back() != '\n') out += '\n';
  return out;
}

}  // namespace

std::optional<std::string> renamed(const ThreePieces& of) {
  if (auto text = applied(exchanged(of.base, of.ours), of.base, of.theirs)) return text;
  return applied(exchanged(of.base, of.theirs), of.base, of.ours);
}

}  // namespace sluice::agent::rules
