// SPDX-License-Identifier: Apache-2.0
// What a run of a model costs beside the model: the first message of a conflict, the turns of the loop, and the memory
// of eight runs at once. The provider answers from memory, so nothing here waits for anybody. Its files and its
// repository are made up: it needs no other.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "agent/loop/loop.h"
#include "core/file.h"
#include "core/log.h"
#include "git/git.h"
#include "guardrails/guardrails.h"
#include "prompts/prompts.h"
#include "store/agent.h"
#include "store/store.h"
#include "tools/tools.h"

namespace sluice::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int files = 3, regions_a_file = 4, lines_a_file = 3000, turns = 20;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::abort();
  }
  return std::move(result).value();
}

// A file of a compiler, roughly: `side` changes the same places in each version.
std::string file_text(int file, const std::string& side) {
  std::string out = "// A file.\n#include \"ir/builder.h\"\n\nnamespace lower {\n\n";
  for (int line = 0, region = 0; line < lines_a_file; line += 6) {
    const bool conflicts = line % (lines_a_file / regions_a_file) < 6;
    const std::string suffix = conflicts ? "_" + side : "";
    out += fmt::format("// Lowers case {} of file {}.\nLogicalResult lower_case_{}(Builder& builder, Operation* op, Type type) {{\n", line, file, line);
    if (conflicts) {
      ++region;
      for (int i = 0; i < 12; ++i) out += fmt::format("  builder.create<Op{}{}>(op->getLoc(), type, op->getOperand({}));\n", i, suffix, i + region);
    }
    out += fmt::format("  return builder.replace(op, type, {});\n}}\n\n", line);
  }
  return out + "}  // namespace lower\n";
}

class World {
 public:
  World() : repo_(must(git::Repo::open(dir_.path() + "/repo.git"))) {
    const auto base = commit("base", {}), ours = commit("ours", base), theirs = commit("theirs", base);
    auto picker = must(git::Picker::open(repo_, {}));
    world.base_tree = must(repo_.reader().tree_of(base));
    world.ours_tree = must(repo_.reader().tree_of(ours));
    const model::Pick pick = picker.pick(theirs, world.ours_tree);
    world.theirs_tree = must(repo_.reader().tree_of(theirs));
    world.merged_tree = pick.tree;
    world.conflicts = pick.conflicts;
    world.onto_commit = ours;
    world.upstream.oid = theirs;
    world.upstream.parent = base;
    world.upstream.tree = world.theirs_tree;
    world.upstream.subject = "lower: another form of every case";
    world.upstream.message = world.upstream.subject + "\n\nBecause the old one is not enough.\n";
    (void)must(store::Store::open(dir_.path()));
    book = must(store::AgentStore::open(dir_.path()));
  }
  git::Reader reader() const { return must(git::Reader::open(repo_.git_dir())); }
  std::string transcripts() const { return dir_.path() + "/transcripts"; }

 private:
  model::Oid commit(const std::string& side, const model::Oid& parent) {
    std::vector<git::TreeUpdate> updates;
    for (int i = 0; i < files; ++i) {
      git::TreeUpdate update;
      update.path = fmt::format("lib/lower_{}.cpp", i);
      update.entry = git::TreeEntry{0100644, must(repo_.write_blob(file_text(i, side)))};
      updates.push_back(std::move(update));
    }
    git::CommitSpec spec;
    spec.tree = must(repo_.write_tree({}, updates));
    if (!parent.empty()) spec.parents = {parent};
    spec.author = spec.committer = {"bench", "bench@example.com", 1'700'000'000, 0};
    spec.message = side + "\n";
    return must(repo_.write_commit(spec));
  }

  core::TempDir dir_ = must(core::TempDir::create("bench-model"));
  git::Repo repo_;

 public:
  tools::World world;
  std::unique_ptr<store::AgentStore> book;
};

World& world() {
  static World one;
  return one;
}

class Quiet final : public tools::Checks {
 public:
  Result<std::vector<tools::Finding>> findings(tools::Level, const tools::Draft&) override { return std::vector<tools::Finding>(); }
  Result<std::string> verify(const model::AccountEntry&, const tools::Draft&) override { return std::string(); }
  Result<std::optional<std::string>> run_driver(const model::ResolverConfig&, const tools::DriverFiles&) override { return std::optional<std::string>(); }
};

// Reads on and on, answers a region now and then, and gives up in the last turn.
class FromMemory final : public agent::Provider {
 public:
  explicit FromMemory(std::vector<std::string> ids) : ids_(std::move(ids)) {
    endpoint_.name = "memory";
    endpoint_.dialect = "messages";
    endpoint_.model = "none";
    endpoint_.price_input = 3'000'000;
    endpoint_.price_output = 15'000'000;
  }
  agent::LlmOutcome call(const agent::LlmRequest& request, const agent::CallLimits&, const agent::CallObserver& observer) override {
    const auto begin = Clock::now();
    const std::string body = render(request);
    own_s += std::chrono::duration<double>(Clock::now() - begin).count();
    observer.request(body);
    agent::LlmOutcome out;
    out.kind = agent::LlmOutcome::Kind::ok;
    out.attempts = 1;
    out.spent = out.reply.usage = {.input = 500, .output = 100, .known = true};
    out.reply.stop = agent::Stop::tool_use;
    out.reply.message.role = agent::LlmMessage::Role::assistant;
    agent::ToolCall call;
    call.id = fmt::format("call_{}", turn_);
    core::Json arguments = core::Json::object();
    if (turn_ + 1 == turns) {
      call.name = "give_up";
      arguments.set("category", "needs_design").set("question", "which?");
    } else if (turn_ % 3 == 2) {
      call.name = "get_region";
      arguments.set("region_id", ids_[static_cast<std::size_t>(turn_) % ids_.size()]).set("context", 40);
    } else {
      call.name = "read_lines";
      arguments.set("rev", "ours").set("path", fmt::format("lib/lower_{}.cpp", turn_ % files)).set("start", turn_ * 10 + 1).set("end", turn_ * 10 + 100);
    }
    call.raw = arguments.dump();
    call.arguments = std::move(arguments);
    out.reply.message.calls.push_back(std::move(call));
    ++turn_;
    observer.response(200, R"({"content":[{"type":"tool_use"}]})", "");
    return out;
  }
  std::string render(const agent::LlmRequest& request) const override {
    core::Json messages = core::Json::array();
    for (const auto& m : request.messages) {
      core::Json answers = core::Json::array();
      for (const auto& a : m.answers) answers.push(core::Json::object({{"id", a.call_id}, {"text", a.text}}));
      messages.push(core::Json::object({{"text", m.text}, {"answers", std::move(answers)}}));
    }
    return core::Json::object({{"system", request.system}, {"messages", std::move(messages)}}).dump();
  }
  const model::EndpointConfig& endpoint() const override { return endpoint_; }

