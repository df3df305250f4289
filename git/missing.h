// SPDX-License-Identifier: Apache-2.0
// Which blobs of a tree are absent from the store, for 2,000 picks: one walk, then only along the
// differences from a tree that is known already. Inner header of git/.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "git/objects.h"

namespace sluice::git {

class MissingBlobs {
 public:
  using Paths = std::map<std::string, TreeEntry>;

  explicit MissingBlobs(const Objects& objects) : objects_(objects) {}
  // `near` = a tree that was asked for before and differs little; empty = none.
  Result<Paths> of(const Oid& tree, const Oid& near);

 private:
  const Paths* known(const Oid& tree);
  bool absent(const TreeEntry& entry) const;

  const Objects& objects_;
  std::deque<std::pair<Oid, Paths>> known_;  // last used first
};

}  // namespace sluice::git
