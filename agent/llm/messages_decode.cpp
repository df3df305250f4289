// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "agent/llm/decoded.h"

namespace sluice::agent {
namespace {

using core::Json;

constexpr std::int64_t max_blocks = 4096;

struct Block {
  Json head;                                   // as content_block_start brought it
  std::string text, thinking, signature, input;  // what the deltas of each kind add up to
  Json citations = Json::array();
  bool open = true;
};

Stop stop_of(const std::string& word) {
  if (word == "end_turn" || word == "stop_sequence") return Stop::end_turn;
  if (word == "tool_use") return Stop::tool_use;
  if (word == "max_tokens") return Stop::length;
  if (word == "pause_turn") return Stop::pause;
  if (word == "refusal") return Stop::refusal;
  if (word == "model_context_window_exceeded") return Stop::context_exceeded;
  return Stop::other;
}

class MessagesDecoder final : public AnswerDecoder {
 public:
  void event(const core::SseEvent& event) override;
  void whole(const Json& body) override;
  Decoded end() override;

 private:
  void delta(Block& block, const Json& delta);
  void usage(const Json& usage);
  void stop(const Json& holder);
  void add(Block block);

  Decoded out_;
  std::map<std::int64_t, Block> blocks_;
  Json::Array content_;
  CountedTokens input_, cache_read_, cache_write_, output_;
};

void MessagesDecoder::event(const core::SseEvent& event) {
  if (out_.complete || out_.error) return;
  const std::optional<Json> data = parse_piece(event.data);
  if (!data) {
    if (event.name == "error") out_.error = WireError{.type = {}, .code = {}, .message = event.data};
    // Ollama and others may end with the other dialect's word; it says nothing here.
    if (event.data != "[DONE]") out_.broken = true;
    return;
  }
  const std::string& type = (*data)["type"].is_string() && event.name != "error" ? (*data)["type"].as_string() : event.name;
  if (type == "error" || (*data)["error"].is_object()) {
    out_.error = error_in(*data).value_or(read_error(*data));
  } else if (type == "message_start") {
    const Json& message = (*data)["message"];
    out_.any = true;
    out_.reply.model = message["model"].as_string();
    usage(message["usage"]);
  } else if (type == "content_block_start" || type == "content_block_delta" || type == "content_block_stop") {
    out_.any = true;
    const std::int64_t index = (*data)["index"].as_int(-1);
    if (index < 0 || index >= max_blocks || (type != "content_block_start") != blocks_.contains(index)) {
      out_.broken = true;
    } else if (type == "content_block_start") {
      blocks_[index].head = (*data)["content_block"];
    } else if (type == "content_block_delta") {
      delta(blocks_[index], (*data)["delta"]);
    } else {
      blocks_[index].open = false;
    }
  } else if (type == "message_delta") {
    stop((*data)["delta"]);
    usage((*data)["usage"]);
  } else if (type == "message_stop") {
    out_.complete = true;
  }
}

void MessagesDecoder::delta(Block& block, const Json& delta) {
  const std::string& type = delta["type"].as_string();
  if (type == "text_delta") block.text += delta["text"].as_string();
  if (type == "input_json_delta") block.input += delta["partial_json"].as_string();
  if (type == "thinking_delta") block.thinking += delta["thinking"].as_string();
  if (type == "signature_delta") block.signature += delta["signature"].as_string();
  if (type == "citations_delta") block.citations.push(delta["citation"]);
}

void MessagesDecoder::usage(const Json& usage) {
  // Cumulative: the last number of each that is not null stands.
  input_.see(usage["input_tokens"]);
  cache_read_.see(usage["cache_read_input_tokens"]);
  cache_write_.see(usage["cache_creation_input_tokens"]);
  output_.see(usage["output_tokens"]);
}

void MessagesDecoder::stop(const Json& holder) {
  if (!holder["stop_reason"].is_string()) return;
  out_.reply.stop_raw = holder["stop_reason"].as_string();
  out_.reply.stop = stop_of(out_.reply.stop_raw);
  const Json& details = holder["stop_details"];
  const std::string& category = details["category"].as_string();
  const std::string& why = details["explanation"].as_string();
  out_.reply.stop_detail = category.empty() || why.empty() ? category + why : category + ": " + why;
}

void MessagesDecoder::add(Block block) {
  LlmMessage& message = out_.reply.message;
  Json& head = block.head;
  const std::string type = head["type"].as_string();
  if (type == "text") {
    const std::string text = head["text"].as_string() + block.text;
    message.text += text;
    head.set("text", text);
    if (!block.citations.items().empty()) head.set("citations", block.citations);
  } else if (type == "thinking") {
    head.set("thinking", head["thinking"].as_string() + block.thinking);
    head.set("signature", head["signature"].as_string() + block.signature);
  } else if (type == "tool_use") {
    ToolCall call{.id = head["id"].as_string(), .name = head["name"].as_string(), .raw = block.input, .arguments = {}};
    // Some servers send the whole input with the head and no deltas.
    if (call.raw.empty() && !head["input"].is_null() && head["input"] != Json::object()) call.raw = head["input"].dump();
    if (!block.open) call.arguments = parse_arguments(call.raw);  // a call that was cut off is never mended
    head.set("input", call.arguments && call.arguments->is_object() ? *call.arguments : Json::object());
    message.calls.push_back(std::move(call));
  }
  content_.push_back(std::move(head));
}

void MessagesDecoder::whole(const Json& body) {
  if (const auto error = error_in(body)) {
    out_.error = error;
    return;
  }
  out_.complete = true;
  out_.any = body["content"].is_array();
  if (!out_.any || !body["stop_reason"].is_string()) {
    out_.reply.invalid = "the answer has no content, or no stop reason";
  }
  for (const Json& block : body["content"].items()) {
    Block one;
    one.head = block;
    one.open = false;
    add(std::move(one));
  }
  out_.reply.model = body["model"].as_string();
  usage(body["usage"]);
  stop(body);
}

Decoded MessagesDecoder::end() {
  LlmReply& reply = out_.reply;
  for (auto& [index, block] : blocks_) {
    if (!block.head.is_object()) {
      out_.broken = true;
      continue;
    }
    add(std::move(block));
  }
  reply.message.raw = Json(std::move(content_));
  const bool bad = input_.bad() || cache_read_.bad() || cache_write_.bad() || output_.bad();
  reply.usage = {.input = input_.value(), .cache_read = cache_read_.value(), .cache_write = cache_write_.value(),
                 .output = output_.value(), .known = !bad && input_.seen() && output_.seen() && out_.complete};
  if (out_.complete && out_.broken && reply.invalid.empty()) reply.invalid = "parts of the answer could not be read";
  if (out_.complete && reply.stop_raw.empty() && reply.invalid.empty()) reply.invalid = "the answer has no stop reason";
  if (reply.stop == Stop::end_turn && !reply.message.calls.empty()) reply.stop = Stop::tool_use;
  if (reply.stop == Stop::tool_use && reply.message.calls.empty()) reply.stop = Stop::end_turn;
  validate_reply(reply);
  return std::move(out_);
}

}  // namespace

std::unique_ptr<AnswerDecoder> messages_decoder() { return std::make_unique<MessagesDecoder>(); }

}  // namespace sluice::agent
