// SPDX-License-Identifier: Apache-2.0
// Commits of a public fork, replayed. Needs two local copies:
//   SLUICE_TEST_FORK_REPO      facebookexperimental/triton
//   SLUICE_TEST_UPSTREAM_REPO  a repository with upstream's line (intel/intel-xpu-backend-for-triton has it)
#pragma once

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {

class PublicFork : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* fork = std::getenv("SLUICE_TEST_FORK_REPO");
    const char* upstream = std::getenv("SLUICE_TEST_UPSTREAM_REPO");
    if (fork == nullptr || upstream == nullptr) GTEST_SKIP() << "SLUICE_TEST_FORK_REPO and SLUICE_TEST_UPSTREAM_REPO are not set";
    repo_.emplace(must(git::Repo::scratch_over({fork, upstream})));
  }

  // `landed`, judged as the pick of `upstream` onto its parent.
  model::Verdict judge(const std::string& landed, const std::string& upstream, RuleFilter filter = {}) {
    git::Reader& reader = repo_->reader();
    const git::Commit result = must(reader.commit(must(reader.resolve(landed))));
    const git::Commit u = must(reader.commit(must(reader.resolve(upstream))));
    PickFacts facts;
    facts.upstream = u.oid;
    facts.upstream_parent = u.parents.at(0);
    facts.base_tree = must(reader.tree_of(u.parents[0]));
    facts.upstream_tree = u.tree;
    facts.onto_commit = result.parents.at(0);
    facts.onto_tree = must(reader.tree_of(facts.onto_commit));
    facts.proposed_tree = result.tree;
    // Public copies lack some large files.
    model::PolicyConfig policy;
    policy.paths = {path_config("*.pdf", model::PathClass::none)};
    policy.paths[0].missing = model::MissingSay::drop;
    auto picker = must(git::Picker::open(*repo_, policy.paths));
    const model::Pick pick = picker.pick(u.oid, facts.onto_tree);
    if (pick.tree.empty()) throw std::runtime_error("no machine merge: " + pick.detail);
    facts.dropped = pick.dropped;
    facts.merge_tree = pick.tree;
    facts.conflicted = pick.status == model::PickStatus::conflict;
    facts.conflicts = pick.conflicts;
    return judge_pick(reader, facts, policy, filter);
  }
  static model::RuleResult rule(const model::Verdict& verdict, const std::string& id) {
    const auto found = std::find_if(verdict.rules.begin(), verdict.rules.end(), [&](const auto& r) { return r.id == id; });
    if (found == verdict.rules.end()) throw std::runtime_error("no rule " + id);
    return *found;
  }

 private:
  std::optional<git::Repo> repo_;
};

}  // namespace sluice::guardrails::testing
