// SPDX-License-Identifier: Apache-2.0
#include "service/observe_score.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/agent.h"
#include "core/hash.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/judging.h"

namespace sluice::service {

namespace {

// Counts up when what is stored of a landing would come out differently for the same inputs.
constexpr int score_version = 1;
constexpr std::size_t max_fold = 200;    // upstream commits of one landing
constexpr std::size_t max_files = 20;    // named of a landing that differs
constexpr int landings_a_scratch = 50;   // its objects are dropped then

guardrails::PickFacts facts_of(const git::Commit& upstream, const git::Commit& onto_commit, const Oid& onto,
                               const model::Pick& pick) {
  guardrails::PickFacts facts;
  facts.upstream = upstream.oid;
  facts.upstream_tree = upstream.tree;
  facts.base_tree = std::string(model::empty_tree);
  if (!upstream.parents.empty()) facts.upstream_parent = upstream.parents[0];
  facts.onto_tree = onto;
  facts.onto_commit = onto_commit.oid;
  facts.merge_tree = pick.tree;
  facts.proposed_tree = pick.tree;
  facts.conflicted = pick.status == model::PickStatus::conflict;
  facts.conflicts = pick.conflicts;
  facts.dropped = pick.dropped;
  facts.renames_skipped = pick.renames_skipped;
  return facts;
}

std::vector<Objection> objections_of(const model::Verdict& verdict) {
  std::vector<Objection> out;
  for (const model::RuleResult& rule : verdict.rules) {
    if (!rule.applicable || rule.observed || rule.judgement == model::Judgement::pass) continue;
    Objection objection{rule.id, "", rule.judgement, 0};
    for (const model::VerdictItem& item : rule.items) {
      if (item.judgement == model::Judgement::pass) continue;
      if (objection.items++ > 0) continue;
      objection.first = fmt::format("{}{}{}{}", core::printable(item.path), item.line > 0 ? fmt::format(":{}", item.line) : "",
                                    item.text.empty() ? "" : "  " + core::printable(core::trim(item.text), 120),
                                    item.detail.empty() ? "" : fmt::format(" ({})", core::printable(item.detail, 160)));
    }
    out.push_back(std::move(objection));
  }
  return out;
}

void fail(Landed& landed, const std::string& cause, const std::string& why) {
  landed.score = Score::error;
  landed.rule = cause;
  landed.reason = core::printable(why, 300);
}

Result<void> list_differing(const git::Reader& reader, const Oid& ours, const Oid& theirs, Landed& landed) {
  TRY_ASSIGN(const auto deltas, reader.diff_trees(ours, theirs));
  landed.files_total = static_cast<std::int64_t>(deltas.size());
  for (const git::TreeDelta& delta : deltas) {
    if (landed.files.size() == max_files) break;
    landed.files.push_back(delta.path);
  }
  return {};
}

}  // namespace

Result<Scorer> Scorer::open(App& app) {
  Scorer scorer(app);
  core::Sha256 sha;
  sha.add(fmt::format("{}\n{}\n{}\n", score_version, git::pick_recipe_version(), app.config.policy.sha256));
  for (const auto& rule : guardrails::catalogue()) sha.add(rule.id + "\n");
  for (const std::string& pattern : app.config.trailer_patterns) sha.add(pattern + "\n");
  scorer.recipe_ = sha.hex();
  TRY(scorer.renew());
  return scorer;
}

Result<void> Scorer::renew() {
  picker_.reset();
  TRY_ASSIGN(git::Repo scratch, app_->repo.scratch());
  scratch_ = std::make_unique<git::Repo>(std::move(scratch));
  TRY_ASSIGN(git::Picker picker, git::Picker::open(*scratch_, app_->config.policy.paths));
  picker_ = std::make_unique<git::Picker>(std::move(picker));
  return {};
}

Result<void> Scorer::score(const git::Commit& commit, Landed& landed) {
  if (++scored_ % landings_a_scratch == 0) TRY(renew());
  const git::Reader& reader = scratch_->reader();
  const auto onto_commit = reader.commit(landed.parent);
  if (!onto_commit.ok()) {
    fail(landed, "object_missing", onto_commit.error().message);
    return {};
  }
  if (landed.upstream.size() > max_fold) {
    fail(landed, "limits", fmt::format("{} upstream commits in one landing, the limit is {}", landed.upstream.size(), max_fold));
    return {};
  }
  landed.score = Score::same;
  Oid tree = onto_commit->tree;       // sluice's answer so far
  model::Judgement worst = model::Judgement::pass;
  bool open = false;                  // a conflict that no rung answers: there is no answer beyond it
  for (std::size_t k = 0; k < landed.upstream.size(); ++k) {
    if (app_->cancelled()) return make_error(ErrorKind::transient, "cancelled");
    const bool last = k + 1 == landed.upstream.size();
    const auto upstream = reader.commit(landed.upstream[k]);
    if (!upstream.ok()) {
      fail(landed, "object_missing", upstream.error().message);
      break;
    }
    const model::Pick pick = picker_->pick(upstream->oid, tree);
    if (pick.status == model::PickStatus::error || pick.status == model::PickStatus::unknown) {
      fail(landed, pick.cause.empty() ? "git" : pick.cause, pick.detail);
      break;
    }
    guardrails::PickFacts facts = facts_of(*upstream, *onto_commit, tree, pick);
    if (!facts.upstream_parent.empty()) {
      const auto base = reader.tree_of(facts.upstream_parent);
      if (!base.ok()) {
        fail(landed, "object_missing", base.error().message);
        break;
      }
      facts.base_tree = *base;
    }
    const bool conflict = pick.status == model::PickStatus::conflict;
    landed.conflicted = landed.conflicted || conflict;
    guardrails::PickFacts as_landed = facts;  // the team gave no account of what it did
    as_landed.proposed_tree = commit.tree;
    for (const model::DroppedPath& path : pick.dropped) {
      if (path.why == "missing") continue;
      facts.account.push_back({"proven", path.path, "", 0, "DROPPED_BY_POLICY", path.policy, "[[path]] keeps what the fork has"});
    }
    if (conflict) {
      model::UpstreamCommit about;
      about.oid = upstream->oid;
      TRY_ASSIGN(agent::Answer answer, agent::propose(*scratch_, app_->store, agent::sure_rungs(app_->config.policy), about, pick));
      if (answer.complete) {
        facts.proposed_tree = answer.tree;
        facts.resolutions = std::move(answer.resolutions);
        for (auto& entry : answer.account) facts.account.push_back(std::move(entry));
      } else {
        open = true;
        landed.score = Score::stopped;
        landed.rule = "conflict";
        landed.reason = core::printable(answer.open.empty() ? pick.conflicts.front().path : answer.open.front(), 300);
      }
    }
    std::optional<model::Verdict> verdict;
    if (!open && facts.proposed_tree != tree) {
      verdict = guardrails::judge_pick(reader, facts, app_->config.policy, {});
      if (verdict->judgement > worst) {
        worst = verdict->judgement;
        const Stopper stopper = stopper_of(*verdict);
        landed.rule = stopper.rule;
        landed.reason = core::printable(stopper.reason, 300);
        landed.score = worst == model::Judgement::unresolved ? Score::error : Score::stopped;
      }
    }
    if (last) {
      const bool known = verdict && !conflict && facts.proposed_tree == commit.tree;
      if (!known) verdict = guardrails::judge_pick(reader, as_landed, app_->config.policy, {});
      landed.landed_verdict = model::to_string(verdict->judgement);
      landed.objections = objections_of(*verdict);
    }
    if (open) {
      if (!last) landed.landed_why = fmt::format("no answer of sluice's to judge it against beyond the conflict in {}", model::short_oid(upstream->oid));
      break;
    }
    tree = facts.proposed_tree;
  }
  if (landed.score == Score::error && landed.landed_verdict.empty() && landed.landed_why.empty()) landed.landed_why = landed.rule;
  if (open || landed.landed_verdict.empty()) return {};
  landed.equal_tree = tree == commit.tree;
  if (landed.equal_tree || landed.score == Score::error) return {};
  if (const auto listed = list_differing(reader, tree, commit.tree, landed); !listed.ok()) {
    fail(landed, "object_missing", listed.error().message);
    return {};
  }
  if (landed.score != Score::same) return {};
  landed.score = Score::differs;
  if (tree == onto_commit->tree) landed.reason = "sluice would land nothing: the pick leaves the tree as it is (already there, or kept by policy)";
  return {};
}

}  // namespace sluice::service
