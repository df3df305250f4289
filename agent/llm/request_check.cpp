// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/request_check.h"

#include <fmt/format.h>

#include <set>

#include "core/text.h"

namespace sluice::agent {
namespace {

std::string bad_tools(const LlmRequest& request) {
  std::set<std::string_view> names;
  for (const LlmTool& tool : request.tools) {
    if (!is_tool_name(tool.name)) return fmt::format("'{}' is no name of a tool", core::printable(tool.name, 80));
    if (!names.insert(tool.name).second) return fmt::format("tool {} is offered twice", tool.name);
    if (tool.schema["type"].as_string() != "object") return fmt::format("the schema of tool {} is not that of an object", tool.name);
  }
  return {};
}

}  // namespace

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > 64) return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string_view::npos;
}

std::string unsendable(const LlmRequest& request) {
  if (std::string why = bad_tools(request); !why.empty()) return why;
  if (request.max_output_tokens <= 0) return fmt::format("max_output_tokens is {}; it must be more than 0", request.max_output_tokens);
  if (request.messages.empty() || request.messages.front().role != LlmMessage::Role::user) return "the first message is not the user's";
  std::set<std::string_view> open;  // calls that wait for their answer
  for (const LlmMessage& message : request.messages) {
    for (const ToolAnswer& answer : message.answers) {
      if (open.erase(answer.call_id) == 0) {
        return fmt::format("there is an answer to call {}, which the turn before did not make, or a second one", core::printable(answer.call_id, 80));
      }
    }
    if (!open.empty()) return fmt::format("call {} has no answer in the message behind it", core::printable(*open.begin(), 80));
    const bool assistant = message.role == LlmMessage::Role::assistant;
    if ((message.role == LlmMessage::Role::tools) == message.answers.empty()) return "answers stand in a message of another role, or one of theirs has none";
    for (const ToolCall& call : message.calls) {
      if (!assistant || call.id.empty() || !open.insert(call.id).second) return "a call is not the assistant's, or its id is empty or taken";
    }
  }
  return open.empty() ? std::string() : fmt::format("call {} has no answer in the message behind it", core::printable(*open.begin(), 80));
}

}  // namespace sluice::agent
