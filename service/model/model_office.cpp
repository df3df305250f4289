// SPDX-License-Identifier: Apache-2.0
#include "service/model/model_office.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/file.h"
#include "core/glob.h"
#include "core/log.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/held_secrets.h"

namespace sluice::service {

namespace {

constexpr std::string_view replay_prefix = "replay:";
constexpr std::size_t most_never_sent = 256u << 20, largest_file = 16u << 20;

// Texts of the files that never_send names, on trunk and in upstream as last fetched.
Result<std::vector<std::string>> never_sent_texts(App& app) {
  std::vector<std::string> out;
  std::set<Oid> seen;
  std::size_t bytes = 0;
  for (const char* ref : {"refs/sluice/fork", "refs/sluice/upstream"}) {
    TRY_ASSIGN(const auto tip, app.repo.ref(ref));
    if (!tip) continue;
    TRY_ASSIGN(const Oid tree, app.repo.reader().tree_of(*tip));
    std::vector<Oid> blobs;
    TRY(app.repo.reader().walk(tree, [&](const std::string& path, const git::TreeEntry& entry) {
      const auto& globs = app.config.model.never_send;
      const bool named = std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return core::glob_match(glob, path); });
      const bool file = entry.mode == 0100644 || entry.mode == 0100755;
      if (named && file && seen.insert(entry.oid).second) blobs.push_back(entry.oid);
      return true;
    }));
    for (const Oid& oid : blobs) {
      auto text = app.repo.reader().blob(oid, largest_file);
      if (!text.ok() && text.error().kind == ErrorKind::not_found) continue;  // the store does not have it, so nothing can quote it
      if (!text.ok()) return text.error();
      bytes += text->size();
      if (bytes > most_never_sent)
        return make_error(ErrorKind::denied, fmt::format("[model] never_send names more than {} MiB of files, too much to compare with what is sent: narrow it", most_never_sent >> 20));
      out.push_back(std::move(*text));
    }
  }
  return out;
}

core::Json as_json(const agent::BreakerState& state) {
  return core::Json::object({{"open", state.open}, {"reason", state.reason}, {"opened_at", state.opened_at}, {"until", state.until}});
}

constexpr const char* breakers_key = "model.breakers";  // {key: state}

Result<core::Json> stored_breakers(store::Store& store) {
  TRY_ASSIGN(const auto text, store.value(breakers_key));
  if (!text) return core::Json::object();
  return core::Json::parse(*text);
}

agent::BreakerState state_of(const core::Json& json) {
  return {json["open"].as_bool(), json["reason"].as_string(), json["opened_at"].as_int(), json["until"].as_int()};
}

}  // namespace

Result<agent::BreakerState> StoredBreakers::get(const std::string& key) {
  TRY_ASSIGN(const core::Json all, stored_breakers(store_));
  return state_of(all[key]);
}

Result<bool> StoredBreakers::open(const std::string& key, const agent::BreakerState& state) {
  TRY_ASSIGN(core::Json all, stored_breakers(store_));
  const bool was = all[key]["open"].as_bool();
  all.set(key, as_json(state));
  TRY(store_.put_value(breakers_key, all.dump()));
  if (!was) core::log_warning(fmt::format("the model endpoint {} is not asked any more: {} (`sluice model reset` closes the breaker)", key.substr(0, key.find(' ')), state.reason));
  return !was;
}

Result<std::vector<std::pair<std::string, agent::BreakerState>>> StoredBreakers::all(store::Store& store) {
  TRY_ASSIGN(const core::Json stored, stored_breakers(store));
  std::vector<std::pair<std::string, agent::BreakerState>> out;
  for (const auto& [key, json] : stored.members())
    if (json["open"].as_bool()) out.emplace_back(key.substr(0, key.find(' ')), state_of(json));
  return out;
}

Result<std::size_t> StoredBreakers::reset(store::Store& store, const std::string& endpoint) {
  TRY_ASSIGN(const core::Json stored, stored_breakers(store));
  core::Json left = core::Json::object();
  std::size_t closed = 0;
  for (const auto& [key, json] : stored.members()) {
    if (endpoint.empty() || key.substr(0, key.find(' ')) == endpoint) {
      closed += json["open"].as_bool() ? 1 : 0;
    } else {
      left.set(key, json);
    }
  }
  TRY(store.put_value(breakers_key, left.dump()));
  return closed;
}

agent::Mask make_mask(const model::Config& config) {
  return [held = held_secrets(config)](std::string_view text) { return core::redact(guardrails::without_secrets(text, held)); };
}

Result<const model::EndpointConfig*> chosen_endpoint(const model::Config& config, const ModelChoice& choice) {
  const bool replay = choice.model.starts_with(replay_prefix);
  const std::string name = choice.model.empty() || replay ? config.model.use : choice.model;
  if (name.empty() || name == "none") return static_cast<const model::EndpointConfig*>(nullptr);
  for (const model::EndpointConfig& e : config.model.endpoints)
    if (e.name == name) return &e;
  std::vector<std::string> names;
  for (const model::EndpointConfig& e : config.model.endpoints) names.push_back(e.name);
  return make_error(ErrorKind::invalid, fmt::format("--model: no endpoint of {} is called '{}'; there {}", config.file, core::printable(name),
                                                    names.empty() ? "is none: add [model]" : "are: " + core::join(names, ", ")));
}

