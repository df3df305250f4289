// SPDX-License-Identifier: Apache-2.0
// Second door of git/: objects, diffs, trees, ancestry, blame. Nothing here writes or moves a ref.
// libgit2 reads; blame goes through the git binary. One Reader per thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/oid.h"
#include "core/model/upstream_commit.h"
#include "core/result.h"

namespace sluice::git {

using model::Oid;

struct TreeEntry {
  std::uint32_t mode = 0;
  Oid oid;
};

// One differing path of two trees, without rename detection. mode 0 / empty oid = absent on that side.
struct TreeDelta {
  std::string path;
  TreeEntry before, after;
};

struct DiffLine {
  char side = '+';            // '+' only in `after`, '-' only in `before`
  std::uint32_t line = 0;     // 1-based in its own side
  std::string text;           // without LF
};

struct TextDiff {
  bool binary = false;
  std::vector<model::Hunk> hunks;  // -U0
  std::vector<DiffLine> lines;     // in diff order
};

struct Commit {
  Oid oid, tree;
  std::vector<Oid> parents;
  model::Person author, committer;
  std::string message;  // UTF-8, re-encoded from the encoding header as git does
};

struct BlameLine {
  std::uint32_t line = 0;
  Oid commit;
  std::string subject;
};

// One text conflict of a merged file, cut at the recipe's 31-character diff3 markers.
struct Region {
  std::string id;  // 12 hex digits of sha256 over path, ordinal, base, ours, theirs
  std::size_t ordinal = 0;
  std::size_t first_line = 0, last_line = 0;  // of the marker lines in the merged file, 1-based
  std::string base, ours, theirs;             // each line with its LF
};
struct MergedFile {
  // Pieces alternate: text[0] region[0] text[1] region[1] ... text[n]
  std::vector<std::string> text;
  std::vector<Region> regions;
};
// Errors: invalid when markers do not nest.
Result<MergedFile> cut_regions(const std::string& path, std::string_view merged);
std::string fill_regions(const MergedFile& file, const std::vector<std::string>& answers);

// Errors of every call: not_found with "object_missing: <oid> ..." when an object is absent from the
// store (a named failure, never "empty"), invalid for a malformed id or object, internal otherwise.
class Reader {
 public:
  // `git_dir` bare or not; `alternates` are further object directories or repositories.
  static Result<Reader> open(const std::string& git_dir, const std::vector<std::string>& alternates = {});
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  Result<Commit> commit(const Oid& oid) const;
  // A ref, an abbreviated or full id, or any name that git rev-parse takes to one commit.
  Result<Oid> resolve(const std::string& name) const;
  Result<Oid> tree_of(const Oid& commit_or_tree) const;
  bool has(const Oid& oid) const;
  Result<std::optional<TreeEntry>> entry(const Oid& tree, std::string_view path) const;
  Result<std::string> blob(const Oid& oid, std::size_t max_bytes = 64u << 20) const;
  // Content of `path` in `tree`; nullopt when absent or not a blob.
  Result<std::optional<std::string>> file(const Oid& tree, std::string_view path) const;
  // Every blob, link and submodule below `tree`, in git order. Return false from `visit` to stop.
  Result<void> walk(const Oid& tree, const std::function<bool(const std::string& path, const TreeEntry&)>& visit) const;
  // Paths that differ, in git order. Reads trees only, never blobs.
  Result<std::vector<TreeDelta>> diff_trees(const Oid& before, const Oid& after) const;
  // -U0, no textconv, no external diff. An empty id stands for an empty file.
  Result<TextDiff> diff_blobs(const Oid& before, const Oid& after) const;
  TextDiff diff_text(std::string_view before, std::string_view after) const;
  Result<bool> is_ancestor(const Oid& ancestor, const Oid& descendant) const;
  Result<Oid> merge_base(const Oid& a, const Oid& b) const;  // not_found when unrelated
  // First-parent line, oldest first, without `after`; `after` empty = from the root.
  Result<std::vector<Oid>> first_parents(const Oid& after, const Oid& tip) const;
  // Commits reachable from tip and not from `not_from` (may be empty), newest first and every commit before its
  // parents; cap on the number.
  Result<std::vector<Oid>> log(const Oid& tip, const Oid& not_from, std::size_t max) const;
  // Blobs named by `tree` that are absent from the store.
  Result<std::vector<std::string>> missing_paths(const Oid& tree) const;
  // Whitespace is ignored: the commit that wrote the line, not the one that indented it.
  Result<std::vector<BlameLine>> blame(const Oid& commit, const std::string& path, std::uint32_t start,
                                       std::uint32_t count) const;
  // The same for several ranges (first line, number of lines) of one file: one walk of its history, where a call a
  // line walks it once a line. Ascending by line, each line once.
  Result<std::vector<BlameLine>> blame_ranges(const Oid& commit, const std::string& path,
                                              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges) const;
  const std::string& git_dir() const;

 protected:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a finished file has in the place of a conflict region.
struct RegionResult {
  bool located = false;  // false: somebody changed the text around the region, or it stands in several places
  std::string text;      // lines of the finished file, as they stand there
  std::uint32_t first_line = 0;  // 1-based, in the finished file: of `text`, or of the line after an empty one
};
// One for each region of `merged`. Line ends (CR LF against LF, none at the end of the file) are not compared.
//  1. Where the text between the regions stands unchanged and in one way only, what lies between is the answer.
//  2. Otherwise each region becomes one line that no file has; a difference between that and the finished file
//     which takes out this line and nothing else shows the answer. It counts where the lines around the region,
//     3 to 12 or as many as make them unique in the finished file, show the same.
std::vector<RegionResult> region_results(const Reader& reader, const MergedFile& merged, std::string_view finished);

}  // namespace sluice::git
