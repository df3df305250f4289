// SPDX-License-Identifier: Apache-2.0
#include "service/folding.h"

#include <fmt/format.h>

#include "guardrails/guardrails.h"

namespace sluice::service {

model::Person committer_of(const App& app, const model::Unit& unit) {
  return {app.config.committer_name, app.config.committer_email, unit.created_at, 0};
}

Result<Folder> Folder::open(App& app) {
  TRY_ASSIGN(git::Picker picker, git::Picker::open(app.repo, app.config.policy.paths));
  return Folder(app, std::move(picker));
}

Result<Fold> Folder::fold(const model::Unit& unit, const Oid& base) {
  Fold fold;
  model::Proposal& proposal = fold.proposal;
  proposal.unit = unit.id;
  proposal.base = base;
  proposal.branch = "refs/heads/" + app_->config.fork.branch;
  TRY_ASSIGN(proposal.base_tree, app_->repo.reader().tree_of(base));
  Oid onto = proposal.base_tree;

  for (const Oid& oid : unit.commits) {
    if (app_->cancelled()) return make_error(ErrorKind::transient, "cancelled");
    TRY_ASSIGN(auto facts, app_->store.facts(oid));
    if (!facts) return make_error(ErrorKind::internal, fmt::format("no facts are stored for upstream commit {}", oid));
    model::ProposalMember member;
    member.upstream = std::move(*facts);
    member.onto = onto;
    member.pick = picker_.pick(oid, onto);
    member.tree = member.pick.tree;
    for (const model::DroppedPath& path : member.pick.dropped) {
      if (path.why == "missing") continue;
      member.account.push_back({"proven", path.path, "", 0, "DROPPED_BY_POLICY", path.policy,
                                fmt::format("[[path]] glob = \"{}\" keeps what the fork has ({})", path.policy, path.why)});
    }

    LeftOut out{oid, member.pick, member.pick.status, {}, {}};
    bool take = member.pick.status == model::PickStatus::clean;
    if (member.pick.status == model::PickStatus::conflict && unit.kind != model::UnitKind::bundle) {
      TRY_ASSIGN(agent::Answer answer,
                 agent::propose(app_->repo, app_->store, app_->config.policy, member.upstream, member.pick));
      if (answer.complete) {
        member.tree = answer.tree;
        member.resolved = true;
        member.resolutions = std::move(answer.resolutions);
        for (auto& entry : answer.account) member.account.push_back(std::move(entry));
        take = member.tree != onto;
        // Answered so that nothing changes: the fork already says it. Proven by the tree.
        if (!take) out.status = model::PickStatus::empty;
      } else {
        out.open = std::move(answer.open);
        out.drafts = std::move(answer.resolutions);
      }
    }
    if (!take) {
      const bool stop = out.status != model::PickStatus::empty && unit.kind != model::UnitKind::bundle;
      fold.left_out.push_back(std::move(out));
      if (stop) break;
      continue;
    }
    member.message = guardrails::pick_message(member.upstream, unit.id, member.resolved, app_->config.upstream_repo,
                                              app_->config.subject_prefix);
    onto = member.tree;
    proposal.members.push_back(std::move(member));
  }
  proposal.tree = onto;
  return fold;
}

Result<void> Folder::write_commits(model::Proposal& proposal, const model::Unit& unit,
                                   const std::string& verdict_digest) {
  Oid parent = proposal.base;
  int k = 0;
  for (model::ProposalMember& member : proposal.members) {
    git::CommitSpec spec;
    spec.tree = member.tree;
    spec.parents = {parent};
    spec.author = member.upstream.author;
    spec.committer = committer_of(*app_, unit);
    spec.message = guardrails::with_evidence(member.message, verdict_digest);
    TRY_ASSIGN(member.commit, app_->repo.write_commit(spec));
    TRY(app_->repo.set_ref(fmt::format("refs/sluice/units/{}/{}", unit.id, ++k), member.commit, std::nullopt));
    parent = member.commit;
  }
  return {};
}

}  // namespace sluice::service
