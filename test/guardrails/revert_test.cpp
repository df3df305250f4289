// SPDX-License-Identifier: Apache-2.0
// Reverts and the merge commit of a unit: what G01, G03 and G05 ask of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/guardrails/unit_support.h"

namespace sluice::guardrails::testing {
namespace {

// The fork carries U1 and U2 as P1 and P2; both are taken back, the newer one first.
class RevertCase : public UnitCase {
 public:
  RevertCase() {
    history.run("at down; pick_by_hand P1 U1; pick_by_hand P2 U2");
    auto picker = must(git::Picker::open(repo, {}));
    std::vector<model::ProposalMember> both = proposal.members;
    proposal.unit = "r-0123456789";
    proposal.base = history.id("P2");
    proposal.base_tree = history.tree("P2");
    proposal.members.clear();
    context.revert_reason = "it is slow";
    Oid onto = proposal.base_tree;
    for (const int k : {1, 0}) {
      model::ProposalMember member;
      member.upstream = both[static_cast<std::size_t>(k)].upstream;
      member.reverts = history.id(k == 1 ? "P2" : "P1");
      member.onto = onto;
      member.pick = picker.unpick(member.reverts, onto);
      member.tree = member.pick.tree;
      onto = member.tree;
      context.landed_as[member.upstream.oid] = member.reverts;
      context.landed.insert(member.upstream.oid);
      proposal.members.push_back(member);
    }
    tell();
  }
  // Tree, messages and evidence of the members as they are.
  void tell() {
    finish();
    for (model::ProposalMember& member : proposal.members) {
      member.message = revert_message(must(repo.reader().commit(member.reverts)), context.revert_reason, proposal.unit, "");
    }
  }
  std::string says(const std::string& id) {
    for (const model::VerdictItem& item : rule(id, model::UnitKind::revert).items) {
      if (item.judgement != Judgement::pass) return item.detail;
    }
    return "";
  }
};

TEST(RevertUnit, OfWhatTheForkCarriesPassesEveryRule) {
  RevertCase c;
  EXPECT_EQ(c.proposal.tree, c.history.tree("D"));
  for (const model::RuleResult& r : c.judge(model::UnitKind::revert).rules) EXPECT_EQ(r.judgement, Judgement::pass) << r.id << " " << c.says(r.id);
  EXPECT_EQ(c.of("G01", model::UnitKind::chain), Judgement::block) << "only a revert unit takes a commit back";
}

TEST(RevertUnit, G01_TakesBackOnceWhatTrunkCarriesForThatCommit) {
  RevertCase c;
  c.context.landed_as[c.proposal.members[0].upstream.oid] = c.history.id("D");
  EXPECT_NE(c.says("G01").find("the fork has it as"), std::string::npos);
  c.context.landed_as.erase(c.proposal.members[0].upstream.oid);
  EXPECT_NE(c.says("G01").find("not in the fork"), std::string::npos);
  RevertCase elsewhere;
  elsewhere.proposal.base = elsewhere.history.id("P1");
  EXPECT_NE(elsewhere.says("G01").find("not on trunk"), std::string::npos);
  RevertCase mute;
  mute.proposal.members[0].message = "Revert\n";
  EXPECT_NE(mute.says("G01").find("Sluice-Reverts"), std::string::npos);
  RevertCase twice;
  twice.proposal.members[1] = twice.proposal.members[0];
  EXPECT_NE(twice.says("G01").find("twice"), std::string::npos);
}

TEST(RevertUnit, G03_TakesTheNewestBackFirst) {
  RevertCase c;
  std::swap(c.proposal.members[0], c.proposal.members[1]);
  auto picker = must(git::Picker::open(c.repo, {}));
  Oid onto = c.proposal.base_tree;
  for (model::ProposalMember& member : c.proposal.members) {
    member.onto = onto;
    member.pick = picker.unpick(member.reverts, onto);
    onto = member.tree = member.pick.tree;
  }
  c.tell();
  EXPECT_NE(c.says("G03").find("stands on"), std::string::npos);
}

TEST(RevertUnit, G05_SaysWordForWordWhyAndWhat) {
  RevertCase c;
  c.proposal.members[0].message += "Reviewed-by: nobody\n";
  EXPECT_NE(c.says("G05").find("Reviewed-by"), std::string::npos);
  RevertCase other;
  other.context.revert_reason = "another reason";
  EXPECT_EQ(other.of("G05", model::UnitKind::revert), Judgement::block);
}

TEST(RevertUnit, G02_IsTheReverseMergeTreeForTree) {
  RevertCase c;
  // A tree that also loses the fork's own line.
  c.proposal.members[1].tree = c.history.tree("B");
  c.tell();
  EXPECT_NE(c.of("G02", model::UnitKind::revert), Judgement::pass);
}

TEST(MergeMessage, IsJudgedWordForWordAndCarriesNoUpstreamTrailer) {
  UnitCase c;
  c.proposal.merge_message = merge_message(c.proposal, "");
  EXPECT_EQ(c.of("G05"), Judgement::pass);
  EXPECT_EQ(c.proposal.merge_message, "Merge b-0123456789: 2 upstream commits\n\n- Change line 20 (o/r#7)\n- Change line 30\n\nSluice-Unit: b-0123456789\n");
  c.proposal.merge_message += "Upstream-Commit: 1\n";
  EXPECT_EQ(c.of("G05"), Judgement::block);
}

}  // namespace
}  // namespace sluice::guardrails::testing
