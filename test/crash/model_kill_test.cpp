// SPDX-License-Identifier: Apache-2.0
// A process that dies while a model thinks.
#include <gtest/gtest.h>

#include <signal.h>

#include <atomic>
#include <chrono>
#include <future>

#include "core/process.h"
#include "service/service.h"
#include "test/service/model_world.h"

namespace sluice::test {
namespace {

core::ProcessOptions sync_of(const World& w) {
  core::ProcessOptions options;
  options.argv = {SLUICE_PROGRAM, "--config", w.config_path, "--quiet", "sync"};
  return options;
}

TEST(ModelKill, AKillInTheMiddleOfACallLosesNothingAndTheNextRunGoesOn) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  std::atomic<bool> hang{true};
  std::promise<void> asked;
  ModelServer server([&, script = scripts::helpful()](const Conversation& c) {
    Turn turn = script(c);
    // The third turn never comes: the answer is in the buffer then, and nothing is submitted.
    if (c.turns == 2 && hang.exchange(false)) {
      asked.set_value();
      turn.wire.broken = Wire::Break::hang_mid_event;
    }
    return turn;
  });
  World w(with_lit(narrowing), model_config(server));
  auto child = core::ChildProcess::start(sync_of(w));
  ASSERT_TRUE(child.ok()) << child.error().message;
  ASSERT_EQ(asked.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready) << "the model was not asked";
  ::kill(child->pid(), SIGKILL);
  child->wait(10'000);

  {
    const auto runs = runs_of(w);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].ended_at, 0) << "it did not end";
    const auto app = w.open(service::Access::read);
    const auto audit = service::audit_verify(*app);
    ASSERT_TRUE(audit.ok());
    EXPECT_TRUE(audit->findings.empty()) << "what stands of the transcript is a whole prefix: " << audit->findings.front().what;
    const auto state = service::model_state(*w.open());
    ASSERT_TRUE(state.ok());
    EXPECT_GT(state->fork.tokens, 2 * 120) << "the call under way stays charged";
  }

  const auto again = core::run_process(sync_of(w));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->exit_code, 0) << again->err;
  EXPECT_EQ(w.disposition("X"), model::Disposition::adapted);
  EXPECT_EQ(runs_of(w).size(), 2u);
  EXPECT_EQ(runs_of(w).back().outcome, "submit");
}

TEST(ModelKill, AnAnswerThatWasGivenIsNotPaidForTwice) {
  REQUIRE_SANDBOX();
  REQUIRE_LIT();
  ModelServer server(scripts::helpful());
  World w(with_lit(narrowing), model_config(server));
  // Dies once the unit of the conflict is judged, long after the model has answered.
  core::ProcessOptions killed = sync_of(w);
  killed.extra_env["SLUICE_STOP_AT"] = "store unit.validating:2";
  const auto first = core::run_process(killed);
  ASSERT_TRUE(first.ok());
  const std::size_t asked = server.requests().size();
  const auto again = core::run_process(sync_of(w));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->exit_code, 0) << again->err;
  EXPECT_EQ(w.disposition("X"), model::Disposition::adapted);
  ASSERT_GT(asked, 0u) << "it died before the model was asked: " << first->err;
  EXPECT_EQ(server.requests().size(), asked);
}

}  // namespace
}  // namespace sluice::test
