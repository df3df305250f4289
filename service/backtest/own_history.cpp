// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "agent/rules/rules.h"
#include "config/config.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"
#include "service/backtest/sources.h"

namespace sluice::service::backtest {

namespace {

constexpr int replay_version = 1;

struct Place {
  model::PolicyConfig policy;
  std::unique_ptr<git::Repo> scratch;  // sees both histories
  ingest::HistoryOptions history;
  std::string name;                    // of the fork, for ids
  std::vector<std::string> rules;      // of the ladder; empty = all
};

// What the configuration turned off does not answer at work either.
std::vector<std::string> rules_in_use(const model::LadderConfig& ladder) {
  std::vector<std::string> out;
  for (const agent::RuleInfo& rule : agent::region_rules()) {
    const auto own = ladder.rules.find(std::string(rule.id));
    const model::RungMode mode = own != ladder.rules.end() ? own->second : rule.proven ? model::RungMode::land : ladder.candidate;
    if (mode != model::RungMode::off) out.emplace_back(rule.id);
  }
  if (out.empty()) return {"none"};  // an empty list means all
  return out.size() == agent::region_rules().size() ? std::vector<std::string>{} : out;
}

Result<Oid> named(const git::Reader& reader, const std::string& name, const std::string& flag) {
  auto oid = reader.resolve(name);
  if (!oid.ok()) return make_error(oid.error().kind, fmt::format("{} {}: {}", flag, core::printable(name), oid.error().message));
  return oid;
}

Result<Place> open_place(const BacktestOptions& options) {
  Place place;
  place.rules = options.rules;
  if (!options.config.empty()) {
    TRY_ASSIGN(const model::Config config, config::load(options.config));
    place.policy = config.policy;
    place.history.trailers = config.trailer_patterns;
    if (place.rules.empty()) place.rules = rules_in_use(config.ladder);
    if (!place.policy.ref.empty() && place.policy.blob.empty())
      return make_error(ErrorKind::invalid, fmt::format("the policy stands in {}:{} of the fork; give a configuration that holds it", place.policy.ref, place.policy.path));
    if (auto checked = guardrails::check_policy(place.policy); !checked.ok())
      return make_error(checked.error().kind, fmt::format("{}: {}", config.file, checked.error().message));
  }
  place.name = options.name.empty() ? "fork" : options.name;
  TRY_ASSIGN(const git::Reader fork, git::Reader::open(options.fork_repo));
  const std::string upstream_repo = options.upstream_repo.empty() ? options.fork_repo : options.upstream_repo;
  TRY_ASSIGN(const git::Reader upstream, git::Reader::open(upstream_repo));
  std::vector<std::string> stores{options.fork_repo};
  if (fork.git_dir() != upstream.git_dir()) stores.insert(stores.begin(), upstream_repo);
  TRY_ASSIGN(git::Repo scratch, git::Repo::scratch_over(stores));
  place.scratch = std::make_unique<git::Repo>(std::move(scratch));
  TRY_ASSIGN(place.history.upstream_tip, named(upstream, options.upstream.empty() ? "HEAD" : options.upstream, "--upstream"));
  TRY_ASSIGN(const Oid tip, named(fork, options.fork.empty() ? "HEAD" : options.fork, "--fork"));
  place.history.lines = {{options.fork.empty() ? "HEAD" : options.fork, tip, Oid{}}};
  place.history.since = options.since;
  return place;
}

class HistoryRun {
 public:
  HistoryRun(const BacktestOptions& options, KeptLines& kept, BacktestReport& report, Place place)
      : options_(options), kept_(kept), report_(report), place_(std::move(place)) {}

  Result<void> run() {
    TRY(mine());
    TRY(replay());
    for (const Replay& replay : replays_) count(replay);
    if (options_.baselines) {
      TRY_ASSIGN(baselines_, Baselines::open(options_.cancel));
      report_.programs = baselines_->programs();
    }
    ladder_ = {&memory_, place_.rules, options_.further};
    report_.ladder = fmt::format("{}, {} landed resolutions to remember, each for later picks alone", Ladder{nullptr, place_.rules, options_.further}.version(), located_.size());
    TRY(climb_all());
    TRY(ask_rerere());
    return save_rows();
  }

