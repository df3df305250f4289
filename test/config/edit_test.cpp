// SPDX-License-Identifier: Apache-2.0
#include "config/edit.h"

#include <gtest/gtest.h>

#include "test/config/support.h"

namespace sluice::config {
namespace {

std::string edited(std::string_view text, const std::vector<SectionEdit>& edits) {
  const auto out = edit_sections(text, edits);
  return out.ok() ? out->text : "error: " + out.error().message;
}

TEST(Edit, AKeyThatIsThereGetsItsValueAndKeepsItsComment) {
  const std::string text = "# head\n[rules.G24]\n  mode   =  \"observe\"   # noisy since March\nmin_length = 6\n";
  EXPECT_EQ(edited(text, {{"rules.G24", {{"mode", "\"enforce\""}}}}),
            "# head\n[rules.G24]\n  mode   =  \"enforce\"   # noisy since March\nmin_length = 6\n");
}

TEST(Edit, AMissingKeyFollowsTheLastKeyOfItsSection) {
  const std::string text = "[rules.G24]\nmode = \"observe\"\n\n# about the suites\n[[suite]]\nid = \"x\"\n";
  EXPECT_EQ(edited(text, {{"rules.G24", {{"calibrated", "2"}}}}),
            "[rules.G24]\nmode = \"observe\"\ncalibrated = 2\n\n# about the suites\n[[suite]]\nid = \"x\"\n");
}

TEST(Edit, AMissingSectionStandsAtTheEnd) {
  EXPECT_EQ(edited("[fork]\nurl = \"x\"", {{"rules.G26", {{"mode", "\"observe\""}, {"threshold", "4"}}}}),
            "[fork]\nurl = \"x\"\n\n[rules.G26]\nmode = \"observe\"\nthreshold = 4\n");
}

TEST(Edit, ValuesThatAreThereAlreadyChangeNothing) {
  const std::string text = "[rules.G24]\nmode = \"observe\" # said\n";
  const auto out = edit_sections(text, {{"rules.G24", {{"mode", "\"observe\""}}}});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->text, text);
  EXPECT_TRUE(out->lines.empty());
}

TEST(Edit, TextInsideAStringOrAListIsNoSection) {
  const std::string text =
      "[message]\nnote = \"\"\"\n[rules.G24]\nmode = \"off\"\n\"\"\"\nlist = [\n  \"[rules.G24]\", # ]\n]\n[rules . \"G24\"] # here\nmode = \"observe\"\n";
  const auto out = edit_sections(text, {{"rules.G24", {{"mode", "\"enforce\""}}}});
  ASSERT_TRUE(out.ok()) << out.error().message;
  ASSERT_EQ(out->lines.size(), 1u);
  EXPECT_EQ(out->lines[0].line, 10u);
  EXPECT_EQ(out->lines[0].removed, std::vector<std::string>{"mode = \"observe\""});
  EXPECT_EQ(out->lines[0].added, std::vector<std::string>{"mode = \"enforce\""});
  EXPECT_NE(out->text.find("[rules.G24]\nmode = \"off\"\n\"\"\""), std::string::npos);
}

TEST(Edit, LineEndsAreThoseOfTheFile) {
  EXPECT_EQ(edited("[rules.G24]\r\nmode = \"off\"\r\n", {{"rules.G24", {{"mode", "\"observe\""}, {"calibrated", "1"}}}, {"rules.G10", {{"threshold", "2"}}}}),
            "[rules.G24]\r\nmode = \"observe\"\r\ncalibrated = 1\r\n\r\n[rules.G10]\r\nthreshold = 2\r\n");
}

TEST(Edit, AnotherFormOfTheSectionIsRefusedByItsLine) {
  for (const std::string text : {"[rules]\nG24 = { mode = \"off\" }\n", "[rules]\nG24.mode = \"off\"\n", "rules.G24.mode = \"off\"\n"}) {
    const auto out = edit_sections(text, {{"rules.G24", {{"mode", "\"observe\""}}}});
    ASSERT_FALSE(out.ok()) << text;
    EXPECT_NE(out.error().message.find("[rules.G24] as a section of its own"), std::string::npos) << out.error().message;
  }
  EXPECT_TRUE(edit_sections("[rules]\nG24.mode = \"off\"\n", {{"rules.G10", {{"threshold", "2"}}}}).ok());
}

TEST(Edit, TheResultReadsAsItWasMeant) {
  const std::string text = smallest + "[rules.G24]  # the fork's own helpers\nmode = \"observe\"\n\n[fork_surface]\nglobs = [\n  \"a/**\",\n]\n";
  const std::string out = edited(text, {{"rules.G24", {{"mode", "\"enforce\""}, {"calibrated", "1"}, {"min_length", "8"}}},
                                        {"rules.G21", {{"threshold", toml_number(0.125)}}}});
  const model::Config config = parsed(out);
  EXPECT_EQ(config.policy.rules.at("G24").mode, model::RuleMode::enforce);
  EXPECT_EQ(config.policy.rules.at("G24").calibrated, 1);
  EXPECT_EQ(config.policy.rules.at("G24").thresholds.at("min_length"), 8);
  EXPECT_EQ(config.policy.rules.at("G21").thresholds.at("threshold"), 0.125);
  EXPECT_EQ(config.policy.fork_surface, std::vector<std::string>{"a/**"});
  EXPECT_NE(out.find("# the fork's own helpers"), std::string::npos);
}

}  // namespace
}  // namespace sluice::config