Result<void> check_choice(const App& app) {
  TRY(chosen_endpoint(app.config, app.model));
  const bool replay = app.model.model.starts_with(replay_prefix);
  if (app.model.frozen && !replay) return make_error(ErrorKind::invalid, "--frozen goes with --model replay:DIR");
  if (replay && !app.model.record.empty()) return make_error(ErrorKind::invalid, "--record goes with a model that is asked, not with a recording");
  if (replay) TRY(agent::make_replay(app.model.model.substr(replay_prefix.size()), agent::Replaying::strict));
  return {};
}

std::unique_ptr<agent::Outgate> ModelOffice::outgate_for(const tools::World& world) {
  const auto never = [this]() -> Result<std::vector<std::string>> {
    if (!never_sent_) {
      TRY_ASSIGN(never_sent_, never_sent_texts(app_));
    }
    return *never_sent_;
  };
  const auto may_stand = [this, world]() -> Result<std::vector<std::string>> {
    std::vector<std::string> out;
    for (const model::Conflict& conflict : world.conflicts) {
      const auto& globs = app_.config.model.never_send;
      if (std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return core::glob_match(glob, conflict.path); })) continue;
      for (const Oid& tree : {world.ours_tree, world.base_tree, world.theirs_tree}) {
        if (tree.empty()) continue;
        TRY_ASSIGN(auto text, world.reader->file(tree, conflict.path));
        if (text) out.push_back(std::move(*text));
      }
    }
    return out;
  };
  return std::make_unique<agent::Outgate>(app_.config.model.send, app_.config.model.never_send, never, may_stand);
}

Result<std::unique_ptr<ModelOffice>> ModelOffice::open(App& app, bool send) {
  TRY_ASSIGN(const model::EndpointConfig* const endpoint, chosen_endpoint(app.config, app.model));
  const bool replay = app.model.model.starts_with(replay_prefix);
  if (endpoint == nullptr && !replay) return std::unique_ptr<ModelOffice>();
  std::unique_ptr<ModelOffice> out(new ModelOffice(app));
  TRY_ASSIGN(out->book_, store::AgentStore::open(app.config.store_path));
  if (replay) {
    TRY_ASSIGN(out->provider_, agent::make_replay(app.model.model.substr(replay_prefix.size()), app.model.frozen ? agent::Replaying::frozen : agent::Replaying::strict));
  } else {
    agent::HttpProviderOptions options;
    if (send) {
      TRY_ASSIGN(options.credential, agent::read_credential(*endpoint));
    }
    options.limiter = agent::make_rate_limiter(*endpoint);
    options.breakers = &out->breakers_;
    options.clock = &app.clock;
    options.backoff_unit_ms = app.model.backoff_unit_ms;
    model::EndpointConfig used = *endpoint;
    if (!send) used.auth = "none";  // nothing is sent, and nobody who only looks needs the key
    TRY_ASSIGN(out->provider_, agent::make_http_provider(used, std::move(options)));
    if (!app.model.record.empty()) {
      TRY_ASSIGN(out->provider_, agent::make_recorder(std::move(out->provider_), app.model.record));
    }
  }
  TRY_ASSIGN(out->budget_, agent::Budget::open(app.config.model.budget, out->provider_->endpoint(), *out->book_, app.clock));
  agent::ModelDesk& desk = out->desk_;
  desk.provider = out->provider_.get();
  desk.budget = out->budget_.get();
  ModelOffice* const self = out.get();
  desk.outgate = [self](const tools::World& world) { return self->outgate_for(world); };
  desk.policy_sha256 = app.config.policy.sha256;
  desk.book = out->book_.get();
  desk.clock = &app.clock;
  desk.cancel = app.cancel;
  desk.mask = make_mask(app.config);
  desk.transcripts = core::join_path(app.config.store_path, "transcripts");
  desk.fork = app.config.fork.url + " " + app.config.fork.branch;
  desk.night = core::format_utc(app.clock.now()).substr(0, 10);
  if (replay) {  // nothing leaves and nothing is paid: its charges stand apart
    desk.fork = desk.night = "replay";
    desk.leaves = false;
  }
  desk.invariants = app.config.policy.invariants;
  desk.only_stored = !send;
  desk.prerequisites = [self](const model::UpstreamCommit& upstream) {
    std::vector<agent::RelatedCommit> needed;
    const auto found = self->depends_on_.find(upstream.oid);
    if (found == self->depends_on_.end()) return needed;
    for (const Oid& oid : found->second) {
      const auto row = self->app_.store.ledger(oid);
      if (!row.ok() || (*row && model::is_settled((*row)->disposition))) continue;
      const auto facts = self->app_.store.facts(oid);
      needed.push_back({oid, facts.ok() && *facts ? (*facts)->subject : std::string(), "a prerequisite that the fork does not have"});
    }
    return needed;
  };
  TRY(core::make_directories(desk.transcripts));
  out->rung_ = std::make_unique<agent::ModelRung>(desk);
  return out;
}

}  // namespace sluice::service
