// SPDX-License-Identifier: Apache-2.0
#include "guardrails/pick_view.h"

#include <algorithm>

#include "core/glob.h"
#include "core/text.h"

namespace sluice::guardrails {
namespace {

// git's own test: a NUL in the first 8,000 bytes.
bool looks_binary(std::string_view text) { return text.substr(0, 8000).find('\0') != std::string_view::npos; }

bool same_entry(const std::optional<git::TreeEntry>& a, const std::optional<git::TreeEntry>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || (a->mode == b->mode && a->oid == b->oid);
}

}  // namespace

bool is_blob_mode(std::uint32_t mode) {
  const std::uint32_t kind = mode & 0170000u;
  return kind == 0100000u || kind == 0120000u;
}

bool answered_by_person(const PickFacts& pick, const std::string& path, const std::string& region) {
  return std::none_of(pick.resolutions.begin(), pick.resolutions.end(), [&](const model::Resolution& record) {
    return record.path == path && record.region_id == region && record.rung != model::Rung::person && record.rung != model::Rung::remembered;
  });
}

Oid PickView::tree(Tree which) const {
  switch (which) {
    case Tree::base:
      return pick_.base_tree.empty() ? Oid(model::empty_tree) : pick_.base_tree;
    case Tree::upstream:
      return pick_.upstream_tree;
    case Tree::onto:
      return pick_.onto_tree;
    case Tree::merge:
      return pick_.merge_tree;
    case Tree::proposed:
      return pick_.proposed_tree;
  }
  return {};
}

const std::set<std::string>& PickView::conflict_paths() const {
  if (!conflict_paths_) {
    conflict_paths_.emplace();
    for (const model::Conflict& conflict : pick_.conflicts) {
      conflict_paths_->insert(conflict.path);
      for (const model::Stage& stage : conflict.stages) {
        if (!stage.path.empty()) conflict_paths_->insert(stage.path);
      }
    }
  }
  return *conflict_paths_;
}

bool PickView::in_conflict(const std::string& path) const { return conflict_paths().contains(path); }

bool PickView::wanted(const std::string& path) const {
  return filter_.paths.empty() ||
         std::any_of(filter_.paths.begin(), filter_.paths.end(),
                     [&](const std::string& glob) { return core::glob_match(glob, path); });
}

const model::DroppedPath* PickView::dropped(const std::string& path) const {
  for (const model::DroppedPath& drop : pick_.dropped) {
    if (drop.path == path) return &drop;
  }
  return nullptr;
}

Result<const std::vector<git::TreeDelta>*> PickView::changes(Tree before, Tree after) {
  const Pair pair{before, after};
  if (const auto found = changes_.find(pair); found != changes_.end()) return &found->second;
  TRY_ASSIGN(std::vector<git::TreeDelta> deltas, reader_.diff_trees(tree(before), tree(after)));
  std::erase_if(deltas, [&](const git::TreeDelta& delta) {
    const model::DroppedPath* drop = dropped(delta.path);
    return (drop != nullptr && drop->why == "missing") || !wanted(delta.path);
  });
  return &changes_.emplace(pair, std::move(deltas)).first->second;
}

Result<std::optional<git::TreeEntry>> PickView::entry(Tree which, const std::string& path) {
  const std::pair key{which, path};
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  TRY_ASSIGN(std::optional<git::TreeEntry> entry, reader_.entry(tree(which), path));
  if (!entry && (which == Tree::base || which == Tree::upstream)) {
    const int wanted_stage = which == Tree::base ? 1 : 3;
    for (const model::Conflict& conflict : pick_.conflicts) {
      if (conflict.path != path) continue;
      for (const model::Stage& stage : conflict.stages) {
        if (stage.stage == wanted_stage) entry = git::TreeEntry{stage.mode, stage.oid};
      }
    }
  }
  entries_.emplace(key, entry);
  return entry;
}

Result<const FileText*> PickView::blob_text(const git::TreeEntry& entry) {
  if (!is_blob_mode(entry.mode)) return &absent_;
  if (const auto found = files_.find(entry.oid); found != files_.end()) return found->second.get();
  auto file = std::make_unique<FileText>();
  auto text = reader_.blob(entry.oid);
  file->present = true;
  if (text.ok()) {
    file->text = std::move(*text);
    file->binary = looks_binary(file->text);
  } else {
    // A file beyond what is read here is what the diff calls it: binary. "Cannot be judged" would hold its
    // commit back in every run to come.
    const auto diff = reader_.diff_blobs(Oid{}, entry.oid);
    if (!diff.ok() || !diff->binary) return text.error();
    file->binary = true;
  }
  if (!file->binary) {
    file->lines = core::split_lines(file->text);
    count_lines(file->text, file->counts);
  }
  return files_.emplace(entry.oid, std::move(file)).first->second.get();
}

Result<const FileText*> PickView::file(Tree which, const std::string& path) {
  TRY_ASSIGN(const std::optional<git::TreeEntry> found, entry(which, path));
  if (!found) return &absent_;
  return blob_text(*found);
}

Result<const git::TextDiff*> PickView::diff(Tree before, Tree after, const std::string& path) {
  TRY_ASSIGN(const std::optional<git::TreeEntry> a, entry(before, path));
  TRY_ASSIGN(const std::optional<git::TreeEntry> b, entry(after, path));
  const std::pair key{a && is_blob_mode(a->mode) ? a->oid : Oid{},
                      b && is_blob_mode(b->mode) ? b->oid : Oid{}};
  if (const auto found = diffs_.find(key); found != diffs_.end()) return found->second.get();
  auto diff = std::make_unique<git::TextDiff>();
  if (key.first != key.second) {
    TRY_ASSIGN(*diff, reader_.diff_blobs(key.first, key.second));
  }
  return diffs_.emplace(key, std::move(diff)).first->second.get();
}

Result<bool> PickView::machine_made(const std::string& path) {
  if (in_conflict(path)) return false;
  TRY_ASSIGN(const std::optional<git::TreeEntry> m, entry(Tree::merge, path));
  TRY_ASSIGN(const std::optional<git::TreeEntry> p, entry(Tree::proposed, path));
  return same_entry(m, p);
}

Result<void> PickView::fill_pools(Pair pair) {
  if (pools_.contains(pair)) return {};
  std::pair<LineCounts, LineCounts> pools;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, changes(pair.first, pair.second));
  for (const git::TreeDelta& delta : *deltas) {
    TRY_ASSIGN(const git::TextDiff* lines, diff(pair.first, pair.second, delta.path));
    for (const git::DiffLine& line : lines->lines) {
      std::string norm = core::strip_space(line.text);
      if (!significant(norm)) continue;
      ++(line.side == '-' ? pools.first : pools.second)[std::move(norm)];
    }
  }
  pools_.emplace(pair, std::move(pools));
  return {};
}

