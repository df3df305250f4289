// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "agent/llm/decoded.h"

namespace sluice::agent {
namespace {

using core::Json;

constexpr std::int64_t max_index = 4096;

struct Piece {
  std::string id, name, arguments;
  Json head;  // as it came first: it may carry what must be echoed, such as a signature
};

Stop stop_of(const std::string& word) {
  if (word == "stop") return Stop::end_turn;
  if (word == "tool_calls" || word == "function_call") return Stop::tool_use;
  if (word == "length") return Stop::length;
  if (word == "content_filter") return Stop::refusal;
  return Stop::other;
}

Json echo(const Piece& joined) {
  Json out = Json::object({{"id", joined.id}, {"type", "function"}});
  for (const auto& [name, value] : joined.head.members()) {
    if (name != "index" && name != "function" && name != "id" && name != "type") out.set(name, value);
  }
  Json function = joined.head["function"].is_object() ? joined.head["function"] : Json::object();
  function.set("name", joined.name).set("arguments", joined.arguments);
  return out.set("function", std::move(function));
}

class ChatDecoder final : public AnswerDecoder {
 public:
  void event(const core::SseEvent& event) override;
  void whole(const Json& body) override;
  Decoded end() override;

 private:
  void delta(const Json& delta);
  void call(const Json& piece, std::int64_t place);
  void usage(const Json& usage);

