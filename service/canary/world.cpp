// SPDX-License-Identifier: Apache-2.0
#include "service/canary/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/hash.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/canary/files.h"

namespace sluice::service::canary {
namespace {

constexpr std::int64_t born = 1'700'000'000;
constexpr const char* unit = "c-0000000000";

model::Person person(const char* name, std::int64_t time) { return {name, std::string(name) + "@example.org", time, 0}; }

Result<Oid> write_files(git::Repo& repo, const Oid& base, const std::vector<File>& files) {
  std::vector<git::TreeUpdate> updates;
  for (const File& file : files) {
    TRY_ASSIGN(const Oid blob, repo.write_blob(file.text));
    updates.push_back({file.path, git::TreeEntry{0100644, blob}});
  }
  return repo.write_tree(base, updates);
}

Result<Oid> write_commit(git::Repo& repo, const Oid& tree, const std::vector<Oid>& parents, const char* who, const std::string& message,
                         std::int64_t time) {
  return repo.write_commit({tree, parents, person(who, time), person(who, time), message});
}

model::Evidence result(const model::SuiteConfig& suite, const Oid& tree) {
  model::Evidence e;
  e.suite = suite.id;
  e.kind = suite.kind;
  e.tier = "L1";
  e.tree = tree;
  e.environment = "canary";
  e.runner = "local";
  e.grade = "observed";
  e.exit_code = 0;
  e.started_at = born + 9'000;
  if (suite.kind == "lit") {
    e.tests = {{"C :: lower.mlir", model::TestState::pass, ""}, {"C :: upper.mlir", model::TestState::pass, ""}};
  }
  return e;
}

}  // namespace

model::AccountEntry entry(std::string kind, std::string path, std::string_view line, std::string code, std::string arg) {
  return {std::move(kind), std::move(path), core::sha256_hex(core::strip_space(line)), 1, std::move(code), std::move(arg), "canary"};
}

Result<World> World::make(const std::map<std::string, model::RuleConfig>& rules) {
  TRY_ASSIGN(git::Repo repo, git::Repo::scratch_over({}));
  TRY_ASSIGN(git::Picker picker, git::Picker::open(repo, {}));
  World world(std::move(repo), std::move(picker));
  TRY(world.fold(rules));
  return world;
}

Result<void> World::fold(const std::map<std::string, model::RuleConfig>& rules) {
  TRY_ASSIGN(const Oid base_tree, write_files(repo_, {}, files_of(Side::base)));
  TRY_ASSIGN(const Oid fork_tree, write_files(repo_, base_tree, files_of(Side::fork)));
  TRY_ASSIGN(const Oid first_tree, write_files(repo_, base_tree, files_of(Side::upstream)));
  TRY_ASSIGN(const Oid second_tree, write_files(repo_, first_tree, later_files()));
  TRY_ASSIGN(const Oid base, write_commit(repo_, base_tree, {}, "upstream", "Begin\n", born));
  TRY_ASSIGN(const Oid fork, write_commit(repo_, fork_tree, {base}, "fork", "Own work\n", born + 1));
  TRY_ASSIGN(const Oid first, write_commit(repo_, first_tree, {base}, "upstream", "Count the rows\n\nThey were never counted.\n", born + 2));
  TRY_ASSIGN(const Oid second, write_commit(repo_, second_tree, {first}, "upstream", "Describe the rows\n", born + 3));
  upstream_tip_ = second;

  model::JudgeContext& context = good_.context;
  context.upstream_tip = second;
  context.upstream_repo = "upstream/canary";
  context.trunk_ref = "refs/heads/main";
  context.committer = {"sluice", "sluice@localhost", born + 5'000, 0};
  context.now = born + 10'000;
  context.accepted_environments = {"canary"};
  context.policy.rules = rules;
  context.policy.sha256 = "canary";
  context.policy.invariants = {{"lib/kernel.cpp", "keep_me", 1, "the canary of G29"}};
  for (const char* kind : {"build", "lit"}) {
    model::SuiteConfig suite;
    suite.id = suite.kind = kind;
    context.policy.suites.push_back(suite);
    context.required_suites.push_back(kind);
    context.base_evidence.emplace(kind, result(suite, fork_tree));
  }

  model::Proposal& proposal = good_.proposal;
  proposal.unit = unit;
  proposal.base = fork;
  proposal.base_tree = fork_tree;
  proposal.branch = context.trunk_ref;
  TRY_ASSIGN(model::ProposalMember conflicted, member(first, fork_tree, 1));
  TRY(resolve(conflicted));
  TRY_ASSIGN(model::ProposalMember clean, member(second, conflicted.tree, 2));
  proposal.members = {std::move(conflicted), std::move(clean)};
  return finish(good_);
}

Result<model::ProposalMember> World::member(const Oid& upstream, const Oid& onto, std::int64_t position) {
  TRY_ASSIGN(const git::Commit commit, reader().commit(upstream));
  model::ProposalMember member;
  member.upstream.oid = upstream;
  member.upstream.parents = commit.parents;
  member.upstream.parent = commit.parents.front();
  member.upstream.tree = commit.tree;
  member.upstream.author = commit.author;
  member.upstream.committer = commit.committer;
  member.upstream.message = commit.message;
  member.upstream.subject = std::string(core::split_lines(commit.message).front());
  member.upstream.position = position;
  member.onto = onto;
  member.pick = picker_.pick(upstream, onto);
  member.tree = member.pick.tree;
  member.resolved = member.pick.status == model::PickStatus::conflict;
  if (member.pick.status == model::PickStatus::error) return make_error(ErrorKind::internal, "canary: " + member.pick.detail);
  return member;
}

// Answers every region as files.h says, with the record and the entries that this needs.
Result<void> World::resolve(model::ProposalMember& member) {
  std::vector<git::TreeUpdate> updates;
  for (const model::Conflict& conflict : member.pick.conflicts) {
    TRY_ASSIGN(const auto merged, reader().file(member.pick.tree, conflict.path));
    TRY_ASSIGN(const git::MergedFile cut, git::cut_regions(conflict.path, merged.value_or("")));
    const Answer* answer = answer_for(conflict.path);
    if (answer == nullptr || cut.regions.size() != 1) {
      return make_error(ErrorKind::internal, fmt::format("canary: {} has {} regions and {} answer", conflict.path, cut.regions.size(),
                                                         answer == nullptr ? "no" : "one"));
    }
    const git::Region& region = cut.regions.front();
    const std::string text = answer->text.empty() ? region.ours + region.theirs : std::string(answer->text);
    TRY_ASSIGN(const Oid blob, repo_.write_blob(git::fill_regions(cut, {text})));
    updates.push_back({conflict.path, git::TreeEntry{0100644, blob}});
    member.resolutions.push_back({conflict.path, region.id, model::Rung::person, "", std::string(answer->action), "canary"});
    if (answer->action == "ours" || answer->action == "theirs") {
      member.account.push_back(side_entry(conflict.path, region.id, answer->action));
    }
  }
  for (model::AccountEntry& each : answer_entries()) member.account.push_back(std::move(each));
  TRY_ASSIGN(member.tree, repo_.write_tree(member.pick.tree, updates));
  return {};
}

// What follows from the members: the unit's tree, the messages, the evidence.
Result<void> World::finish(Case& c) {
  c.proposal.tree = c.proposal.members.back().end_tree();
  for (model::ProposalMember& member : c.proposal.members) {
    member.message = guardrails::pick_message(member.upstream, c.proposal.unit, member.resolved, c.context.upstream_repo, c.context.subject_prefix);
  }
  c.evidence.clear();
  for (const model::SuiteConfig& suite : c.context.policy.suites) c.evidence.push_back(result(suite, c.proposal.tree));
  return {};
}

Result<std::string> World::text(const std::string& path) const {
  TRY_ASSIGN(const auto text, reader().file(good_.proposal.members.front().tree, path));
  if (!text) return make_error(ErrorKind::internal, fmt::format("canary: {} is not there", path));
  return *text;
}

Result<void> World::put(Case& spoiled, std::size_t member_at, const std::string& path, std::string_view text, std::uint32_t mode) {
  std::vector<model::ProposalMember>& members = spoiled.proposal.members;
  model::ProposalMember& changed = members.at(member_at);
  TRY_ASSIGN(const auto before, reader().entry(changed.tree, path));
  TRY_ASSIGN(const Oid blob, repo_.write_blob(text));
  const std::uint32_t kept = before ? before->mode : 0100644;
  TRY_ASSIGN(changed.tree, repo_.write_tree(changed.tree, {{path, git::TreeEntry{mode == 0 ? kept : mode, blob}}}));
  for (std::size_t i = member_at + 1; i < members.size(); ++i) {
    members[i].onto = members[i - 1].end_tree();
    members[i].pick = picker_.pick(members[i].upstream.oid, members[i].onto);
    members[i].tree = members[i].pick.tree;
  }
  return finish(spoiled);
}

Result<void> World::replace(Case& spoiled, const std::string& path, std::string_view from, std::string_view to) {
  TRY_ASSIGN(std::string content, text(path));
  const std::size_t at = content.find(from);
  if (at == std::string::npos || content.find(from, at + 1) != std::string::npos) {
    return make_error(ErrorKind::internal, fmt::format("canary: '{}' does not stand once in {}", from, path));
  }
  content.replace(at, from.size(), to);
  return put(spoiled, 0, path, content);
}

}  // namespace sluice::service::canary
