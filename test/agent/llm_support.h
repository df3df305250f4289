// SPDX-License-Identifier: Apache-2.0
// What the tests of the model providers share: a request, a provider that does not wait, an observer that keeps all.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/llm/llm.h"
#include "test/support/model_server.h"

namespace sluice::agent::testing {

using core::Json;
using test::Conversation;
using test::ModelServer;
using test::Turn;
using test::TurnUsage;
using test::Wire;

inline LlmTool tool(const std::string& name) {
  return {.name = name, .description = "Does " + name + ".",
          .schema = Json::object({{"type", "object"}, {"additionalProperties", false}, {"required", Json::array()},
                                  {"properties", Json::object({{"path", Json::object({{"type", "string"}})}})}})};
}

inline LlmMessage user(const std::string& text) { return {.role = LlmMessage::Role::user, .text = text, .calls = {}, .answers = {}, .raw = {}}; }

inline LlmRequest request(const std::string& text = "Answer the conflict.") {
  LlmRequest out;
  out.system = "You answer conflicts.";
  out.tools = {tool("get_region"), tool("submit")};
  out.messages = {user(text)};
  return out;
}

// `reply`, and a result for each of its calls.
inline void answer_calls(LlmRequest& request, const LlmReply& reply, bool is_error = false) {
  request.messages.push_back(reply.message);
  LlmMessage results;
  results.role = LlmMessage::Role::tools;
  for (const ToolCall& call : reply.message.calls) results.answers.push_back({call.id, R"({"of":")" + call.name + "\"}", is_error});
  request.messages.push_back(std::move(results));
}

// Everything that an observer hears.
struct Heard {
  std::vector<std::string> requests, responses, troubles, retries;
  std::vector<int> statuses;
  std::vector<WireAnswer> wire;
  CallObserver observer() {
    return {.request = [this](std::string_view body) { requests.emplace_back(body); },
            .response = [this](int status, std::string_view body, const std::string& trouble) {
              statuses.push_back(status);
              responses.emplace_back(body);
              troubles.push_back(trouble);
            },
            .retry = [this](const std::string& why, std::int64_t) { retries.push_back(why); },
            .wire = [this](const WireAnswer& answer) { wire.push_back(answer); }};
  }
};

inline std::unique_ptr<Provider> waiting_provider(const model::EndpointConfig& endpoint, HttpProviderOptions options = {}) {
  auto made = make_http_provider(endpoint, std::move(options));
  if (!made.ok()) {
    ADD_FAILURE() << made.error().message;
    return nullptr;
  }
  return std::move(made).value();
}

// One that asks again at once: where the waits are not what is looked at.
inline std::unique_ptr<Provider> provider(const model::EndpointConfig& endpoint, HttpProviderOptions options = {}) {
  options.backoff_unit_ms = 0;
  return waiting_provider(endpoint, std::move(options));
}

inline LlmOutcome ask(Provider& p, const LlmRequest& r, const CallObserver& observer = {}) { return p.call(r, {}, observer); }

// Both dialects, for a test that must hold in each.
class Dialects : public ::testing::TestWithParam<std::string> {};

#define SLUICE_IN_BOTH_DIALECTS(suite) \
  INSTANTIATE_TEST_SUITE_P(Dialect, suite, ::testing::Values("messages", "chat"), [](const auto& i) { return i.param; })

}  // namespace sluice::agent::testing
