// SPDX-License-Identifier: Apache-2.0
// What the diff rules read of one pick, read once: trees, differing paths, files, line diffs, regions.
// Filled on first use, because a clean pick that equals the machine merge needs almost none of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/config.h"
#include "core/region_side.h"
#include "core/result.h"
#include "git/read.h"
#include "guardrails/guardrails.h"
#include "guardrails/scan/line_set.h"
#include "guardrails/scan/symbol_index.h"

namespace sluice::guardrails {

// The five trees of a pick, by their letters in the rules: B, U, D, M, P.
enum class Tree { base, upstream, onto, merge, proposed };

struct FileText {
  bool present = false;  // the path exists and is a blob
  bool binary = false;
  std::string text;
  std::vector<std::string_view> lines;  // into `text`
  LineCounts counts;                    // of its significant lines; empty for binary files
};

// Where one conflict region stands: its text, and what became of it in P.
struct RegionFact {
  git::Region region;
  bool answered_ours = false;  // P holds exactly the fork's side here
  git::RegionResult result;
  core::Relation relation = core::Relation::mix;  // of the result to the sides; means nothing unless located
};

class PickView {
 public:
  PickView(const git::Reader& reader, const PickFacts& pick, const model::PolicyConfig& policy,
           const RuleFilter& filter, SymbolIndex& symbols)
      : reader_(reader), pick_(pick), policy_(policy), filter_(filter), symbols_(symbols) {}

  const git::Reader& reader() const { return reader_; }
  const PickFacts& pick() const { return pick_; }
  const model::PolicyConfig& policy() const { return policy_; }
  SymbolIndex& symbols() { return symbols_; }

  Oid tree(Tree which) const;
  bool conflicted() const { return pick_.conflicted || !pick_.conflicts.empty(); }
  // f in C: a conflicted path, or the path of any stage of one.
  bool in_conflict(const std::string& path) const;
  const std::set<std::string>& conflict_paths() const;
  bool wanted(const std::string& path) const;  // by the path filter
  // The path was taken out or kept by policy; null when it was not.
  const model::DroppedPath* dropped(const std::string& path) const;

  // Differing paths, without those whose blobs are missing by policy and those filtered out.
  Result<const std::vector<git::TreeDelta>*> changes(Tree before, Tree after);
  // Of a conflicted path that one side renamed, the tree of B or U lacks the name; the conflict's
  // stages 1 and 3 say what merged there, and stand in.
  Result<std::optional<git::TreeEntry>> entry(Tree which, const std::string& path);
  Result<const FileText*> file(Tree which, const std::string& path);
  Result<const git::TextDiff*> diff(Tree before, Tree after, const std::string& path);
  // M and P have the same entry at `path` and the merge was clean there: the rules of conservation
  // hold by definition.
  Result<bool> machine_made(const std::string& path);
  // All significant lines that the diff removes or adds, over every file.
  Result<const LineCounts*> removed(Tree before, Tree after);
  Result<const LineCounts*> added(Tree before, Tree after);
  // H(f). Empty for a path without regions.
  Result<const std::vector<RegionFact>*> regions(const std::string& path);

 private:
  using Pair = std::pair<Tree, Tree>;
  Result<void> fill_pools(Pair pair);
  Result<const FileText*> blob_text(const git::TreeEntry& entry);

  const git::Reader& reader_;
  const PickFacts& pick_;
  const model::PolicyConfig& policy_;
  const RuleFilter& filter_;
  SymbolIndex& symbols_;
  FileText absent_;
  mutable std::optional<std::set<std::string>> conflict_paths_;
  std::map<Pair, std::vector<git::TreeDelta>> changes_;
  std::map<std::pair<Tree, std::string>, std::optional<git::TreeEntry>> entries_;
  std::map<Oid, std::unique_ptr<FileText>> files_;  // pointers: handed out while the map grows
  std::map<std::pair<Oid, Oid>, std::unique_ptr<git::TextDiff>> diffs_;
  std::map<Pair, std::pair<LineCounts, LineCounts>> pools_;
  std::map<std::string, std::vector<RegionFact>> regions_;
};

// By the resolution record: a person wrote the answer, perhaps at an earlier time (rung `remembered`). True also
// where no record says who did.
bool answered_by_person(const PickFacts& pick, const std::string& path, const std::string& region);

// Regular file or link: has a text.
bool is_blob_mode(std::uint32_t mode);

}  // namespace sluice::guardrails
