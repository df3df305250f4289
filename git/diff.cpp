// SPDX-License-Identifier: Apache-2.0
// Differences: of trees by ids alone, of texts through libgit2's copy of git's own diff.
#include <fmt/format.h>

#include "git/isolation.h"
#include "git/reader_state.h"
#include "git/trees.h"

namespace sluice::git {

namespace {

// Beyond this a text is not compared line by line but reported as binary, as git does for its
// core.bigFileThreshold.
constexpr std::size_t max_diff_bytes = 64u << 20;

int on_binary(const git_diff_delta*, const git_diff_binary*, void* out) {
  static_cast<TextDiff*>(out)->binary = true;
  return 0;
}

int on_hunk(const git_diff_delta*, const git_diff_hunk* hunk, void* out) {
  static_cast<TextDiff*>(out)->hunks.push_back(
      {static_cast<std::uint32_t>(hunk->old_start), static_cast<std::uint32_t>(hunk->old_lines),
       static_cast<std::uint32_t>(hunk->new_start), static_cast<std::uint32_t>(hunk->new_lines)});
  return 0;
}

int on_line(const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line, void* out) {
  if (line->origin != GIT_DIFF_LINE_ADDITION && line->origin != GIT_DIFF_LINE_DELETION) return 0;
  std::string_view text(line->content, line->content_len);
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const bool added = line->origin == GIT_DIFF_LINE_ADDITION;
  static_cast<TextDiff*>(out)->lines.push_back(
      {added ? '+' : '-', static_cast<std::uint32_t>(added ? line->new_lineno : line->old_lineno), std::string(text)});
  return 0;
}

}  // namespace

TextDiff Reader::diff_text(std::string_view before, std::string_view after) const {
  TextDiff out;
  if (before.size() > max_diff_bytes || after.size() > max_diff_bytes) {
    out.binary = before != after;
    return out;
  }
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.context_lines = 0;
  options.interhunk_lines = 0;
  options.flags = GIT_DIFF_INDENT_HEURISTIC;  // git's default since 2.14: the same hunks as `git diff -U0`
  const int rc = git_diff_buffers(before.data(), before.size(), nullptr, after.data(), after.size(), nullptr, &options,
                                  nullptr, on_binary, on_hunk, on_line, &out);
  if (rc != 0) out = {.binary = true, .hunks = {}, .lines = {}};  // out of memory: never half a diff
  return out;
}

Result<TextDiff> Reader::diff_blobs(const Oid& before, const Oid& after) const {
  std::string texts[2];
  for (int i = 0; i < 2; ++i) {
    const Oid& oid = i == 0 ? before : after;
    if (oid.empty()) continue;
    TRY_ASSIGN(const auto header, state_->objects.header(oid));
    if (header.second > max_diff_bytes) return TextDiff{.binary = before != after, .hunks = {}, .lines = {}};
    TRY_ASSIGN(texts[i], state_->objects.read(oid, ObjectType::blob));
  }
  return diff_text(texts[0], texts[1]);
}

Result<std::vector<TreeDelta>> Reader::diff_trees(const Oid& before, const Oid& after) const {
  return diff_tree(state_->objects, before, after);
}

}  // namespace sluice::git
