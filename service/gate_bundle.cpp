// SPDX-License-Identifier: Apache-2.0
// Form bundle: several upstream commits that landed as one. They are folded by machine, T0 = D, Tk = Uk picked onto
// T(k-1); each member is judged on (T(k-1), Tk), and the landed commit on (Tn, P). A member that conflicts on the fold
// leaves the conflicted paths as they were: those are judged folded, against the one merge of the whole change.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "service/gate_session.h"

namespace sluice::service {

namespace {

using Kind = JudgedCommit::Kind;

void conclude(model::Verdict& verdict) {
  verdict.judgement = model::Judgement::pass;
  for (model::RuleResult& rule : verdict.rules) {
    rule.judgement = model::Judgement::pass;
    for (const model::VerdictItem& item : rule.items) rule.judgement = model::worse(rule.judgement, item.judgement);
    if (rule.applicable && !rule.observed) verdict.judgement = model::worse(verdict.judgement, rule.judgement);
  }
}

std::set<std::string> paths_of(const std::vector<model::Conflict>& conflicts) {
  std::set<std::string> out;
  for (const model::Conflict& conflict : conflicts) {
    out.insert(conflict.path);
    for (const model::Stage& stage : conflict.stages) {
      if (!stage.path.empty()) out.insert(stage.path);
    }
  }
  return out;
}

std::string some_of(const std::set<std::string>& paths) {
  std::vector<std::string> shown;
  for (const std::string& path : paths) {
    if (shown.size() == 3) break;
    shown.push_back(core::printable(path));
  }
  return core::join(shown, ", ") + (paths.size() > shown.size() ? fmt::format(" and {} more", paths.size() - shown.size()) : "");
}

class Bundle {
 public:
  Bundle(GateSession& session, const Oid& onto, const git::Commit& result) : session_(session), onto_(onto), result_(result) {}

  Result<void> judge(const std::vector<Oid>& members, GateReport& report) {
    TRY_ASSIGN(fold_, session_.reader().tree_of(onto_));
    for (const Oid& member : members) TRY(judge_member(member));
    TRY_ASSIGN(JudgedCommit folded, judge_folded(members));
    TRY(forget_what_the_result_answers());
    std::size_t in_part = 0;
    for (const JudgedCommit& member : judged_) in_part += member.note.empty() ? 0 : 1;
    if (in_part > 0) {
      folded.note = fmt::format("{} of {} members conflict on the fold of those before them: {} paths ({}) are judged folded only", in_part, members.size(),
                                unfolded_.size(), some_of(unfolded_));
    }
    if (rough_) folded.note += (folded.note.empty() ? "" : "; ") + std::string("the members do not follow each other upstream and do not merge there without a conflict: "
                                                                               "what upstream changes is taken path by path");
    std::move(judged_.begin(), judged_.end(), std::back_inserter(report.commits));
    report.commits.push_back(std::move(folded));
    return {};
  }

 private:
  // Rules that look for a name in the whole tree see a fold that lacks parts of earlier members as broken.
  guardrails::RuleFilter filter() const {
    guardrails::RuleFilter out = session_.filter();
    if (unfolded_.empty()) return out;
    if (out.rules.empty()) {
      for (const auto& rule : guardrails::catalogue()) out.rules.push_back(rule.id);
    }
    std::erase_if(out.rules, [](const std::string& id) { return id == "G24" || id == "G25" || id == "G29"; });
    if (out.rules.empty()) out.rules.emplace_back("none");
    return out;
  }

  Result<void> judge_member(const Oid& member) {
    JudgedCommit out;
    out.kind = Kind::member;
    out.upstream = {member};
    if (const auto commit = session_.reader().commit(member); commit.ok()) out.subject = std::string(ingest::subject_line(commit->message));
    GateSession::Facts facts = session_.facts_of(member, fold_, fold_);
    guardrails::PickFacts& pick = facts.facts;
    pick.onto_commit = onto_;
    if (!facts.why.empty()) {
      out.note = "cannot be picked onto the fold: " + facts.why;
      out.verdict = unresolved_verdict(facts.why);
      TRY(leave_out(pick));
      judged_.push_back(std::move(out));
      return {};
    }
    if (pick.conflicted) {
      const std::set<std::string> paths = paths_of(pick.conflicts);
      out.note = fmt::format("conflicts on the fold in {}; these are judged folded", some_of(paths));
      TRY_ASSIGN(pick.merge_tree, with_entries_of(pick.merge_tree, fold_, paths));
      unfolded_.insert(paths.begin(), paths.end());
      pick.conflicted = false;
      pick.conflicts.clear();
    }
    pick.proposed_tree = pick.merge_tree;
    TRY_ASSIGN(out.verdict, session_.judge(facts, guardrails::Judged::pick, "", member, filter()));
    for (model::RuleResult& rule : out.verdict.rules) {
      std::erase_if(rule.items, [&](const model::VerdictItem& item) { return unfolded_.contains(item.path); });
    }
    conclude(out.verdict);
    fold_ = pick.merge_tree;
    judged_.push_back(std::move(out));
    return {};
  }

