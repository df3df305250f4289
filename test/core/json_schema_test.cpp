// SPDX-License-Identifier: Apache-2.0
#include "core/json_schema.h"

#include <gtest/gtest.h>

namespace sluice::core {
namespace {

Json parsed(std::string_view text) { return *Json::parse(text); }

constexpr std::string_view lines = R"({"type":"object","additionalProperties":false,"properties":{
  "rev":{"type":"string","enum":["base","ours"]},"id":{"type":"string","pattern":"^[a-f0-9]{4}$"},
  "start":{"type":"integer","minimum":1},"names":{"type":"array","items":{"type":"string","maxLength":3},"maxItems":2}},
  "required":["rev"]})";

TEST(JsonSchema, AcceptsWhatMatches) {
  const auto schema = JsonSchema::compile(parsed(lines));
  ASSERT_TRUE(schema.ok()) << schema.error().message;
  EXPECT_TRUE(schema->check(parsed(R"({"rev":"base","id":"00ff","start":1,"names":["a","b"]})")).ok());
}

TEST(JsonSchema, NamesThePlaceOfWhatDoesNot) {
  const auto schema = JsonSchema::compile(parsed(lines));
  ASSERT_TRUE(schema.ok());
  for (const auto& [text, pointer] : std::vector<std::pair<std::string_view, std::string_view>>{
           {R"({})", "/"},
           {R"({"rev":"theirs"})", "/rev"},
           {R"({"rev":"base","id":"00FF"})", "/id"},
           {R"({"rev":"base","start":0})", "/start"},
           {R"({"rev":"base","start":"1"})", "/start"},
           {R"({"rev":"base","names":["a","long"]})", "/names/1"},
           {R"({"rev":"base","names":["a","b","c"]})", "/names"},
           {R"({"rev":"base","shell":"rm"})", "/"},
           {R"([])", "/"}}) {
    const auto checked = schema->check(parsed(text));
    ASSERT_FALSE(checked.ok()) << text;
    EXPECT_TRUE(checked.error().message.starts_with(std::string(pointer) + ": ")) << text << " -> " << checked.error().message;
  }
}

TEST(JsonSchema, ASchemaThatIsNoneIsRefused) {
  EXPECT_FALSE(JsonSchema::compile(parsed(R"({"type":"nothing"})")).ok());
  EXPECT_FALSE(JsonSchema::compile(parsed(R"({"properties":3})")).ok());
}

}  // namespace
}  // namespace sluice::core
