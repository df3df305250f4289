// SPDX-License-Identifier: Apache-2.0
// G05: the message is exactly what pick_message() makes of upstream's (revert_message() of the landed
// commit's, merge_message() of the unit's), author and date are upstream's (sluice's own of a revert and of a
// merge), and the word resolved is true. Judged before the line Sluice-Evidence is appended.
#include <fmt/format.h>

#include "core/text.h"
#include "guardrails/message.h"
#include "guardrails/rules/rule.h"

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

// What is wrong with a companion's message; empty = nothing. Its words are the person's, so only their form is
// judged: nothing in them may be read as a trailer, and the trailers are exact.
std::string companion_trouble(const model::Companion& companion, const Oid& upstream, const std::string& unit) {
  const std::string trailers = "\n" + companion_trailers(upstream, unit);
  if (!companion.message.ends_with(trailers)) return "the message of the companion must end with the lines" + core::printable(trailers);
  const std::string_view words = std::string_view(companion.message).substr(0, companion.message.size() - trailers.size());
  if (core::trim(words).empty()) return "the message of the companion says nothing";
  for (const std::string_view line : core::split_lines(words)) {
    if (looks_like_trailer(line) && !line.starts_with('>'))
      return fmt::format("the companion's line '{}' could be read as a trailer", core::printable(line, 120));
  }
  if (companion.author.name.empty() && companion.author.email.empty()) return "the companion has no author";
  return {};
}

}  // namespace

static Result<Items> g05_message(const UnitScope& scope) {
  Items items;
  const model::JudgeContext& context = scope.context;
  for (const model::ProposalMember& member : scope.proposal.members) {
    const auto fail = [&](std::string detail) {
      model::VerdictItem item =
          make_item("", member.upstream.subject, std::move(detail), model::Judgement::block);
      item.member = member.upstream.oid;
      items.push_back(std::move(item));
    };
    const bool conflicted =
        !member.pick.conflicts.empty() || member.pick.status == model::PickStatus::conflict;
    if (member.resolved != conflicted) {
      fail(conflicted ? "called clean, but the machine merge has conflicts"
                      : "called resolved, but the machine merge is clean");
    }
    model::Person author = context.committer;
    std::string want;
    if (member.reverts.empty()) {
      TRY_ASSIGN(const git::Commit upstream, scope.reader.commit(member.upstream.oid));
      author = upstream.author;
      model::UpstreamCommit facts = member.upstream;
      facts.message = upstream.message;
      want = pick_message(facts, scope.proposal.unit, conflicted, context.upstream_repo, context.subject_prefix);
      if (!(member.upstream.author == author)) {
        fail(fmt::format("author is {}, upstream's is {}", person(member.upstream.author), person(author)));
      }
    } else {
      TRY_ASSIGN(const git::Commit landed, scope.reader.commit(member.reverts));
      want = revert_message(landed, context.revert_reason, scope.proposal.unit, context.subject_prefix);
      if (conflicted) fail("a reverse merge with conflicts is no revert that a machine may land");
    }
    if (member.message != want) fail(first_difference(member.message, want));
    if (member.companion) {
      const std::string trouble = companion_trouble(*member.companion, member.upstream.oid, scope.proposal.unit);
      if (!trouble.empty()) fail(trouble);
      if (!member.companion->commit.empty()) {
        TRY_ASSIGN(const git::Commit added, scope.reader.commit(member.companion->commit));
        if (!(added.author == member.companion->author)) fail(fmt::format("the companion's author is {}, judged was {}", person(added.author), person(member.companion->author)));
        if (!added.message.starts_with(member.companion->message)) fail("the companion's message is not the judged one");
      }
    }
    if (member.commit.empty()) continue;
    TRY_ASSIGN(const git::Commit written, scope.reader.commit(member.commit));
    if (!(written.author == author)) {
      fail(fmt::format("the commit's author is {}, must be {}", person(written.author), person(author)));
    }
    const bool ours = written.committer.name == context.committer.name &&
                      written.committer.email == context.committer.email &&
                      written.committer.time == context.committer.time;
    if (!ours)
      fail(fmt::format("the commit's committer is {}, must be {}", person(written.committer),
                       person(context.committer)));
    if (!written.message.starts_with(member.message)) fail("the commit's message is not the judged one");
  }
  const model::Proposal& proposal = scope.proposal;
  if (proposal.merge_message.empty()) return items;
  const std::string want = merge_message(proposal, context.subject_prefix);
  if (proposal.merge_message != want) {
    items.push_back(make_item("", proposal.unit, "merge commit: " + first_difference(proposal.merge_message, want),
                              model::Judgement::block));
  }
  return items;
}

constinit const Rule g05{
    .id = "G05",
    .title = "message and author",
    .fail = "BLOCK",
    .passes = "message = upstream's, rewritten, and the trailers; author = upstream's; `resolved` is true",
    .lift = "nothing: the message is written by sluice",
    .example = "`Fixes #12` of upstream, picked as it stands, closes issue 12 of the fork",
    .unit = g05_message,
};

}  // namespace sluice::guardrails
