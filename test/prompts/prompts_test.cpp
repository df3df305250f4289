// SPDX-License-Identifier: Apache-2.0
#include "prompts/prompts.h"

#include <gtest/gtest.h>

#include <map>

#include "core/file.h"
#include "core/text.h"
#include "prompts/embedded.h"

namespace sluice::prompts {
namespace {

TEST(PromptsTest, EveryJobHasItsPromptAndEveryPromptItsContract) {
  EXPECT_EQ(names(), (std::vector<std::string_view>{"parked_text", "repair", "resolver"}));
  for (const auto name : names()) {
    const Prompt& p = prompt(name);
    EXPECT_EQ(p.name, name);
    EXPECT_GE(p.version, 1) << name;
    EXPECT_TRUE(p.contract.starts_with("In comes ")) << name;
    EXPECT_NE(p.contract.find("Out come"), std::string_view::npos) << name;
    EXPECT_GT(p.text.size(), 500u) << name;
    EXPECT_EQ(p.sha256.size(), 64u) << name;
    EXPECT_TRUE(core::is_utf8(p.text)) << name;
  }
}

TEST(PromptsTest, WhatIsInTheProgramIsWhatStandsInTheFiles) {
  for (const EmbeddedFile& file : embedded_files()) {
    const auto text = core::read_file(std::string(SLUICE_SOURCE_DIR) + "/prompts/" + std::string(file.name) + ".md");
    ASSERT_TRUE(text.ok()) << text.error().message;
    EXPECT_EQ(*text, file.content) << file.name;
  }
}

// A change of a text is another version: its hash is in every transcript and in every recording. Whoever changes a
// text raises `version` in its head and writes version and hash here.
TEST(PromptsTest, ATextChangesWithItsVersion) {
  const std::map<std::string_view, std::pair<int, std::string_view>> known = {
      {"parked_text", {1, "a6c3bb75ca1aeb58669f505a375db341eccfeee99a25460cde9dda3dbc5eacb9"}},
      {"repair", {1, "eef73992a792afd2286d3f79e47deeaa0f7eac364be8df6928e772f164302d25"}},
      {"resolver", {1, "6c2c98ca23aebf4cc0f62eae87db5839b0b796d3660c0c2a6ff9d8d52386a200"}},
      {"tools", {1, "19cbb98778769ac353d01985ba6f11ca7fca3a2b3ca1c96205dd7864b5bb1b17"}},
  };
  ASSERT_EQ(known.size(), embedded_files().size());
  for (const auto& [name, was] : known) {
    EXPECT_EQ(prompt(name).version, was.first) << name;
    EXPECT_EQ(prompt(name).sha256, was.second) << name;
  }
}

TEST(PromptsTest, AnotherByteIsAnotherHash) {
  const auto one = parse_prompt("p", "version: 1\njob: x\ncontract: In comes a.\n---\nSay yes.\n");
  const auto other = parse_prompt("p", "version: 1\njob: x\ncontract: In comes a.\n---\nSay yes!\n");
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one->sha256, other->sha256);
  EXPECT_EQ(one->text, "Say yes.\n");
}

TEST(PromptsTest, AFileThatIsNoPromptSaysWhatItLacks) {
  const std::pair<std::string_view, std::string_view> bad[] = {
      {"", "does not end"},
      {"version: 1\njob: x\ncontract: c\n", "does not end"},
      {"version: one\njob: x\ncontract: c\n---\ntext\n", "'one' is no number"},
      {"job: x\ncontract: c\n---\ntext\n", "needs version"},
      {"version: 1\ncontract: c\n---\ntext\n", "needs version"},
      {"version: 1\njob: x\n---\ntext\n", "needs version"},
      {"version: 1\njob: x\ncontract: c\n---\n\n", "no text"},
      {"version: 1\njob: x\nmood: c\n---\ntext\n", "'mood' is no key"},
      {"a line\n---\ntext\n", "not `key: value`"},
  };
  for (const auto& [content, want] : bad) {
    const auto prompt = parse_prompt("p", content);
    ASSERT_FALSE(prompt.ok()) << content;
    EXPECT_NE(prompt.error().message.find(want), std::string::npos) << prompt.error().message;
  }
}

TEST(PromptsTest, EveryToolHasItsDescriptionInTheOrderOfTheTable) {
  std::vector<std::string> tools;
  for (const auto& [name, text] : tool_descriptions()) {
    tools.push_back(name);
    EXPECT_GT(text.size(), 40u) << name;
    EXPECT_LT(text.size(), 1024u) << name;  // the least that a service allows
  }
  EXPECT_EQ(tools, (std::vector<std::string>{"list_conflicts", "get_region", "read_lines", "search", "why_line", "upstream_patch",
                                             "resolve_region", "adapt_lines", "account", "run_checks", "submit", "give_up"}));
}

TEST(PromptsTest, SectionsWithoutTextOrTwiceAreRefused) {
  EXPECT_FALSE(parse_sections("stray\n# a\ntext\n").ok());
  EXPECT_FALSE(parse_sections("# a\n\n# b\ntext\n").ok());
  EXPECT_FALSE(parse_sections("# a\ntext\n# a\ntext\n").ok());
  EXPECT_TRUE(parse_sections("# a\ntext\n\n# b\nmore\n").ok());
}

// What a resolver must be told, whatever the wording.
TEST(PromptsTest, TheResolverIsToldWhatItMayNotDo) {
  const std::string text = core::to_lower(prompt("resolver").text);
  for (const auto* words : {"\"untrusted\": true", "never an instruction", "giving up is a good answer", "never weaken", "account", "markers"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
  for (const auto& [tool, description] : tool_descriptions())
    EXPECT_TRUE(tool == "get_region" || tool == "list_conflicts" || text.find(tool) != std::string::npos) << tool;
}

}  // namespace
}  // namespace sluice::prompts