Result<const LineCounts*> PickView::removed(Tree before, Tree after) {
  TRY(fill_pools({before, after}));
  return &pools_.at({before, after}).first;
}

Result<const LineCounts*> PickView::added(Tree before, Tree after) {
  TRY(fill_pools({before, after}));
  return &pools_.at({before, after}).second;
}

Result<const std::vector<RegionFact>*> PickView::regions(const std::string& path) {
  if (const auto found = regions_.find(path); found != regions_.end()) return &found->second;
  std::vector<RegionFact> facts;
  TRY_ASSIGN(const FileText* merged, file(Tree::merge, path));
  if (in_conflict(path) && merged->present && !merged->binary) {
    TRY_ASSIGN(git::MergedFile cut, git::cut_regions(path, merged->text));
    if (!cut.regions.empty()) {
      // The fork's side everywhere, compared with P: a region was answered `ours` exactly when no
      // change of that comparison touches its lines.
      TRY_ASSIGN(const FileText* proposed, file(Tree::proposed, path));
      std::vector<std::string> ours;
      for (const git::Region& region : cut.regions) ours.push_back(region.ours);
      const git::TextDiff against = reader_.diff_text(git::fill_regions(cut, ours), proposed->text);
      std::vector<git::RegionResult> results(cut.regions.size());
      if (proposed->present && !proposed->binary) results = git::region_results(reader_, cut, proposed->text);
      std::size_t line = 1;
      for (std::size_t i = 0; i < cut.regions.size(); ++i) {
        line += core::split_lines(cut.text[i]).size();
        const std::size_t length = core::split_lines(cut.regions[i].ours).size();
        const std::size_t begin = line, end = line + length;  // half open
        const bool touched =
            std::any_of(against.hunks.begin(), against.hunks.end(), [&](const model::Hunk& hunk) {
              // A pure insertion happens after line old_start, i.e. between old_start and old_start + 1.
              if (hunk.old_count == 0) return hunk.old_start + 1 >= begin && hunk.old_start + 1 <= end;
              return hunk.old_start < end && hunk.old_start + hunk.old_count > begin;
            });
        git::Region& region = cut.regions[i];
        const core::Relation relation = core::relation_of(region.base, region.ours, region.theirs, results[i].text);
        facts.push_back({std::move(region), proposed->present && !against.binary && !touched, std::move(results[i]), relation});
        line = end;
      }
    }
  }
  return &regions_.emplace(path, std::move(facts)).first->second;
}

}  // namespace sluice::guardrails
