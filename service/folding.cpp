// SPDX-License-Identifier: Apache-2.0
#include "service/folding.h"

#include <fmt/format.h>

#include <algorithm>

#include "guardrails/guardrails.h"
#include "service/revert_unit.h"

namespace sluice::service {

namespace {

const PersonsAnswer* answer_to(const Submission& submission, const Oid& upstream) {
  const auto found = std::find_if(submission.members.begin(), submission.members.end(), [&](const auto& a) { return a.upstream == upstream; });
  return found == submission.members.end() ? nullptr : &*found;
}

bool is_guess(const model::Resolution& r) {
  return r.rung == model::Rung::candidate || r.rung == model::Rung::external || r.rung == model::Rung::model;
}

// A member that the person was not asked about does not go on top of their answer.
std::string why_left_out(const LeftOut& out, const std::string& unit) {
  const std::string_view upstream = model::short_oid(out.upstream);
  if (out.status == model::PickStatus::conflict) {
    return fmt::format("on top of the answer {} conflicts as well: {}", upstream, out.open.empty() ? "no rung answers it" : out.open.front());
  }
  if (out.status == model::PickStatus::empty) {
    return fmt::format("on top of the answer {} changes nothing; give the unit back (sluice take {} --release) and say in the ledger "
                       "what became of it", upstream, unit);
  }
  return fmt::format("{} cannot be picked: {}: {}", upstream, out.pick.cause, out.pick.detail);
}

}  // namespace

model::Person committer_of(const App& app, const model::Unit& unit) {
  return {app.config.committer_name, app.config.committer_email, unit.created_at, 0};
}

void set_shape(const App& app, model::Proposal& proposal) {
  std::size_t commits = 0;
  for (const model::ProposalMember& member : proposal.members) commits += member.companion ? 2 : 1;
  const bool merge = app.config.landing_shape == "merge" && commits > 1;
  proposal.merge_message = merge ? guardrails::merge_message(proposal, app.config.subject_prefix) : std::string();
}

Result<Folder> Folder::open(App& app) {
  TRY_ASSIGN(git::Picker picker, git::Picker::open(app.repo, app.config.policy.paths));
  return Folder(app, std::move(picker));
}

Result<Fold> Folder::fold(const model::Unit& unit, const Oid& base) {
  if (unit.kind == model::UnitKind::revert) return fold_revert(*app_, picker_, unit, base);
  TRY_ASSIGN(auto submission, open_submission(*app_, unit.id));
  return fold(unit, base, std::move(submission));
}

Result<Fold> Folder::fold(const model::Unit& unit, const Oid& base, std::optional<Submission> submission) {
  Fold fold;
  fold.submission = std::move(submission);
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
    const PersonsAnswer* given = fold.submission ? answer_to(*fold.submission, oid) : nullptr;
    if (given != nullptr) {
      TRY_ASSIGN(fold.refused, apply_answer(*app_, picker_, *fold.submission, *given, member));
      if (!fold.refused.empty()) return fold;
      take = true;
    } else if (member.pick.status == model::PickStatus::conflict && unit.kind != model::UnitKind::bundle) {
      TRY_ASSIGN(agent::Answer answer, resolver_->answer(unit.id, member.upstream, member.pick, base));
      if (answer.complete && !answer.for_person) {
        member.tree = answer.tree;
        member.resolved = true;
        member.resolutions = std::move(answer.resolutions);
        for (auto& entry : answer.account) member.account.push_back(std::move(entry));
        take = member.tree != onto;
        const bool guessed = std::any_of(member.resolutions.begin(), member.resolutions.end(), is_guess);
        // Answered so that nothing changes. By what both sides say: the fork has it already, proven by the tree. By a rung
        // that may be wrong: upstream's commit would be gone without a trace, and that is a decision about the commit.
        if (!take && !guessed) out.status = model::PickStatus::empty;
        if (!take && guessed) {
          out.open = {fmt::format("the answer of {} leaves the fork as it is; whether the commit is not wanted is for a person to say",
                                  member.resolutions.front().rule)};
          out.drafts = member.resolutions;
        }
      } else {
        out.open = std::move(answer.open);
        out.drafts = std::move(answer.resolutions);
        out.later = std::move(answer.later);
      }
    }
    if (!take && fold.submission) {
      fold.refused = why_left_out(out, unit.id);
      fold.left_out.push_back(std::move(out));
      return fold;
    }
    if (!take) {
      const bool stop = out.status != model::PickStatus::empty && unit.kind != model::UnitKind::bundle;
      fold.left_out.push_back(std::move(out));
      if (stop) break;
      continue;
    }
    member.message = guardrails::pick_message(member.upstream, unit.id, member.resolved, app_->config.upstream_repo,
                                              app_->config.subject_prefix);
    onto = member.end_tree();
    proposal.members.push_back(std::move(member));
  }
  proposal.tree = onto;
  set_shape(*app_, proposal);
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
    spec.committer = committer_of(*app_, unit);
    spec.author = member.reverts.empty() ? member.upstream.author : spec.committer;
    spec.message = guardrails::with_evidence(member.message, verdict_digest);
    TRY_ASSIGN(member.commit, app_->repo.write_commit(spec));
    TRY(app_->repo.set_ref(fmt::format("refs/sluice/units/{}/{}", unit.id, ++k), member.commit, std::nullopt));
    parent = member.commit;
    if (!member.companion) continue;
    spec.tree = member.companion->tree;
    spec.parents = {parent};
    spec.author = member.companion->author;
    spec.message = guardrails::with_evidence(member.companion->message, verdict_digest);
    TRY_ASSIGN(member.companion->commit, app_->repo.write_commit(spec));
    TRY(app_->repo.set_ref(fmt::format("refs/sluice/units/{}/{}c", unit.id, k), member.companion->commit, std::nullopt));
    parent = member.companion->commit;
  }
  if (proposal.merge_message.empty()) return {};
  git::CommitSpec spec;
  spec.tree = proposal.tree;
  spec.parents = {proposal.base, parent};
  spec.author = spec.committer = committer_of(*app_, unit);
  spec.message = guardrails::with_evidence(proposal.merge_message, verdict_digest);
  TRY_ASSIGN(proposal.merge_commit, app_->repo.write_commit(spec));
  return app_->repo.set_ref(fmt::format("refs/sluice/units/{}/merge", unit.id), proposal.merge_commit, std::nullopt);
}

}  // namespace sluice::service
