// SPDX-License-Identifier: Apache-2.0
#include "git/missing.h"

#include <algorithm>
#include <iterator>

#include "git/trees.h"

namespace sluice::git {

namespace {

// A pick asks for three trees; the next pick's are those or their neighbours.
constexpr std::size_t most_known = 12;

}  // namespace

const MissingBlobs::Paths* MissingBlobs::known(const Oid& tree) {
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& one) { return one.first == tree; });
  if (found == known_.end()) return nullptr;
  // In use again: a tree that hundreds of picks in a row are made onto must stay.
  std::rotate(known_.begin(), found, std::next(found));
  return &known_.front().second;
}

bool MissingBlobs::absent(const TreeEntry& entry) const {
  return entry.mode != 0 && entry.mode != 0160000 && !objects_.exists(entry.oid);
}

Result<MissingBlobs::Paths> MissingBlobs::of(const Oid& tree, const Oid& near) {
  if (const Paths* paths = known(tree)) return *paths;
  Paths paths;
  const Paths* const base = near.empty() ? nullptr : known(near);
  if (base != nullptr) {
    paths = *base;
    TRY_ASSIGN(const auto deltas, diff_tree(objects_, near, tree));
    for (const auto& delta : deltas) {
      paths.erase(delta.path);
      if (absent(delta.after)) paths[delta.path] = delta.after;
    }
  } else {
    TRY(walk_tree(objects_, tree, [&](const std::string& path, const TreeEntry& entry) {
      if (absent(entry)) paths[path] = entry;
      return true;
    }));
  }
  known_.emplace_front(tree, paths);
  if (known_.size() > most_known) known_.pop_back();
  return paths;
}

}  // namespace sluice::git
