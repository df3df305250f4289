// SPDX-License-Identifier: Apache-2.0
// The model rung through a whole sync: asked, judged, landed or parked, and what is kept of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/log.h"
#include "core/text.h"
#include "service/audit.h"
#include "test/service/model_world.h"

namespace sluice::test {
namespace {

using D = model::Disposition;

TEST(ModelRung, AnAnswerIsJudgedAndLandsAndSaysWhereItCameFrom) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  for (const std::string dialect : {"messages", "chat"}) {
    ModelServer server(scripts::helpful());
    World w(with_lit(narrowing), model_config(server, dialect));
    const auto report = sync_with(w);
    EXPECT_EQ(report.exit_code(), 0) << dialect << ": " << (report.notices.empty() ? "" : report.notices.front());
    EXPECT_EQ(w.disposition("X"), D::adapted);
    const std::string text = w.trunk_file("lib/narrow.cpp");
    EXPECT_NE(text.find("trace_narrow(width, \"fork\");\n  return clamp(width, 0, max_width(v));"), std::string::npos) << text;
    EXPECT_TRUE(server.refusals().empty()) << server.refusals().front();
    const auto runs = runs_of(w);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].outcome, "submit");
    EXPECT_EQ(runs[0].upstream, w.id("X"));
    EXPECT_GT(runs[0].money, 0);
    const auto app = w.open(service::Access::read);
    const auto audit = service::audit_verify(*app);
    ASSERT_TRUE(audit.ok());
    EXPECT_EQ(audit->transcripts, 1);
    EXPECT_TRUE(audit->findings.empty()) << audit->findings.front().what;
  }
}

TEST(ModelRung, TheSameAnswerWithOneLineOfTheForkLostIsRefused) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful([](const scripts::SeenRegion& r) { return r.theirs; }));
  World w(with_lit(narrowing), model_config(server));
  const auto report = sync_with(w);
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_EQ(w.disposition("X"), D::deferred);
  EXPECT_EQ(w.disposition("Y"), D::picked) << "the rest goes on";
  EXPECT_NE(w.trunk_file("lib/narrow.cpp").find("trace_narrow"), std::string::npos);
}

TEST(ModelRung, WithTheModelOffTheConflictIsParkedAndEverythingElseIsEqual) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  World w(with_lit(narrowing), model_config(server));
  const auto report = sync_with(w, choose("none"));
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_EQ(w.disposition("X"), D::deferred);
  EXPECT_EQ(w.disposition("Y"), D::picked);
  EXPECT_TRUE(server.requests().empty());
}

TEST(ModelRung, WhereItMayOnlyProposeItsAnswerWaitsAsADraft) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  World w(with_lit(narrowing), proposing(model_config(server)) + "[[resolver]]\nname = \"unused\"\ncommand = [\"false\", \"%A\"]\nglobs = [\"*.nothing\"]\n");
  const auto report = sync_with(w);
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_EQ(w.disposition("X"), D::deferred);
  const auto app = w.open();
  const auto take = bare_take(parked_unit(report));
  const std::size_t asked = server.requests().size();
  const auto taken = service::take(*app, take);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_TRUE(taken->branch.drafts);
  EXPECT_EQ(server.requests().size(), asked) << "the answer of the run is taken up, the model is not asked again";
  const auto tree = app->repo.reader().tree_of(taken->branch.head);
  const auto file = app->repo.reader().file(*tree, "lib/narrow.cpp");
  EXPECT_NE((*file)->find("max_width(v)"), std::string::npos) << **file;
  EXPECT_NE((*file)->find("trace_narrow"), std::string::npos);
}

TEST(ModelRung, AnOpenBreakerTellsTheOperatorOnceAndTheQueueGoesOn) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::always(Turn::error(402, "billing_error", "no credit left")));
  World w(with_lit(narrowing), model_config(server));
  const auto first = sync_with(w);
  EXPECT_EQ(first.exit_code(), 3);
  EXPECT_EQ(w.disposition("X"), D::pending) << "it waits for the model, not for a person";
  EXPECT_EQ(w.disposition("Y"), D::picked);
  const std::size_t asked = server.requests().size();
  EXPECT_EQ(asked, 1u) << "a final error is not tried again";
  const auto second = sync_with(w);
  EXPECT_EQ(server.requests().size(), asked) << "an open breaker asks nobody";
  const auto app = w.open();
  const auto alerts = app->store.alerts(false);
  ASSERT_TRUE(alerts.ok());
  EXPECT_EQ(std::count_if(alerts->begin(), alerts->end(), [](const auto& a) { return a.kind == "model_stopped"; }), 1);
  const auto closed = service::reset_breakers(*app, "");
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ(*closed, 1u);
}