  double own_s = 0;  // what the service's side took

 private:
  model::EndpointConfig endpoint_;
  std::vector<std::string> ids_;
  int turn_ = 0;
};

std::string without_secrets(std::string_view text) { return core::redact(guardrails::without_secrets(text, {})); }

struct Prepared {
  explicit Prepared(const tools::World& of) : reader(world().reader()), mine(of) {
    mine.reader = &reader;
    buffer.emplace(must(tools::Buffer::open(mine)));
    toolbox.emplace(must(tools::Toolbox::open(mine, *buffer, checks, prompts::tool_descriptions())));
  }
  agent::LlmRequest first(const model::EndpointConfig& endpoint) const { return must(agent::first_request(mine, *buffer, {}, toolbox->offers(), endpoint)); }

  git::Reader reader;
  tools::World mine;
  Quiet checks;
  std::optional<tools::Buffer> buffer;
  std::optional<tools::Toolbox> toolbox;
};

// Seconds of the turns alone: without what comes before them and without the provider.
double one_run(bool masked) {
  static const core::FakeClock clock(1'800'000'000);
  Prepared prepared(world().world);
  std::vector<std::string> ids;
  for (const auto& place : prepared.buffer->places()) ids.push_back(place.region.id);
  FromMemory provider(std::move(ids));
  auto budget = must(agent::Budget::open({}, provider.endpoint(), *world().book, clock));
  const agent::Outgate outgate({}, {"closed/"}, [] { return std::vector<std::string>{file_text(100, "closed")}; },
                               [] { return std::vector<std::string>{file_text(0, "ours")}; });
  const std::string run = agent::new_run_id(clock);
  const agent::Mask mask = masked ? agent::Mask(without_secrets) : agent::Mask();
  auto transcript = must(agent::Transcript::open(world().transcripts(), run, mask, clock));
  agent::LoopSetup setup;
  setup.provider = &provider;
  setup.toolbox = &*prepared.toolbox;
  setup.outgate = &outgate;
  setup.budget = budget.get();
  setup.transcript = &transcript;
  setup.mask = mask;
  setup.account = {run, "c-1", "2026-11-30", "fork"};
  setup.limits.input_tokens = 100'000'000;
  auto first = prepared.first(provider.endpoint());
  const auto begin = Clock::now();
  const auto end = must(agent::run_loop(setup, std::move(first)));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count() - provider.own_s;
  if (end.turns != turns) {
    std::fprintf(stderr, "the run ended after %d turns: %s\n", end.turns, end.reason.c_str());
    std::abort();
  }
  return seconds;
}

void prompt(benchmark::State& state) {
  const model::EndpointConfig endpoint;
  std::size_t bytes = 0, places = 0;
  for (auto _ : state) {
    Prepared prepared(world().world);
    const auto request = prepared.first(endpoint);
    bytes = request.messages.front().text.size();
    places = prepared.buffer->places().size();
  }
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["regions"] = static_cast<double>(places);
  state.counters["ms_a_region"] = benchmark::Counter(static_cast<double>(places), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void first_message_alone(benchmark::State& state) {
  const model::EndpointConfig endpoint;
  const Prepared prepared(world().world);
  for (auto _ : state) benchmark::DoNotOptimize(prepared.first(endpoint));
}

void turn(benchmark::State& state) {
  const bool masked = state.range(0) != 0;
  for (auto _ : state) state.SetIterationTime(one_run(masked) / turns);
}

double status_mib(const char* key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return std::strtod(line.c_str() + std::string_view(key).size(), nullptr) / 1024;
  return 0;
}

// The peak of the process while eight runs go on, whatever was measured before: its mark is set back first.
void eight_runs(benchmark::State& state) {
  (void)world();
  for (auto _ : state) {
    { std::ofstream("/proc/self/clear_refs") << "5"; }
    const double before = status_mib("VmRSS:");
    std::vector<std::thread> runs;
    for (int i = 0; i < 8; ++i) runs.emplace_back([] { (void)one_run(true); });
    for (auto& run : runs) run.join();
    state.counters["peak_mib"] = status_mib("VmHWM:");
    state.counters["peak_above_idle_mib"] = status_mib("VmHWM:") - before;
  }
}

BENCHMARK(eight_runs)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(prompt)->Unit(benchmark::kMillisecond);
BENCHMARK(first_message_alone)->Unit(benchmark::kMillisecond);
BENCHMARK(turn)->ArgName("masked")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(10);

}  // namespace
}  // namespace sluice::bench

BENCHMARK_MAIN();
