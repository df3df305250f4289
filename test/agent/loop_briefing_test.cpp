// SPDX-License-Identifier: Apache-2.0
// The first message of a run: what is in it, what goes when it is too long, and that it is the same in every run.
#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/loop/briefing_parts.h"
#include "core/file.h"
#include "core/text.h"
#include "test/agent/loop_world.h"

namespace sluice::agent::testing {
namespace {

void expect_golden(const std::string& name, const std::string& have) {
  const std::string file = std::string(SLUICE_SOURCE_DIR) + "/test/agent/golden/" + name;
  if (std::getenv("SLUICE_UPDATE_GOLDEN") != nullptr) must(core::write_file(file, have));
  const auto want = core::read_file(file);
  ASSERT_TRUE(want.ok()) << want.error().message;
  EXPECT_EQ(have, *want) << "run with SLUICE_UPDATE_GOLDEN=1 when the change is meant";
}

Briefing full_briefing(const tools::Buffer& buffer) {
  Briefing out;
  const std::string& first = buffer.places().front().region.id;
  out.candidates = {{first, "B6", "void emit_load(Block& b, Type t, Align a) {\n", "right in 56 % of unseen cases"},
                    {buffer.places().back().region.id, "driver structural", "  emit_load(b, t, Align::natural);\n", "not measured"}};
  out.remembered = {{first, "c-0a1b2c3d4e", "void emit_load(Block& b, Type t, Align a) {\n  b.trace(\"load\");\n", "landed"}};
  out.fork_commits = {{std::string(40, 'd'), "lower: trace what is emitted", "wrote lines 7-7 of ours"}};
  out.prerequisites = {{std::string(40, 'e'), "ir: an alignment for every type", "defines Align"}};
  out.invariants = {{.path = "lib/**", .pattern = "b\\.trace\\(", .min = 2, .why = "without it nobody can tell what was emitted"}};
  tools::Finding finding;
  finding.rule = "G23";
  finding.path = "lib/lower.cpp";
  finding.line = 7;
  finding.text = "  b.trace(\"load\");";
  finding.detail = "keep the line, or account for it with kind downstream_lost";
  finding.item_id = std::string(64, 'f');
  finding.kind = "downstream_lost";
  out.findings = {finding};
  out.attempt_note = "The candidates were tried together and dropped: the finding below stood against them.";
  return out;
}

class BriefingTest : public ::testing::Test {
 protected:
  Result<LlmRequest> first(const Briefing& briefing, std::size_t max_bytes = 240'000) {
    auto box = toolbox(conflict_.world, buffer_, checks_);
    return first_request(conflict_.world, buffer_, briefing, box.offers(), endpoint(), max_bytes);
  }
  std::string text(const Briefing& briefing, std::size_t max_bytes = 240'000) { return must(first(briefing, max_bytes)).messages.front().text; }

  Conflict conflict_;
  tools::Buffer buffer_ = must(tools::Buffer::open(conflict_.world));
  ScriptedChecks checks_;
};

TEST_F(BriefingTest, TheWholeMessageIsTheGoldenOne) { expect_golden("first_request.txt", text(full_briefing(buffer_))); }

TEST_F(BriefingTest, WhatDoesNotFitIsLeftOutInTheFixedOrderAndNamed) {
  const std::size_t whole = text(full_briefing(buffer_)).size();
  expect_golden("first_request_without_patch.txt", text(full_briefing(buffer_), whole - 100));
  expect_golden("first_request_bounded.txt", text(full_briefing(buffer_), whole / 2));
}

TEST_F(BriefingTest, EveryBoundIsKeptOrRefused) {
  const Briefing briefing = full_briefing(buffer_);
  std::size_t shortest = 0;
  for (std::size_t bound = text(briefing).size() + 10; shortest == 0; bound -= 250) {
    const auto request = first(briefing, bound);
    if (!request.ok()) {
      EXPECT_EQ(request.error().kind, ErrorKind::invalid);
      EXPECT_NE(request.error().message.find("2 places cannot be told"), std::string::npos) << request.error().message;
      shortest = bound;
      break;
    }
    const std::string& message = request->messages.front().text;
    EXPECT_LE(message.size(), bound);
    for (const auto& place : buffer_.places()) EXPECT_NE(message.find(place.region.id), std::string::npos) << bound;
    ASSERT_GT(bound, 500u);
  }
  EXPECT_GT(shortest, 0u);
}

TEST_F(BriefingTest, ASecondRunHasTheSameBytes) {
  const auto one = must(first(full_briefing(buffer_)));
  Conflict again;
  auto buffer = must(tools::Buffer::open(again.world));
  auto box = toolbox(again.world, buffer, checks_);
  const auto other = must(first_request(again.world, buffer, full_briefing(buffer), box.offers(), endpoint()));
  EXPECT_EQ(one.messages.front().text, other.messages.front().text);
  EXPECT_EQ(one.system, other.system);
  EXPECT_EQ(one.system, prompts::prompt("resolver").text);
  ASSERT_EQ(one.tools.size(), 12u);
  for (std::size_t i = 0; i < one.tools.size(); ++i) EXPECT_EQ(one.tools[i].schema.dump(), other.tools[i].schema.dump());
}

TEST_F(BriefingTest, EverythingFromOutsideStandsInsideObjectsThatSaySo) {
  const std::string message = text(full_briefing(buffer_));
  int objects = 0;
  for (const auto line : core::split_lines(message)) {
    if (!line.starts_with('{')) {
      for (const auto* outside : {"emit_load", "lower", "Align", "trace"}) EXPECT_EQ(line.find(outside), std::string_view::npos) << line;
      continue;
    }
    const auto object = must(core::Json::parse(line));
    EXPECT_TRUE(object["untrusted"].as_bool()) << line;
    EXPECT_TRUE(object["source"].is_string() && object["text"].is_string()) << line;
    ++objects;
  }
  EXPECT_GE(objects, 10);
}

TEST_F(BriefingTest, ARegionHasAtLeastTenLinesAroundItWhereTheFileHasThem) {
  const std::string message = text({}, 100'000);
  for (const auto line : core::split_lines(message)) {
    if (!line.starts_with('{')) continue;
    const auto object = must(core::Json::parse(line));
    if (!object["source"].as_string().starts_with("region ")) continue;
    const std::string& shown = object["text"].as_string();
    const std::string before = shown.substr(0, shown.find("<<<<<<< ours\n")), after = shown.substr(shown.find(">>>>>>> theirs\n"));
    // Up to the start of the file, or to the region beside it, which is named.
    EXPECT_TRUE(core::split_lines(before).size() >= 10 || before.starts_with("#include") || before.starts_with("(region ")) << before;
    EXPECT_TRUE(core::split_lines(after).size() > 10 || after.find("(region ") != std::string::npos) << after;
    EXPECT_NE(shown.find("||||||| base\n"), std::string::npos);
  }
}

TEST_F(BriefingTest, AFileThatMayNotBeShownIsNamedAndNothingOfItIsTold) {
  conflict_.world.may_send = [](std::string_view path) { return path != "lib/lower.cpp"; };
  auto buffer = must(tools::Buffer::open(conflict_.world));
  auto box = toolbox(conflict_.world, buffer, checks_);
  auto briefing = full_briefing(buffer);
  briefing.fork_commits.clear();
  conflict_.world.upstream.message = conflict_.world.upstream.subject = "a change";
  const auto request = must(first_request(conflict_.world, buffer, briefing, box.offers(), endpoint()));
  const std::string& message = request.messages.front().text;
  EXPECT_EQ(message.find("emit_load"), std::string::npos) << message;
  EXPECT_NE(message.find("may not be shown"), std::string::npos);
  for (const auto& source : request.sources) EXPECT_NE(source.path, "lib/lower.cpp") << source.what;
}

TEST_F(BriefingTest, TheSourcesNameEveryPathWhoseLinesAreTold) {
  const auto request = must(first(full_briefing(buffer_)));
  bool region = false, patch = false;
  for (const auto& source : request.sources) {
    region = region || (source.path == "lib/lower.cpp" && source.what.starts_with("region "));
    patch = patch || (source.path == "lib/lower.cpp" && source.what == "upstream patch");
  }
  EXPECT_TRUE(region);
  EXPECT_TRUE(patch);
}

TEST(BriefingText, WhatIsCutInTheMiddleSaysHowMuch) {
  const std::string text = "1\n22\n333\n4444\n55555\n";
  EXPECT_EQ(cut_middle(text, text.size()), text);
  EXPECT_EQ(cut_middle(text, 12), "1\n22\n[... 2 lines, 9 bytes left out ...]\n55555\n");
  EXPECT_EQ(cut_middle(text, 0), "[... 5 lines, 20 bytes left out ...]\n");
}

TEST(BriefingText, AMarkerInTheTextMakesTheMarkersAroundItLonger) {
  Conflict conflict(R"~(
    repo up ; base40 f.txt ; commit B base
    fork up down ; line f.txt 10 '<<<<<<< not a conflict\nours' ; commit D 'ours'
    at up ; line f.txt 10 'theirs' ; commit X theirs
  )~");
  auto buffer = must(tools::Buffer::open(conflict.world));
  ScriptedChecks checks;
  auto box = toolbox(conflict.world, buffer, checks);
  const auto request = must(first_request(conflict.world, buffer, {}, box.offers(), endpoint()));
  EXPECT_NE(request.messages.front().text.find("<<<<<<<< ours\\n<<<<<<< not a conflict\\n"), std::string::npos) << request.messages.front().text;
}

TEST(BriefingText, AFileThatOneSideDeletedIsShownAsWhatTheOtherChanged) {
  Conflict conflict(R"~(
    repo up ; base40 f.txt ; put g.txt 'g\n' ; commit B base
    fork up down ; drop f.txt ; commit D 'the fork has no f'
    at up ; line f.txt 10 'line 10 FIX' ; commit X fix
  )~");
  auto buffer = must(tools::Buffer::open(conflict.world));
  ScriptedChecks checks;
  auto box = toolbox(conflict.world, buffer, checks);
  const auto request = must(first_request(conflict.world, buffer, {}, box.offers(), endpoint()));
  const std::string& message = request.messages.front().text;
  EXPECT_NE(message.find("the fork deleted the file, upstream changed it"), std::string::npos) << message;
  EXPECT_NE(message.find("-line 10\\n+line 10 FIX\\n"), std::string::npos) << message;
}

TEST(BriefingText, APatchHasThreeLinesOfContextAndTrueNumbers) {
  History history(R"~(
    repo up ; base40 f.txt ; commit A base
    line f.txt 5 'FIVE\nFIVE AND A HALF' ; line f.txt 11 'TEN' ; cut_lines f.txt 30 31 ; append f.txt 'end\n' ; commit B change
  )~");
  auto reader = must(git::Reader::open(history.path("up")));
  const auto before = must(reader.file(history.tree("A"), "f.txt")), after = must(reader.file(history.tree("B"), "f.txt"));
  std::string want = history.git("up", {"diff", "-U3", "--no-color", history.id("A"), history.id("B")}) + "\n";
  want = want.substr(want.find("@@"));
  // git writes a word of the function behind the second @@; we do not.
  std::string plain;
  for (const auto line : core::split_lines(want)) plain += (line.starts_with("@@") ? std::string(line.substr(0, line.find("@@", 2) + 2)) : std::string(line)) + "\n";
  EXPECT_EQ(patch_of(reader, *before, *after), plain);
  EXPECT_EQ(patch_of(reader, "", "a\n"), "@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(patch_of(reader, "a\n", "a\n"), "");
}

}  // namespace
}  // namespace sluice::agent::testing