TEST(ModelRung, WhatMayNotBeSentIsNotAndAPersonIsTold) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  World w(with_lit(narrowing), model_config(server, "messages", "never_send = [\"lib/**\"]"));
  const auto report = sync_with(w);
  EXPECT_TRUE(server.requests().empty());
  EXPECT_EQ(w.disposition("X"), D::deferred);
  ASSERT_FALSE(report.notices.empty());
  EXPECT_NE(report.notices.front().find("may not be sent"), std::string::npos) << report.notices.front();
}

TEST(ModelRung, EveryPathThatWasSentIsListedAndNoOther) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  World w(with_lit(narrowing), model_config(server, "messages", "never_send = [\"config/**\"]"));
  sync_with(w);
  const auto app = w.open();
  const auto state = service::model_state(*app);
  ASSERT_TRUE(state.ok());
  ASSERT_FALSE(state->sent.empty());
  bool listed = false;
  for (const auto& row : state->sent) {
    listed = listed || row.path == "lib/narrow.cpp";
    EXPECT_FALSE(row.path.starts_with("config/")) << row.path;
  }
  EXPECT_TRUE(listed);
  for (const SeenRequest& request : server.requests()) EXPECT_EQ(request.body.find("key of the night build"), std::string::npos);
}

TEST(ModelRung, APreviewIsTheBytesOfTheFirstRequest) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::gives_up());
  World w(with_lit(narrowing), model_config(server));
  const auto report = sync_with(w, choose("none"));
  const std::string unit = parked_unit(report);
  const auto app = w.open();
  const auto bytes = service::preview_unit(*app, unit);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  EXPECT_TRUE(server.requests().empty()) << "a preview sends nothing";
  service::SyncOptions only;
  only.unit = unit;
  app->model.backoff_unit_ms = 1;
  const auto again = service::sync(*app, only);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_FALSE(server.requests().empty());
  EXPECT_EQ(server.requests().front().body, *bytes);
}

TEST(ModelRung, ARecordedRunIsReplayedByteForByte) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  std::string trunk, verdict;
  std::string cassettes;
  ::setenv("SLUICE_NOW", "2026-01-06T08:00:00Z", 1);
  for (int round = 0; round < 2; ++round) {
    World w(with_lit(narrowing), model_config(server));
    if (round == 0) cassettes = "/tmp/sluice-cassettes-" + std::to_string(::getpid());
    const std::size_t before = server.requests().size();
    const auto report = sync_with(w, round == 0 ? choose("", cassettes) : choose("replay:" + cassettes));
    EXPECT_EQ(w.disposition("X"), D::adapted) << round << ": " << (report.notices.empty() ? "" : report.notices.front()) << (report.errors.empty() ? "" : report.errors.front());
    if (round == 1) {
      EXPECT_EQ(server.requests().size(), before) << "a replay asks nobody";
    }
    const auto app = w.open(service::Access::read);
    const auto tree = app->repo.reader().tree_of(w.trunk());
    const auto landing = app->store.landings();
    std::string digest;
    for (const auto& row : *landing) digest += row.verdict_digest + " ";
    if (round == 0) {
      trunk = *tree;
      verdict = digest;
    } else {
      EXPECT_EQ(*tree, trunk);
      EXPECT_EQ(digest, verdict) << "the verdict is the same record, byte for byte";
    }
  }
  ::unsetenv("SLUICE_NOW");
  std::filesystem::remove_all(cassettes);
}

TEST(ModelRung, AReplayThatIsAskedSomethingElseSaysWhatDiffers) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  const std::string cassettes = "/tmp/sluice-cassettes-other-" + std::to_string(::getpid());
  {
    World w(with_lit(narrowing), model_config(server));
    sync_with(w, choose("", cassettes));
  }
  std::string other = narrowing;
  other.replace(other.find("max_width(v)"), 12, "min_width(v)");
  World w(with_lit(other), model_config(server));
  const auto report = sync_with(w, choose("replay:" + cassettes));
  EXPECT_NE(w.disposition("X"), D::adapted);
  const std::string said = (report.errors.empty() ? "" : report.errors.front()) + (report.notices.empty() ? "" : report.notices.front());
  EXPECT_NE(said.find("/messages/0"), std::string::npos) << said;
  std::filesystem::remove_all(cassettes);
}

