// SPDX-License-Identifier: Apache-2.0
// What a model does beside conflicts: a suggested fix, and sentences for a person.
#include <gtest/gtest.h>

#include "service/model/parked_help.h"
#include "test/service/model_world.h"

namespace sluice::test {
namespace {

// X merges, and does not build: the suite `build` refuses the word.
const char* const does_not_build = R"v(
  repo up
    put lib/a.cpp 'int a() { return 1; }\n'
    put keep.test 'ok\n'
    commit B 'first version'
  fork up down
    put own.txt 'own\n' ; commit D 'own'
  at up
    put broken.h '#define WIDTH BROKEN\n' ; commit X 'width: a macro'
)v";

Turn edit(const std::string& new_text) {
  return Turn::call("adapt_lines", core::Json::object({{"path", "broken.h"}, {"old", "#define WIDTH BROKEN\n"}, {"new", new_text}, {"reason_code", "SIGNATURE"},
                                                       {"reason", "the fork has no BROKEN"}}));
}

Script mends(std::string new_text) {
  return [new_text](const Conversation& c) {
    if (c.turns == 0) return edit(new_text);
    if (c.answer_of("submit").is_null())
      return Turn::call("submit", core::Json::object({{"confidence", "medium"}, {"summary", "WIDTH is 8 in the fork. Fixes #12, ask @pat."}}));
    return Turn::call("give_up", core::Json::object({{"category", "needs_design"}, {"question", "what is WIDTH?"}}));
  };
}

TEST(ModelJobs, AFixThatBuildsIsOfferedToWhoeverTakesTheUnit) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(mends("#define WIDTH 8\n"));
  World w(with_lit(does_not_build), model_config(server, "messages", "repair = true"));
  const auto report = sync_with(w);
  EXPECT_EQ(w.disposition("X"), model::Disposition::deferred) << "a suggestion lands nothing";
  const std::string unit = parked_unit(report);
  ASSERT_FALSE(unit.empty());
  const auto app = w.open();
  const auto fix = service::suggestion_for(*app, unit);
  ASSERT_TRUE(fix.ok() && fix->has_value()) << (fix.ok() ? "no suggestion" : fix.error().message);
  const auto taken = service::take(*app, bare_take(unit));
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_EQ(taken->branch.suggested, (*fix)->transcript);
  const auto head = app->repo.reader().commit(taken->branch.head);
  EXPECT_NE(head->message.find("Sluice-Companion-Of: " + w.id("X")), std::string::npos) << head->message;
  EXPECT_EQ(head->message.find("@pat"), std::string::npos) << head->message;
  EXPECT_EQ(**app->repo.reader().file(head->tree, "broken.h"), "#define WIDTH 8\n");
  EXPECT_NE(service::take_text(*app, *taken).find("a fix that a model suggests"), std::string::npos);
}

TEST(ModelJobs, AFixThatDoesNotBuildIsNotKept) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(mends("#define WIDTH 8 // not BROKEN\n"));
  World w(with_lit(does_not_build), model_config(server, "messages", "repair = true"));
  const std::string unit = parked_unit(sync_with(w));
  const auto fix = service::suggestion_for(*w.open(), unit);
  ASSERT_TRUE(fix.ok());
  EXPECT_FALSE(fix->has_value());
}

TEST(ModelJobs, WithoutTheSwitchNobodyIsAsked) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(mends("#define WIDTH 8\n"));
  World w(with_lit(does_not_build), model_config(server));
  EXPECT_FALSE(parked_unit(sync_with(w)).empty());
  EXPECT_TRUE(server.requests().empty());
}

Turn words(const std::string& obstacle, const std::string& question) {
  return Turn::call("write_text", core::Json::object({{"obstacle", obstacle}, {"tried", ""}, {"question", question}}));
}

TEST(ModelJobs, SentencesForAPersonHoldNothingThatTheRecordDoesNot) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server([](const Conversation& c) {
    if (c.offers("write_text")) return words("The fork traces what upstream limits. All 1240 tests in lib/secret.cpp pass. Ping @pat.", "Which one is it to be?");
    return Turn::call("give_up", core::Json::object({{"category", "needs_design"}, {"question", "which?"}}));
  });
  World w(with_lit(narrowing), model_config(server, "messages", "parked_text = true"));
  const std::string id = parked_unit(sync_with(w));
  const auto app = w.open();
  const auto said = service::parked_text(*app, id);
  ASSERT_TRUE(said.ok() && said->has_value());
  const service::ParkedText* text = &**said;
  EXPECT_EQ(text->by, "default");
  EXPECT_NE(text->text.find("The fork traces what upstream limits."), std::string::npos) << text->text;
  EXPECT_NE(text->text.find("Which one is it to be?"), std::string::npos);
  EXPECT_EQ(text->text.find("1240"), std::string::npos) << text->text;
  EXPECT_EQ(text->text.find("secret.cpp"), std::string::npos);
  EXPECT_EQ(text->text.find("@pat"), std::string::npos);
  EXPECT_EQ(text->removed, 1);
}

TEST(ModelJobs, WithoutAModelTakeSaysByItselfWhyItWaits) {
  REQUIRE_SANDBOX();
  World w(narrowing);
  const std::string id = parked_unit(w.sync());
  const auto app = w.open();
  EXPECT_FALSE(service::parked_text(*app, id)->has_value());
  const auto taken = service::take(*app, bare_take(id));
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  const std::string text = service::take_text(*app, *taken);
  EXPECT_EQ(text.find("in short"), std::string::npos);
  EXPECT_NE(text.find("\"narrow: the limit depends on the value (#12)\" conflicts"), std::string::npos) << text;
}

TEST(KnownSentences, NumbersPathsAndNamesMustStandInTheFacts) {
  const std::string facts = "lib/a.cpp line 12 calls emit_load; ns::take(x)";
  int removed = 0;
  EXPECT_EQ(service::known_sentences("See lib/a.cpp. It is line 12.", facts, removed), "See lib/a.cpp. It is line 12.");
  EXPECT_EQ(removed, 0);
  EXPECT_EQ(service::known_sentences("See lib/b.cpp. Plain words stay.", facts, removed), "Plain words stay.");
  EXPECT_EQ(removed, 1);
  EXPECT_EQ(service::known_sentences("It took 13 days. emit_store is gone. ns::take stays!", facts, removed), "ns::take stays!");
  EXPECT_EQ(removed, 3);
  EXPECT_EQ(service::known_sentences("", facts, removed), "");
}

}  // namespace
}  // namespace sluice::test
