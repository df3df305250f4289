// SPDX-License-Identifier: Apache-2.0
#include "guardrails/file_sides.h"

#include <algorithm>
#include <unordered_set>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

std::string_view text_of(const FileText& file) {
  return file.binary ? std::string_view() : std::string_view(file.text);
}

std::string_view ending(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

// Share of the lines of the smaller that the other has too.
double likeness(const FileText& a, const FileText& b) {
  int shared = 0, all_a = 0, all_b = 0;
  for (const auto& [norm, count] : a.counts) {
    all_a += count;
    shared += std::min(count, count_of(b.counts, norm));
  }
  for (const auto& [norm, count] : b.counts) all_b += count;
  const int most = std::max(all_a, all_b);
  return most == 0 ? 0 : static_cast<double>(shared) / most;
}

}  // namespace

Result<void> read_sides(PickView& view, const std::string& path, FileSides& sides) {
  TRY_ASSIGN(const FileText* merged, view.file(Tree::merge, path));
  if (!view.in_conflict(path)) {
    sides.ours = sides.theirs = sides.base = text_of(*merged);
    sides.ours_present = sides.theirs_present = sides.base_present = merged->present;
    return {};
  }
  sides.split = true;
  TRY_ASSIGN(const FileText* ours, view.file(Tree::onto, path));
  TRY_ASSIGN(const FileText* theirs, view.file(Tree::upstream, path));
  TRY_ASSIGN(const FileText* base, view.file(Tree::base, path));
  sides.ours_present = ours->present;
  sides.theirs_present = theirs->present;
  sides.base_present = base->present;
  sides.ours = text_of(*ours);
  sides.theirs = text_of(*theirs);
  sides.base = text_of(*base);
  if (!merged->present || merged->binary) return {};
  const Result<git::MergedFile> cut = git::cut_regions(path, merged->text);
  if (!cut.ok() || cut->regions.empty()) return {};  // the path as a whole is the conflict
  std::array<std::vector<std::string>, 3> answers;
  for (const git::Region& region : cut->regions) {
    answers[0].push_back(region.ours);
    answers[1].push_back(region.theirs);
    answers[2].push_back(region.base);
  }
  for (std::size_t i = 0; i < 3; ++i) sides.own[i] = git::fill_regions(*cut, answers[i]);
  sides.ours = sides.own[0];
  sides.theirs = sides.own[1];
  sides.base = sides.own[2];
  return {};
}

int required_count(int ours, int theirs, int base) {
  if (theirs < base) return std::max(0, ours - (base - theirs));
  return std::min(ours + (theirs - base), std::max(ours, theirs));
}

int allowed_count(int ours, int theirs, int base) { return std::max({ours, theirs, ours + theirs - base}); }

Result<std::map<std::string, std::string>> moved_paths(PickView& view) {
  constexpr std::size_t max_pairs = 4096;
  constexpr double alike = 0.6;
  std::map<std::string, std::string> out;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  std::vector<const git::TreeDelta*> gone, fresh;
  for (const git::TreeDelta& delta : *deltas) {
    if (delta.after.oid.empty() && is_blob_mode(delta.before.mode)) gone.push_back(&delta);
    if (delta.before.oid.empty() && is_blob_mode(delta.after.mode)) fresh.push_back(&delta);
  }
  if (gone.size() * fresh.size() > max_pairs) return out;
  for (const git::TreeDelta* from : gone) {
    TRY_ASSIGN(const FileText* before, view.file(Tree::merge, from->path));
    double best = alike;
    for (const git::TreeDelta* to : fresh) {
      if (ending(from->path) != ending(to->path)) continue;
      TRY_ASSIGN(const FileText* after, view.file(Tree::proposed, to->path));
      const double is = from->before.oid == to->after.oid ? 2 : likeness(*before, *after);
      if (is <= best) continue;
      best = is;
      out[from->path] = to->path;
    }
  }
  return out;
}

Result<std::vector<git::DiffLine>> own_added_lines(PickView& view, const std::string& path) {
  std::vector<git::DiffLine> out;
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  if (proposed->binary || !proposed->present) return out;
  std::unordered_set<std::string> standing;
  std::vector<git::DiffLine> added;
  FileSides sides;
  TRY(read_sides(view, path, sides));
  if (sides.split) {
    for (const std::string_view text : {sides.ours, sides.theirs}) {
      for (const std::string_view line : core::split_lines(text)) standing.insert(core::strip_space(line));
    }
    added = view.reader().diff_text(sides.ours, proposed->text).lines;
  } else {
    TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::merge, Tree::proposed, path));
    added = diff->lines;
  }
  if (added.empty()) return out;
  TRY_ASSIGN(const LineCounts* removed, view.removed(Tree::merge, Tree::proposed));
  for (git::DiffLine& line : added) {
    if (line.side != '+') continue;
    const std::string norm = core::strip_space(line.text);
    if (norm.empty() || standing.contains(norm)) continue;
    if (!sides.split && count_of(*removed, norm) > 0) continue;
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace sluice::guardrails