// Every file below `dir`, and its name, as one text.
std::string all_bytes(const std::string& dir) {
  std::string out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir)) {
    out += entry.path().string() + "\n";
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    out.append((std::istreambuf_iterator<char>(in)), {});
  }
  return out;
}

TEST(ModelRung, APlantedSecretIsFoundNowhereAfterwards) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  const std::string secret = "sk-Zq81vXWmT0aLr5nD7yKc";
  ::setenv("NIGHT_BUILD_TOKEN", secret.c_str(), 1);
  ModelServer server(scripts::leaks(secret));
  const std::string cassettes = "/tmp/sluice-cassettes-secret-" + std::to_string(::getpid());
  World w(with_lit(narrowing), model_config(server));
  sync_with(w, choose("", cassettes));
  EXPECT_NE(w.disposition("X"), D::adapted);
  const std::string kept = all_bytes(w.history.root() + "/store") + all_bytes(cassettes);
  for (const std::string& form : core::secret_forms(secret)) EXPECT_EQ(kept.find(form), std::string::npos) << form;
  for (const SeenRequest& request : server.requests())
    for (const std::string& form : core::secret_forms(secret)) EXPECT_EQ(request.body.find(form), std::string::npos) << form;
  std::filesystem::remove_all(cassettes);
  ::unsetenv("NIGHT_BUILD_TOKEN");
}

TEST(ModelRung, AChangedTranscriptIsFoundByTheAudit) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  World w(with_lit(narrowing), model_config(server));
  sync_with(w);
  const std::string file = w.history.root() + "/store/transcripts/" + runs_of(w).front().run + ".jsonl";
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  in.close();
  const auto at = text.find("\"tool_call\"");
  ASSERT_NE(at, std::string::npos);
  text[at + 2] = 'x';
  std::ofstream(file) << text;
  const auto app = w.open(service::Access::read);
  const auto audit = service::audit_verify(*app);
  ASSERT_TRUE(audit.ok());
  ASSERT_FALSE(audit->findings.empty());
  EXPECT_EQ(audit->findings.front().check, "transcript");
  // Cut off at the end: the chain of what is left is whole, and the store knows better.
  std::ofstream(file) << "";
  const auto cut = service::audit_verify(*app);
  ASSERT_TRUE(cut.ok());
  EXPECT_FALSE(cut->findings.empty());
}

TEST(ModelRung, AFurtherTryIsReservedLikeAnotherCall) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::half_streams());
  World w(with_lit(narrowing), model_config(server, "messages") + "[budget]\nnight_tokens = 12000\n");
  const auto report = sync_with(w);
  EXPECT_EQ(server.requests().size(), 1u) << "what broke may have been billed; a second try has no room in the night";
  EXPECT_EQ(runs_of(w).front().outcome, "budget:night");
  const auto state = service::model_state(*w.open());
  ASSERT_TRUE(state.ok());
  EXPECT_LE(state->night.tokens, 12000);
  EXPECT_EQ(w.disposition("X"), D::pending);
}

// The model says `text` in the place of the conflict and submits.
Script says(std::string text, std::string action, std::string reason = "as it should be") {
  return [=](const Conversation& c) {
    const auto regions = scripts::regions_of(c);
    if (c.turns == 0)
      return Turn::call("resolve_region", core::Json::object({{"region_id", regions.empty() ? "" : regions[0].id}, {"text", text}, {"action", action}, {"reason", reason}}));
    if (c.answer_of("submit").is_null()) return Turn::call("submit", core::Json::object({{"confidence", "high"}, {"summary", "done"}}));
    return Turn::call("give_up", core::Json::object({{"category", "needs_design"}, {"question", "which?"}}));
  };
}

TEST(ModelRung, AnAnswerThatLeavesTheForkAsItIsIsNoProofThatTheCommitIsThere) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  // Both sides add a line at one place; the model takes the fork's, and nothing but an escalation speaks against it.
  const std::string both = "repo up\n put lib/a.cpp 'int a(int a) {\\n  return a;\\n}\\n' ; put keep.test 'ok\\n' ; commit B 'first'\nfork up down\n"
                           " swap lib/a.cpp '  return a;\\n' '  a = h(a);\\n  return a;\\n' ; commit D 'own'\nat up\n"
                           " swap lib/a.cpp '  return a;\\n' '  g(a + 1);\\n  return a;\\n' ; commit X 'a fix'\n";
  ModelServer server(says("  a = h(a);\n", "ours"));
  World w(with_lit(both), model_config(server));
  sync_with(w);
  EXPECT_EQ(w.disposition("X"), D::deferred) << "upstream's fix must not vanish as `already`";
}