 private:
  Spread spread_options() const { return {options_.jobs, options_.cancel}; }
  void say(const char* step, std::size_t done, std::size_t total) const {
    if (options_.progress) options_.progress(step, static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
  }

  Result<void> mine() {
    const auto on_progress = [&](std::int64_t done, std::int64_t total) -> Result<void> {
      say("reading the fork's history", static_cast<std::size_t>(done), static_cast<std::size_t>(total));
      if (options_.cancel != nullptr && options_.cancel->load()) return make_error(ErrorKind::transient, "cancelled");
      return {};
    };
    TRY_ASSIGN(landed_, landed_picks(place_.scratch->reader(), place_.history, options_.until, options_.limit, on_progress));
    report_.left_out = landed_.left_out;
    report_.mined.scanned = landed_.scanned;
    report_.mined.bundles = landed_.bundles;
    report_.mined.singles = static_cast<std::int64_t>(landed_.picks.size());
    return {};
  }

  // A thread's own repository and processes, opened when it has something to do.
  Result<PickRunner*> runner(std::size_t thread) {
    if (!runners_[thread]) {
      TRY_ASSIGN(PickRunner opened, PickRunner::open(place_.scratch->git_dir(), place_.policy, ladder_, baselines_ ? &*baselines_ : nullptr));
      runners_[thread] = std::make_unique<PickRunner>(std::move(opened));
    }
    return runners_[thread].get();
  }
  void new_runners(std::size_t n) {
    runners_.clear();
    runners_.resize(spread_options().threads_for(n));
  }

  // Text that is not UTF-8 does not survive being kept as JSON; such a replay is made again.
  static bool can_be_kept(const Replay& replay) {
    return std::all_of(replay.cases.begin(), replay.cases.end(), [](const Case& one) {
      return core::is_utf8(one.before) && core::is_utf8(one.after) && core::is_utf8(one.base) && core::is_utf8(one.ours) && core::is_utf8(one.theirs) &&
             core::is_utf8(one.resolved) && core::is_utf8(one.path);
    });
  }

  Result<void> replay() {
    const std::string context = core::sha256_hex(fmt::format("{} {} {} {}", replay_version, git::pick_recipe_version(), config::policy_sha256(place_.policy), place_.name)).substr(0, 16);
    const auto key = [&](const LandedPick& pick) { return fmt::format("replay-{}-{}-{}", context, pick.commit, pick.upstream); };
    replays_.resize(landed_.picks.size());
    std::vector<std::size_t> todo;
    for (std::size_t k = 0; k < replays_.size(); ++k) {
      const core::Json* json = kept_.find(key(landed_.picks[k]));
      auto known = json == nullptr ? Result<Replay>(make_error(ErrorKind::not_found, "")) : parse_replay(*json);
      if (known.ok())
        replays_[k] = std::move(*known);
      else
        todo.push_back(k);
    }
    new_runners(todo.size());
    const auto work = [&](std::size_t k, std::size_t thread) -> Result<void> {
      TRY_ASSIGN(PickRunner* const mine, runner(thread));
      Replay done = replay_pick(mine->reader(), mine->picker(), landed_.picks[todo[k]], place_.name);
      const std::lock_guard lock(keeping_);
      if (can_be_kept(done)) TRY(kept_.add(key(done.pick), to_json(done)));
      replays_[todo[k]] = std::move(done);
      return {};
    };
    const std::size_t before = replays_.size() - todo.size();
    return spread(todo.size(), spread_options(), work, [&](std::size_t done) { say("picking again what landed", before + done, replays_.size()); });
  }

  void count(const Replay& replay) {
    History& mined = report_.mined;
    if (!replay.why.empty()) {
      ++report_.left_out[replay.why];
      return;
    }
    ++mined.replayed;
    ++(replay.conflicted ? mined.conflicted : mined.clean);
    for (const auto& [why, n] : replay.left_out) report_.left_out[why] += n;
    for (const auto& [kind, n] : replay.other) report_.left_out["conflict " + kind] += n;
    for (const Case& one : replay.cases) {
      ++mined.regions;
      if (!one.located) continue;
      if (!seen_.insert(core::sha256_hex(fmt::format("{}:{}:{}:{}{}{}", one.base.size(), one.ours.size(), one.theirs.size(), one.base, one.ours, one.theirs))).second) ++mined.repeats;
      memory_.add(one);
      located_.push_back(&one);
    }
  }

  Result<void> climb_all() {
    std::vector<std::size_t> conflicted;
    for (std::size_t k = 0; k < replays_.size(); ++k)
      if (replays_[k].why.empty() && replays_[k].conflicted) conflicted.push_back(k);
    const std::string context = core::sha256_hex(fmt::format("{} {} {} {} {}", replay_version, git::pick_recipe_version(), place_.name, context_of(ladder_, baselines_ ? &*baselines_ : nullptr), rules_version(), config::policy_sha256(place_.policy))).substr(0, 16);
    const auto key = [&](const Replay& replay) { return fmt::format("pick-{}-{}-{}", context, replay.pick.commit, replay.pick.upstream); };
    std::vector<PickOutcome> outcomes(conflicted.size());
    std::vector<std::size_t> todo;
    for (std::size_t k = 0; k < conflicted.size(); ++k) {
      const core::Json* json = kept_.find(key(replays_[conflicted[k]]));
      auto known = json == nullptr ? Result<PickOutcome>(make_error(ErrorKind::not_found, "")) : parse_outcome(*json);
      if (known.ok())
        outcomes[k] = std::move(*known);
      else
        todo.push_back(k);
    }
    new_runners(todo.size());
    const auto work = [&](std::size_t k, std::size_t thread) -> Result<void> {
      const Replay& replay = replays_[conflicted[todo[k]]];
      TRY_ASSIGN(PickRunner* const mine, runner(thread));
      TRY_ASSIGN(PickOutcome done, mine->run(replay));
      const std::lock_guard lock(keeping_);
      TRY(kept_.add(key(replay), to_json(done)));
      outcomes[todo[k]] = std::move(done);
      return {};
    };
    const std::size_t before = conflicted.size() - todo.size();
    report_.kept = static_cast<std::int64_t>(before);
    TRY(spread(todo.size(), spread_options(), work, [&](std::size_t done) { say("asking the ladder", before + done, conflicted.size()); }));
    for (PickOutcome& outcome : outcomes) {
      for (CaseResult& result : outcome.cases) report_.cases.push_back(std::move(result));
      report_.picks.push_back(std::move(outcome.pick));
    }
    return {};
  }

  // Which rules judge, and in which version.
  static std::string rules_version() {
    std::string out;
    for (const guardrails::RuleInfo& rule : guardrails::catalogue()) out += fmt::format(" {}:{}", rule.id, rule.version);
    return out;
  }

  Result<void> ask_rerere() {
    if (!baselines_ || !baselines_->has("rerere") || located_.empty()) return {};
    std::vector<Source> sources;
    for (const Case* one : located_) sources.push_back(source_of(*one));
    const std::vector<bool> older = older_half(sources, report_.rerere_by_date);
    TRY_ASSIGN(Rerere rerere, Rerere::open(options_.cancel));
    for (std::size_t k = 0; k < located_.size(); ++k)
      if (older[k]) TRY(rerere.learn(*located_[k]));
    for (std::size_t k = 0; k < located_.size(); ++k)
      if (!older[k]) TRY(rerere.ask(*located_[k]));
    report_.rerere_learned = std::count(older.begin(), older.end(), true);
    TRY_ASSIGN(const auto outcomes, rerere.answers());
    for (CaseResult& result : report_.cases)
      if (const auto found = outcomes.find(result.id); found != outcomes.end()) result.baselines["rerere"] = found->second;
    return {};
  }

  Result<void> save_rows() {
    if (options_.rows_out.empty()) return {};
    std::string text;
    for (const Case* one : located_)
      text += core::Json::object({{"id", one->id}, {"repo", one->repo}, {"licence", ""}, {"upstream", one->upstream}, {"landed", one->landed}, {"path", one->path},
                                  {"lang", one->lang}, {"before", one->before}, {"after", one->after}, {"base", one->base}, {"ours", one->ours},
                                  {"theirs", one->theirs}, {"resolved", one->resolved}, {"class", one->klass}, {"date", one->date}})
                  .dump() +
              "\n";
    return core::write_file(options_.rows_out, text);
  }

  const BacktestOptions& options_;
  KeptLines& kept_;
  BacktestReport& report_;
  Place place_;
  Landed landed_;
  std::vector<Replay> replays_;
  std::vector<const Case*> located_;  // of replays_, oldest first
  std::set<std::string> seen_;
  Memory memory_;
  Ladder ladder_;
  std::optional<Baselines> baselines_;
  std::vector<std::unique_ptr<PickRunner>> runners_;
  std::mutex keeping_;
};

}  // namespace

Result<void> run_history(const BacktestOptions& options, KeptLines& kept, BacktestReport& report) {
  report.history = true;
  TRY_ASSIGN(Place place, open_place(options));
  report.source = fmt::format("landed picks of {}, {}", place.name, options.fork.empty() ? "HEAD" : core::printable(options.fork));
  const auto day = [](std::int64_t at) { return core::format_utc(at).substr(0, 10); };
  if (options.since != 0) report.source += " since " + day(options.since);
  if (options.until != 0) report.source += " before " + day(options.until);
  return HistoryRun(options, kept, report, std::move(place)).run();
}

}  // namespace sluice::service::backtest
