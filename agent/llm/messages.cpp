// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/messages.h"

#include <algorithm>

namespace sluice::agent {
namespace {

using core::Json;

Json text_block(const std::string& text) { return Json::object({{"type", "text"}, {"text", text}}); }

void break_cache(Json& block) { block.set("cache_control", Json::object({{"type", "ephemeral"}})); }

Json tool(const LlmTool& t, bool strict) {
  Json out = Json::object({{"name", t.name}, {"description", t.description}, {"input_schema", t.schema}});
  if (strict) out.set("strict", true);
  return out;
}

// An input that is no object would have the service refuse every later turn.
Json object_or_empty(const std::optional<Json>& value) { return value && value->is_object() ? *value : Json::object(); }

void add_assistant(Json::Array& blocks, const LlmMessage& message) {
  const std::size_t before = blocks.size();
  if (message.raw.is_array()) {
    for (const Json& block : message.raw.items()) {
      // The service sends empty text now and then, and takes none back.
      if (block["type"].as_string() == "text" && block["text"].as_string().empty()) continue;
      blocks.push_back(block);
    }
  } else {
    if (!message.text.empty()) blocks.push_back(text_block(message.text));
    for (const ToolCall& call : message.calls) {
      blocks.push_back(Json::object({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", object_or_empty(call.arguments)}}));
    }
  }
  if (blocks.size() == before) blocks.push_back(text_block("(no answer)"));
}

void add_answers(Json::Array& blocks, const LlmMessage& message) {
  for (const ToolAnswer& answer : message.answers) {
    Json result = Json::object({{"type", "tool_result"}, {"tool_use_id", answer.call_id}});
    if (!answer.text.empty()) result.set("content", Json::array().push(text_block(answer.text)));
    if (answer.is_error) result.set("is_error", true);
    blocks.push_back(std::move(result));
  }
  if (!message.text.empty()) blocks.push_back(text_block(message.text));
}

// Consecutive messages of one role become one: the service would join them too, but others refuse them.
struct Turn {
  std::string role;
  Json::Array blocks;
};
std::vector<Turn> turns_of(const LlmRequest& request) {
  std::vector<Turn> out;
  for (const LlmMessage& message : request.messages) {
    const std::string role = message.role == LlmMessage::Role::assistant ? "assistant" : "user";
    if (out.empty() || out.back().role != role) out.push_back({role, {}});
    Json::Array& blocks = out.back().blocks;
    if (role == "assistant") {
      add_assistant(blocks, message);
    } else {
      add_answers(blocks, message);
    }
  }
  return out;
}

Json rendered(std::vector<Turn> turns, bool breakpoint) {
  Json out = Json::array();
  const auto last_user = std::find_if(turns.rbegin(), turns.rend(), [](const Turn& t) { return t.role == "user" && !t.blocks.empty(); });
  if (breakpoint && last_user != turns.rend()) break_cache(last_user->blocks.back());
  for (Turn& turn : turns) out.push(Json::object({{"role", turn.role}, {"content", std::move(turn.blocks)}}));
  return out;
}

}  // namespace

Json render_messages(const model::EndpointConfig& endpoint, const LlmRequest& request) {
  const bool cache = endpoint.cache_breakpoints;
  Json body = Json::object({{"model", endpoint.model},
                            {"max_tokens", std::min(request.max_output_tokens, endpoint.max_output_tokens)},
                            {"stream", true},
                            {"messages", rendered(turns_of(request), cache)}});
  if (!request.system.empty()) {
    Json system = text_block(request.system);
    if (cache) break_cache(system);
    body.set("system", Json::array().push(std::move(system)));
  }
  if (!request.tools.empty()) {
    Json tools = Json::array();
    for (std::size_t i = 0; i < request.tools.size(); ++i) {
      Json one = tool(request.tools[i], endpoint.strict_tools);
      if (cache && i + 1 == request.tools.size()) break_cache(one);
      tools.push(std::move(one));
    }
    body.set("tools", std::move(tools));
    const bool force = request.force_tool && endpoint.can_force_tool;
    if (force || !endpoint.parallel_tools) {
      Json choice = Json::object({{"type", force ? "any" : "auto"}});
      if (!endpoint.parallel_tools) choice.set("disable_parallel_tool_use", true);
      body.set("tool_choice", std::move(choice));
    }
  }
  if (!endpoint.effort.empty()) body.set("output_config", Json::object({{"effort", endpoint.effort}}));
  return body;
}

}  // namespace sluice::agent
