// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "test/support/model_parts.h"

namespace sluice::test {
namespace {

using core::Json;
using Role = SeenMessage::Role;

Json json_or_null(const std::string& text) {
  auto parsed = Json::parse(text);
  return parsed.ok() ? std::move(parsed).value() : Json();
}

// Text of a string or of a list of text blocks.
std::string text_of(const Json& content) {
  if (content.is_string()) return content.as_string();
  std::string out;
  for (const Json& block : content.items()) {
    if (block["type"].as_string() == "text") out += block["text"].as_string();
  }
  return out;
}

SeenAnswer answer(const std::string& id, std::string text, bool is_error) {
  SeenAnswer out{.call_id = id, .name = {}, .text = std::move(text), .body = {}, .is_error = is_error};
  out.body = json_or_null(out.text);
  return out;
}

void read_messages(const Json& body, Conversation& out, std::string& refused) {
  out.system = text_of(body["system"]);
  for (const Json& tool : body["tools"].items()) out.tools.push_back(tool["name"].as_string());
  std::string last_role;
  for (const Json& message : body["messages"].items()) {
    const std::string& role = message["role"].as_string();
    if (role == last_role) refused = "two messages of " + role + " in a row";
    last_role = role;
    SeenMessage seen;
    seen.role = role == "assistant" ? Role::assistant : Role::user;
    seen.text = text_of(message["content"]);
    bool other_before = false;
    for (const Json& block : message["content"].items()) {
      const std::string& type = block["type"].as_string();
      if (type == "text" && block["text"].as_string().empty()) refused = "text content blocks must be non-empty";
      if (type == "tool_use") seen.calls.push_back({block["id"].as_string(), block["name"].as_string(), block["input"]});
      if (type == "tool_result") {
        if (other_before) refused = "a tool_result stands behind another block";
        seen.role = Role::tools;
        seen.answers.push_back(answer(block["tool_use_id"].as_string(), text_of(block["content"]), block["is_error"].as_bool()));
      } else {
        other_before = true;
      }
    }
    if (role != "assistant" && !seen.calls.empty()) refused = "a tool_use that is not the assistant's";
    out.messages.push_back(std::move(seen));
  }
}

void read_chat(const Json& body, Conversation& out, std::string& refused) {
  for (const Json& tool : body["tools"].items()) out.tools.push_back(tool["function"]["name"].as_string());
  for (const Json& message : body["messages"].items()) {
    const std::string& role = message["role"].as_string();
    if (role == "system" || role == "developer") {
      out.system += text_of(message["content"]);
      continue;
    }
    SeenMessage seen;
    seen.role = role == "assistant" ? Role::assistant : role == "tool" ? Role::tools : Role::user;
    if (seen.role == Role::tools) {
      SeenAnswer a = answer(message["tool_call_id"].as_string(), text_of(message["content"]), false);
      if (out.messages.empty() || (out.messages.back().role == Role::user)) refused = "a tool message without a call before it";
      if (!out.messages.empty() && out.messages.back().role == Role::tools) {
        out.messages.back().answers.push_back(std::move(a));
        continue;
      }
      seen.answers.push_back(std::move(a));
    } else {
      seen.text = text_of(message["content"]);
      for (const Json& call : message["tool_calls"].items()) {
        const std::string& arguments = call["function"]["arguments"].as_string();
        seen.calls.push_back({call["id"].as_string(), call["function"]["name"].as_string(), json_or_null(arguments)});
        if (!seen.calls.back().arguments.is_object()) refused = "arguments of a call are no JSON object";
      }
    }
    out.messages.push_back(std::move(seen));
  }
}

// Every call has its result in the very next message, and every result its call.
std::string broken_pairs(Conversation& c) {
  std::map<std::string, std::string> open;  // id -> name
  for (SeenMessage& message : c.messages) {
    for (SeenAnswer& a : message.answers) {
      const auto found = open.find(a.call_id);
      if (found == open.end()) return "a result for call " + a.call_id + ", which the turn before did not make, or twice";
      a.name = found->second;
      open.erase(found);
    }
    if (!open.empty()) return "call " + open.begin()->first + " has no result in the next message";
    for (const SeenCall& call : message.calls) {
      if (call.id.empty() || !open.emplace(call.id, call.name).second) return "two calls of one id, or a call without one";
    }
  }
  return open.empty() ? "" : "the conversation ends with a call that has no result";
}

}  // namespace

Conversation read_conversation(const std::string& dialect, const Json& body, std::string& refused) {
  Conversation out;
  out.dialect = dialect;
  out.model = body["model"].as_string();
  out.body = body;
  if (dialect == "messages") {
    read_messages(body, out, refused);
  } else {
    read_chat(body, out, refused);
  }
  for (const SeenMessage& message : out.messages) out.turns += message.role == Role::assistant ? 1 : 0;
  if (out.messages.empty() || out.messages.front().role != Role::user) refused = "the first message is not the user's";
  if (refused.empty()) refused = broken_pairs(out);
  return out;
}

bool Conversation::offers(std::string_view tool) const {
  for (const std::string& name : tools) {
    if (name == tool) return true;
  }
  return false;
}

const std::vector<SeenAnswer>& Conversation::last_answers() const {
  static const std::vector<SeenAnswer> none;
  for (auto m = messages.rbegin(); m != messages.rend() && m->role != Role::assistant; ++m) {
    if (m->role == Role::tools) return m->answers;
  }
  return none;
}

const Json& Conversation::answer_of(std::string_view tool) const {
  static const Json none;
  for (auto m = messages.rbegin(); m != messages.rend(); ++m) {
    for (auto a = m->answers.rbegin(); a != m->answers.rend(); ++a) {
      if (a->name == tool) return a->body;
    }
  }
  return none;
}

std::string Conversation::user_text() const {
  std::string out;
  for (const SeenMessage& m : messages) {
    if (m.role == Role::assistant || m.text.empty()) continue;
    if (!out.empty()) out += '\n';
    out += m.text;
  }
  return out;
}

}  // namespace sluice::test
