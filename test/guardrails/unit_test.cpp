// SPDX-License-Identifier: Apache-2.0
// G01, G03, G05, G06 on a unit, and the way from a verdict to a Clearance.
#include "guardrails/clearance.h"
#include "guardrails/testing.h"
#include <set>

#include "test/guardrails/unit_support.h"

namespace sluice::guardrails::testing {
namespace {

using model::UnitKind;

TEST(Unit, InOrderPassesAndIsCleared) {
  UnitCase unit;
  const model::Verdict verdict = unit.judge();
  ASSERT_EQ(verdict.judgement, Judgement::pass) << describe(verdict);
  EXPECT_EQ(verdict.mode, "unit");
  EXPECT_EQ(verdict.policy_sha256, "policy");
  EXPECT_EQ(verdict.context_sha256, unit.context.hash());
  for (const model::RuleResult& rule : verdict.rules) EXPECT_TRUE(rule.applicable) << rule.id;
  const auto clearance = clear(verdict, unit.proposal);
  ASSERT_TRUE(clearance.has_value());
  EXPECT_EQ(clearance->tree(), unit.proposal.tree);
  EXPECT_EQ(clearance->verdict_digest(), verdict.digest());
  EXPECT_EQ(clearance->evidence().size(), 2u);
  EXPECT_TRUE(recheck(*clearance, unit.proposal).ok());
}

TEST(Unit, JudgedTwiceGivesTheSameRecord) {
  UnitCase unit;
  const std::string first = model::to_json(unit.judge()).dump();
  unit.context.now += 60;
  EXPECT_EQ(model::to_json(unit.judge()).dump(), first) << "the time of judging is no part of it";
}

TEST(Unit, ByItsDiffsAloneIsJudgedButNeverCleared) {
  UnitCase unit;
  const model::Verdict verdict =
      judge_diff(unit.repo.reader(), unit.proposal, UnitKind::bundle, unit.context);
  EXPECT_EQ(verdict.judgement, Judgement::pass) << describe(verdict);
  EXPECT_TRUE(verdict.suites.empty());
  for (const model::RuleResult& rule : verdict.rules) {
    const std::set<std::string> of_suites = {"G04", "G42", "G43", "G44", "G47", "G48", "G49", "G50"};
    EXPECT_EQ(rule.applicable, !of_suites.contains(rule.id)) << rule.id;
  }
  EXPECT_FALSE(clear(verdict, unit.proposal).has_value());
}

TEST(Clearance, IsForOneUnitOnOneBaseWithOneTree) {
  UnitCase unit;
  const model::Verdict verdict = unit.judge();
  const auto refuse = [&](const char* name, auto&& change) {
    model::Proposal proposal = unit.proposal;
    change(proposal);
    EXPECT_FALSE(recheck(clearance_for_test(unit.proposal), proposal).ok()) << name;
  };
  refuse("unit", [](auto& p) { p.unit = "b-other"; });
  refuse("base", [](auto& p) { p.base = std::string(40, '1'); });
  refuse("tree", [](auto& p) { p.tree = std::string(40, '1'); });
  refuse("last member", [](auto& p) { p.members.back().tree = std::string(40, '1'); });
  refuse("no members", [](auto& p) { p.members.clear(); });
  model::Proposal other = unit.proposal;
  other.base = std::string(40, '1');
  EXPECT_FALSE(clear(verdict, other).has_value()) << "a verdict on another base";
  model::Verdict forged = verdict;
  forged.rules[0].judgement = Judgement::block;
  EXPECT_FALSE(clear(forged, unit.proposal).has_value()) << "the verdict does not follow from its rules";
  for (const Judgement judgement :
       {Judgement::explain, Judgement::escalate, Judgement::unresolved, Judgement::block}) {
    forged = verdict;
    forged.judgement = judgement;
    EXPECT_FALSE(clear(forged, unit.proposal).has_value());
  }
}

TEST(BundleLane, BlocksOneChangedByteAndTheChainLaneAsksAPerson) {
  UnitCase unit;
  model::ProposalMember& last = unit.proposal.members.back();
  const Oid blob = must(unit.repo.write_blob("onE\n"));
  last.tree = must(unit.repo.write_tree(last.tree, {{"g.txt", git::TreeEntry{0100644, blob}}}));
  unit.finish();
  const model::RuleResult rule = unit.rule("G02");
  EXPECT_EQ(rule.judgement, Judgement::block);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].path, "g.txt");
  EXPECT_EQ(rule.items[0].member, last.upstream.oid);
  EXPECT_EQ(unit.of("G02", UnitKind::chain), Judgement::escalate);
}

