// SPDX-License-Identifier: Apache-2.0
// What every form of `sluice gate` works with: the two repositories, the policy, the record of people, one merge engine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "git/git.h"
#include "guardrails/guardrails.h"
#include "ingest/naming.h"
#include "service/gate.h"
#include "service/gate_account.h"
#include "service/pick_facts.h"

namespace sluice::service {

class GateSession {
 public:
  // Errors: as gate_all().
  static Result<GateSession> open(const GateOptions& options);

  const git::Reader& reader() const { return repo_.reader(); }  // sees both repositories
  git::Repo& repo() { return repo_; }                          // scratch
  git::Picker& picker() { return picker_; }
  const model::Config& config() const { return config_; }
  const model::PolicyConfig& policy() const { return config_.policy; }
  const std::string& policy_source() const { return policy_source_; }

  Result<Oid> in_fork(const std::string& name, const char* flag) const;      // a commit, named in the fork
  Result<Oid> in_upstream(const std::string& name, const char* flag) const;
  // Where the configured trunk of the fork is, in its repository. Errors: invalid, saying what to give.
  Result<Oid> trunk() const;
  const Oid& upstream_tip() const { return upstream_tip_; }  // empty = unknown
  // On upstream's line: reachable from its tip; while that is not known, held by its repository.
  Result<bool> is_upstreams(const Oid& commit);

  // The upstream commits that the message says it brings, distinct, in upstream order.
  struct Named {
    std::vector<Oid> upstream;
    std::vector<std::string> absent;   // shas that no repository has
    std::string companion_of;          // Sluice-Companion-Of, as written
    std::int64_t declared = 0;         // of a bundle: how many it says there are
  };
  Result<Named> named(const git::Commit& commit);
  Result<void> to_upstream_order(std::vector<Oid>& commits);

  using Facts = FoundFacts;
  Facts facts_of(const Oid& upstream, const Oid& onto, const Oid& result) { return pick_facts(reader(), picker_, upstream, onto, result); }
  // The same where the change is given by two trees, as if one upstream commit made it: a bundle folded, a merge.
  Result<Facts> facts_between(const Oid& base_tree, const Oid& upstream_tree, const Oid& onto, const Oid& result);

  // Judges, and gives the entries of the record to whom they belong. `message`: of the fork's commit.
  Result<model::Verdict> judge(const Facts& facts, guardrails::Judged what, const std::string& message, const std::string& name,
                               const guardrails::RuleFilter& filter);
  const guardrails::RuleFilter& filter() const { return filter_; }
  GateAccount& account() { return account_; }
  // One path that differs; empty when there is none.
  std::string some_path(const Oid& before, const Oid& after) const;

 private:
  GateSession(git::Repo repo, git::Reader upstream, git::Reader fork, git::Picker picker, model::Config config, ingest::TrailerRules trailers,
              ingest::SourceWords words, GateAccount account);
  Result<void> find_upstream_tip(const GateOptions& options);
  Oid upstream_commit(const std::string& sha) const;  // empty = its repository has none
  Result<void> add_listed(const git::Commit& commit, Named& out);

  git::Repo repo_;
  git::Reader upstream_, fork_;
  git::Picker picker_;
  model::Config config_;
  ingest::TrailerRules trailers_;
  ingest::SourceWords words_;
  GateAccount account_;
  guardrails::RuleFilter filter_;
  guardrails::JudgeMemory memory_;
  std::string policy_source_;
  Oid upstream_tip_;
  bool one_repository_ = false;
  bool single_ = false;  // one judgement in all
  std::map<Oid, bool> upstreams_;
  std::map<Oid, std::size_t> position_;  // on the log of the upstream tip, oldest first
};

// No machine merge, or an object is missing.
model::Verdict unresolved_verdict(const std::string& why);
// Facts that are made of trees have an upstream commit that nobody knows.
void name_member(model::Verdict& verdict, const Oid& member);

// gate_branch.cpp, gate_bundle.cpp
Result<void> judge_one(GateSession& session, const Oid& upstream, const Oid& onto, const git::Commit& result, JudgedCommit::Kind kind, GateReport& report);
Result<void> judge_branch(GateSession& session, const GateOptions& options, GateReport& report);
Result<void> judge_bundle(GateSession& session, const std::vector<Oid>& members, const Oid& onto, const git::Commit& result, GateReport& report);

}  // namespace sluice::service
