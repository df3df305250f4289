// SPDX-License-Identifier: Apache-2.0
#include "ingest/inverse.h"

#include <map>
#include <string_view>

namespace sluice::ingest {
namespace {

bool swapped(const model::FileChange& a, const model::FileChange& r) {
  if (a.path != r.old_path || a.old_path != r.path || a.old_mode != r.new_mode || a.new_mode != r.old_mode)
    return false;
  if (a.old_blob == r.new_blob && a.new_blob == r.old_blob) return true;
  if (a.binary || r.binary || a.removed_sha.empty() || a.added_sha.empty()) return false;
  if (a.removed_sha != r.added_sha || a.added_sha != r.removed_sha || a.hunks.size() != r.hunks.size())
    return false;
  for (std::size_t k = 0; k < a.hunks.size(); ++k)
    if (a.hunks[k].old_count != r.hunks[k].new_count || a.hunks[k].new_count != r.hunks[k].old_count)
      return false;
  return true;
}

}  // namespace

bool exact_inverse(const model::UpstreamCommit& original, const model::UpstreamCommit& revert) {
  if (original.files.empty() || original.files.size() != revert.files.size()) return false;
  std::map<std::string_view, const model::FileChange*> before;
  for (const auto& file : original.files) before.emplace(file.path, &file);
  if (before.size() != original.files.size()) return false;
  for (const auto& file : revert.files) {
    const auto match = before.find(file.old_path);
    if (match == before.end() || !swapped(*match->second, file)) return false;
    before.erase(match);
  }
  return true;
}

}  // namespace sluice::ingest
