// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/merge.h"

#include <algorithm>

namespace sluice::agent::rules {
namespace {

std::string_view three_way(std::string_view base, std::string_view ours, std::string_view theirs) {
  return theirs == base ? ours : theirs;
}

std::size_t at(int k) { return static_cast<std::size_t>(k); }

class Printer {
 public:
  Printer(const ThreePieces& of, Unit unit) : of_(of), unit_(unit) {}

  void kept(std::size_t base, std::size_t ours, std::size_t theirs) {
    const auto &b = of_.base.spellings[base], &o = of_.ours.spellings[ours], &t = of_.theirs.spellings[theirs];
    add(three_way(b.gap, o.gap, t.gap), three_way(b.body, o.body, t.body));
  }
  void taken(const Pieces& from, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) add(from.spellings[k].gap, from.spellings[k].body);
  }
  std::string end() {
    add(three_way(of_.base.tail, of_.ours.tail, of_.theirs.tail), {});
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    return std::move(out_);
  }

 private:
  void add(std::string_view gap, std::string_view body) {
    // A last line without its line end may come to stand in the middle.
    if (unit_ == Unit::line && !out_.empty() && out_.back() != '\n') out_ += '\n';
    out_ += gap;
    out_ += body;
  }

  const ThreePieces& of_;
  const Unit unit_;
  std::string out_;
};

// Where each piece of base stands in the other; -1 = nowhere.
std::vector<int> partners(std::size_t size, const std::vector<Block>& blocks) {
  std::vector<int> out(size, -1);
  for (const Block& block : blocks)
    for (int k = 0; k < block.size; ++k) out[at(block.x + k)] = block.y + k;
  return out;
}

bool same(const Pieces& a, std::size_t a1, std::size_t a2, const Pieces& b, std::size_t b1, std::size_t b2) {
  const auto first = [](const Pieces& p, std::size_t k) { return p.ids.begin() + static_cast<std::ptrdiff_t>(k); };
  return std::equal(first(a, a1), first(a, a2), first(b, b1), first(b, b2));
}

struct SideEdit {
  Edit edit;
  const Pieces* from;
};

bool equal_edits(const SideEdit& a, const SideEdit& b) {
  return a.edit.x1 == b.edit.x1 && a.edit.x2 == b.edit.x2 &&
         same(*a.from, at(a.edit.y1), at(a.edit.y2), *b.from, at(b.edit.y1), at(b.edit.y2));
}

bool apart(const Edit& a, const Edit& b) {
  if (a.x2 > b.x1 && b.x2 > a.x1) return false;
  if (a.inserts() && (a.x1 == b.x1 || a.x1 == b.x2)) return false;
  return !b.inserts() || (b.x1 != a.x1 && b.x1 != a.x2);
}

// All edits in order, those of both once; nullopt where two are in each other's way.
std::optional<std::vector<SideEdit>> joined(const std::vector<Edit>& ours, const Pieces& from_ours,
                                            const std::vector<Edit>& theirs, const Pieces& from_theirs) {
  std::vector<SideEdit> out;
  for (const Edit& edit : theirs) out.push_back({edit, &from_theirs});
  for (const Edit& edit : ours) {
    const SideEdit mine{edit, &from_ours};
    bool common = false;
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      if (equal_edits(mine, out[k]))
        common = true;
      else if (!apart(edit, theirs[k]))
        return std::nullopt;
    }
    if (!common) out.push_back(mine);
  }
  std::sort(out.begin(), out.end(), [](const SideEdit& a, const SideEdit& b) {
    return a.edit.x1 != b.edit.x1 ? a.edit.x1 < b.edit.x1 : a.edit.x2 < b.edit.x2;
  });
  return out;
}

bool merge_chunks(const ThreePieces& of, const std::vector<int>& in_ours, const std::vector<int>& in_theirs, Printer& out) {
  const Pieces &b = of.base, &o = of.ours, &t = of.theirs;
  std::size_t x = 0, y = 0, z = 0;
  for (;;) {
    while (x < b.size() && in_ours[x] == static_cast<int>(y) && in_theirs[x] == static_cast<int>(z))
      out.kept(x++, y++, z++);
    if (x == b.size() && y == o.size() && z == t.size()) return true;
    std::size_t x2 = x;
    while (x2 < b.size() && (in_ours[x2] < 0 || in_theirs[x2] < 0)) ++x2;
    const std::size_t y2 = x2 < b.size() ? at(in_ours[x2]) : o.size();
    const std::size_t z2 = x2 < b.size() ? at(in_theirs[x2]) : t.size();
    if (same(o, y, y2, b, x, x2) || same(o, y, y2, t, z, z2))
      out.taken(t, z, z2);
    else if (same(t, z, z2, b, x, x2))
      out.taken(o, y, y2);
    else
      return false;
    x = x2;
    y = y2;
    z = z2;
  }
}

}  // namespace

std::optional<std::string> diff3(const ThreePieces& of, Unit unit, Work& work) {
  const auto ours = match(of.base.ids, of.ours.ids, work);
  const auto theirs = ours ? match(of.base.ids, of.theirs.ids, work) : std::nullopt;
  if (!theirs) return std::nullopt;
  Printer out(of, unit);
  if (!merge_chunks(of, partners(of.base.size(), *ours), partners(of.base.size(), *theirs), out)) return std::nullopt;
  return out.end();
}

std::optional<std::string> lines3(const ThreePieces& of, Work& work) {
  if (of.base.size() == 0) return std::nullopt;
  const auto ours = match(of.base.ids, of.ours.ids, work);
  const auto theirs = ours ? match(of.base.ids, of.theirs.ids, work) : std::nullopt;
  if (!theirs) return std::nullopt;
  const auto all = joined(edits_between(*ours, of.base.size(), of.ours.size()), of.ours,
                          edits_between(*theirs, of.base.size(), of.theirs.size()), of.theirs);
  if (!all) return std::nullopt;
  const auto in_ours = partners(of.base.size(), *ours), in_theirs = partners(of.base.size(), *theirs);
  Printer out(of, Unit::line);
  std::size_t x = 0;
  const auto keep_to = [&](std::size_t end) {
    for (; x < end; ++x) out.kept(x, at(in_ours[x]), at(in_theirs[x]));
  };
  for (const SideEdit& next : *all) {
    keep_to(at(next.edit.x1));
    out.taken(*next.from, at(next.edit.y1), at(next.edit.y2));
    x = at(next.edit.x2);
  }
  keep_to(of.base.size());
  return out.end();
}

}  // namespace sluice::agent::rules
