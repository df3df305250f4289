// SPDX-License-Identifier: Apache-2.0
// Form branch: every commit between where the branch left the fork's trunk and its tip, oldest first.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "service/gate_session.h"

namespace sluice::service {

namespace {

using Kind = JudgedCommit::Kind;

constexpr std::size_t most_commits = 20'000;  // of one branch

JudgedCommit about(const git::Commit& commit, Kind kind, std::string note) {
  JudgedCommit out;
  out.kind = kind;
  out.commit = commit.oid;
  out.subject = std::string(ingest::subject_line(commit.message));
  out.note = std::move(note);
  out.verdict.mode = std::string(to_string(kind));
  out.verdict.judgement = model::Judgement::pass;
  out.verdict.tree = commit.tree;
  return out;
}

class Branch {
 public:
  Branch(GateSession& session, GateReport& report) : session_(session), report_(report) {}

  Result<void> judge(const Oid& base, const Oid& tip) {
    TRY_ASSIGN(std::vector<Oid> log, session_.reader().log(tip, base, most_commits + 1));
    if (log.size() > most_commits) {
      return make_error(ErrorKind::invalid, fmt::format("{}..{} has more than {} commits; give a nearer --onto", base, tip, most_commits));
    }
    if (log.empty()) {  // a wrong --onto must not read as a pass
      return make_error(ErrorKind::invalid, fmt::format("{}..{} holds no commit, so nothing was judged; give an --onto that lies before the branch", base, tip));
    }
    std::vector<git::Commit> commits;
    for (const Oid& oid : log) {
      TRY_ASSIGN(git::Commit commit, session_.reader().commit(oid));
      commits.push_back(std::move(commit));
    }
    TRY(find_upstreams(commits));
    std::int64_t theirs = 0;
    for (auto commit = commits.rbegin(); commit != commits.rend(); ++commit) {  // parents before children
      if (theirs_.contains(commit->oid)) {
        ++theirs;
        continue;
      }
      TRY(judge(*commit));
    }
    if (theirs > 0) report_.notes.push_back(fmt::format("{} commits of upstream's line came by a merge; the merge was judged", theirs));
    const auto own = std::count_if(report_.commits.begin(), report_.commits.end(), [](const auto& c) { return c.kind == Kind::own; });
    if (own > 0) {
      report_.notes.push_back(fmt::format("{} of {} commits name no upstream commit and were judged as the fork's own work, by few rules; a pick among "
                                          "them has to name its source by a trailer", own, report_.commits.size()));
    }
    return {};
  }

 private:
  // Commits that are upstream's themselves, reached through a merge of its line.
  Result<void> find_upstreams(const std::vector<git::Commit>& commits) {
    if (session_.upstream_tip().empty()) {
      report_.notes.push_back("upstream's branch is not known, so every commit of its repository counts as upstream's, also one that the branch "
                              "brought along; name it by --upstream-tip");
      return {};
    }
    for (const git::Commit& commit : commits) {
      for (std::size_t i = 1; i < commit.parents.size(); ++i) {
        TRY_ASSIGN(const bool upstreams, session_.is_upstreams(commit.parents[i]));
        if (upstreams) theirs_.insert(commit.parents[i]);
      }
      // Newest first: a parent comes after its children.
      if (theirs_.contains(commit.oid)) theirs_.insert(commit.parents.begin(), commit.parents.end());
    }
    return {};
  }

