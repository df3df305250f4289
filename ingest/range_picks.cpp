// SPDX-License-Identifier: Apache-2.0
// What the facts of the window and two blobs refute without a merge. A long chain has hundreds of ends to
// try, and nearly none of them is in the fork.
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/text.h"
#include "ingest/ingest.h"
#include "ingest/path_class.h"

namespace sluice::ingest {
namespace {

constexpr std::size_t most_file_bytes = 4u << 20;

bool absent(const git::TreeEntry& entry) { return entry.mode == 0; }
bool same(const git::TreeEntry& a, const git::TreeEntry& b) {
  return a.mode == b.mode && (absent(a) || a.oid == b.oid);
}
bool is_file(const git::TreeEntry& entry) { return (entry.mode & 0170000) == 0100000; }

// A merge may end a line that had no end, or follow the file's line ends.
std::string_view bare(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::unordered_set<std::string_view> lines_of(std::string_view text) {
  std::unordered_set<std::string_view> out;
  for (const std::string_view line : core::split_lines_keep(text)) out.insert(bare(line));
  return out;
}

}  // namespace

RangePicks::RangePicks(git::Repo& repo, git::Picker& picker, const model::PolicyConfig& policy,
                       const std::vector<model::UpstreamCommit>& window)
    : repo_(repo), picker_(picker), policy_(policy), window_(window) {
  for (std::size_t k = 0; k < window.size(); ++k) {
    at_.emplace(window[k].oid, k);
    for (const auto& file : window[k].files) {
      const git::TreeEntry before{file.old_mode, file.old_blob}, after{file.new_mode, file.new_blob};
      if (file.status == model::ChangeStatus::renamed) {
        add(file.old_path, {k, before, {}});
        add(file.path, {k, {}, after});
      } else {
        add(file.path, {k, before, after});
      }
    }
  }
}

void RangePicks::add(const std::string& path, Step step) {
  auto& steps = history_[path];
  if (steps.empty() || steps.back().commit != step.commit) {
    steps.push_back(std::move(step));
    return;
  }
  if (!absent(step.before)) steps.back().before = step.before;
  if (!absent(step.after)) steps.back().after = step.after;
}

const git::TreeEntry* RangePicks::on_trunk(const std::string& path, const Oid& tree) {
  if (tree != tree_) {
    tree_ = tree;
    trunk_.clear();
  }
  const auto known = trunk_.find(path);
  if (known != trunk_.end()) return &known->second;
  const auto entry = repo_.reader().entry(tree, path);
  if (!entry.ok()) return nullptr;
  return &trunk_.emplace(path, entry->value_or(git::TreeEntry{})).first->second;
}

// In a clean merge that leaves `ours` as it is, every line that `theirs` adds stands in `ours`.
bool RangePicks::may_hold(const git::TreeEntry& base, const git::TreeEntry& ours, const git::TreeEntry& theirs) {
  const std::string key = base.oid + ours.oid + theirs.oid;
  const auto known = held_.find(key);
  if (known != held_.end()) return known->second;
  const git::Reader& reader = repo_.reader();
  const auto b = reader.blob(base.oid, most_file_bytes), o = reader.blob(ours.oid, most_file_bytes),
             t = reader.blob(theirs.oid, most_file_bytes);
  bool may = true;  // what cannot be read is for git to say
  if (b.ok() && o.ok() && t.ok()) {
    const auto before = lines_of(*b), there = lines_of(*o);
    for (const std::string_view line : core::split_lines_keep(*t))
      may = may && (before.contains(bare(line)) || there.contains(bare(line)));
  }
  return held_.emplace(key, may).first->second;
}

// Is there no way that git merges this path cleanly into what the tree has? Renames never make a path
// that is on both sides of a change a source or a target, and a path that upstream removes never stays.
bool RangePicks::refuted(const std::string& path, std::size_t first, std::size_t last, const Oid& onto) {
  const auto& steps = history_.at(path);
  const auto before = [](const Step& step, std::size_t commit) { return step.commit < commit; };
  const auto from = std::lower_bound(steps.begin(), steps.end(), first, before);
  const auto to = std::lower_bound(steps.begin(), steps.end(), last + 1, before);
  if (from >= to) return false;
  const git::TreeEntry &base = from->before, &theirs = std::prev(to)->after;
  if (same(base, theirs)) return false;
  const git::TreeEntry* ours = on_trunk(path, onto);
  if (ours == nullptr || same(*ours, theirs)) return false;
  if (class_of(policy_, path) == model::PathClass::deleted || upstream_say(policy_, path) == model::UpstreamSay::ours)
    return false;
  if (same(*ours, base)) return true;
  if (absent(theirs)) return true;
  if (!is_file(base) || !is_file(*ours) || !is_file(theirs)) return false;
  return !may_hold(base, *ours, theirs);
}

bool RangePicks::refuted(const std::vector<Oid>& members, const Oid& onto) {
  if (members.empty()) return false;
  const auto first = at_.find(members.front()), last = at_.find(members.back());
  if (first == at_.end() || last == at_.end()) return false;
  // A chain is tried from its end: the path that refuted the longer range refutes this one, as a rule.
  for (const bool likely : {true, false}) {
    if (likely && (likely_.empty() || !refuted(likely_, first->second, last->second, onto))) continue;
    for (const Oid& member : members) {
      const auto at = at_.find(member);
      if (at == at_.end()) continue;
      for (const auto& file : window_[at->second].files) {
        for (const std::string* path : {&file.path, &file.old_path}) {
          if (likely ? *path != likely_ : !history_.contains(*path)) continue;
          if (!likely && !refuted(*path, first->second, last->second, onto)) continue;
          likely_ = *path;
          return true;
        }
      }
    }
  }
  return false;
}

model::Pick RangePicks::pick(const std::vector<Oid>& members, const Oid& onto) {
  if (refuted(members, onto)) {
    model::Pick no;
    no.upstream = members.back();
    no.onto = onto;
    no.detail = "the tree lacks what the range does to " + likely_;
    return no;
  }
  ++merges_;
  return pick_range(repo_, picker_, members, onto);
}

}  // namespace sluice::ingest
