// SPDX-License-Identifier: Apache-2.0
#include "service/fork_files.h"

#include "ingest/ingest.h"

namespace sluice::service {

Result<ForkFiles> ForkFiles::read(const git::Reader& reader, const model::Oid& base, const model::Oid& trunk_tree) {
  ForkFiles files(reader);
  model::Oid base_tree(model::empty_tree);
  if (!base.empty()) {
    TRY_ASSIGN(base_tree, reader.tree_of(base));
  }
  TRY_ASSIGN(const auto deltas, reader.diff_trees(base_tree, trunk_tree));
  for (const git::TreeDelta& delta : deltas) {
    files.paths_.insert(delta.path);
    const bool blob = (delta.after.mode & 0170000) == 0100000;
    if (delta.before.mode == 0 && blob) files.fork_only_.emplace_back(delta.path, delta.after.oid);
  }
  return files;
}

void ForkFiles::build_index() {
  indexed_ = true;
  for (std::size_t i = 0; i < fork_only_.size(); ++i) {
    const auto text = reader_->blob(fork_only_[i].second, 1u << 20);
    if (!text.ok() || text->find('\0') != std::string::npos) continue;
    for (const std::string_view word : ingest::names_in(fork_only_[i].first, *text)) {
      auto& holders = index_[std::string(word)];
      if (holders.empty() || holders.back() != i) holders.push_back(i);
    }
  }
}

std::vector<std::string> ForkFiles::naming(const std::string& symbol) {
  if (!indexed_) build_index();
  std::vector<std::string> out;
  if (const auto found = index_.find(symbol); found != index_.end()) {
    for (const std::size_t i : found->second) out.push_back(fork_only_[i].first);
  }
  return out;
}

}  // namespace sluice::service
