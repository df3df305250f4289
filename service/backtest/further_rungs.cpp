// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/further_rungs.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "agent/loop/loop.h"
#include "agent/rules/rules.h"
#include "core/file.h"
#include "core/glob.h"
#include "core/text.h"
#include "git/git.h"
#include "prompts/prompts.h"
#include "service/model/model_office.h"
#include "service/model/pick_checks.h"

namespace sluice::service::backtest {

namespace {

// A conflict with nothing around it but its own lines.
struct Bench {
  core::TempDir dir;
  git::Repo repo;
  model::UpstreamCommit upstream;
  model::Pick pick;
  Oid ours;  // commit
};

Result<Oid> commit_of(git::Repo& repo, const std::string& path, const std::string& text, const std::vector<Oid>& parents, Oid& tree) {
  TRY_ASSIGN(const Oid blob, repo.write_blob(text));
  TRY_ASSIGN(tree, repo.write_tree("", {{path, git::TreeEntry{0100644, blob}}}));
  git::CommitSpec spec;
  spec.tree = tree;
  spec.parents = parents;
  spec.author = spec.committer = {"backtest", "backtest@localhost", 1'700'000'000, 0};
  spec.message = "one side of a conflict\n";
  return repo.write_commit(spec);
}

Result<std::unique_ptr<Bench>> set_up(const Case& one) {
  TRY_ASSIGN(core::TempDir dir, core::TempDir::create("sluice-backtest-"));
  TRY_ASSIGN(git::Repo repo, git::Repo::open(core::join_path(dir.path(), "hunk.git")));
  auto out = std::unique_ptr<Bench>(new Bench{std::move(dir), std::move(repo), {}, {}, {}});
  Oid base_tree, ours_tree;
  TRY_ASSIGN(out->upstream.parent, commit_of(out->repo, one.path, one.before + one.base + one.after, {}, base_tree));
  TRY_ASSIGN(out->upstream.oid, commit_of(out->repo, one.path, one.before + one.theirs + one.after, {out->upstream.parent}, out->upstream.tree));
  out->upstream.parents = {out->upstream.parent};
  out->upstream.subject = out->upstream.message = "(the message of the upstream commit is not part of this case)";
  TRY_ASSIGN(out->ours, commit_of(out->repo, one.path, one.before + one.ours + one.after, {}, ours_tree));
  TRY_ASSIGN(git::Picker picker, git::Picker::open(out->repo, {}));
  out->pick = picker.pick(out->upstream.oid, ours_tree);
  return out;
}

// What stands between the lines around the hunk; nothing when those were changed.
std::optional<std::string> inside(std::string_view file, const Case& one) {
  if (file.size() < one.before.size() + one.after.size() || !file.starts_with(one.before) || !file.ends_with(one.after)) return std::nullopt;
  return std::string(file.substr(one.before.size(), file.size() - one.before.size() - one.after.size()));
}

HunkReply refused(std::string cause) { return {HunkReply::Kind::refused, {}, {}, std::move(cause), {}}; }

class Driver : public HunkAnswerer {
 public:
  Driver(model::ResolverConfig driver, std::unique_ptr<runners::Runner> runner) : driver_(std::move(driver)), runner_(std::move(runner)) {}
  model::Rung rung() const override { return model::Rung::external; }
  std::string version() const override { return driver_.name + " " + core::join(driver_.command, " "); }

  Result<HunkReply> answer(const Case& one) override {
    const bool wanted = driver_.globs.empty() || std::any_of(driver_.globs.begin(), driver_.globs.end(), [&](const auto& g) { return core::glob_match(g, one.path); });
    if (!wanted) return refused("not for this file");
    const std::int64_t started = core::steady_ms();
    const tools::DriverFiles files{one.path, one.before + one.base + one.after, one.before + one.ours + one.after, one.before + one.theirs + one.after, 31};
    std::lock_guard lock(mutex_);
    const auto merged = run_driver_in(*runner_, driver_, files);
    HunkReply out = refused("it leaves a conflict");
    out.cost.ms = core::steady_ms() - started;
    if (!merged.ok()) out.cause = "it failed: " + merged.error().message;
    if (!merged.ok() || !*merged) return out;
    const auto text = inside(**merged, one);
    if (!text) return HunkReply{HunkReply::Kind::invalid, {}, {}, "it changed lines around the conflict", out.cost};
    return HunkReply{HunkReply::Kind::answered, *text, driver_.name, {}, out.cost};
  }

 private:
  model::ResolverConfig driver_;
  std::unique_ptr<runners::Runner> runner_;
  std::mutex mutex_;
};

class Model : public HunkAnswerer {
 public:
  model::Config config;
  core::SystemClock clock;
  std::optional<core::TempDir> thrown_away;
  std::string dir;  // of transcripts/
  std::string fork = "backtest";
  bool leaves = true, real = false;  // real: the book is the one of the fork's store
  std::unique_ptr<store::AgentStore> book;
  std::unique_ptr<agent::Provider> provider;
  std::unique_ptr<agent::Budget> budget;
  std::unique_ptr<agent::Outgate> outgate;
  agent::Mask mask;
  const std::atomic<bool>* cancel = nullptr;

  model::Rung rung() const override { return model::Rung::model; }
  std::string version() const override {
    return fmt::format("{} {} {}", provider->endpoint().name, provider->endpoint().model, prompts::prompt("resolver").sha256.substr(0, 12));
  }

  Result<HunkReply> answer(const Case& one) override {
    if (!outgate->may_send(one.path)) return refused("may not be sent");
    const std::int64_t started = core::steady_ms();
    TRY_ASSIGN(const auto bench, set_up(one));
    if (bench->pick.status != model::PickStatus::conflict) return refused("alone, git merges it");
    tools::World world;
    world.reader = &bench->repo.reader();
    world.upstream = bench->upstream;
    TRY_ASSIGN(world.base_tree, world.reader->tree_of(bench->upstream.parent));
    world.ours_tree = bench->pick.onto;
    world.theirs_tree = bench->upstream.tree;
    world.merged_tree = bench->pick.tree;
    world.conflicts = bench->pick.conflicts;
    auto opened = tools::Buffer::open(world);
    if (!opened.ok()) return refused("no text answers it");
    tools::Buffer buffer = std::move(*opened);
    PickChecks checks(bench->repo, config.policy, bench->upstream, bench->pick, {}, {}, {});
    TRY_ASSIGN(tools::Toolbox toolbox, tools::Toolbox::open(world, buffer, checks, prompts::tool_descriptions()));
    agent::Briefing briefing;
    for (const tools::Place& place : buffer.places()) {
      const auto candidate = agent::first_answer({place.region.base, place.region.ours, place.region.theirs, one.language()});
      const agent::RuleInfo* rule = candidate ? agent::region_rule(candidate->rule) : nullptr;
      if (rule != nullptr) briefing.candidates.push_back({place.region.id, std::string(candidate->rule), candidate->text, agent::standing_of(*rule)});
    }
    TRY_ASSIGN(agent::LlmRequest first, agent::first_request(world, buffer, briefing, toolbox.offers(), provider->endpoint()));
    const std::string run = agent::new_run_id(clock);
    TRY_ASSIGN(agent::Transcript transcript, agent::Transcript::open(core::join_path(dir, "transcripts"), run, mask, clock));
    agent::LoopSetup setup;
    setup.provider = provider.get();
    setup.toolbox = &toolbox;
    setup.outgate = outgate.get();
    setup.budget = budget.get();
    setup.transcript = &transcript;
    setup.mask = mask;
    setup.account = {run, "backtest " + one.commit(), leaves ? core::format_utc(clock.now()).substr(0, 10) : "replay", leaves ? fork : "replay"};
    setup.sent = [&](const std::vector<std::string>& paths) {
      if (leaves) (void)book->add_sent(provider->endpoint().name, paths, clock.now());
    };
    setup.cancel = cancel;
    setup.inputs = core::Json::object({{"job", "backtest"}, {"case", one.id}});
    store::TranscriptRow row;
    row.run = run;
    row.job = "backtest";
    row.upstream = one.upstream;
    row.endpoint = provider->endpoint().name;
    row.model = provider->endpoint().model;
    row.prompt_sha256 = prompts::prompt("resolver").sha256;
    row.started_at = clock.now();
    TRY(book->put_transcript(row));
    TRY_ASSIGN(const agent::LoopEnd end, agent::run_loop(setup, std::move(first)));
    row.outcome = end.stop;
    row.last_sha256 = transcript.last_sha256();
    row.lines = transcript.lines();
    row.ended_at = clock.now();
    row.tokens_in = end.usage.all_input();
    row.tokens_out = end.usage.output;
    row.money = end.money;
    TRY(book->put_transcript(row));
    const Cost cost{end.turns, end.usage.all_input(), end.usage.output, end.money, core::steady_ms() - started};
    return reply_of(end, cost, buffer, one);
  }

 private:
  Result<HunkReply> reply_of(const agent::LoopEnd& end, const Cost& cost, const tools::Buffer& buffer, const Case& one) const {
    using Kind = agent::LoopEnd::Kind;
    if (end.kind == Kind::cancelled) return make_error(ErrorKind::transient, "cancelled");
    if (end.later || end.stop.starts_with("budget") || end.stop == "endpoint") return make_error(ErrorKind::transient, fmt::format("the model: {}", end.reason));
    if (end.kind != Kind::submitted) {
      const bool broken = end.stop == "schema_errors" || end.stop == "length";
      return HunkReply{broken ? HunkReply::Kind::invalid : HunkReply::Kind::refused, {}, {}, end.stop, cost};
    }
    TRY_ASSIGN(const auto file, buffer.text(one.path));
    const auto text = file ? inside(*file, one) : std::nullopt;
    if (!text) return HunkReply{HunkReply::Kind::invalid, {}, {}, "it changed lines around the conflict", cost};
    return HunkReply{HunkReply::Kind::answered, *text, provider->endpoint().model, {}, cost};
  }
};

}  // namespace

Result<std::vector<std::unique_ptr<HunkAnswerer>>> make_drivers(const model::Config& config) {
  std::vector<std::unique_ptr<HunkAnswerer>> out;
  static const core::SystemClock clock = *core::SystemClock::from_environment();  // only for the times of evidence that nobody keeps
  for (const model::ResolverConfig& driver : config.ladder.resolvers) {
    TRY_ASSIGN(auto runner, runners::make_local_runner({.allow_unsandboxed = config.allow_unsandboxed}, clock));
    out.push_back(std::make_unique<Driver>(driver, std::move(runner)));
  }
  return out;
}

Result<std::unique_ptr<HunkAnswerer>> make_model(const model::Config& config, const ModelChoice& choice, const std::string& keep, const std::atomic<bool>* cancel) {
  constexpr std::string_view replay = "replay:";
  auto out = std::make_unique<Model>();
  out->config = config;
  out->cancel = cancel;
  TRY_ASSIGN(out->clock, core::SystemClock::from_environment());
  if (choice.model.starts_with(replay)) {
    TRY_ASSIGN(out->provider, agent::make_replay(choice.model.substr(replay.size()), choice.frozen ? agent::Replaying::frozen : agent::Replaying::by_request));
  } else {
    TRY_ASSIGN(const model::EndpointConfig* const endpoint, chosen_endpoint(config, choice));
    if (endpoint == nullptr) return std::unique_ptr<HunkAnswerer>();
    agent::HttpProviderOptions options;
    TRY_ASSIGN(options.credential, agent::read_credential(*endpoint));
    options.limiter = agent::make_rate_limiter(*endpoint);
    options.clock = &out->clock;
    options.backoff_unit_ms = choice.backoff_unit_ms;
    TRY_ASSIGN(out->provider, agent::make_http_provider(*endpoint, std::move(options)));
    if (!choice.record.empty()) {
      TRY_ASSIGN(out->provider, agent::make_recorder(std::move(out->provider), choice.record));
    }
  }
  out->leaves = !choice.model.starts_with(replay);
  if (!config.store_path.empty() && core::exists(core::join_path(config.store_path, "sluice.db"))) {
    // The fork has a store: what is spent and sent counts there, with everything else of the night.
    out->dir = config.store_path;
    out->fork = config.fork.url + " " + config.fork.branch;
    out->real = true;
  } else if (keep.empty()) {
    TRY_ASSIGN(out->thrown_away, core::TempDir::create("sluice-backtest-model-"));
    out->dir = out->thrown_away->path();
  } else {
    out->dir = core::join_path(keep, "model");
  }
  TRY(core::make_directories(core::join_path(out->dir, "transcripts")));
  if (!out->real) {
    TRY_ASSIGN(const store::Store made, store::Store::open(out->dir));  // its tables
  }
  TRY_ASSIGN(out->book, store::AgentStore::open(out->dir));
  TRY_ASSIGN(out->budget, agent::Budget::open(config.model.budget, out->provider->endpoint(), *out->book, out->clock));
  out->outgate = std::make_unique<agent::Outgate>(config.model.send, config.model.never_send, [] { return std::vector<std::string>(); });
  out->mask = make_mask(config);
  return std::unique_ptr<HunkAnswerer>(std::move(out));
}

}  // namespace sluice::service::backtest
