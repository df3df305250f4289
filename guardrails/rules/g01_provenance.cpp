// SPDX-License-Identifier: Apache-2.0
// G01: each member is a commit of the recorded upstream line, says so in its trailer, and is not in the
// fork yet. A revert takes back a commit of trunk that the fork has for it, once, and names that.
#include <fmt/format.h>

#include <set>

#include "core/text.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

std::vector<std::string> trailers_of(std::string_view message, std::string_view key) {
  std::vector<std::string> out;
  for (const std::string_view line : core::split_lines(message)) {
    if (line.starts_with(key)) out.emplace_back(line.substr(key.size()));
  }
  return out;
}

constexpr std::string_view upstream_key = "Upstream-Commit: ", revert_key = "Sluice-Reverts: ";

// Empty, or why the member may not take back what it names.
Result<std::string> wrong_revert(const UnitScope& scope, const model::ProposalMember& member) {
  const Oid& taken = member.reverts;
  if (scope.lane != model::UnitKind::revert) return std::string("takes a commit back in a unit that is no revert");
  if (!model::is_oid(taken)) return fmt::format("'{}' is no full commit id", core::printable(taken, 60));
  TRY_ASSIGN(const bool on_trunk, scope.reader.is_ancestor(taken, scope.proposal.base));
  if (!on_trunk) return fmt::format("takes back {}, which is not on trunk", taken);
  const auto carried = scope.context.landed_as.find(member.upstream.oid);
  if (carried == scope.context.landed_as.end()) return std::string("not in the fork, by the ledger");
  if (carried->second != taken) {
    // What a person added right after the pick goes with it.
    TRY_ASSIGN(const git::Commit commit, scope.reader.commit(taken));
    const bool companion = commit.parents == std::vector<Oid>{carried->second} &&
                           !trailers_of(commit.message, "Sluice-Companion-Of: ").empty();
    if (!companion) return fmt::format("takes back {}, the fork has it as {}", taken, carried->second);
  }
  if (trailers_of(member.message, revert_key) != std::vector<std::string>{taken}) {
    return fmt::format("the message must have one trailer Sluice-Reverts: {}", taken);
  }
  if (!trailers_of(member.message, upstream_key).empty()) return std::string("a revert carries no Upstream-Commit");
  return std::string();
}

}  // namespace

static Result<Items> g01_provenance(const UnitScope& scope) {
  Items items;
  std::set<Oid> seen;
  for (const model::ProposalMember& member : scope.proposal.members) {
    const Oid& upstream = member.upstream.oid;
    const auto fail = [&](std::string detail) {
      model::VerdictItem item =
          make_item("", member.upstream.subject, std::move(detail), model::Judgement::block);
      item.member = upstream;
      items.push_back(std::move(item));
    };
    if (!model::is_oid(upstream)) {
      fail(fmt::format("'{}' is no full commit id", core::printable(upstream, 60)));
      continue;
    }
    if (!model::is_oid(scope.context.upstream_tip)) {
      fail("the upstream tip is not known");
    } else if (upstream != scope.context.upstream_tip) {
      TRY_ASSIGN(const bool reachable, scope.reader.is_ancestor(upstream, scope.context.upstream_tip));
      if (!reachable) fail(fmt::format("not reachable from the upstream tip {}", scope.context.upstream_tip));
    }
    if (!member.reverts.empty() || scope.lane == model::UnitKind::revert) {
      TRY_ASSIGN(const std::string wrong, wrong_revert(scope, member));
      if (!wrong.empty()) fail(wrong);
      if (!seen.insert(member.reverts).second) fail("twice in this unit");
      continue;
    }
    const std::vector<std::string> trailers = trailers_of(member.message, upstream_key);
    if (trailers != std::vector<std::string>{upstream}) {
      fail(trailers.empty() ? "the message has no trailer Upstream-Commit"
                            : fmt::format("the message must have one trailer Upstream-Commit: {}", upstream));
    }
    if (scope.context.landed.contains(upstream)) fail("already in the fork, by the ledger");
    if (!seen.insert(upstream).second) fail("twice in this unit");
  }
  return items;
}

constinit const Rule g01{
    .id = "G01",
    .title = "provenance",
    .fail = "BLOCK",
    .passes = "U is reachable from the upstream tip, is named by exactly one `Upstream-Commit:`, and is neither landed nor twice in "
               "the unit",
    .lift = "nothing: pick the commit that the trailer names",
    .example = "a fork's import tool matched picks by the number `(#N)` of the subject: 87 of 1,028 named another change, because the "
               "fork and upstream both number their pull requests",
    .unit = g01_provenance,
};

}  // namespace sluice::guardrails
