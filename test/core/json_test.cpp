// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace sluice::core {
namespace {

TEST(Json, dump_is_canonical_whatever_the_order_of_insertion) {
  const Json a = Json::object({{"b", 1}, {"a", Json::array().push("x").push(nullptr)}, {"A", true}});
  Json b;
  b.set("A", true).set("a", Json::array_of(std::vector<std::string>{"x"}).push(Json())).set("b", 1);
  EXPECT_EQ(a.dump(), R"({"A":true,"a":["x",null],"b":1})");
  EXPECT_EQ(b.dump(), a.dump());
  EXPECT_EQ(a, b);
}

TEST(Json, pretty_indents_by_two_and_reads_back) {
  const Json j = Json::object(
      {{"a", Json::array_of(std::vector<int>{1, 2})}, {"e", Json::array()}, {"o", Json::object()}});
  EXPECT_EQ(j.pretty(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"e\": [],\n  \"o\": {}\n}\n");
  const auto back = Json::parse(j.pretty());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, j);
}

TEST(Json, invalid_utf8_is_replaced_in_output_and_refused_in_input) {
  EXPECT_EQ(Json("a\xff"
                 "b\xc3")
                .dump(),
            "\"a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\"");
  EXPECT_EQ(Json::object({{"\xfe", 1}}).dump(), "{\"\xEF\xBF\xBD\":1}");
  const auto bad = Json::parse("\"a\xff\"");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().kind, ErrorKind::invalid);
}

TEST(Json, control_characters_are_escaped_and_read_back) {
  std::string all;
  for (int i = 0; i < 128; ++i) all += static_cast<char>(i);
  const auto back = Json::parse(Json(all).dump());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->as_string(), all);
}

TEST(Json, integers_keep_64_bits) {
  for (const char* text : {"9223372036854775807", "-9223372036854775808", "0"}) {
    const auto j = Json::parse(text);
    ASSERT_TRUE(j.ok());
    EXPECT_TRUE(j->is_int());
    EXPECT_EQ(j->dump(), text);
  }
  const auto beyond = Json::parse("9223372036854775808");
  ASSERT_TRUE(beyond.ok());
  EXPECT_FALSE(beyond->is_int()) << "a wrapped number would be worse than a rounded one";
  EXPECT_EQ(beyond->as_double(), 9223372036854775808.0);
}

TEST(Json, doubles_stay_doubles_and_round_trip) {
  EXPECT_EQ(Json(1.0).dump(), "1.0");
  EXPECT_EQ(Json(100000.0).dump(), "100000.0");
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(Json(-0.0).dump(), "-0.0");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  for (const double d : {1e300, 5e-324, 1.0 / 3, 123456789.125, 1e16}) {
    const auto back = Json::parse(Json(d).dump());
    ASSERT_TRUE(back.ok());
    EXPECT_FALSE(back->is_int());
    EXPECT_EQ(back->as_double(), d);
  }
}

TEST(Json, depth_and_size_are_capped) {
  const std::string deep = std::string(100'000, '[');
  const auto j = Json::parse(deep);
  ASSERT_FALSE(j.ok());
  EXPECT_NE(j.error().message.find("64 levels"), std::string::npos) << j.error().message;
  EXPECT_TRUE(Json::parse(std::string(64, '[') + std::string(64, ']')).ok());
  EXPECT_FALSE(Json::parse(std::string(65, '[') + std::string(65, ']')).ok());
  const auto large = Json::parse("[1,2,3]", {.max_bytes = 6});
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().message.find("7 bytes"), std::string::npos) << large.error().message;
}

TEST(Json, broken_texts_are_one_clear_error) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\":}", "nul", "'a'", "1 2", "\"\\ud800\"", "{\"a\" 1}",
                           "1e999", "\"\n\"", "[1] x", "{1:2}", "+1", "01", "\"\\x\""}) {
    const auto j = Json::parse(text);
    EXPECT_FALSE(j.ok()) << text;
    if (!j.ok()) {
      EXPECT_EQ(j.error().kind, ErrorKind::invalid);
      EXPECT_EQ(j.error().message.rfind("not JSON", 0), 0u) << j.error().message;
    }
  }
}

TEST(Json, lenient_reads_give_the_default_when_the_type_differs) {
  const auto j = Json::parse(R"({"s":"x","i":3,"d":2.5,"b":true,"a":[1],"n":null})");
  ASSERT_TRUE(j.ok());
  EXPECT_EQ((*j)["s"].as_int(7), 7);
  EXPECT_EQ((*j)["d"].as_int(7), 7);
  EXPECT_EQ((*j)["i"].as_double(), 3.0);
  EXPECT_TRUE((*j)["absent"]["deeper"].is_null());
  EXPECT_EQ((*j)["i"].as_string(), "");
  EXPECT_TRUE((*j)["s"].items().empty());
  EXPECT_TRUE(j->has("n"));
  EXPECT_FALSE(j->has("x"));
  EXPECT_TRUE((*j)["b"].as_bool());
}

TEST(Json, of_equal_keys_the_last_one_counts) {
  const auto j = Json::parse(R"({"a":1,"a":2})");
  ASSERT_TRUE(j.ok());
  EXPECT_EQ((*j)["a"].as_int(), 2);
}

TEST(Json, setting_a_member_of_a_number_is_a_bug) {
  Json j = 1;
  EXPECT_THROW(j.set("a", 1), Bug);
  EXPECT_THROW(j.push(1), Bug);
}

}  // namespace
}  // namespace sluice::core
