// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/sides.h"

#include <algorithm>

namespace sluice::agent::rules {
namespace {

bool equal_edits(const Edit& a, const Pieces& from_a, const Edit& b, const Pieces& from_b) {
  const auto part = [](const Pieces& p, int k) { return p.ids.begin() + k; };
  return a.x1 == b.x1 && a.x2 == b.x2 &&
         std::equal(part(from_a, a.y1), part(from_a, a.y2), part(from_b, b.y1), part(from_b, b.y2));
}

// Both are in order of x1, which no two edits of one side share.
bool all_in(const std::vector<Edit>& few, const Pieces& from_few, const std::vector<Edit>& many, const Pieces& from_many) {
  std::size_t k = 0;
  for (const Edit& edit : few) {
    while (k < many.size() && many[k].x1 < edit.x1) ++k;
    if (k == many.size() || !equal_edits(edit, from_few, many[k], from_many)) return false;
  }
  return true;
}

bool subsequence(const std::vector<int>& of, const std::vector<int>& in) {
  std::size_t k = 0;
  for (const int id : in)
    if (k < of.size() && of[k] == id) ++k;
  return k == of.size();
}

}  // namespace

Larger larger_edits(const ThreePieces& of, const std::vector<Edit>& ours, const std::vector<Edit>& theirs) {
  if (of.base.size() == 0) return {};
  if (!ours.empty() && ours.size() < theirs.size() && all_in(ours, of.ours, theirs, of.theirs))
    return {Side::theirs, ours.size()};
  if (!theirs.empty() && theirs.size() < ours.size() && all_in(theirs, of.theirs, ours, of.ours))
    return {Side::ours, theirs.size()};
  return {};
}

Side not_formatting(std::string_view base, std::string_view ours, std::string_view theirs) {
  if (base.empty()) return Side::none;
  if (ours == base && theirs != base) return Side::theirs;
  if (theirs == base && ours != base) return Side::ours;
  return Side::none;
}

Side longer(const ThreePieces& of) {
  const std::vector<int>&b = of.base.ids, &o = of.ours.ids, &t = of.theirs.ids;
  if (o.empty() || t.empty() || o == t) return Side::none;
  if (subsequence(o, t) && subsequence(b, o)) return Side::theirs;
  if (subsequence(t, o) && subsequence(b, t)) return Side::ours;
  return Side::none;
}

}  // namespace sluice::agent::rules
