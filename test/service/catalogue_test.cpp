// SPDX-License-Identifier: Apache-2.0
#include "service/catalogue_text.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "guardrails/guardrails.h"

namespace sluice::service {
namespace {

constexpr std::string_view begin = "<!-- generated: sluice gate --catalogue -->\n", end = "<!-- end of generated -->\n";

TEST(Catalogue, ThePageIsWhatTheCodeSays) {
  const auto page = core::read_file(SLUICE_SOURCE_DIR "/docs/guardrails.md", 1u << 20);
  ASSERT_TRUE(page.ok()) << page.error().message;
  const std::size_t from = page->find(begin), to = page->find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  EXPECT_EQ(page->substr(from + begin.size(), to - from - begin.size()), catalogue_markdown())
      << "docs/guardrails.md: put the output of `sluice gate --catalogue` between the marks";
}

TEST(Catalogue, EveryRuleSaysWhatItIs) {
  for (const guardrails::RuleInfo& rule : guardrails::catalogue()) {
    for (const std::string* text : {&rule.title, &rule.passes, &rule.fail, &rule.lift, &rule.example}) EXPECT_FALSE(text->empty()) << rule.id;
    for (const auto& number : rule.thresholds) EXPECT_FALSE(number.meaning.empty()) << rule.id << " " << number.key;
    EXPECT_GE(rule.version, 1) << rule.id;
  }
}

}  // namespace
}  // namespace sluice::service
