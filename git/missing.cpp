// SPDX-License-Identifier: Apache-2.0
#include "git/missing.h"

#include "git/trees.h"

namespace sluice::git {

namespace {

// A pick asks for three trees; the next pick's are those or their neighbours.
constexpr std::size_t most_known = 12;

}  // namespace

const MissingBlobs::Paths* MissingBlobs::known(const Oid& tree) const {
  for (const auto& [oid, paths] : known_)
    if (oid == tree) return &paths;
  return nullptr;
}

bool MissingBlobs::absent(const TreeEntry& entry) const {
  return entry.mode != 0 && entry.mode != 0160000 && !objects_.exists(entry.oid);
}

Result<MissingBlobs::Paths> MissingBlobs::of(const Oid& tree, const Oid& near) {
  if (const Paths* paths = known(tree)) return *paths;
  Paths paths;
  const Paths* base = near.empty() ? nullptr : known(near);
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
