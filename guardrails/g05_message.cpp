// SPDX-License-Identifier: Apache-2.0
// G05: the message is exactly what pick_message() makes of upstream's, author and date are upstream's,
// and the word resolved is true. Judged before the line Sluice-Evidence is appended.
#include <fmt/format.h>

#include "core/text.h"
#include "guardrails/rule.h"

namespace sluice::guardrails {
namespace {

std::string first_difference(std::string_view a, std::string_view b) {
  const auto x = core::split_lines(a), y = core::split_lines(b);
  for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const std::string_view have = i < x.size() ? x[i] : "(nothing)", want = i < y.size() ? y[i] : "(nothing)";
    if (have != want)
      return fmt::format("line {} is '{}', must be '{}'", i + 1, core::printable(have, 120),
                         core::printable(want, 120));
  }
  return "the end of the message differs";
}

std::string person(const model::Person& p) {
  return fmt::format("{} <{}> {} {:+}", p.name, p.email, p.time, p.zone);
}

}  // namespace

Result<Items> g05_message(const UnitScope& scope) {
  Items items;
  const model::JudgeContext& context = scope.context;
  for (const model::ProposalMember& member : scope.proposal.members) {
    const auto fail = [&](std::string detail) {
      model::VerdictItem item =
          make_item("", member.upstream.subject, std::move(detail), model::Judgement::block);
      item.member = member.upstream.oid;
      items.push_back(std::move(item));
    };
    TRY_ASSIGN(const git::Commit upstream, scope.reader.commit(member.upstream.oid));
    const bool conflicted =
        !member.pick.conflicts.empty() || member.pick.status == model::PickStatus::conflict;
    if (member.resolved != conflicted) {
      fail(conflicted ? "called clean, but the machine merge has conflicts"
                      : "called resolved, but the machine merge is clean");
    }
    model::UpstreamCommit facts = member.upstream;
    facts.message = upstream.message;
    const std::string want =
        pick_message(facts, scope.proposal.unit, conflicted, context.upstream_repo, context.subject_prefix);
    if (member.message != want) fail(first_difference(member.message, want));
    if (!(member.upstream.author == upstream.author)) {
      fail(fmt::format("author is {}, upstream's is {}", person(member.upstream.author),
                       person(upstream.author)));
    }
    if (member.commit.empty()) continue;
    TRY_ASSIGN(const git::Commit written, scope.reader.commit(member.commit));
    if (!(written.author == upstream.author)) {
      fail(fmt::format("the commit's author is {}, upstream's is {}", person(written.author),
                       person(upstream.author)));
    }
    const bool ours = written.committer.name == context.committer.name &&
                      written.committer.email == context.committer.email &&
                      written.committer.time == context.committer.time;
    if (!ours)
      fail(fmt::format("the commit's committer is {}, must be {}", person(written.committer),
                       person(context.committer)));
    if (!written.message.starts_with(member.message)) fail("the commit's message is not the judged one");
  }
  return items;
}

}  // namespace sluice::guardrails