  Decoded out_;
  std::string content_, refusal_, finish_;
  std::map<std::string, std::string> other_;  // texts of fields nobody told us of, such as reasoning_content
  std::map<std::int64_t, Piece> calls_;
  Json message_;  // of a document
  bool document_ = false, done_ = false;
  CountedTokens prompt_, cached_, completion_;
};

void ChatDecoder::event(const core::SseEvent& event) {
  if (out_.error) return;  // whatever follows it
  if (event.data == "[DONE]") {
    done_ = true;
    return;
  }
  if (done_) return;
  const std::optional<Json> data = parse_piece(event.data);
  if (!data) {
    if (event.name == "error") out_.error = WireError{.type = {}, .code = {}, .message = event.data};
    out_.broken = true;
    return;
  }
  if (event.name == "error" || (*data)["error"].is_object() || (*data)["error"].is_string()) {
    out_.error = error_in(*data).value_or(read_error(*data));
    return;
  }
  if (!(*data)["choices"].is_array() && !(*data)["usage"].is_object()) {
    if (const auto error = error_in(*data)) out_.error = error;
    return;
  }
  out_.any = true;
  if (out_.reply.model.empty()) out_.reply.model = (*data)["model"].as_string();
  usage((*data)["usage"]);
  for (const Json& choice : (*data)["choices"].items()) {
    if (choice["index"].as_int() != 0) continue;  // one was asked for
    delta(choice["delta"]);
    if (choice["finish_reason"].is_string()) finish_ = choice["finish_reason"].as_string();
  }
}

void ChatDecoder::delta(const Json& delta) {
  std::int64_t place = 0;
  for (const auto& [name, value] : delta.members()) {
    if (name == "content") {
      content_ += value.as_string();
    } else if (name == "refusal") {
      refusal_ += value.as_string();
    } else if (name == "tool_calls") {
      for (const Json& piece : value.items()) call(piece, place++);
    } else if (name != "role" && name != "obfuscation" && value.is_string()) {
      other_[name] += value.as_string();
    }
  }
}

void ChatDecoder::call(const Json& piece, std::int64_t place) {
  const std::int64_t index = piece["index"].is_null() ? place : piece["index"].as_int(-1);
  if (index < 0 || index >= max_index) {
    out_.broken = true;
    return;
  }
  Piece& joined = calls_[index];
  const std::string& id = piece["id"].as_string();
  if (!id.empty() && !joined.id.empty() && id != joined.id) out_.broken = true;  // two calls in one place
  if (joined.id.empty()) joined.id = id;
  if (joined.head.is_null()) joined.head = piece;
  if (joined.name.empty()) joined.name = piece["function"]["name"].as_string();
  joined.arguments += piece["function"]["arguments"].as_string();
}

void ChatDecoder::usage(const Json& usage) {
  prompt_.see(usage["prompt_tokens"]);
  completion_.see(usage["completion_tokens"]);
  cached_.see(usage["prompt_tokens_details"]["cached_tokens"]);
}

void ChatDecoder::whole(const Json& body) {
  if (const auto error = error_in(body)) {
    out_.error = error;
    return;
  }
  document_ = out_.complete = done_ = true;
  out_.any = body["choices"].is_array();
  out_.reply.model = body["model"].as_string();
  usage(body["usage"]);
  if (body["choices"].items().empty()) {
    out_.reply.invalid = "the answer has no choice";
    return;
  }
  const Json& choice = body["choices"].items().front();
  message_ = choice["message"];
  if (!message_.is_object()) out_.reply.invalid = "the answer has no message";
  content_ = message_["content"].as_string();
  refusal_ = message_["refusal"].as_string();
  finish_ = choice["finish_reason"].as_string();
  std::int64_t place = 0;
  for (const Json& piece : message_["tool_calls"].items()) {
    Piece& joined = calls_[place++];
    joined = {piece["id"].as_string(), piece["function"]["name"].as_string(), piece["function"]["arguments"].as_string(), piece};
    // Some servers send an object where the dialect has text.
    if (piece["function"]["arguments"].is_object()) joined.arguments = piece["function"]["arguments"].dump();
  }
}

Decoded ChatDecoder::end() {
  LlmReply& reply = out_.reply;
  out_.complete = done_ && (document_ || !finish_.empty());
  reply.message.text = content_;
  Json raw = document_ ? message_ : Json::object({{"role", "assistant"}, {"content", content_.empty() ? Json() : Json(content_)}});
  Json calls = Json::array();
  for (auto& [index, joined] : calls_) {
    ToolCall one{.id = joined.id, .name = joined.name, .raw = joined.arguments, .arguments = parse_arguments(joined.arguments)};
    // Cut off by the limit of tokens, its text may still be JSON by chance: the last one is never trusted.
    if (finish_ == "length" && &joined == &calls_.rbegin()->second) one.arguments = std::nullopt;
    calls.push(echo(joined));
    reply.message.calls.push_back(std::move(one));
  }
  if (!calls_.empty()) raw.set("tool_calls", std::move(calls));
  if (!document_) {
    for (const auto& [name, text] : other_) raw.set(name, text);
    if (!refusal_.empty()) raw.set("refusal", refusal_);
  }
  reply.message.raw = std::move(raw);

  reply.stop_raw = finish_;
  reply.stop = refusal_.empty() ? stop_of(finish_) : Stop::refusal;
  reply.stop_detail = refusal_;
  // Some servers say "stop" beside calls: the calls decide.
  if (reply.stop == Stop::end_turn && !reply.message.calls.empty()) reply.stop = Stop::tool_use;
  if (reply.stop == Stop::tool_use && reply.message.calls.empty()) reply.stop = Stop::end_turn;

  const bool sane = !prompt_.bad() && !cached_.bad() && !completion_.bad() && cached_.value() <= prompt_.value();
  reply.usage = {.input = sane ? prompt_.value() - cached_.value() : 0, .cache_read = sane ? cached_.value() : 0, .cache_write = 0,
                 .output = completion_.value(), .known = sane && prompt_.seen() && completion_.seen() && out_.complete};
  if (out_.complete && out_.broken && reply.invalid.empty()) reply.invalid = "parts of the answer could not be read";
  if (out_.complete && finish_.empty() && reply.invalid.empty()) reply.invalid = "the answer has no finish reason";
  validate_reply(reply);
  return std::move(out_);
}

}  // namespace

std::unique_ptr<AnswerDecoder> chat_decoder() { return std::make_unique<ChatDecoder>(); }

}  // namespace sluice::agent
