// SPDX-License-Identifier: Apache-2.0
#include "ingest/depend.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

using model::ChangeStatus;
using model::FileChange;
using model::Hunk;

// Half-open range of the old file that a hunk replaces; git's `start` of an empty range is the line before
// it.
struct Range {
  std::uint64_t begin = 0, end = 0;
};

Range old_range(const Hunk& hunk) {
  if (hunk.old_count == 0) return {hunk.old_start, hunk.old_start};
  const std::uint64_t begin = hunk.old_start == 0 ? 0 : hunk.old_start - 1;
  return {begin, begin + hunk.old_count};
}

void append(std::vector<LineOwners::Run>& runs, LineOwners::Run run) {
  if (!runs.empty()) {
    auto& last = runs.back();
    if (last.owner == run.owner && last.at + last.lines == run.at && (last.lines == 0) == (run.lines == 0)) {
      last.lines += run.lines;
      return;
    }
  }
  runs.push_back(run);
}

}  // namespace

void LineOwners::query(const std::vector<Hunk>& hunks, std::uint32_t context,
                       std::vector<std::size_t>& found) const {
  for (const Hunk& hunk : hunks) {
    const Range old = old_range(hunk);
    const std::uint64_t low = old.begin > context ? old.begin - context : 0;
    const bool at_top = old.begin < context;  // then the context has no outer edge above
    const std::uint64_t high = old.end + context;
    if (low == high) continue;  // an insertion without context touches no line
    auto run = std::lower_bound(runs_.begin(), runs_.end(), low, [&](const Run& r, std::uint64_t at) {
      return at_top ? r.at + r.lines < at : r.at + r.lines <= at;
    });
    for (; run != runs_.end() && run->at < high; ++run) found.push_back(run->owner);
  }
}

void LineOwners::apply(const std::vector<Hunk>& hunks, std::size_t owner) {
  std::vector<Run> out;
  out.reserve(runs_.size() + hunks.size());
  std::size_t next = 0;
  std::int64_t shift = 0;
  std::uint64_t done = 0;  // old lines before this position have been handled
  const auto emit = [&](std::uint64_t at, std::uint64_t lines, std::size_t who) {
    append(out, {static_cast<std::uint64_t>(static_cast<std::int64_t>(at) + shift), lines, who});
  };
  for (const Hunk& hunk : hunks) {
    Range old = old_range(hunk);
    old.begin =
        std::max(old.begin, done);  // hunks from git never overlap; a broken row must not corrupt the map
    old.end = std::max(old.end, old.begin);
    while (next < runs_.size()) {
      Run& run = runs_[next];
      if (run.lines == 0 ? run.at > old.begin : run.at >= old.begin) break;
      const std::uint64_t part = std::min(run.lines, old.begin - run.at);
      emit(run.at, part, run.owner);
      if (part < run.lines) {
        run.at += part;
        run.lines -= part;
        break;
      }
      ++next;
    }
    emit(old.begin, hunk.new_count, owner);
    while (next < runs_.size() && runs_[next].at < old.end) {
      Run& run = runs_[next];
      if (run.at + run.lines > old.end) {
        run.lines -= old.end - run.at;
        run.at = old.end;
        break;
      }
      ++next;
    }
    shift += static_cast<std::int64_t>(hunk.new_count) - static_cast<std::int64_t>(old.end - old.begin);
    done = old.end;
  }
  for (; next < runs_.size(); ++next) emit(runs_[next].at, runs_[next].lines, runs_[next].owner);
  runs_ = std::move(out);
}

namespace {

struct FileState {
  LineOwners lines;
  std::optional<std::size_t> whole;  // last commit that created, deleted, moved away or replaced the file
  std::optional<std::size_t> mode;   // last commit that changed its mode
};

bool replaces_whole(const FileChange& change) {
  return change.binary || change.status == ChangeStatus::added || change.status == ChangeStatus::deleted ||
         change.status == ChangeStatus::type_changed || change.old_mode == 0160000 ||
         change.new_mode == 0160000;
}

class Walk {
 public:
  explicit Walk(std::uint32_t context) : context_(context) {}

  std::vector<TextLink> commit(const model::UpstreamCommit& commit, std::size_t index) {
    std::vector<TextLink> links;
    for (const FileChange& change : commit.files) query(change, links);
    // All old states are taken out before any new one is put in: two files may swap their names.
    std::vector<FileState> moved(commit.files.size());
    for (std::size_t k = 0; k < commit.files.size(); ++k) moved[k] = take(commit.files[k], index);
    for (std::size_t k = 0; k < commit.files.size(); ++k) put(commit.files[k], std::move(moved[k]), index);
    std::stable_sort(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    links.erase(
        std::unique(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.to == b.to; }),
        links.end());
    return links;
  }

 private:
  void query(const FileChange& change, std::vector<TextLink>& links) {
    owners_.clear();
    if (change.old_path != change.path) {
      // A file that stands at the new name, or stood there, decides whether the move is possible.
      if (const auto at = files_.find(change.path); at != files_.end() && at->second.whole)
        owners_.push_back(*at->second.whole);
    }
    if (const auto at = files_.find(change.old_path); at != files_.end()) {
      const FileState& state = at->second;
      if (state.whole) owners_.push_back(*state.whole);
      if (change.old_mode != change.new_mode && state.mode) owners_.push_back(*state.mode);
      if (replaces_whole(change)) {
        for (const auto& run : state.lines.runs()) owners_.push_back(run.owner);
      } else {
        state.lines.query(change.hunks, context_, owners_);
      }
    }
    std::sort(owners_.begin(), owners_.end());
    owners_.erase(std::unique(owners_.begin(), owners_.end()), owners_.end());
    for (const std::size_t owner : owners_) links.push_back({owner, &change.path});
  }

  FileState take(const FileChange& change, std::size_t index) {
    FileState& old = files_[change.old_path];
    if (change.old_path == change.path) return std::move(old);
    FileState moved = std::move(old);
    old = FileState{};
    old.whole = index;
    return moved;
  }

  void put(const FileChange& change, FileState state, std::size_t index) {
    if (change.old_mode != change.new_mode) state.mode = index;
    if (replaces_whole(change)) {
      state.lines = LineOwners{};
      state.whole = index;
    } else {
      state.lines.apply(change.hunks, index);
    }
    files_[change.path] = std::move(state);
  }

  std::uint32_t context_;
  std::unordered_map<std::string, FileState> files_;
  std::vector<std::size_t> owners_;
};

}  // namespace

std::vector<std::vector<TextLink>> text_links(const std::vector<const model::UpstreamCommit*>& window,
                                              std::uint32_t context) {
  Walk walk(context);
  std::vector<std::vector<TextLink>> links;
  links.reserve(window.size());
  for (std::size_t k = 0; k < window.size(); ++k) links.push_back(walk.commit(*window[k], k));
  return links;
}

std::vector<std::vector<std::size_t>> text_dependencies(const std::vector<model::UpstreamCommit>& window,
                                                        std::uint32_t context) {
  std::vector<const model::UpstreamCommit*> commits;
  commits.reserve(window.size());
  for (const auto& commit : window) commits.push_back(&commit);
  std::vector<std::vector<std::size_t>> out;
  out.reserve(window.size());
  for (const auto& links : text_links(commits, context)) {
    auto& row = out.emplace_back();
    for (const TextLink& link : links) row.push_back(link.to);
  }
  return out;
}

}  // namespace sluice::ingest
