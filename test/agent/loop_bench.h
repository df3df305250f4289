// SPDX-License-Identifier: Apache-2.0
// One run against a scripted model: real HTTP, real tools, a real pick, a real store.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/loop/loop.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "test/agent/loop_world.h"
#include "test/agent/scripts.h"
#include "test/support/model_server.h"

namespace sluice::agent::testing {

namespace scripts = test::scripts;
using test::ModelServer;
using test::Script;
using test::Turn;

struct Played {
  LoopEnd end;
  tools::Draft draft;
  TranscriptCheck check;
  std::vector<core::Json> lines;       // of the transcript
  std::string file;                    // its bytes
  std::vector<std::string> requests;   // bodies, in order
  store::Spend spent;                  // of the run
  std::vector<std::string> sent;
  int count(std::string_view type) const {
    int n = 0;
    for (const auto& line : lines) n += line["type"].as_string() == type ? 1 : 0;
    return n;
  }
  // Result of the nth call of that tool; null when there is none.
  core::Json result(std::string_view tool, int n = 0) const {
    for (const auto& line : lines)
      if (line["type"].as_string() == "tool_result" && line["body"]["name"].as_string() == tool && n-- == 0) return line["body"];
    return {};
  }
};

class LoopBench {
 public:
  explicit LoopBench(const std::string& script = lowering) : conflict(script) {}

  // What one run is like. Change before play().
  ScriptedChecks::Find find;
  std::string false_because;  // what Checks::verify says of every entry
  LoopLimits limits;
  model::BudgetConfig caps;
  Mask mask;
  std::vector<std::string> never_send;
  Outgate::Content never_sent;
  Briefing briefing;
  const std::atomic<bool>* cancel = nullptr;
  std::string record;  // directory of a cassette

  Played play(Provider& provider, const std::string& run = "R1") {
    Played out;
    ScriptedChecks checks(find, false_because);
    tools::World world = conflict.world;
    const Outgate outgate({}, never_send, never_sent);
    world.may_send = [&](std::string_view path) { return outgate.may_send(path); };
    auto reader = must(git::Reader::open(conflict.repository.repo.reader().git_dir()));  // one a thread
    world.reader = &reader;
    auto buffer = must(tools::Buffer::open(world));
    auto box = toolbox(world, buffer, checks);
    auto budget = must(Budget::open(caps, provider.endpoint(), *book, clock));
    {
      auto transcript = must(Transcript::open(transcripts(), run, mask, clock));
      LoopSetup setup;
      setup.provider = &provider;
      setup.toolbox = &box;
      setup.outgate = &outgate;
      setup.budget = budget.get();
      setup.transcript = &transcript;
      setup.mask = mask;
      setup.account = {run, "c-1", "2026-11-30", "fork"};
      setup.limits = limits;
      setup.cancel = cancel;
      setup.sent = [&](const std::vector<std::string>& paths) { out.sent = paths; };
      setup.inputs = core::Json::object({{"base_tree", world.base_tree}, {"merged_tree", world.merged_tree}});
      out.end = must(run_loop(setup, must(first_request(world, buffer, briefing, box.offers(), provider.endpoint()))));
    }
    out.draft = must(buffer.draft());
    read_back(out, run);
    return out;
  }

  Played play(const Script& script, const std::string& dialect = "messages", const std::string& run = "R1") {
    ModelServer server(script);
    auto provider = make(server, dialect);
    Played out = play(*provider, run);
    EXPECT_EQ(core::join(server.refusals(), "\n"), "") << "a request that the vendor's schema forbids";
    return out;
  }

  std::unique_ptr<Provider> make(const ModelServer& server, const std::string& dialect) {
    model::EndpointConfig e = server.endpoint(dialect);
    e.price_input = 3'000'000;
    e.price_output = 15'000'000;
    HttpProviderOptions options;
    options.backoff_unit_ms = 0;
    options.clock = &clock;
    auto provider = must(make_http_provider(e, std::move(options)));
    return record.empty() ? std::move(provider) : must(make_recorder(std::move(provider), record));
  }

  void read_back(Played& out, const std::string& run) {
    out.check = must(verify_transcript(transcripts(), run));
    out.file = must(core::read_file(transcripts() + "/" + run + ".jsonl"));
    for (const auto line : core::split_lines(out.file)) out.lines.push_back(must(core::Json::parse(line)));
    for (const auto& line : out.lines)
      if (line["type"].as_string() == "llm_request") out.requests.push_back(blob(line["body"]["body_blob"].as_string()));
    out.spent = must(book->spent("run", run));
    EXPECT_TRUE(out.check.stopped) << "every run says why it ended";
    const auto& last = out.lines.back()["body"];
    EXPECT_EQ(last["stop"].as_string(), out.end.stop);
    EXPECT_FALSE(last["reason"].as_string().empty());
  }
  std::string blob(const std::string& sha) const { return must(core::read_file(transcripts() + "/blobs/" + sha)); }
  std::string transcripts() const { return dir_.path() + "/transcripts"; }
  std::string path() const { return dir_.path(); }

  Conflict conflict;
  core::FakeClock clock{1'800'000'000};

 private:
  core::TempDir dir_ = must(core::TempDir::create("loop-test"));
  store::Store store_ = must(store::Store::open(dir_.path()));

 public:
  std::unique_ptr<store::AgentStore> book = must(store::AgentStore::open(dir_.path()));
};

inline std::string text_of(const tools::Draft& draft, const std::string& path) {
  for (const auto& file : draft.files)
    if (file.path == path) return file.text.value_or("(removed)");
  return "(not in the draft)";
}

inline tools::Finding lost_line(const std::string& path = "lib/lower.cpp") {
  tools::Finding out;
  out.rule = "G23";
  out.path = path;
  out.line = 7;
  out.text = "b.trace(\"load\");";
  out.detail = "keep it, or account for it";
  out.item_id = core::sha256_hex("b.trace(\"load\");");
  out.kind = "downstream_lost";
  return out;
}

}  // namespace sluice::agent::testing
