// SPDX-License-Identifier: Apache-2.0
#include "core/region_side.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "core/text.h"

namespace sluice::core {
namespace {

constexpr std::array<std::string_view, 5> names = {"OURS", "THEIRS", "BOTH", "MIX", "NEW"};

using Lines = std::vector<std::string>;

Lines lines_of(std::string_view text) {
  Lines out;
  for (const std::string_view line : split_lines(text)) {
    std::string norm = strip_space(line);
    if (!norm.empty()) out.push_back(std::move(norm));
  }
  return out;
}

bool within(const Lines& part, const Lines& whole) {
  std::size_t i = 0;
  for (const std::string& line : whole) {
    if (i < part.size() && part[i] == line) ++i;
  }
  return i == part.size();
}

}  // namespace

std::string_view to_string(Relation relation) { return names[static_cast<std::size_t>(relation)]; }

std::optional<Relation> parse_relation(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Relation>(found - names.begin());
}

Relation relation_of(std::string_view base, std::string_view ours, std::string_view theirs,
                     std::string_view answer) {
  const Lines b = lines_of(base), o = lines_of(ours), t = lines_of(theirs), a = lines_of(answer);
  if (a == o) return Relation::ours;
  if (a == t) return Relation::theirs;
  std::unordered_set<std::string_view> sides(o.begin(), o.end());
  sides.insert(t.begin(), t.end());
  const auto of_sides = [&](const std::string& line) { return sides.contains(line); };
  // A line that both sides have may stand once.
  if (!a.empty() && within(o, a) && within(t, a) && std::all_of(a.begin(), a.end(), of_sides)) return Relation::both;
  sides.insert(b.begin(), b.end());
  return std::all_of(a.begin(), a.end(), of_sides) ? Relation::mix : Relation::fresh;
}

bool leaves_a_change(Relation relation, std::string_view base, std::string_view ours, std::string_view theirs,
                     Language language) {
  if (relation != Relation::ours && relation != Relation::theirs) return false;
  const std::string_view left = relation == Relation::ours ? theirs : ours;
  if (lines_of(left) == lines_of(base) || lines_of(ours) == lines_of(theirs)) return false;
  return !format_equal(base, left, language);
}

bool is_conflict_marker(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.empty()) return false;
  const char c = line.front();
  if (c != '<' && c != '=' && c != '>' && c != '|') return false;
  const std::size_t n = std::min(line.find_first_not_of(c), line.size());
  if (n != 7 && n != 31) return false;
  if (n == line.size()) return true;
  return c != '=' && line[n] == ' ';
}

}  // namespace sluice::core
