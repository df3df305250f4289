// SPDX-License-Identifier: Apache-2.0
#include "guardrails/own_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

bool same(const std::optional<git::TreeEntry>& a, const std::optional<git::TreeEntry>& b) {
  return a.has_value() == b.has_value() && (!a || (a->oid == b->oid && a->mode == b->mode));
}

bool stands_in(const FileText& file, std::string_view line) {
  return std::find(file.lines.begin(), file.lines.end(), line) != file.lines.end();
}

}  // namespace

Result<bool> takes_a_side(PickView& view, const std::string& path) {
  TRY_ASSIGN(const std::optional<git::TreeEntry> proposed, view.entry(Tree::proposed, path));
  TRY_ASSIGN(const std::optional<git::TreeEntry> onto, view.entry(Tree::onto, path));
  TRY_ASSIGN(const std::optional<git::TreeEntry> upstream, view.entry(Tree::upstream, path));
  return same(proposed, onto) || same(proposed, upstream);
}

Result<std::string> own_change(PickView& view, const std::string& path) {
  TRY_ASSIGN(const std::vector<RegionFact>* regions, view.regions(path));
  TRY_ASSIGN(const git::TextDiff* diff, view.diff(Tree::merge, Tree::proposed, path));
  TRY_ASSIGN(const FileText* onto, view.file(Tree::onto, path));
  TRY_ASSIGN(const FileText* upstream, view.file(Tree::upstream, path));
  if (diff->binary) return std::string("a binary file that is neither side's");
  for (const model::Hunk& hunk : diff->hunks) {
    const std::size_t begin = hunk.old_start, end = hunk.old_start + std::max<std::size_t>(hunk.old_count, 1);
    const bool inside = std::any_of(regions->begin(), regions->end(), [&](const RegionFact& fact) {
      return begin + 1 >= fact.region.first_line && end <= fact.region.last_line + 1;
    });
    if (!inside) return fmt::format("line {} of the machine merge, outside the conflict", hunk.old_start);
  }
  for (const git::DiffLine& line : diff->lines) {
    if (line.side == '+' && !stands_in(*onto, line.text) && !stands_in(*upstream, line.text))
      return line.text;
  }
  return std::string();
}

}  // namespace sluice::guardrails
