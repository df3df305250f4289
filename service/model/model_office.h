// SPDX-License-Identifier: Apache-2.0
// What a process needs to ask a model: the endpoint of the configuration or of `--model`, its budget, what may leave,
// transcripts, breaker.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/llm/llm.h"
#include "agent/loop/loop.h"
#include "agent/model_rung.h"
#include "service/app.h"
#include "store/agent.h"

namespace sluice::service {

// The breakers of endpoints, kept in the store; opening one raises an alert.
class StoredBreakers : public agent::BreakerStore {
 public:
  explicit StoredBreakers(store::Store& store) : store_(store) {}
  Result<agent::BreakerState> get(const std::string& key) override;
  Result<bool> open(const std::string& key, const agent::BreakerState& state) override;
  // Open ones, as (endpoint name, state).
  static Result<std::vector<std::pair<std::string, agent::BreakerState>>> all(store::Store& store);
  // Closes those of an endpoint ("" = all); how many were open.
  static Result<std::size_t> reset(store::Store& store, const std::string& endpoint);

 private:
  store::Store& store_;
};

class ModelOffice {
 public:
  // Null where there is no model. `send`: calls may be made; false: answers of earlier runs alone.
  // Errors: invalid (no such endpoint, no key, a cap below one call), naming the key of the configuration.
  static Result<std::unique_ptr<ModelOffice>> open(App& app, bool send);

  agent::ModelRung& rung() { return *rung_; }
  agent::Provider& provider() { return *provider_; }
  const agent::ModelDesk& desk() const { return desk_; }
  agent::Budget& budget() { return *budget_; }
  // Upstream commits that stand in the way of others and are not landed: what the model is told of prerequisites.
  void know(std::map<Oid, std::vector<Oid>> depends_on) { depends_on_ = std::move(depends_on); }

 private:
  std::unique_ptr<agent::Outgate> outgate_for(const tools::World& world);
  explicit ModelOffice(App& app) : app_(app), breakers_(app.store) {}
  App& app_;
  StoredBreakers breakers_;
  std::unique_ptr<agent::Provider> provider_;
  std::unique_ptr<store::AgentStore> book_;
  std::unique_ptr<agent::Budget> budget_;
  std::unique_ptr<agent::ModelRung> rung_;
  std::map<Oid, std::vector<Oid>> depends_on_;
  std::optional<std::vector<std::string>> never_sent_;  // read once
  agent::ModelDesk desk_;
};

// Masks what G61 would find, and every registered secret.
agent::Mask make_mask(const model::Config& config);
// What `--model` names can be used: an endpoint that there is, a recording that can be read. Asked before anything begins.
// Errors: invalid, not_found.
Result<void> check_choice(const App& app);

// The endpoint in use; null = none. Errors: invalid, naming those that there are.
Result<const model::EndpointConfig*> chosen_endpoint(const model::Config& config, const ModelChoice& choice);

}  // namespace sluice::service
