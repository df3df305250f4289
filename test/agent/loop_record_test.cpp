// SPDX-License-Identifier: Apache-2.0
// What is left of a run: replay, a kill in the middle of a call, many runs at once.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "test/agent/loop_bench.h"

namespace sluice::agent::testing {
namespace {

using Kind = LoopEnd::Kind;

std::string files_of(const tools::Draft& draft) {
  std::string out;
  for (const auto& file : draft.files) out += file.path + "\n" + file.text.value_or("(removed)") + "\n";
  for (const auto& r : draft.resolutions) out += r.path + " " + r.region_id + " " + r.action + " " + r.reason + "\n";
  for (const auto& a : draft.account) out += a.kind + " " + a.path + "\n";
  return out;
}

TEST(LoopRecord, AStrictReplayAsksForTheSameBytesAndComesToTheSameDraft) {
  for (const std::string dialect : {"messages", "chat"}) {
    LoopBench bench;
    const std::string cassette = bench.path() + "/cassette";
    bench.record = cassette;
    const auto recorded = bench.play(scripts::helpful(), dialect, "R1");
    ASSERT_EQ(recorded.end.kind, Kind::submitted) << recorded.end.reason;
    auto replay = must(make_replay(cassette, Replaying::strict));
    const auto replayed = bench.play(*replay, "R2");
    EXPECT_EQ(replayed.end.stop, recorded.end.stop) << replayed.end.reason;
    EXPECT_EQ(replayed.requests, recorded.requests);
    EXPECT_EQ(files_of(replayed.draft), files_of(recorded.draft));
    EXPECT_EQ(replayed.end.usage.all_input(), recorded.end.usage.all_input());
    // The two transcripts say the same, but for the id of the run and of its reservations.
    ASSERT_EQ(replayed.lines.size(), recorded.lines.size());
    for (std::size_t i = 0; i < replayed.lines.size(); ++i) {
      const std::string& type = replayed.lines[i]["type"].as_string();
      if (type == "budget" || type == "start") continue;
      EXPECT_EQ(replayed.lines[i]["body"].dump(), recorded.lines[i]["body"].dump()) << dialect << " line " << i + 1;
    }
  }
}

TEST(LoopRecord, AReplayThatIsAskedSomethingElseSaysWhereItDiffers) {
  LoopBench bench;
  const std::string cassette = bench.path() + "/cassette";
  bench.record = cassette;
  bench.play(scripts::helpful(), "messages", "R1");
  bench.briefing.attempt_note = "Something was tried before.";
  auto replay = must(make_replay(cassette, Replaying::strict));
  const auto replayed = bench.play(*replay, "R2");
  EXPECT_EQ(replayed.end.kind, Kind::failed);
  EXPECT_NE(replayed.end.reason.find("/messages/0"), std::string::npos) << replayed.end.reason;
}

// The child dies inside the call: its request is out, the answer has begun.
class DiesInside final : public Provider {
 public:
  explicit DiesInside(std::unique_ptr<Provider> inner) : inner_(std::move(inner)) {}
  LlmOutcome call(const LlmRequest& request, const CallLimits& limits, const CallObserver& observer) override {
    CallObserver dying = observer;
    dying.response = [](int, std::string_view, const std::string&) { raise(SIGKILL); };
    return inner_->call(request, limits, dying);
  }
  std::string render(const LlmRequest& request) const override { return inner_->render(request); }
  const model::EndpointConfig& endpoint() const override { return inner_->endpoint(); }

 private:
  std::unique_ptr<Provider> inner_;
};

TEST(LoopRecord, AKillInTheMiddleOfACallLeavesAValidPrefixAndTheReservationCharged) {
  LoopBench bench;
  ModelServer server(scripts::helpful());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A process of its own opens the book anew: SQLite's connections do not cross a fork.
    bench.book = must(store::AgentStore::open(bench.path()));
    DiesInside dying(bench.make(server, "messages"));
    bench.play(dying);
    _exit(3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  const auto check = must(verify_transcript(bench.transcripts(), "R1"));
  EXPECT_FALSE(check.stopped);
  EXPECT_EQ(check.lines, 3);  // start, budget, llm_request
  const auto spent = must(bench.book->spent("run", "R1"));
  EXPECT_GT(spent.tokens, 4000) << "nobody knows what the call cost";
  EXPECT_GT(spent.money, 0);
  // The same run may be taken up again in the same file, and says how it ended.
  auto provider = bench.make(server, "messages");
  const auto resumed = bench.play(*provider);
  EXPECT_EQ(resumed.end.kind, Kind::submitted) << resumed.end.reason;
  EXPECT_TRUE(resumed.check.stopped);
  EXPECT_GT(resumed.spent.tokens, spent.tokens);
}

TEST(LoopRecord, EightRunsAtOnceKeepApart) {
  LoopBench bench;
  ModelServer server(scripts::helpful());
  std::vector<Played> played(8);
  std::vector<std::thread> runs;
  for (std::size_t i = 0; i < played.size(); ++i)
    runs.emplace_back([&, i] {
      try {
        auto provider = bench.make(server, i % 2 == 0 ? "messages" : "chat");
        played[i] = bench.play(*provider, "R" + std::to_string(i));
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
    });
  for (auto& run : runs) run.join();
  for (const auto& one : played) {
    EXPECT_EQ(one.end.kind, Kind::submitted) << one.end.reason;
    EXPECT_EQ(one.spent.tokens, 480);
    EXPECT_EQ(files_of(one.draft), files_of(played[0].draft));
  }
  EXPECT_EQ(must(bench.book->spent("night", "2026-11-30")).tokens, 8 * 480);
}

TEST(LoopRecord, ATranscriptHoldsTheBytesThatWereSentAndReceived) {
  LoopBench bench;
  ModelServer server(scripts::helpful());
  auto provider = bench.make(server, "messages");
  const auto played = bench.play(*provider);
  const auto seen = server.requests();
  ASSERT_EQ(seen.size(), played.requests.size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].body, played.requests[i]) << i;
  EXPECT_EQ(played.count("llm_response"), 4);
  EXPECT_EQ(played.count("tool_call"), played.count("tool_result"));
  EXPECT_EQ(played.count("budget"), 2 * played.end.turns);
  const auto& start = played.lines.front()["body"];
  EXPECT_EQ(start["system_sha256"].as_string(), prompts::prompt("resolver").sha256);
  EXPECT_EQ(start["inputs"]["base_tree"].as_string(), bench.conflict.world.base_tree);
  EXPECT_EQ(start["model"].as_string(), "test-model");
}

// What follows a turn may depend on the turn alone: the same prefix, byte for byte, is what a service can cache.
TEST(LoopRecord, EachRequestBeginsWithTheOneBefore) {
  LoopBench bench;
  const auto played = bench.play(scripts::helpful());
  ASSERT_GE(played.requests.size(), 3u);
  for (std::size_t i = 1; i < played.requests.size(); ++i) {
    auto before = must(core::Json::parse(played.requests[i - 1])), after = must(core::Json::parse(played.requests[i]));
    EXPECT_EQ(before["system"].dump(), after["system"].dump());
    EXPECT_EQ(before["tools"].dump(), after["tools"].dump());
    ASSERT_LT(before["messages"].items().size(), after["messages"].items().size());
    const auto text = [](const core::Json& message) {
      std::string out;
      for (const auto& block : message["content"].items()) out += block["text"].as_string();
      return out;
    };
    EXPECT_EQ(text(before["messages"].items()[0]), text(after["messages"].items()[0]));
  }
}

}  // namespace
}  // namespace sluice::agent::testing