  Result<void> judge(const git::Commit& commit) {
    if (commit.parents.size() > 1) return judge_merge(commit);
    TRY_ASSIGN(const GateSession::Named named, session_.named(commit));
    const Oid onto = commit.parents.empty() ? Oid{} : commit.parents.front();
    if (!named.companion_of.empty()) return judge_companion(commit, onto, named.companion_of);
    if (!named.absent.empty()) {
      JudgedCommit out = about(commit, Kind::pick, "names an upstream commit that --upstream-repo does not hold");
      out.verdict = unresolved_verdict(fmt::format("object_missing: {} names {}, which no repository has", commit.oid, core::join(named.absent, ", ")));
      report_.commits.push_back(std::move(out));
      return {};
    }
    const auto found = static_cast<std::int64_t>(named.upstream.size());
    if (found == 0 && named.declared > 0) {  // by numbers alone, which upstream's line here does not have: no own work
      JudgedCommit out = about(commit, Kind::bundle, "says that it brings upstream commits, and none of them was found");
      out.verdict = unresolved_verdict(fmt::format("{} says that it brings {} upstream commits; none was found in --upstream-repo (on --upstream-tip, where it "
                                                   "gives numbers)", commit.oid, named.declared));
      report_.commits.push_back(std::move(out));
      return {};
    }
    if (found < named.declared) {
      report_.notes.push_back(fmt::format("{} says that it brings {} upstream commits, {} were found", commit.oid, named.declared, found));
    }
    if (named.upstream.empty() || onto.empty()) return judge_own(commit, onto);
    if (named.upstream.size() == 1) return judge_one(session_, named.upstream.front(), onto, commit, Kind::pick, report_);
    return judge_bundle(session_, named.upstream, onto, commit, report_);
  }

  // The fork's own work: no upstream, so that nothing of it is a loss or an addition of a pick.
  Result<void> judge_own(const git::Commit& commit, const Oid& onto) {
    JudgedCommit out = about(commit, Kind::own, "");
    GateSession::Facts facts;
    Oid before(model::empty_tree);
    if (!onto.empty()) {
      const auto tree = session_.reader().tree_of(onto);
      if (tree.ok()) before = *tree;
      else facts.why = tree.error().message;
    }
    facts.facts.base_tree = facts.facts.upstream_tree = facts.facts.onto_tree = facts.facts.merge_tree = before;
    facts.facts.proposed_tree = commit.tree;
    facts.facts.onto_commit = onto;
    TRY_ASSIGN(out.verdict, session_.judge(facts, guardrails::Judged::own_change, commit.message, commit.oid, session_.filter()));
    if (!onto.empty()) out.some_path = session_.some_path(onto, commit.oid);
    report_.commits.push_back(std::move(out));
    return {};
  }

  // As guardrails judge the companion of a unit's member: onto the pick, with upstream's tree for B, so that the lines
  // which only the fork has are known.
  Result<void> judge_companion(const git::Commit& commit, const Oid& onto, const std::string& of) {
    const auto upstream = session_.in_upstream(of, "Sluice-Companion-Of");
    if (!upstream.ok() || onto.empty()) {
      JudgedCommit out = about(commit, Kind::companion, "");
      out.verdict = unresolved_verdict(upstream.ok() ? "a companion without a commit that it stands on" : upstream.error().message);
      report_.commits.push_back(std::move(out));
      return {};
    }
    JudgedCommit out = about(commit, Kind::companion, "");
    out.upstream = {*upstream};
    GateSession::Facts facts;
    const auto theirs = session_.reader().tree_of(*upstream);
    const auto before = session_.reader().tree_of(onto);
    if (!theirs.ok() || !before.ok()) facts.why = (theirs.ok() ? before : theirs).error().message;
    if (facts.why.empty()) {
      facts.facts.upstream = *upstream;
      facts.facts.base_tree = facts.facts.upstream_tree = *theirs;
      facts.facts.onto_tree = facts.facts.merge_tree = *before;
      facts.facts.proposed_tree = commit.tree;
      facts.facts.onto_commit = onto;
    }
    TRY_ASSIGN(out.verdict, session_.judge(facts, guardrails::Judged::companion, commit.message, commit.oid, session_.filter()));
    out.some_path = session_.some_path(onto, commit.oid);
    report_.commits.push_back(std::move(out));
    return {};
  }

