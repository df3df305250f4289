// SPDX-License-Identifier: Apache-2.0
// A team lands by hand while sluice only looks on: each landing is matched, scored and judged.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/file.h"
#include "test/service/world.h"

namespace sluice::test {
namespace {

using service::Landed;
using service::ObserveReport;
using service::Score;

constexpr const char* start = R"v(
  repo up
    base40 f ; base40 g ; put h "one\n"                ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 of the fork"                    ; commit D0 "fork: a line of its own"
  at up
    line f 5 "line 5 fixed"                            ; commit A "f: fix line 5"
    line f 35 "line 35 fixed"                          ; commit Q "f: fix line 35"
    put s1 "one\n"                                     ; commit S1 "s: first file"
    put s2 "two\n"                                     ; commit S2 "s: second file"
    put s3 "three\n"                                   ; commit S3 "s: third file"
    put t "tree\n"                                     ; commit T "t: a new file"
    line g 3 "line 3 fixed"                            ; commit P "g: fix line 3"
    line g 9 "line 9 fixed"                            ; commit N "g: fix line 9 (#77)"
    line f 19 "line 19 fixed"                          ; commit C "f: fix line 19"
    put h "two\n"                                      ; commit H "h: two"
)v";

class Observe : public testing::Test {
 protected:
  // `landings` in `down`, then one look at everything.
  ObserveReport look_at(const std::string& landings, const std::string& more_config = "") {
    world_ = std::make_unique<World>(std::string(start) + "\n at down\n" + landings, more_config, "observe");
    return again();
  }
  ObserveReport again(service::ObserveOptions options = {}) {
    const auto app = world_->open();
    auto remotes = service::fetch_remotes(*app);
    EXPECT_TRUE(remotes.ok());
    auto plan = service::look(*app, *remotes);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    auto report = service::observe(*app, *plan, options);
    EXPECT_TRUE(report.ok()) << report.error().message;
    text_ = service::observe_text(*app, *report);
    json_ = service::observe_json(*app, *report);
    return std::move(*report);
  }
  const Landed& of(const ObserveReport& report, const std::string& name) {
    for (const Landed& landed : report.landings) {
      if (landed.commit == world_->id(name)) return landed;
    }
    throw std::runtime_error("no landing " + name);
  }
  static bool objects(const Landed& landed, const std::string& rule) {
    return std::any_of(landed.objections.begin(), landed.objections.end(), [&](const auto& o) { return o.rule == rule; });
  }
  std::unique_ptr<World> world_;
  std::string text_;
  core::Json json_;
};

TEST_F(Observe, APickThatEqualsTheMachinesIsTheSame) {
  const auto report = look_at("pick_by_hand LA A");
  const Landed& landed = of(report, "LA");
  EXPECT_EQ(landed.score, Score::same) << landed.reason;
  EXPECT_EQ(landed.how, "trailer");
  EXPECT_EQ(landed.upstream, std::vector<std::string>{world_->id("A")});
  EXPECT_EQ(landed.landed_verdict, "pass");
  EXPECT_TRUE(landed.equal_tree);
}

TEST_F(Observe, AnAdaptedPickDiffersAndItsFilesAreNamed) {
  const auto report = look_at(R"v(line f 35 "line 35 fixed our way" ; commit LQ "f: line 35" "(cherry picked from commit $(id Q))")v");
  const Landed& landed = of(report, "LQ");
  EXPECT_EQ(landed.score, Score::differs) << landed.reason;
  EXPECT_EQ(landed.files, std::vector<std::string>{"f"});
  EXPECT_TRUE(objects(landed, "G02")) << "the rules would have objected to the landing itself";
  EXPECT_NE(text_.find("1 file differ"), std::string::npos) << text_;
}

TEST_F(Observe, ASquashOfThreeIsOneLandingWithThreeUpstreamCommits) {
  const auto report = look_at(
      R"v(put s1 "one\n" ; put s2 "two\n" ; put s3 "three\n"
          commit LS "three files" "Upstream-Commit: $(id S3)\n\nUpstream-Commit: $(id S1)\nand some words\nUpstream-Commit: $(id S2)")v");
  const Landed& landed = of(report, "LS");
  EXPECT_EQ(landed.upstream, (std::vector<std::string>{world_->id("S1"), world_->id("S2"), world_->id("S3")}));
  EXPECT_EQ(landed.score, Score::same) << landed.reason;
  EXPECT_EQ(landed.landed_verdict, "pass");
}

TEST_F(Observe, ASquashWithAChangeOfItsOwnDiffers) {
  const auto report = look_at(
      R"v(put s1 "one\n" ; put s2 "two, and more\n" ; commit LS "two files" "Upstream-Commit: $(id S1)\nUpstream-Commit: $(id S2)")v");
  EXPECT_EQ(of(report, "LS").score, Score::differs);
  EXPECT_EQ(of(report, "LS").files, std::vector<std::string>{"s2"});
}

TEST_F(Observe, ALandingThatSaysNothingIsFoundByItsTree) {
  const auto report = look_at(R"v(put t "tree\n" ; commit LT "a file that we need")v");
  EXPECT_EQ(of(report, "LT").how, "tree");
  EXPECT_EQ(of(report, "LT").upstream, std::vector<std::string>{world_->id("T")});
  EXPECT_EQ(of(report, "LT").score, Score::same);
}

TEST_F(Observe, APlainCherryPickIsFoundByAuthorAndSubject) {
  const auto report = look_at(R"v(pick_by_hand LP P "g: fix line 3")v");
  EXPECT_EQ(of(report, "LP").how, "author");
  EXPECT_EQ(of(report, "LP").upstream, std::vector<std::string>{world_->id("P")});
}

TEST_F(Observe, ATitleThatHoldsUpstreamsSubjectWithItsNumberIsAMatchAndTheNumberAloneIsNone) {
  const auto report = look_at(
      R"v(line g 9 "line 9 fixed otherwise" ; commit LN "[Cherry-pick] 'g: fix line 9 (#77)' (#1204)"
          line g 30 "unrelated"             ; commit LX "fork: something else (#77)")v");
  EXPECT_EQ(of(report, "LN").how, "subject");
  EXPECT_EQ(of(report, "LN").score, Score::differs);
  EXPECT_EQ(of(report, "LX").score, Score::unmatched);
}

TEST_F(Observe, ALandingThatLosesALineOfTheForkIsOneAtWhichSluiceWouldHaveAsked) {
  const auto report = look_at(
      R"v(line f 19 "line 19 fixed" ; line f 20 "line 20" ; commit LC "f: line 19" "(cherry picked from commit $(id C))")v");
  const Landed& landed = of(report, "LC");
  EXPECT_EQ(landed.score, Score::stopped);
  EXPECT_EQ(landed.rule, "conflict");
  ASSERT_TRUE(objects(landed, "G23")) << landed.landed_verdict;
  EXPECT_NE(landed.landed_verdict, "pass");
  EXPECT_NE(text_.find("line 20 of the fork"), std::string::npos) << text_;
}

TEST_F(Observe, APickThatARuleStopsNamesTheRuleAlthoughTheTreesAreEqual) {
  const auto report = look_at("pick_by_hand LH H", "[[path]]\nglob = \"h\"\nupstream = \"block\"\n");
  const Landed& landed = of(report, "LH");
  EXPECT_EQ(landed.score, Score::stopped);
  EXPECT_TRUE(landed.rule.starts_with("G")) << landed.rule;
  EXPECT_TRUE(landed.equal_tree);
  EXPECT_NE(landed.reason.find("h"), std::string::npos);
}

TEST_F(Observe, TheForksOwnCommitIsUnmatched) {
  const auto report = look_at(R"v(put own "ours\n" ; commit LO "fork: a file of its own")v");
  EXPECT_EQ(of(report, "LO").score, Score::unmatched);
  EXPECT_EQ(of(report, "D0").score, Score::unmatched);
  EXPECT_EQ(json_["scores"]["unmatched"].as_int(), 2);
}

TEST_F(Observe, ARevertInTheForkIsNoPickOfWhatItQuotes) {
  const auto report = look_at(R"v(pick_by_hand LN N
      revert_of LR LN "Back out \"g: fix line 9 (#77)\""
      line g 9 "line 9 fixed" ; commit LB "Reland: g: fix line 9 (#77)" "(cherry picked from commit $(id N))")v");
  EXPECT_EQ(of(report, "LR").score, Score::unmatched);
  EXPECT_FALSE(of(report, "LR").note.empty());
  EXPECT_EQ(of(report, "LB").score, Score::same);
}

TEST_F(Observe, AMergeOfATopicIsOneLandingWithWhatItsCommitsBring) {
  const auto report = look_at(R"v(branch topic
      pick_by_hand M1 S1
      pick_by_hand M2 S2
      on main
      put own "ours\n" ; commit LO "fork: meanwhile"
      merge_branch LM topic)v");
  EXPECT_EQ(of(report, "LM").upstream, (std::vector<std::string>{world_->id("S1"), world_->id("S2")}));
  EXPECT_EQ(of(report, "LM").score, Score::same) << of(report, "LM").reason;
  EXPECT_EQ(report.landings.size(), 3u) << "first parents only";
}

TEST_F(Observe, EachLandingIsScoredOnceAndAgainWhenThePolicyChanged) {
  const auto report = look_at("pick_by_hand LA A\npick_by_hand LH H");
  EXPECT_EQ(report.scored_now, 3);
  EXPECT_EQ(again().scored_now, 0);
  EXPECT_EQ(of(again(), "LA").score, Score::same);
  world_->history.run("at down; pick_by_hand LP P; push_bare down");
  EXPECT_EQ(again().scored_now, 1);

  const auto config = core::read_file(world_->config_path, 1 << 20);
  ASSERT_TRUE(config.ok());
  ASSERT_TRUE(core::write_file(world_->config_path, *config + "[[path]]\nglob = \"h\"\nupstream = \"block\"\n").ok());
  const auto judged_again = again();
  EXPECT_EQ(judged_again.scored_now, 4);
  EXPECT_EQ(of(judged_again, "LH").score, Score::stopped);
}

TEST_F(Observe, ALimitedRunIsContinuedByTheNextOneNewestFirst) {
  look_at("pick_by_hand LA A");
  world_->history.run("at down; pick_by_hand LH H; pick_by_hand LP P; pick_by_hand LN N; push_bare down");
  const auto first = again({.since = 0, .until = 0, .at_most = 2});
  EXPECT_EQ(first.scored_now, 2);
  EXPECT_EQ(first.left, 1);
  EXPECT_EQ(of(first, "LN").score, Score::same);
  EXPECT_EQ(again({.since = 0, .until = 0, .at_most = 2}).scored_now, 1);
}

TEST_F(Observe, TheRangeIsByCommitterTime) {
  look_at("pick_by_hand LA A\npick_by_hand LH H");
  const auto at = [&](const char* name) { return std::stoll(world_->history.git("down.git", {"show", "-s", "--format=%ct", world_->id(name)})); };
  const auto report = again({.since = at("LA"), .until = at("LH"), .at_most = 0});
  ASSERT_EQ(report.landings.size(), 1u);
  EXPECT_EQ(report.landings[0].commit, world_->id("LA"));
}

TEST_F(Observe, WhatSluiceLandedItselfIsNotScored) {
  REQUIRE_SANDBOX();
  world_ = std::make_unique<World>(start);
  world_->sync();
  const auto report = again({.since = 1, .until = 0, .at_most = 0});
  EXPECT_GT(report.by_sluice, 0);
  EXPECT_EQ(report.landings.size(), 1u) << "the fork's own commit";
}

}  // namespace
}  // namespace sluice::test