TEST(ModelRung, ADraftThatIsHandedInAsItIsBringsItsRecord) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  const std::string summed = "repo up\n put lib/a.cpp 'void a(float a) {\\n  sum += a;\\n}\\n' ; put keep.test 'ok\\n' ; commit B 'first'\nfork up down\n"
                             " swap lib/a.cpp '  sum += a;\\n' '  float left = a;\\n  sum += left;\\n' ; commit D 'own'\nat up\n"
                             " swap lib/a.cpp '  sum += a;\\n' '  sum += a;\\n  count(a);\\n' ; commit X 'count them'\n";
  ModelServer server([](const Conversation& c) {
    const auto regions = scripts::regions_of(c);
    if (c.turns == 0)
      return Turn::call("resolve_region", core::Json::object({{"region_id", regions[0].id}, {"text", "  double left = a;\n  sum += left;\n  count(a);\n"}, {"action", "new"}, {"reason", "both"}}));
    if (c.turns == 1) return Turn::call("run_checks", core::Json::object({{"level", "static"}}));
    std::vector<TurnCall> calls;
    for (const core::Json& finding : c.answer_of("run_checks")["findings"].items()) {
      if (finding["kind"].as_string() != "downstream_lost" || c.turns > 2) continue;
      calls.push_back({"account", core::Json::object({{"kind", "downstream_lost"}, {"path", finding["path"].as_string()}, {"code", "RENAMED"}, {"arg", "float,double"},
                                                      {"item_ids", core::Json::array_of(std::vector<std::string>{finding["item_id"].as_string()})}, {"because", "wider"}}), "", {}});
    }
    if (!calls.empty()) return Turn::calls_of(calls);
    if (c.answer_of("submit").is_null()) return Turn::call("submit", core::Json::object({{"confidence", "high"}, {"summary", "done"}}));
    return Turn::call("give_up", core::Json::object({{"category", "needs_design"}, {"question", "which?"}}));
  });
  World w(with_lit(summed), proposing(model_config(server)));
  const auto report = sync_with(w);
  const auto take = bare_take(parked_unit(report));
  const auto app = w.open();
  const auto taken = service::take(*app, take);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_TRUE(taken->branch.answered) << core::join(taken->branch.open, "; ");
  service::SubmitOptions submit;
  submit.unit = take.unit;
  submit.who = "pat";
  submit.from = taken->branch.head;
  const auto done = service::submit(*app, submit);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->exit_code(), 0) << service::submit_text(*app, *done);
  EXPECT_EQ(w.disposition("X"), D::adapted);
  EXPECT_NE(w.trunk_file("lib/a.cpp").find("double left"), std::string::npos);
}

TEST(ModelRung, AWholeKeyInAReasonReachesNoRecordAndStopsNothing) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ::setenv("FOO_TOKEN", "s3cr3tTok3nVal99", 1);
  ModelServer server(says("  trace_narrow(width, \"fork\");\n  return clamp(width, 0, max_width(v));\n", "mixed", "see -----BEGIN RSA PRIVATE KEY----- and s3cr3tTok3nVal99"));
  World w(with_lit(narrowing), proposing(model_config(server)));
  const auto report = sync_with(w);
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_EQ(all_bytes(w.history.root()).find("s3cr3tTok3nVal99"), std::string::npos);
  EXPECT_EQ(sync_with(w).exit_code(), 0) << "the next sync is not held up";
  ::unsetenv("FOO_TOKEN");
}

TEST(ModelRung, AConflictInAProtectedPathIsAPersons) {
  REQUIRE_SANDBOX();
  ModelServer server(scripts::helpful());
  World w(with_lit(narrowing), model_config(server) + "[[path]]\nglob = \"lib/**\"\nclass = \"protected\"\n");
  const auto report = sync_with(w);
  EXPECT_TRUE(server.requests().empty());
  EXPECT_EQ(w.disposition("X"), D::deferred);
  EXPECT_NE(report.notices.front().find("only its owner changes it"), std::string::npos) << report.notices.front();
}