  // merge-ort cannot repeat a merge of more than two, so nobody can say what of it is git's own: what it brings of
  // upstream cannot be judged, and the rest is somebody's own work.
  Result<void> judge_octopus(const git::Commit& commit) {
    const bool upstreams = std::any_of(commit.parents.begin(), commit.parents.end(), [&](const Oid& parent) { return theirs_.contains(parent); });
    if (!upstreams) return judge_own(commit, commit.parents.front());
    JudgedCommit out = about(commit, Kind::merge, fmt::format("a merge of {} parents", commit.parents.size()));
    out.verdict = unresolved_verdict(fmt::format("{} merges {} parents at once, upstream's line among them, which cannot be merged again and compared; "
                                                 "merge them one by one", commit.oid, commit.parents.size()));
    report_.commits.push_back(std::move(out));
    return {};
  }

  Result<void> judge_merge(const git::Commit& commit) {
    if (commit.parents.size() > 2) return judge_octopus(commit);
    Oid first = commit.parents[0], second = commit.parents[1];
    bool upstreams = theirs_.contains(second);
    TRY_ASSIGN(const bool own_merge, session_.picker().is_own_merge(commit.oid));
    if (!upstreams && own_merge) {
      report_.commits.push_back(about(commit, Kind::listed, "git's own merge of two branches of the fork; its commits are judged one by one"));
      return {};
    }
    if (!upstreams && !session_.upstream_tip().empty()) {  // the fork merged into upstream's line: the same merge, its parents turned round
      TRY_ASSIGN(upstreams, session_.is_upstreams(first));
      if (upstreams) std::swap(first, second);
    }
    // What stands in a merge beside what git makes of its parents is somebody's own work.
    JudgedCommit out = about(commit, upstreams ? Kind::merge : Kind::own, upstreams ? "" : "a merge that differs from git's own of its parents");
    out.upstream = upstreams ? std::vector<Oid>{second} : std::vector<Oid>{};
    GateSession::Facts facts;
    const auto base = session_.reader().merge_base(first, second);
    if (base.ok()) {
      TRY_ASSIGN(const Oid base_tree, session_.reader().tree_of(*base));
      TRY_ASSIGN(const Oid theirs, session_.reader().tree_of(second));
      TRY_ASSIGN(facts, session_.facts_between(base_tree, theirs, first, commit.oid));
    } else {
      facts.why = base.error().message;
    }
    const auto what = upstreams ? guardrails::Judged::pick : guardrails::Judged::own_change;
    TRY_ASSIGN(out.verdict, session_.judge(facts, what, commit.message, commit.oid, session_.filter()));
    name_member(out.verdict, upstreams ? second : Oid{});
    out.some_path = session_.some_path(first, commit.oid);
    report_.commits.push_back(std::move(out));
    return {};
  }

  GateSession& session_;
  GateReport& report_;
  std::set<Oid> theirs_;
};

}  // namespace

void name_member(model::Verdict& verdict, const Oid& member) {
  for (model::RuleResult& rule : verdict.rules) {
    for (model::VerdictItem& item : rule.items) item.member = member;
  }
  for (model::VerdictInput& input : verdict.inputs) input.upstream = member;
}

Result<void> judge_branch(GateSession& session, const GateOptions& options, GateReport& report) {
  TRY_ASSIGN(report.result, session.in_fork(options.branch, "--branch"));
  if (options.onto.empty()) {
    TRY_ASSIGN(const Oid trunk, session.trunk());
    auto base = session.reader().merge_base(trunk, report.result);
    if (!base.ok()) return make_error(base.error().kind, fmt::format("--branch {}: no commit in common with trunk {}: {}", core::printable(options.branch), trunk, base.error().message));
    report.base = std::move(*base);
  } else {
    TRY_ASSIGN(report.base, session.in_fork(options.onto, "--onto"));
  }
  return Branch(session, report).judge(report.base, report.result);
}

}  // namespace sluice::service