  // A member that could not be merged at all: whatever it touches is not on the fold.
  Result<void> leave_out(const guardrails::PickFacts& pick) {
    if (pick.base_tree.empty() || pick.upstream_tree.empty()) return {};
    const auto deltas = session_.reader().diff_trees(pick.base_tree, pick.upstream_tree);
    if (!deltas.ok()) return {};
    for (const git::TreeDelta& delta : *deltas) unfolded_.insert(delta.path);
    return {};
  }

  Result<Oid> with_entries_of(const Oid& tree, const Oid& other, const std::set<std::string>& paths) {
    std::vector<git::TreeUpdate> updates;
    for (const std::string& path : paths) {
      TRY_ASSIGN(std::optional<git::TreeEntry> there, session_.reader().entry(other, path));
      TRY_ASSIGN(const std::optional<git::TreeEntry> here, session_.reader().entry(tree, path));
      if (there.has_value() == here.has_value() && (!there || (there->oid == here->oid && there->mode == here->mode))) continue;
      updates.push_back({path, std::move(there)});
    }
    if (updates.empty()) return tree;
    return session_.repo().write_tree(tree, updates);
  }

  // The trees before and after what upstream itself did in these members.
  Result<std::pair<Oid, Oid>> upstream_change(const std::vector<Oid>& members) {
    std::vector<git::Commit> commits;
    bool in_line = true;
    for (const Oid& member : members) {
      TRY_ASSIGN(git::Commit commit, session_.reader().commit(member));
      if (!commits.empty()) in_line = in_line && !commit.parents.empty() && commit.parents.front() == commits.back().oid;
      commits.push_back(std::move(commit));
    }
    Oid before(model::empty_tree);
    if (!commits.front().parents.empty()) {
      TRY_ASSIGN(before, session_.reader().tree_of(commits.front().parents.front()));
    }
    if (in_line) return std::pair{before, commits.back().tree};
    Oid after = before;
    for (const git::Commit& commit : commits) {
      const model::Pick pick = session_.picker().pick(commit.oid, after);
      if (pick.status == model::PickStatus::clean || pick.status == model::PickStatus::empty) {
        after = pick.tree;
        continue;
      }
      if (pick.status != model::PickStatus::conflict) return make_error(ErrorKind::not_found, fmt::format("{}: {}", pick.cause, pick.detail));
      rough_ = true;
      TRY_ASSIGN(after, with_entries_of(pick.tree, commit.tree, paths_of(pick.conflicts)));
    }
    return std::pair{before, after};
  }

  Result<JudgedCommit> judge_folded(const std::vector<Oid>& members) {
    JudgedCommit out;
    out.kind = Kind::bundle;
    out.commit = result_.oid;
    out.upstream = members;
    out.subject = std::string(ingest::subject_line(result_.message));
    out.some_path = session_.some_path(onto_, result_.oid);
    GateSession::Facts facts;
    const auto change = upstream_change(members);
    if (change.ok()) {
      TRY_ASSIGN(facts, session_.facts_between(change->first, change->second, onto_, result_.oid));
    } else {
      facts.why = change.error().message;
    }
    if (facts.why.empty()) {
      guardrails::PickFacts& pick = facts.facts;
      const auto merged = with_entries_of(fold_, pick.merge_tree, unfolded_);
      if (!merged.ok()) return merged.error();
      pick.merge_tree = *merged;
      std::erase_if(pick.conflicts, [&](const model::Conflict& conflict) { return !unfolded_.contains(conflict.path); });
      pick.conflicted = !pick.conflicts.empty();
    }
    TRY_ASSIGN(out.verdict, session_.judge(facts, guardrails::Judged::pick, result_.message, result_.oid, session_.filter()));
    name_member(out.verdict, Oid{});
    return out;
  }

  // Where the landed text differs from the fold, the folded judgement is about what landed, and that of a member about
  // what did not.
  Result<void> forget_what_the_result_answers() {
    TRY_ASSIGN(const Oid result, session_.reader().tree_of(result_.oid));
    TRY_ASSIGN(const std::vector<git::TreeDelta> deltas, session_.reader().diff_trees(fold_, result));
    std::set<std::string> differ;
    for (const git::TreeDelta& delta : deltas) differ.insert(delta.path);
    for (JudgedCommit& member : judged_) {
      if (member.verdict.judgement == model::Judgement::pass) continue;
      bool changed = false;
      for (model::RuleResult& rule : member.verdict.rules) {
        for (model::VerdictItem& item : rule.items) {
          if (item.judgement == model::Judgement::pass || item.path.empty() || !differ.contains(item.path)) continue;
          item.detail += "; the result has another text here, which is judged folded";
          item.judgement = model::Judgement::pass;
          changed = true;
        }
      }
      if (changed) conclude(member.verdict);
    }
    return {};
  }

  GateSession& session_;
  const Oid& onto_;
  const git::Commit& result_;
  Oid fold_;                        // T(k): a tree
  std::set<std::string> unfolded_;  // paths that the fold does not have as upstream left them
  std::vector<JudgedCommit> judged_;
  bool rough_ = false;
};

}  // namespace

Result<void> judge_bundle(GateSession& session, const std::vector<Oid>& members, const Oid& onto, const git::Commit& result, GateReport& report) {
  return Bundle(session, onto, result).judge(members, report);
}

}  // namespace sluice::service
