// SPDX-License-Identifier: Apache-2.0
// The pick that the canaries spoil: a small fork with an upstream commit that conflicts in several files and one
// that does not, picked, resolved, accounted for and tested so that every rule passes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/evidence.h"
#include "core/model/judge_context.h"
#include "core/model/proposal.h"
#include "git/git.h"

namespace sluice::service::canary {

using model::Oid;

// What a rule may be shown; a canary changes one thing in it.
struct Case {
  model::Proposal proposal;  // [0] conflicted and resolved, [1] clean
  std::vector<model::Evidence> evidence;
  model::JudgeContext context;
};

class World {
 public:
  // `rules`: modes and numbers of the operator's policy. Paths and suites are the world's own.
  static Result<World> make(const std::map<std::string, model::RuleConfig>& rules);

  const Case& good() const { return good_; }
  const git::Reader& reader() const { return repo_.reader(); }
  const Oid& upstream(std::size_t member) const { return good_.proposal.members.at(member).upstream.oid; }
  const Oid& fork_commit() const { return good_.proposal.base; }

  // Content of a file of the resolved member, and the same case with another one there: the members behind it are
  // picked again. `mode` 0 keeps the mode.
  Result<std::string> text(const std::string& path) const;
  Result<void> put(Case& spoiled, std::size_t member, const std::string& path, std::string_view text, std::uint32_t mode = 0);
  // Replaces `from`, which must stand there once, in the resolved member.
  Result<void> replace(Case& spoiled, const std::string& path, std::string_view from, std::string_view to);

 private:
  World(git::Repo repo, git::Picker picker) : repo_(std::move(repo)), picker_(std::move(picker)) {}
  Result<void> fold(const std::map<std::string, model::RuleConfig>& rules);
  Result<model::ProposalMember> member(const Oid& upstream, const Oid& onto, std::int64_t position);
  Result<void> resolve(model::ProposalMember& member);
  Result<void> finish(Case& c);

  git::Repo repo_;
  git::Picker picker_;
  Case good_;
  Oid upstream_tip_;
};

// One accounting entry of a whole line.
model::AccountEntry entry(std::string kind, std::string path, std::string_view line, std::string code, std::string arg);

}  // namespace sluice::service::canary
