// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "test/support/model_parts.h"

namespace sluice::test {
namespace {

using core::Json;

bool is_messages(const Conversation& asked) { return asked.dialect == "messages"; }

std::string id_of(const TurnCall& call, const Conversation& asked, std::size_t index) {
  return call.id.empty() ? fmt::format("call_{}_{}", asked.turns, index) : call.id;
}
std::string arguments_of(const TurnCall& call) { return call.raw ? *call.raw : call.arguments.dump(); }
std::string text_of(const Turn& turn) { return std::string(turn.wire.pad, 'x') + turn.text; }

// A JSON string whose bytes need not be UTF-8: what a service sends that cuts its text anywhere.
std::string quoted(std::string_view bytes) {
  std::string out = "\"";
  for (const char c : bytes) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::vector<std::string> argument_pieces(const std::string& text, std::size_t size) {
  std::vector<std::string> out;
  const std::size_t step = size > 0 ? size : text.size() / 3 + 1;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t to = std::min(at + step, text.size());
    while (size == 0 && to < text.size() && (static_cast<unsigned char>(text[to]) & 0xc0) == 0x80) ++to;
    out.push_back(text.substr(at, to - at));
    at = to;
  }
  return out;
}

std::string stop_word(const Conversation& asked, const Turn& turn) {
  const std::string stop = !turn.stop.empty() ? turn.stop : turn.calls.empty() ? "end_turn" : "tool_use";
  const bool messages = is_messages(asked);
  if (stop == "end_turn") return messages ? "end_turn" : "stop";
  if (stop == "tool_use") return messages ? "tool_use" : "tool_calls";
  if (stop == "length") return messages ? "max_tokens" : "length";
  if (stop == "refusal") return messages ? "refusal" : "content_filter";
  if (stop == "pause" && messages) return "pause_turn";
  if (stop == "context_exceeded" && messages) return "model_context_window_exceeded";
  return stop;
}

Json usage_of(const Conversation& asked, const Turn& turn, std::int64_t output) {
  const TurnUsage& u = turn.usage;
  if (is_messages(asked)) {
    return Json::object({{"input_tokens", u.input}, {"cache_read_input_tokens", u.cache_read},
                         {"cache_creation_input_tokens", u.cache_write}, {"output_tokens", output}});
  }
  const std::int64_t prompt = u.input + u.cache_read + u.cache_write;
  return Json::object({{"prompt_tokens", prompt}, {"completion_tokens", output}, {"total_tokens", prompt + output},
                       {"prompt_tokens_details", Json::object({{"cached_tokens", u.cache_read}})}});
}

Json stop_details(const Turn& turn) {
  if (turn.stop != "refusal") return Json();
  return Json::object({{"type", "refusal"}, {"category", turn.refusal_category.empty() ? Json() : Json(turn.refusal_category)},
                       {"explanation", turn.refusal_text}});
}

// ---- messages ---------------------------------------------------------------------------------------------------

std::string event(const std::string& name, const std::string& data) { return "event: " + name + "\ndata: " + data + "\n\n"; }
std::string event(const Json& data) { return event(data["type"].as_string(), data.dump()); }

Json start_block(std::size_t index, Json block) {
  return Json::object({{"type", "content_block_start"}, {"index", index}, {"content_block", std::move(block)}});
}
Json delta(std::size_t index, Json d) {
  return Json::object({{"type", "content_block_delta"}, {"index", index}, {"delta", std::move(d)}});
}
Json stop_block(std::size_t index) { return Json::object({{"type", "content_block_stop"}, {"index", index}}); }

std::vector<std::string> messages_events(const Conversation& asked, const Turn& turn) {
  std::vector<std::string> out;
  Json message = Json::object({{"id", fmt::format("msg_{}", asked.requests)}, {"type", "message"}, {"role", "assistant"},
                               {"model", asked.model}, {"content", Json::array()}, {"stop_reason", nullptr},
                               {"stop_sequence", nullptr}});
  if (!turn.wire.no_usage) message.set("usage", usage_of(asked, turn, std::min<std::int64_t>(1, turn.usage.output)));
  out.push_back(event(Json::object({{"type", "message_start"}, {"message", message}})));
  std::size_t index = 0;
  if (!turn.thinking.empty()) {
    out.push_back(event(start_block(index, Json::object({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}))));
    out.push_back(event(delta(index, Json::object({{"type", "thinking_delta"}, {"thinking", turn.thinking}}))));
    out.push_back(event(delta(index, Json::object({{"type", "signature_delta"}, {"signature", "c2lnbmVk"}}))));
    out.push_back(event(stop_block(index++)));
  }
  if (const std::string text = text_of(turn); !text.empty()) {
    out.push_back(event(start_block(index, Json::object({{"type", "text"}, {"text", ""}}))));
    for (const std::string& part : argument_pieces(text, 0)) {
      out.push_back(event(delta(index, Json::object({{"type", "text_delta"}, {"text", part}}))));
    }
    out.push_back(event(stop_block(index++)));
  }
  if (turn.extra_block.is_object()) {
    out.push_back(event(start_block(index, turn.extra_block)));
    out.push_back(event(stop_block(index++)));
  }
  for (std::size_t i = 0; i < turn.calls.size(); ++i) {
    const TurnCall& call = turn.calls[i];
    out.push_back(event(start_block(index, Json::object({{"type", "tool_use"}, {"id", id_of(call, asked, i)}, {"name", call.name},
                                                         {"input", Json::object()}}))));
    for (const std::string& part : argument_pieces(arguments_of(call), turn.wire.argument_piece)) {
      out.push_back(event("content_block_delta",
                          fmt::format(R"({{"type":"content_block_delta","index":{},"delta":{{"type":"input_json_delta","partial_json":{}}}}})",
                                      index, quoted(part))));
    }
    out.push_back(event(stop_block(index++)));
  }
  Json last = Json::object({{"type", "message_delta"},
                            {"delta", Json::object({{"stop_reason", stop_word(asked, turn)}, {"stop_sequence", nullptr},
                                                    {"stop_details", stop_details(turn)}})}});
  // Input numbers may be null here: the first ones stand.
  if (!turn.wire.no_usage) {
    last.set("usage", Json::object({{"output_tokens", turn.usage.output}, {"input_tokens", nullptr},
                                    {"cache_read_input_tokens", nullptr}, {"cache_creation_input_tokens", nullptr}}));
  }
  out.push_back(event(last));
  if (!turn.wire.no_end) out.push_back(event(Json::object({{"type", "message_stop"}})));
  return out;
}

Json messages_answer(const Conversation& asked, const Turn& turn) {
  Json content = Json::array();
  if (!turn.thinking.empty()) {
    content.push(Json::object({{"type", "thinking"}, {"thinking", turn.thinking}, {"signature", "c2lnbmVk"}}));
  }
  if (const std::string text = text_of(turn); !text.empty()) content.push(Json::object({{"type", "text"}, {"text", text}}));
  if (turn.extra_block.is_object()) content.push(turn.extra_block);
  for (std::size_t i = 0; i < turn.calls.size(); ++i) {
    content.push(Json::object({{"type", "tool_use"}, {"id", id_of(turn.calls[i], asked, i)}, {"name", turn.calls[i].name},
                               {"input", turn.calls[i].raw ? Json(*turn.calls[i].raw) : turn.calls[i].arguments}}));
  }
  Json out = Json::object({{"id", fmt::format("msg_{}", asked.requests)}, {"type", "message"}, {"role", "assistant"},
                           {"model", asked.model}, {"content", std::move(content)}, {"stop_reason", stop_word(asked, turn)},
                           {"stop_sequence", nullptr}, {"stop_details", stop_details(turn)}});
  if (!turn.wire.no_usage) out.set("usage", usage_of(asked, turn, turn.usage.output));
  return out;
}

// ---- chat -------------------------------------------------------------------------------------------------------

std::string chunk_text(const Conversation& asked, const std::string& choices, const std::string& usage) {
  return fmt::format(R"(data: {{"id":"chatcmpl-{}","object":"chat.completion.chunk","created":1,"model":"test-model","choices":{},"usage":{}}})",
                     asked.requests, choices, usage) + "\n\n";
}
std::string chunk(const Conversation& asked, const std::string& delta_text, const Json& finish = Json()) {
  return chunk_text(asked, fmt::format(R"([{{"index":0,"delta":{},"finish_reason":{}}}])", delta_text, finish.dump()), "null");
}

std::vector<std::string> chat_events(const Conversation& asked, const Turn& turn) {
  std::vector<std::string> out{chunk(asked, R"({"role":"assistant","content":""})")};
  for (const std::string& part : argument_pieces(text_of(turn), 0)) {
    out.push_back(chunk(asked, Json::object({{"content", part}}).dump()));
  }
  if (!turn.refusal_text.empty()) out.push_back(chunk(asked, Json::object({{"refusal", turn.refusal_text}}).dump()));
  for (std::size_t i = 0; i < turn.calls.size(); ++i) {
    const TurnCall& call = turn.calls[i];
    const Json head = Json::object({{"index", i}, {"id", id_of(call, asked, i)}, {"type", "function"},
                                    {"function", Json::object({{"name", call.name}, {"arguments", ""}})}});
    out.push_back(chunk(asked, Json::object({{"tool_calls", Json::array_of(std::vector<Json>{head})}}).dump()));
    for (const std::string& part : argument_pieces(arguments_of(call), turn.wire.argument_piece)) {
      out.push_back(chunk(asked, fmt::format(R"({{"tool_calls":[{{"index":{},"function":{{"arguments":{}}}}}]}})", i, quoted(part))));
    }
  }
  out.push_back(chunk(asked, "{}", stop_word(asked, turn)));
  const bool wanted = asked.body["stream_options"]["include_usage"].as_bool();
  if (wanted && !turn.wire.no_usage) out.push_back(chunk_text(asked, "[]", usage_of(asked, turn, turn.usage.output).dump()));
  if (!turn.wire.no_end) out.push_back("data: [DONE]\n\n");
  return out;
}

Json chat_answer(const Conversation& asked, const Turn& turn) {
  Json message = Json::object({{"role", "assistant"}, {"content", turn.text.empty() && turn.wire.pad == 0 ? Json() : Json(text_of(turn))},
                               {"refusal", turn.refusal_text.empty() ? Json() : Json(turn.refusal_text)}});
  for (std::size_t i = 0; i < turn.calls.size(); ++i) {
    Json calls = message["tool_calls"];
    calls.push(Json::object({{"id", id_of(turn.calls[i], asked, i)}, {"type", "function"},
                             {"function", Json::object({{"name", turn.calls[i].name}, {"arguments", arguments_of(turn.calls[i])}})}}));
    message.set("tool_calls", std::move(calls));
  }
  Json choice = Json::object({{"index", 0}, {"finish_reason", stop_word(asked, turn)}, {"message", std::move(message)}});
  Json out = Json::object({{"id", fmt::format("chatcmpl-{}", asked.requests)}, {"object", "chat.completion"}, {"created", 1},
                           {"model", asked.model}, {"choices", Json::array_of(std::vector<Json>{std::move(choice)})}});
  if (!turn.wire.no_usage) out.set("usage", usage_of(asked, turn, turn.usage.output));
  return out;
}

}  // namespace

std::vector<std::string> stream_events(const Conversation& asked, const Turn& turn) {
  std::vector<std::string> out = is_messages(asked) ? messages_events(asked, turn) : chat_events(asked, turn);
  const Wire& wire = turn.wire;
  if (!wire.error.is_null()) {
    out.resize(out.size() / 2);
    if (wire.old_error_line) {
      out.push_back("error: " + wire.error.dump() + "\n\n");
    } else if (is_messages(asked)) {
      out.push_back(event("error", wire.error.dump()));
    } else {
      out.push_back("data: " + wire.error.dump() + "\n\n");
    }
    if (wire.then_done) out.push_back("data: [DONE]\n\n");
  }
  if (wire.pings || wire.comments) {
    std::vector<std::string> more;
    for (std::string& e : out) {
      more.push_back(std::move(e));
      if (wire.comments) more.push_back(": still here\n\n");
      if (wire.pings) more.push_back(is_messages(asked) ? event("ping", R"({"type":"ping"})") : ": ping\n\n");
    }
    out = std::move(more);
  }
  return out;
}

Json plain_answer(const Conversation& asked, const Turn& turn) {
  return is_messages(asked) ? messages_answer(asked, turn) : chat_answer(asked, turn);
}

Json error_body(const std::string& dialect, const std::string& type, const std::string& message, const std::string& code) {
  Json error = Json::object({{"type", type}, {"message", message}});
  if (dialect == "messages") {
    if (!code.empty()) error.set("details", Json::object({{"error_code", code}}));
    return Json::object({{"type", "error"}, {"error", std::move(error)}, {"request_id", "req_error"}});
  }
  error.set("code", code.empty() ? Json() : Json(code)).set("param", nullptr);
  return Json::object({{"error", std::move(error)}});
}

}  // namespace sluice::test