TEST(Provenance, NeedsReachabilityATrailerAndANewCommit) {
  UnitCase unit;
  EXPECT_EQ(unit.of("G01"), Judgement::pass);
  unit.context.upstream_tip = unit.history.id("U1");
  EXPECT_EQ(unit.of("G01"), Judgement::block) << "U2 is not reachable from U1";
  unit.context.upstream_tip = unit.history.id("U2");
  EXPECT_EQ(unit.of("G01"), Judgement::pass) << "the tip itself";
  unit.context.landed = {unit.history.id("U1")};
  EXPECT_EQ(unit.of("G01"), Judgement::block);
  unit.context.landed.clear();
  unit.context.upstream_tip = "";
  EXPECT_EQ(unit.of("G01"), Judgement::block);
  unit.context.upstream_tip = std::string(40, '1');
  EXPECT_EQ(unit.of("G01"), Judgement::unresolved) << "an object that is missing is no judgement";
  unit.context.upstream_tip = unit.history.id("U3");
  unit.proposal.members[0].message += "Upstream-Commit: " + unit.history.id("U2") + "\n";
  EXPECT_EQ(unit.of("G01"), Judgement::block) << "two trailers";
}

TEST(Fold, EachMemberStandsOnTheOneBefore) {
  const auto broken = [](const char* name, auto&& change) {
    UnitCase unit;
    change(unit);
    EXPECT_EQ(unit.of("G03"), Judgement::block) << name;
  };
  EXPECT_EQ(UnitCase().of("G03"), Judgement::pass);
  broken("onto another tree", [](auto& u) { u.proposal.members[1].onto = u.proposal.base_tree; });
  broken("another end", [](auto& u) { u.proposal.tree = u.proposal.members[0].tree; });
  broken("another base tree", [](auto& u) { u.proposal.base_tree = u.proposal.members[0].tree; });
  broken("a pick of another commit",
         [](auto& u) { u.proposal.members[1].pick.upstream = u.history.id("U3"); });
  broken("order", [](auto& u) { u.proposal.members[1].upstream.position = 1; });
  broken("no members", [](auto& u) { u.proposal.members.clear(); });
  broken("a tree nobody has",
         [](auto& u) { u.proposal.members[1].tree = u.proposal.tree = std::string(40, '1'); });
}

TEST(Fold, AMemberThatChangesNothingSaysAlreadyPresent) {
  UnitCase unit(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 3 "fork"; line f.cpp 20 "line 20 up"; commit D "fork"
    at up; line f.cpp 20 "line 20 up"; commit U1 "u1"; line f.cpp 30 "line 30 up"; commit U2 "u2")",
                {"U1", "U2"}, "U2");
  EXPECT_EQ(unit.of("G03"), Judgement::block);
  unit.proposal.members[0].account.push_back(
      {"upstream_added", "f.cpp", core::sha256_hex("line20up"), 1, "ALREADY_PRESENT", "", "in the fork"});
  EXPECT_EQ(unit.of("G03"), Judgement::pass);
  EXPECT_EQ(unit.judge().judgement, Judgement::pass) << describe(unit.judge());
}

