// SPDX-License-Identifier: Apache-2.0
#include "agent/background.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/glob.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::size_t most_commits = 12, most_similar = 2, most_rows = 40;

// Where the lines of `needle` stand in `file` as a block; 0 = nowhere, or in several places. 1-based.
std::uint32_t place_of(const std::vector<std::string_view>& file, const std::vector<std::string_view>& needle) {
  if (needle.empty() || needle.size() > file.size()) return 0;
  std::uint32_t found = 0;
  for (std::size_t i = 0; i + needle.size() <= file.size(); ++i) {
    if (!std::equal(needle.begin(), needle.end(), file.begin() + static_cast<std::ptrdiff_t>(i))) continue;
    if (found != 0) return 0;
    found = static_cast<std::uint32_t>(i + 1);
  }
  return found;
}

std::set<std::string> words_of(const git::Region& region) {
  std::set<std::string> out;
  for (const std::string* side : {&region.base, &region.ours, &region.theirs})
    for (const std::string_view word : core::identifiers(*side, 3)) out.emplace(word);
  return out;
}

// Share of the words that two conflicts have in common.
double alike(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::size_t common = 0;
  for (const std::string& word : a) common += b.contains(word) ? 1 : 0;
  const std::size_t all = a.size() + b.size() - common;
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace

Result<std::vector<RelatedCommit>> writers_of(const tools::World& world, const tools::Buffer& buffer) {
  std::vector<RelatedCommit> out;
  if (world.onto_commit.empty()) return out;
  // In the middle of a chain D is a tree that no commit has yet: lines are looked for in the commit below it.
  TRY_ASSIGN(const model::Oid tree, world.reader->tree_of(world.onto_commit));
  std::map<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>> ranges;
  for (const tools::Place& place : buffer.places()) {
    if (place.whole || place.region.ours.empty()) continue;
    if (world.may_send && !world.may_send(place.path)) continue;
    TRY_ASSIGN(const auto file, world.reader->file(tree, place.path));
    if (!file) continue;
    const auto lines = core::split_lines_keep(*file), ours = core::split_lines_keep(place.region.ours);
    if (const std::uint32_t at = place_of(lines, ours); at > 0) ranges[place.path].emplace_back(at, static_cast<std::uint32_t>(ours.size()));
  }
  struct Written {
    std::string subject, path;
    std::size_t lines = 0;
  };
  std::map<model::Oid, Written> by;
  for (const auto& [path, parts] : ranges) {
    const auto blamed = world.reader->blame_ranges(world.onto_commit, path, parts);
    if (!blamed.ok()) continue;  // a tree that no commit of the fork has: its history is not known
    for (const git::BlameLine& line : *blamed) {
      Written& w = by[line.commit];
      w.subject = line.subject;
      if (w.path.empty()) w.path = path;
      ++w.lines;
    }
  }
  for (const auto& [oid, w] : by) {
    // What upstream's own history has is no reason of the fork's.
    if (!world.upstream.parent.empty()) {
      const auto upstreams = world.reader->is_ancestor(oid, world.upstream.parent);
      if (upstreams.ok() && *upstreams) continue;
    }
    out.push_back({oid, w.subject, fmt::format("wrote {} of the fork's lines in {}", w.lines, w.path)});
  }
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return by[a.oid].lines > by[b.oid].lines; });
  if (out.size() > most_commits) out.resize(most_commits);
  return out;
}

Result<std::vector<CandidateAnswer>> similar_of(store::Store& store, const tools::Buffer& buffer) {
  std::vector<CandidateAnswer> out;
  for (const tools::Place& place : buffer.places()) {
    if (place.whole || place.answer) continue;
    TRY_ASSIGN(const auto rows, store.remembered_of(place.path, most_rows));
    const std::set<std::string> here = words_of(place.region);
    std::vector<std::pair<double, const store::RememberedRow*>> ranked;
    for (const store::RememberedRow& row : rows) {
      if (row.answer.empty() && row.rule == "ambiguous") continue;
      git::Region then;
      then.base = row.base;
      then.ours = row.ours;
      then.theirs = row.theirs;
      if (const double share = alike(here, words_of(then)); share >= 0.3) ranked.emplace_back(share, &row);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (ranked.size() > most_similar) ranked.resize(most_similar);
    for (const auto& [share, row] : ranked)
      out.push_back({place.region.id, row->unit, row->answer, fmt::format("answer to another conflict of this file, {:.0f} % of the words in common", share * 100)});
  }
  return out;
}

std::vector<model::InvariantConfig> invariants_of(const std::vector<model::InvariantConfig>& all, const tools::Buffer& buffer) {
  std::vector<model::InvariantConfig> out;
  for (const model::InvariantConfig& invariant : all) {
    const bool concerned = std::any_of(buffer.places().begin(), buffer.places().end(), [&](const auto& p) { return core::glob_match(invariant.path, p.path); });
    if (concerned) out.push_back(invariant);
  }
  return out;
}

}  // namespace sluice::agent
