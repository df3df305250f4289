// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

// A commit on the first one's parent whose tree has the members' files as they are after the last one.
// Files that only other commits touched stay out, so that those need not be in the fork as well.
Result<Oid> write_range(git::Repo& repo, const std::vector<Oid>& members) {
  const git::Reader& reader = repo.reader();
  TRY_ASSIGN(const auto first, reader.commit(members.front()));
  TRY_ASSIGN(const auto last, reader.commit(members.back()));
  if (first.parents.empty()) return make_error(ErrorKind::invalid, "a range cannot begin at a root commit");
  TRY_ASSIGN(const Oid before, reader.tree_of(first.parents.front()));
  std::set<std::string> paths;
  for (const Oid& oid : members) {
    TRY_ASSIGN(const auto commit, reader.commit(oid));
    TRY_ASSIGN(const Oid parent,
               reader.tree_of(commit.parents.empty() ? Oid(model::empty_tree) : commit.parents.front()));
    TRY_ASSIGN(const auto deltas, reader.diff_trees(parent, commit.tree));
    for (const auto& delta : deltas) paths.insert(delta.path);
  }
  std::vector<git::TreeUpdate> updates;
  for (const std::string& path : paths) {
    TRY_ASSIGN(const auto entry, reader.entry(last.tree, path));
    updates.push_back({path, entry});
  }
  git::CommitSpec spec;
  TRY_ASSIGN(spec.tree, repo.write_tree(before, updates));
  spec.parents = {first.parents.front()};
  spec.author = last.author;
  spec.committer = last.committer;
  spec.message = "range " + members.front() + " " + members.back() + "\n";
  return repo.write_commit(spec);
}

}  // namespace

model::Pick pick_range(git::Repo& repo, git::Picker& picker, const std::vector<Oid>& members,
                       const Oid& onto) {
  model::Pick failed;
  failed.onto = onto;
  failed.status = model::PickStatus::error;
  failed.cause = "git";
  if (members.empty()) {
    failed.detail = "an empty range";
    return failed;
  }
  failed.upstream = members.back();
  const auto commit = write_range(repo, members);
  if (!commit.ok()) {
    failed.detail = commit.error().message;
    return failed;
  }
  return picker.pick(commit.value(), onto);
}

}  // namespace sluice::ingest
