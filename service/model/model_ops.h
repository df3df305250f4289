// SPDX-License-Identifier: Apache-2.0
// What the `sluice model` commands do, and the doctor's one real call.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"
#include "service/doctor.h"
#include "store/agent.h"

namespace sluice::service {

// The bytes of the first request about the first conflict of `unit` that no surer rung answers, on trunk as last fetched.
// Nothing is sent. Errors: not_found (no such unit; no model would be asked: why), denied ([model] never_send).
Result<std::string> preview_unit(App& app, const std::string& unit);

struct ModelState {
  std::string endpoint, model, url;  // in use; empty = none
  std::vector<store::TranscriptRow> runs;  // newest first
  std::vector<store::AgentStore::SentRow> sent;
  std::vector<std::pair<std::string, std::string>> breakers;  // endpoint, why it is not asked
  store::Spend night, fork;
  std::string currency;
};
Result<ModelState> model_state(App& app);
core::Json model_json(const ModelState& state);  // sluice.model/1
std::string model_text(const ModelState& state, bool sent);
// Closes the breakers of an endpoint ("" = all). How many were open.
Result<std::size_t> reset_breakers(App& app, const std::string& endpoint);

// Configuration of the model, and one cheap call with it: whether the key is accepted, the model answers and calls a
// tool. Empty where there is no model.
std::vector<Finding> check_model(App& app);

}  // namespace sluice::service