TEST(ModelRung, WhatItEditsBesideTheConflictAPersonLooksAt) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server([answer = scripts::helpful()](const Conversation& c) {
    if (c.turns != 1) return answer(c);
    Turn turn = answer(c);
    turn.calls.push_back({"adapt_lines", core::Json::object({{"path", "lib/narrow.cpp"}, {"old", "int unrelated() {\n  return 1;\n}\n"}, {"new", ""},
                                                             {"reason_code", "REGISTRATION"}, {"reason", "not needed"}}), "", {}});
    return turn;
  });
  World w(with_lit(narrowing), model_config(server));
  sync_with(w);
  EXPECT_EQ(w.disposition("X"), D::deferred);
  EXPECT_NE(w.trunk_file("lib/narrow.cpp").find("unrelated"), std::string::npos);
}

TEST(ModelRung, APythonLineThatIsIndentedAsOnNoSideIsAPersons) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  const std::string python = "repo up\n put a.py 'def a(x):\\n    if x:\\n        g(x)\\n' ; put keep.test 'ok\\n' ; commit B 'first'\nfork up down\n"
                             " swap a.py '        g(x)\\n' '        barrier(x)\\n        g(x)\\n' ; commit D 'own'\nat up\n"
                             " swap a.py '        g(x)\\n' '        g(x + 1)\\n' ; commit X 'a fix'\n";
  for (const bool moved : {true, false}) {
    ModelServer server(says(moved ? "        barrier(x)\n    g(x + 1)\n" : "        barrier(x)\n        g(x + 1)\n", "mixed"));
    World w(with_lit(python), model_config(server));
    sync_with(w);
    EXPECT_EQ(w.disposition("X"), moved ? D::deferred : D::adapted) << moved;
  }
}

TEST(ModelRung, AParkedUnitThatIsTriedWhileTheServiceIsAwayStaysParked) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::always(Turn::error(401, "authentication_error", "no such key")));
  World w(with_lit(narrowing), model_config(server));
  const auto report = sync_with(w, choose("none"));
  const std::string unit = parked_unit(report);
  {
    const auto app = w.open();
    app->model.backoff_unit_ms = 1;
    service::SyncOptions only;
    only.unit = unit;
    ASSERT_TRUE(service::sync(*app, only).ok());
  }
  const auto app = w.open();
  const auto kept = app->store.unit(unit);
  ASSERT_TRUE(kept.ok() && kept->has_value());
  EXPECT_EQ((*kept)->state, model::UnitState::parked);
  EXPECT_EQ(app->store.ledger(w.id("X"))->value().unit, unit);
}

TEST(ModelRung, WithoutItsKeyEverythingElseGoesOnAndNobodyWhoLooksNeedsIt) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  std::string config = model_config(server);
  config.replace(config.find("auth = \"none\""), 13, "key_env = \"SLUICE_TEST_ABSENT_KEY\"");
  World w(with_lit(narrowing), config);
  const auto report = sync_with(w);
  EXPECT_EQ(report.exit_code(), 3);
  EXPECT_EQ(w.disposition("Y"), D::picked);
  EXPECT_EQ(w.disposition("X"), D::pending);
  ASSERT_FALSE(report.errors.empty());
  EXPECT_NE(report.errors.front().find("SLUICE_TEST_ABSENT_KEY"), std::string::npos) << report.errors.front();
  const auto parked = sync_with(w, choose("none"));
  const auto taken = service::take(*w.open(), bare_take(parked_unit(parked)));
  EXPECT_TRUE(taken.ok()) << taken.error().message;
}

TEST(ModelRung, ANightThatHasSpentItsBudgetAsksNobody) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  // What the service does not say is charged as it was reserved: the second call has no room.
  ModelServer server([script = scripts::helpful()](const Conversation& c) {
    Turn turn = script(c);
    turn.wire.no_usage = true;
    return turn;
  });
  World w(with_lit(narrowing), model_config(server, "messages") + "[budget]\nnight_tokens = 12000\n");
  const auto report = sync_with(w);
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(w.disposition("X"), D::pending) << "another night has room again";
  ASSERT_FALSE(report.errors.empty());
  EXPECT_NE(report.errors.front().find("night"), std::string::npos) << report.errors.front();
  EXPECT_EQ(runs_of(w).front().outcome, "budget:night");
}

}  // namespace
}  // namespace sluice::test
