// SPDX-License-Identifier: Apache-2.0
// G01: each member is a commit of the recorded upstream line, says so in its trailer, and is not in the
// fork yet.
#include <fmt/format.h>

#include <set>

#include "core/text.h"
#include "guardrails/rule.h"

namespace sluice::guardrails {
namespace {

std::vector<std::string> upstream_trailers(std::string_view message) {
  static constexpr std::string_view key = "Upstream-Commit: ";
  std::vector<std::string> out;
  for (const std::string_view line : core::split_lines(message)) {
    if (line.starts_with(key)) out.emplace_back(line.substr(key.size()));
  }
  return out;
}

}  // namespace

Result<Items> g01_provenance(const UnitScope& scope) {
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
    const std::vector<std::string> trailers = upstream_trailers(member.message);
    if (trailers != std::vector<std::string>{upstream}) {
      fail(trailers.empty() ? "the message has no trailer Upstream-Commit"
                            : fmt::format("the message must have one trailer Upstream-Commit: {}", upstream));
    }
    if (scope.context.landed.contains(upstream)) fail("already in the fork, by the ledger");
    if (!seen.insert(upstream).second) fail("twice in this unit");
  }
  return items;
}

}  // namespace sluice::guardrails