TEST(Message, IsUpstreamsRewrittenAndNothingElse) {
  UnitCase unit;
  EXPECT_NE(unit.proposal.members[0].message.find("Upstream-Fixes o/r#3, thanks @ ada"), std::string::npos);
  const auto broken = [](const char* name, auto&& change) {
    UnitCase other;
    change(other.proposal.members[0]);
    EXPECT_EQ(other.of("G05"), Judgement::block) << name;
  };
  broken("a word more", [](auto& m) { m.message.insert(0, "x"); });
  broken("a trailer changed", [](auto& m) { m.message.replace(m.message.find("clean"), 5, "resolved"); });
  broken("a trailer more", [](auto& m) { m.message += "Sluice-Evidence: 1\n"; });
  broken("another author", [](auto& m) { m.upstream.author.name = "Nobody"; });
  broken("another time", [](auto& m) { m.upstream.author.time += 1; });
  broken("called resolved", [](auto& m) { m.resolved = true; });
  broken("a subject of its own", [](auto& m) {
    m.upstream.message = "Other\n";
    m.message = pick_message(m.upstream, "b-0123456789", false, "o/r", "");
  });
  unit.context.subject_prefix = "[up]";
  EXPECT_EQ(unit.of("G05"), Judgement::block) << "the configured prefix is missing";
  unit.finish();
  EXPECT_EQ(unit.of("G05"), Judgement::pass);
}

TEST(Refs, AreTheConfiguredTrunkAndAnUnbrokenStack) {
  UnitCase unit;
  EXPECT_EQ(unit.of("G06"), Judgement::pass);
  unit.proposal.branch = "refs/heads/other";
  EXPECT_EQ(unit.of("G06"), Judgement::block);
  unit.proposal.branch = "refs/heads/main";
  Oid parent = unit.proposal.base;
  for (model::ProposalMember& member : unit.proposal.members) {
    member.commit = must(unit.repo.write_commit(
        {member.tree, {parent}, member.upstream.author, unit.context.committer, member.message}));
    parent = member.commit;
  }
  EXPECT_EQ(unit.judge().judgement, Judgement::pass) << describe(unit.judge());
  unit.context.committer.time += 1;
  EXPECT_EQ(unit.of("G05"), Judgement::block) << "another committer date";
  unit.proposal.members[1].commit = must(unit.repo.write_commit({unit.proposal.tree,
                                                                 {unit.proposal.base},
                                                                 unit.proposal.members[1].upstream.author,
                                                                 unit.context.committer,
                                                                 unit.proposal.members[1].message}));
  EXPECT_EQ(unit.of("G06"), Judgement::block) << "the second commit does not stand on the first";
}

TEST(Trouble, OfAPickIsUnresolved) {
  UnitCase unit;
  unit.proposal.members[1].pick.status = model::PickStatus::error;
  unit.proposal.members[1].pick.detail = "object_missing: x";
  EXPECT_EQ(unit.of("G21"), Judgement::unresolved);
  EXPECT_FALSE(clear(unit.judge(), unit.proposal).has_value());
}

TEST(Deferrals, MustBeOpenInTheLedger) {
  UnitCase unit(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "fork 10"; commit D "fork"
    at up; line f.cpp 10 "up 10a\nup 10b\nup 10c\nup 10d"; commit U1 "u1")",
                {"U1"}, "U1");
  model::ProposalMember& member = unit.proposal.members[0];
  ASSERT_TRUE(member.resolved);
  std::string text =
      must(unit.repo.reader().file(unit.proposal.base_tree, "f.cpp")).value() + "up 10a\nup 10b\nup 10c\n";
  member.tree = must(unit.repo.write_tree(
      unit.proposal.base_tree, {{"f.cpp", git::TreeEntry{0100644, must(unit.repo.write_blob(text))}}}));
  member.account.push_back(
      {"upstream_added", "f.cpp", core::sha256_hex("up10d"), 1, "DEFERRED", "task-1", ""});
  unit.finish();
  EXPECT_EQ(unit.of("G21", UnitKind::chain), Judgement::block) << "no such deferral";
  unit.context.open_deferrals = {"task-1"};
  EXPECT_EQ(unit.of("G21", UnitKind::chain), Judgement::escalate);
  EXPECT_EQ(unit.of("G28", UnitKind::chain), Judgement::block) << "a unit has a record for each region";
}

}  // namespace
}  // namespace sluice::guardrails::testing
