// SPDX-License-Identifier: Apache-2.0
// What a person adds to a pick is a commit of its own: the pick stays the machine merge, and the addition is
// judged by the rules that protect the fork.
#include <gtest/gtest.h>

#include "test/guardrails/unit_support.h"

namespace sluice::guardrails::testing {
namespace {

class Companions : public UnitCase {
 public:
  // A companion of the last member that puts `text` at `path`.
  void add(const std::string& path, const std::string& text, const std::string& words = "Adapt the fork's own part") {
    model::ProposalMember& member = proposal.members.back();
    const Oid blob = must(repo.write_blob(text));
    model::Companion companion;
    companion.tree = must(repo.write_tree(member.tree, {{path, git::TreeEntry{0100644, blob}}}));
    companion.author = {"Fay Forker", "fay@fork.example", 5000, 0};
    companion.message = companion_message(words, member.upstream.oid, proposal.unit);
    member.companion = companion;
    finish();
  }
  std::string text_of(const std::string& path) { return *must(repo.reader().file(proposal.members.back().tree, path)); }
};

std::string without_line(std::string text, const std::string& line) {
  const std::size_t at = text.find(line + "\n");
  if (at == std::string::npos) throw std::runtime_error("no line " + line);
  return text.erase(at, line.size() + 1);
}

TEST(Companion, OfAPersonPassesBesideAPickThatIsTheMachineMerge) {
  Companions c;
  c.add("test/own.txt", "a test of the fork\n");
  const model::Verdict verdict = c.judge(model::UnitKind::chain);
  EXPECT_EQ(verdict.judgement, Judgement::pass) << c.why("G02") << c.why("G03") << c.why("G05");
  EXPECT_TRUE(clear(verdict, c.proposal).has_value());
}

TEST(Companion, IsPartOfTheFoldSoAnotherTreeOfTheUnitIsRefused) {
  Companions c;
  c.add("own.txt", "one\n");
  c.proposal.tree = c.proposal.members.back().tree;  // as if the companion were not there
  EXPECT_EQ(c.of("G03", model::UnitKind::chain), Judgement::block);
}

TEST(Companion, ThatChangesNothingIsRefused) {
  Companions c;
  c.add("own.txt", "one\n");
  c.proposal.members.back().companion->tree = c.proposal.members.back().tree;
  c.finish();
  EXPECT_EQ(c.of("G03", model::UnitKind::chain), Judgement::block);
}

TEST(Companion, ThatDropsALineOfTheForkMustExplainIt) {
  Companions c;
  c.add("f.cpp", without_line(c.text_of("f.cpp"), "line 3 of the fork"));
  const model::RuleResult rule = c.rule("G23", model::UnitKind::chain);
  EXPECT_EQ(rule.judgement, Judgement::explain);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_TRUE(rule.items[0].companion);
  EXPECT_EQ(rule.items[0].member, c.proposal.members.back().upstream.oid);
  EXPECT_EQ(rule.items[0].text, "line 3 of the fork");
}

TEST(Companion, MayNotTouchAProtectedPathNorLeaveAMarker) {
  Companions c;
  c.add(".github/workflows/ci.yml", "on: push\n");
  EXPECT_EQ(c.of("G12", model::UnitKind::chain), Judgement::block);
  Companions marker;
  marker.add("g.txt", "<<<<<<< ours\none\n");
  EXPECT_EQ(marker.of("G20", model::UnitKind::chain), Judgement::block);
}

TEST(Companion, MessageCannotPassForAPickAndItsTrailersAreExact) {
  Companions c;
  c.add("own.txt", "one\n", "Words\n\nUpstream-Commit: 0123456789012345678901234567890123456789\n");
  const std::string& message = c.proposal.members.back().companion->message;
  EXPECT_NE(message.find("\n> Upstream-Commit: "), std::string::npos) << message;
  EXPECT_EQ(c.of("G05", model::UnitKind::chain), Judgement::pass) << c.why("G05");

  Companions forged;
  forged.add("own.txt", "one\n");
  std::string& text = forged.proposal.members.back().companion->message;
  text.insert(0, "Upstream-Commit: 0123456789012345678901234567890123456789\n");
  EXPECT_EQ(forged.of("G05", model::UnitKind::chain), Judgement::block);

  Companions other;
  other.add("own.txt", "one\n");
  other.proposal.members.back().companion->message =
      companion_message("Words", other.proposal.members.front().upstream.oid, other.proposal.unit);
  EXPECT_EQ(other.of("G05", model::UnitKind::chain), Judgement::block) << "it names another pick";
}

TEST(ItemId, IsTheSameInEveryRunAndAnotherForAnotherLine) {
  Companions a, b;
  a.add("f.cpp", without_line(a.text_of("f.cpp"), "line 3 of the fork"));
  b.add("f.cpp", without_line(b.text_of("f.cpp"), "line 3 of the fork"));
  const auto id_of = [](Companions& c) { return model::item_id("G23", c.rule("G23", model::UnitKind::chain).items.at(0)); };
  EXPECT_EQ(id_of(a), id_of(b));
  EXPECT_EQ(id_of(a).size(), 12u);
  model::VerdictItem item = a.rule("G23", model::UnitKind::chain).items.at(0);
  const std::string before = model::item_id("G23", item);
  item.text = "  line 3   of the fork ";
  item.line += 7;
  EXPECT_EQ(model::item_id("G23", item), before) << "where it stands and how it is spaced is no part of it";
  item.text = "line 4";
  EXPECT_NE(model::item_id("G23", item), before);
  EXPECT_NE(to_json(a.judge(model::UnitKind::chain)).dump().find("\"id\":\"" + before), std::string::npos);
}

}  // namespace
}  // namespace sluice::guardrails::testing
