// SPDX-License-Identifier: Apache-2.0
#include "guardrails/member_change.h"

#include <fmt/format.h>

namespace sluice::guardrails {

Result<MemberChange> change_of(const git::Reader& reader, const model::ProposalMember& member) {
  MemberChange out;
  TRY_ASSIGN(const git::Commit upstream, reader.commit(member.upstream.oid));
  out.upstream = upstream.oid;
  if (member.reverts.empty()) {
    out.after = upstream.tree;
    out.before = model::empty_tree;
    if (!upstream.parents.empty()) {
      out.before_commit = upstream.parents.front();
      TRY_ASSIGN(out.before, reader.tree_of(out.before_commit));
    }
    return out;
  }
  TRY_ASSIGN(const git::Commit landed, reader.commit(member.reverts));
  if (landed.parents.size() != 1) {
    return make_error(ErrorKind::invalid, fmt::format("{} has {} parents: there is no one state before it",
                                                      landed.oid, landed.parents.size()));
  }
  out.before_commit = landed.oid;
  out.before = landed.tree;
  TRY_ASSIGN(out.after, reader.tree_of(landed.parents.front()));
  return out;
}

Result<std::set<std::string>> touched_paths(const git::Reader& reader, const model::Oid& before, const model::Oid& after) {
  std::set<std::string> out;
  TRY_ASSIGN(const std::vector<git::TreeDelta> deltas, reader.diff_trees(before, after));
  for (const git::TreeDelta& delta : deltas) out.insert(delta.path);
  return out;
}

}  // namespace sluice::guardrails
