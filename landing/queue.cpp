// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "guardrails/clearance.h"
#include "landing/landing.h"

namespace sluice::landing {

namespace {

std::string trunk_ref(const model::Config& config) { return "refs/heads/" + config.fork.branch; }

}  // namespace

Queue::Queue(git::Repo& repo, store::Store& store, const model::Config& config, const core::Clock& clock)
    : repo_(repo), store_(store), config_(config), clock_(clock) {}

Result<void> Queue::check_stack(const model::Proposal& proposal, const model::Clearance& clearance) const {
  TRY(guardrails::recheck(clearance, proposal));
  const auto check = [&](const Oid& oid, const std::vector<Oid>& parents, const Oid& tree) -> Result<void> {
    TRY_ASSIGN(const git::Commit commit, repo_.reader().commit(oid));
    if (commit.parents == parents && commit.tree == tree) return {};
    return make_error(ErrorKind::internal,
                      fmt::format("commit {} of unit {} is not the judged one: parent {}, tree {}", oid, proposal.unit,
                                  commit.parents.empty() ? "none" : commit.parents[0], commit.tree));
  };
  Oid parent = proposal.base;
  for (const auto& member : proposal.members) {
    TRY(check(member.commit, {parent}, member.tree));
    if (member.companion) TRY(check(member.companion->commit, {member.commit}, member.companion->tree));
    parent = member.end_commit();
  }
  if (proposal.members.empty() || proposal.members.back().end_tree() != clearance.tree()) {
    return make_error(ErrorKind::denied, fmt::format("unit {} was cleared for tree {}", proposal.unit, clearance.tree()));
  }
  if (!proposal.merge_message.empty()) TRY(check(proposal.merge_commit, {proposal.base, parent}, clearance.tree()));
  return {};
}

Result<LandOutcome> Queue::land(const model::Proposal& proposal, const model::Clearance& clearance,
                                const std::function<std::string()>& brake) {
  TRY(check_stack(proposal, clearance));
  const std::string ref = trunk_ref(config_);
  const Oid commit = proposal.tip();

  // The last look before the push: somebody may have pulled the brake while the suites ran.
  auto stop = repo_.remote_tip(config_.fork.url, stop_branch);
  if (stop.ok()) return LandOutcome{LandOutcome::Kind::stopped, {}, fmt::format("the branch {} exists on the fork", stop_branch)};
  if (stop.error().kind != ErrorKind::not_found) return LandOutcome{LandOutcome::Kind::lost, {}, stop.error().message};
  if (brake) {
    if (std::string why = brake(); !why.empty()) return LandOutcome{LandOutcome::Kind::stopped, {}, std::move(why)};
  }

  store::LandingRow row;
  row.unit = proposal.unit;
  row.ref = ref;
  row.base = proposal.base;
  row.commit = commit;
  row.tree = clearance.tree();
  row.state = "intent";
  row.verdict_digest = clearance.verdict_digest();
  row.at = clock_.now();
  TRY_ASSIGN(const std::int64_t id, store_.put_intent(row));

  auto pushed = repo_.push(config_.fork.url, commit, ref, proposal.base);
  if (!pushed.ok()) {
    TRY(store_.close_landing(id, "abandoned"));
    return pushed.error();
  }
  // Whatever the reply said, the ref is the truth: a reply can be lost after the swap.
  auto after = repo_.remote_tip(config_.fork.url, config_.fork.branch);
  LandOutcome outcome;
  outcome.detail = pushed->detail;
  if (!after.ok()) {
    outcome.kind = LandOutcome::Kind::lost;  // the journal row stays open: recover() reads the ref again
    outcome.detail = fmt::format("{}; trunk could not be read back: {}", pushed->detail, after.error().message);
    return outcome;
  }
  outcome.tip = *after;
  if (*after == commit) {
    // Commit point: trunk has moved. From here on nothing fails. The journal row stays open until the caller
    // has stored what landed, in one transaction: a crash in between must not hide a landing from recover().
    const auto tree = repo_.reader().tree_of(*after);
    outcome.kind = tree.ok() && *tree == clearance.tree() ? LandOutcome::Kind::landed : LandOutcome::Kind::mismatch;
    return outcome;
  }
  if (pushed->kind == git::PushOutcome::Kind::landed) {
    // Accepted, and already something on top or removed again: the service looks at the history.
    outcome.kind = LandOutcome::Kind::moved;
    return outcome;  // the journal row stays open, recover() decides by ancestry
  }
  TRY(store_.close_landing(id, "abandoned"));
  switch (pushed->kind) {
    case git::PushOutcome::Kind::rejected: outcome.kind = LandOutcome::Kind::rejected; break;
    case git::PushOutcome::Kind::lost: outcome.kind = LandOutcome::Kind::lost; break;
    default: outcome.kind = LandOutcome::Kind::moved; break;
  }
  if (outcome.kind == LandOutcome::Kind::moved) {
    // Forward or backward? Only history tells: fetch the tip and look for the judged base in it.
    auto fetched = repo_.fetch(config_.fork.url, config_.fork.branch, "refs/sluice/fork", git::FetchLimits{}, nullptr);
    if (!fetched.ok()) return LandOutcome{LandOutcome::Kind::lost, *after, fetched.error().message};
    TRY_ASSIGN(const bool forward, repo_.reader().is_ancestor(proposal.base, fetched->tip));
    outcome.tip = fetched->tip;
    if (!forward) outcome.kind = LandOutcome::Kind::rewound;
  }
  return outcome;
}

Result<std::vector<Recovered>> Queue::recover() {
  std::vector<Recovered> done;
  TRY_ASSIGN(const auto open, store_.open_landings());
  if (open.empty()) return done;
  auto fetched = repo_.fetch(config_.fork.url, config_.fork.branch, "refs/sluice/fork", git::FetchLimits{}, nullptr);
  if (!fetched.ok()) return fetched.error();
  for (const auto& row : open) {
    Recovered item{row, false, fetched->tip};
    if (repo_.reader().has(row.commit)) {
      TRY_ASSIGN(item.landed, repo_.reader().is_ancestor(row.commit, fetched->tip));
    }
    done.push_back(item);
  }
  return done;
}

}  // namespace sluice::landing
