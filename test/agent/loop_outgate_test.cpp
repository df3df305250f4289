// SPDX-License-Identifier: Apache-2.0
// What may leave, by path and by line.
#include <gtest/gtest.h>

#include "agent/loop/loop.h"
#include "agent/loop/skeleton.h"

namespace sluice::agent {
namespace {

const std::string secret_line = "  if (licence_of(customer) == \"gold\\tplus\") grant(\\\\root);";

Outgate gate(std::vector<std::string> texts, std::vector<std::string> may_stand = {}) {
  return Outgate({}, {"closed/"}, [texts] { return texts; }, [may_stand] { return may_stand; });
}

LlmRequest request_of(const std::string& text) {
  LlmRequest out;
  out.messages.resize(1);
  out.messages[0].text = text;
  return out;
}

Result<void> ask(const Outgate& gate, const std::string& text) {
  return gate.check(request_of(text), core::Json::object({{"messages", core::Json::array().push(core::Json::object({{"content", text}}))}}).dump());
}

TEST(Outgate, SendNamesWhatMayLeaveAndNeverSendTakesOut) {
  const Outgate all({}, {"closed/", "*.pem"}, {});
  EXPECT_TRUE(all.may_send("lib/a.cpp"));
  EXPECT_FALSE(all.may_send("closed/a.cpp"));
  EXPECT_FALSE(all.may_send("etc/key.pem"));
  const Outgate some({"lib/**"}, {"lib/closed/"}, {});
  EXPECT_TRUE(some.may_send("lib/a.cpp"));
  EXPECT_FALSE(some.may_send("lib/closed/a.cpp"));
  EXPECT_FALSE(some.may_send("test/a.cpp"));
}

TEST(Outgate, ASourceThatMayNotLeaveStopsTheRequestAndIsNamed) {
  LlmRequest request = request_of("harmless");
  request.sources = {{"", "message of 1234"}, {"lib/a.cpp", "region 1"}};
  EXPECT_TRUE(gate({}).check(request, "{}").ok());
  request.sources.push_back({"closed/b.cpp", "answer to read_lines"});
  const auto denied = gate({}).check(request, "{}");
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().kind, ErrorKind::denied);
  EXPECT_NE(denied.error().message.find("answer to read_lines holds lines of closed/b.cpp"), std::string::npos) << denied.error().message;
}

TEST(Outgate, ALineIsFoundWhereverItStandsAndHoweverOftenItIsQuoted) {
  const Outgate g = gate({"int a;\n" + secret_line + "\nint b;\n"});
  EXPECT_TRUE(ask(g, "nothing of the kind stands here, but it is long enough to look at").ok());
  const std::string quoted = core::Json::object({{"source", "x"}, {"text", "before\n" + secret_line + "\nafter\n"}}).dump();
  const std::string twice = core::Json::object({{"result", quoted}}).dump();
  for (const std::string& text : std::initializer_list<std::string>{secret_line, "the message says: " + secret_line + " and more", quoted, twice, "if(licence_of(customer)==\"gold\\tplus\")grant(\\\\root);"}) {
    const auto denied = ask(g, text);
    ASSERT_FALSE(denied.ok()) << text;
    EXPECT_NE(denied.error().message.find("message 1 (of ours)"), std::string::npos) << denied.error().message;
    EXPECT_EQ(denied.error().message.find("licence_of"), std::string::npos) << "the line itself must not be told";
  }
}

TEST(Outgate, AnswersOfToolsAndTheModelsOwnWordsAreLookedAtToo) {
  const Outgate g = gate({secret_line});
  LlmRequest request = request_of("fine");
  request.messages.resize(3);
  request.messages[1].role = LlmMessage::Role::assistant;
  request.messages[2].role = LlmMessage::Role::tools;
  request.messages[2].answers = {{"call_7", secret_line}};
  auto denied = g.check(request, secret_line);
  ASSERT_FALSE(denied.ok());
  EXPECT_NE(denied.error().message.find("message 3 (the answer to call call_7)"), std::string::npos) << denied.error().message;
  request.messages[1].text = secret_line;
  denied = g.check(request, secret_line);
  ASSERT_FALSE(denied.ok());
  EXPECT_NE(denied.error().message.find("message 2 (of the model)"), std::string::npos) << denied.error().message;
}

TEST(Outgate, WhatStandsEverywhereMayLeave) {
  const Outgate g = gate({"// SPDX-License-Identifier: Apache-2.0\n#include \"a/long/path/of/a/header.h\"\n  return nullptr;\n}\n"});
  EXPECT_TRUE(ask(g, "// SPDX-License-Identifier: Apache-2.0\n#include \"a/long/path/of/a/header.h\"\n  return nullptr;\n}\n").ok());
}

TEST(Outgate, ALineOfAFileThatMayLeaveMayLeaveFromElsewhereToo) {
  const std::string shared = "static_assert(sizeof(Header) == 64, \"on disk\");";
  EXPECT_FALSE(ask(gate({shared}), shared).ok());
  EXPECT_TRUE(ask(gate({shared}, {"int x;\n" + shared + "\n"}), shared).ok());
}

TEST(Outgate, WhenTheFilesCannotBeReadNothingLeaves) {
  const Outgate g({}, {"closed/"}, []() -> Result<std::vector<std::string>> { return make_error(ErrorKind::not_found, "object_missing: 1234"); });
  const auto denied = ask(g, "anything");
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().kind, ErrorKind::denied);
  EXPECT_NE(denied.error().message.find("object_missing: 1234"), std::string::npos);
}

TEST(Outgate, TheFilesAreReadOnceForAllCopies) {
  int reads = 0;
  const Outgate g({}, {"closed/"}, [&reads]() -> Result<std::vector<std::string>> {
    ++reads;
    return std::vector<std::string>{secret_line};
  });
  const Outgate copy = g;
  EXPECT_FALSE(ask(g, secret_line).ok());
  EXPECT_FALSE(ask(copy, secret_line).ok());
  EXPECT_EQ(reads, 1);
}

TEST(Skeleton, IsTheSameHoweverOftenTextIsQuoted) {
  std::string text = "a \"b\"\\n c\\\\d\te\\u0041\r\nf \\";
  const std::string bones = skeleton(text);
  for (int i = 0; i < 3; ++i) {
    text = core::Json(text).dump();
    EXPECT_EQ(skeleton(text), bones) << text;
  }
}

}  // namespace
}  // namespace sluice::agent
