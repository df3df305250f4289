// SPDX-License-Identifier: Apache-2.0
// The files the fork owns: those that differ from the fork base, or exist in the fork alone.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/oid.h"
#include "core/result.h"
#include "git/read.h"

namespace sluice::service {

class ForkFiles {
 public:
  // `base` empty = no common history: every file of the tree. Reads trees; blobs only on demand.
  static Result<ForkFiles> read(const git::Reader& reader, const model::Oid& base, const model::Oid& trunk_tree);

  const std::set<std::string>& paths() const { return paths_; }
  // Files that exist in the fork alone and name `symbol` as a whole word. Builds an index of their
  // identifiers at the first call; prose, comment lines, binary files and files above 1 MB are left out.
  std::vector<std::string> naming(const std::string& symbol);

 private:
  explicit ForkFiles(const git::Reader& reader) : reader_(&reader) {}
  void build_index();
  const git::Reader* reader_;
  std::set<std::string> paths_;
  std::vector<std::pair<std::string, model::Oid>> fork_only_;
  bool indexed_ = false;
  std::map<std::string, std::vector<std::size_t>, std::less<>> index_;  // identifier -> fork_only_ indices
};

}  // namespace sluice::service
