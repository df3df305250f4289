// SPDX-License-Identifier: Apache-2.0
// A unit of two members on a fork, with evidence, that every rule lets pass; tests break one thing.
#pragma once

#include "core/model/judge_context.h"
#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {

inline constexpr const char* unit_history = R"sh(
  repo up; base40 f.cpp; put g.txt "one\n"; put test/a.mlir "// RUN: true\n"; put test/b.mlir "// RUN: true\n"; commit B "b"
  fork up down; line f.cpp 3 "line 3 of the fork"; commit D "fork"
  at up; line f.cpp 20 "line 20 up"; commit U1 "Change line 20 (#7)" "Fixes #3, thanks @ada"
    drop test/b.mlir; line f.cpp 30 "line 30 up"; commit U2 "Change line 30"
    line f.cpp 35 "line 35 up"; commit U3 "later"
)sh";

class UnitCase {
 public:
  explicit UnitCase(const char* script = unit_history, std::vector<std::string> names = {"U1", "U2"},
                    const char* tip = "U3")
      : history(script), repo(must(git::Repo::scratch_over({history.path("up"), history.path("down")}))) {
    auto picker = must(git::Picker::open(repo, {}));
    proposal.unit = "b-0123456789";
    proposal.base = history.id("D");
    proposal.base_tree = history.tree("D");
    proposal.branch = "refs/heads/main";
    Oid onto = proposal.base_tree;
    std::int64_t position = 0;
    for (const std::string& name : names) {
      const git::Commit commit = must(repo.reader().commit(history.id(name)));
      model::ProposalMember member;
      member.upstream.oid = commit.oid;
      member.upstream.parents = commit.parents;
      member.upstream.parent = commit.parents.at(0);
      member.upstream.tree = commit.tree;
      member.upstream.author = commit.author;
      member.upstream.message = commit.message;
      member.upstream.subject = std::string(core::split_lines(commit.message).at(0));
      member.upstream.position = ++position;
      member.onto = onto;
      member.pick = picker.pick(commit.oid, onto);
      member.tree = member.pick.tree;
      member.resolved = member.pick.status == model::PickStatus::conflict;
      proposal.members.push_back(member);
      onto = member.tree;
    }
    context.upstream_tip = history.id(tip);
    context.upstream_repo = "o/r";
    context.trunk_ref = "refs/heads/main";
    context.committer = {"sluice", "sluice@localhost", 1000, 0};
    context.now = 100'000;
    context.accepted_environments = {"env"};
    context.policy.sha256 = "policy";
    model::SuiteConfig build, lit;
    build.id = "build";
    build.kind = "build";
    lit.id = "lit";
    lit.kind = "lit";
    context.policy.suites = {build, lit};
    finish();
  }

  // Derives tree, messages and evidence from the members as they are.
  void finish() {
    proposal.tree = proposal.members.back().end_tree();
    for (model::ProposalMember& member : proposal.members) {
      member.message = pick_message(member.upstream, proposal.unit, member.resolved, context.upstream_repo,
                                    context.subject_prefix);
    }
    evidence = {result("build", proposal.tree), result("lit", proposal.tree)};
    evidence[1].tests = {{"T :: a.mlir", model::TestState::pass, ""},
                         {"T :: c.mlir", model::TestState::pass, ""}};
    context.base_evidence = {{"build", result("build", proposal.base_tree)},
                             {"lit", result("lit", proposal.base_tree)}};
    context.base_evidence["lit"].tests = evidence[1].tests;
  }
  static model::Evidence result(const std::string& suite, const Oid& tree) {
    model::Evidence e;
    e.suite = suite;
    e.kind = suite;
    e.tier = "L1";
    e.tree = tree;
    e.environment = "env";
    e.runner = "local";
    e.grade = "observed";
    e.exit_code = 0;
    e.started_at = 99'000;
    return e;
  }

  model::Verdict judge(model::UnitKind lane = model::UnitKind::bundle) {
    return judge_unit(repo.reader(), proposal, lane, evidence, context);
  }
  model::RuleResult rule(const std::string& id, model::UnitKind lane = model::UnitKind::bundle) {
    for (model::RuleResult& r : judge(lane).rules) {
      if (r.id == id) return r;
    }
    throw std::runtime_error("no rule " + id);
  }
  Judgement of(const std::string& id, model::UnitKind lane = model::UnitKind::bundle) {
    return rule(id, lane).judgement;
  }
  std::string why(const std::string& id) {
    for (const model::VerdictItem& item : rule(id).items) {
      if (item.judgement != Judgement::pass) return item.detail;
    }
    return "";
  }

  History history;
  git::Repo repo;
  model::Proposal proposal;
  model::JudgeContext context;
  std::vector<model::Evidence> evidence;
};

}  // namespace sluice::guardrails::testing
