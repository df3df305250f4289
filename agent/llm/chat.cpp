// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/chat.h"

#include <algorithm>

#include "agent/llm/decoded.h"

namespace sluice::agent {
namespace {

using core::Json;

// Local servers parse the arguments of earlier calls for their prompt templates, and fail on what is no object.
std::string object_text(const std::string& raw) {
  const std::optional<Json> parsed = parse_arguments(raw);
  return parsed && parsed->is_object() && !raw.empty() ? raw : "{}";
}

Json call(const std::string& id, const std::string& name, const std::string& arguments) {
  return Json::object({{"id", id}, {"type", "function"},
                       {"function", Json::object({{"name", name}, {"arguments", object_text(arguments)}})}});
}

Json assistant(const LlmMessage& message) {
  if (!message.raw.is_object()) {
    Json out = Json::object({{"role", "assistant"}, {"content", message.text.empty() ? Json() : Json(message.text)}});
    Json calls = Json::array();
    for (const ToolCall& c : message.calls) calls.push(call(c.id, c.name, c.raw));
    if (!message.calls.empty()) out.set("tool_calls", std::move(calls));
    if (message.calls.empty() && message.text.empty()) out.set("content", "(no answer)");
    return out;
  }
  Json out = message.raw;
  if (!out["tool_calls"].is_array()) {
    if (out["content"].as_string().empty() && !out["content"].is_array()) out.set("content", "(no answer)");
    return out;
  }
  Json calls = Json::array();
  for (const Json& one : out["tool_calls"].items()) {
    Json function = one["function"];
    function.set("arguments", object_text(function["arguments"].as_string()));
    Json kept = one;
    calls.push(kept.set("function", std::move(function)));
  }
  return out.set("tool_calls", std::move(calls));
}

Json tool(const LlmTool& t, bool strict) {
  Json function = Json::object({{"name", t.name}, {"description", t.description}, {"parameters", t.schema}});
  if (strict) function.set("strict", true);
  return Json::object({{"type", "function"}, {"function", std::move(function)}});
}

Json messages_of(const LlmRequest& request) {
  Json out = Json::array();
  if (!request.system.empty()) out.push(Json::object({{"role", "system"}, {"content", request.system}}));
  for (const LlmMessage& message : request.messages) {
    if (message.role == LlmMessage::Role::assistant) {
      out.push(assistant(message));
      continue;
    }
    for (const ToolAnswer& answer : message.answers) {
      out.push(Json::object({{"role", "tool"}, {"tool_call_id", answer.call_id}, {"content", answer.text}}));
    }
    if (!message.text.empty()) out.push(Json::object({{"role", "user"}, {"content", message.text}}));
  }
  return out;
}

}  // namespace

Json render_chat(const model::EndpointConfig& endpoint, const LlmRequest& request) {
  Json body = Json::object({{"model", endpoint.model},
                            {endpoint.max_tokens_field, std::min(request.max_output_tokens, endpoint.max_output_tokens)},
                            {"stream", true},
                            {"messages", messages_of(request)}});
  if (endpoint.sends_usage_in_stream) body.set("stream_options", Json::object({{"include_usage", true}}));
  if (!request.tools.empty()) {
    Json tools = Json::array();
    for (const LlmTool& t : request.tools) tools.push(tool(t, endpoint.strict_tools));
    body.set("tools", std::move(tools));
    if (request.force_tool && endpoint.can_force_tool) body.set("tool_choice", "required");
    if (!endpoint.parallel_tools) body.set("parallel_tool_calls", false);
  }
  if (!endpoint.effort.empty()) body.set("reasoning_effort", endpoint.effort);
  if (endpoint.provider == "openai") body.set("store", false);  // others need not know the field
  return body;
}

}  // namespace sluice::agent
