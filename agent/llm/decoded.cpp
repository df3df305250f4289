// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/decoded.h"

#include <fmt/format.h>

#include <set>

#include "agent/llm/request_check.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

using core::Json;

constexpr std::size_t max_calls = 128;
constexpr std::size_t max_id_bytes = 256;
constexpr std::int64_t max_tokens_counted = 1'000'000'000;

// Bytes that are not UTF-8 travel through the JSON reader as the last code points of the last plane.
std::string lifted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x80) {
      out += c;
    } else {
      out += u < 0xc0 ? "\xF4\x8F\xBE" : "\xF4\x8F\xBF";
      out += static_cast<char>(u < 0xc0 ? u : u - 0x40);
    }
  }
  return out;
}

std::string lowered(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i, 4);
    if (rest.starts_with("\xF4\x8F\xBE") || rest.starts_with("\xF4\x8F\xBF")) {
      out += static_cast<char>(static_cast<unsigned char>(rest[3]) + (rest[2] == '\xBE' ? 0 : 0x40));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

Json lowered(const Json& value) {
  if (value.is_string()) return lowered(value.as_string());
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value.items()) out.push(lowered(item));
    return out;
  }
  if (value.is_object()) {
    Json out = Json::object();
    for (const auto& [key, item] : value.members()) out.set(key, lowered(item));
    return out;
  }
  return value;
}

std::string what_is_wrong(const LlmMessage& message) {
  if (message.calls.size() > max_calls) return fmt::format("{} calls in one turn; at most {} are taken", message.calls.size(), max_calls);
  std::size_t bytes = message.text.size();
  std::set<std::string_view> ids;
  for (const ToolCall& call : message.calls) {
    bytes += call.raw.size();
    if (call.id.empty()) return "a call has no id";
    if (call.id.size() > max_id_bytes) return fmt::format("the id of a call is longer than {} bytes", max_id_bytes);
    if (!ids.insert(call.id).second) return fmt::format("two calls have the id '{}'", core::printable(call.id, 80));
    if (!is_tool_name(call.name)) return fmt::format("'{}' is no name of a tool", core::printable(call.name, 80));
  }
  if (bytes > max_answer_bytes) return fmt::format("the answer holds {} bytes; at most {} are taken", bytes, max_answer_bytes);
  return {};
}

}  // namespace

std::optional<Json> parse_piece(std::string_view text) {
  const Json::Limits limits{max_answer_bytes, max_answer_depth};
  const bool clean = core::is_utf8(text);
  auto parsed = Json::parse(clean ? std::string(text) : lifted(text), {clean ? limits.max_bytes : 4 * limits.max_bytes, limits.max_depth});
  if (!parsed.ok()) return std::nullopt;
  return clean ? std::move(parsed).value() : lowered(*parsed);
}

std::optional<Json> parse_arguments(std::string_view raw) {
  if (core::trim(raw).empty()) return Json::object();
  auto parsed = Json::parse(raw, {max_answer_bytes, max_answer_depth});
  if (!parsed.ok()) return std::nullopt;
  return std::move(parsed).value();
}

WireError read_error(const Json& error) {
  if (error.is_string()) return {.type = {}, .code = {}, .message = error.as_string()};
  const auto word = [](const Json& value) { return value.is_int() ? std::to_string(value.as_int()) : value.as_string(); };
  WireError out{.type = word(error["type"]), .code = word(error["code"]), .message = error["message"].as_string()};
  if (const std::string detailed = word(error["details"]["error_code"]); !detailed.empty()) out.code = detailed;
  return out;
}

std::optional<WireError> error_in(const Json& body) {
  const Json& inner = body["error"];
  if (inner.is_object() || inner.is_string()) return read_error(inner);
  if (body["message"].is_string() && (body.has("code") || body.has("type")) && !body.has("content") && !body.has("choices")) {
    return read_error(body);
  }
  return std::nullopt;
}

void CountedTokens::see(const Json& value) {
  if (value.is_null()) return;
  const std::int64_t count = value.as_int(-1);
  if (!value.is_int() || count < 0 || count > max_tokens_counted || (seen_ && count < value_)) bad_ = true;
  if (!bad_) value_ = count;
  seen_ = true;
}

void validate_reply(LlmReply& reply) {
  LlmMessage& message = reply.message;
  message.role = LlmMessage::Role::assistant;
  if (!core::is_utf8(message.text)) message.text = core::to_utf8(message.text);
  if (reply.invalid.empty()) reply.invalid = what_is_wrong(message);
  if (reply.invalid.empty()) return;
  message.calls.clear();
  message.raw = Json();
  if (message.text.size() > max_answer_bytes) message.text.clear();
  reply.stop = Stop::end_turn;
}

AnswerReader::AnswerReader(std::unique_ptr<AnswerDecoder> decoder) : decoder_(std::move(decoder)) {}

void AnswerReader::begin(std::string_view bytes) {
  head_ += bytes;
  std::string_view seen = head_;
  if (std::string_view("\xEF\xBB\xBF").starts_with(seen.substr(0, 3))) {
    if (seen.size() < 3) return;
    seen.remove_prefix(3);
  }
  const std::size_t first = seen.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    if (head_.size() > 4096) form_ = Form::neither;
    return;
  }
  const char c = seen[first];
  form_ = c == '{' || c == '[' ? Form::document : c == '<' ? Form::neither : Form::stream;
  const std::string all = std::exchange(head_, {});
  feed(form_ == Form::document ? std::string_view(all).substr(all.size() - (seen.size() - first)) : std::string_view(all));
}

void AnswerReader::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  if (form_ == Form::unknown) return begin(bytes);
  if (form_ == Form::document) {
    document_ += bytes.substr(0, max_answer_bytes + 1 - std::min(document_.size(), max_answer_bytes + 1));
  } else if (form_ == Form::stream && !broken_) {
    broken_ = !parser_.feed(bytes, [this](const core::SseEvent& e) { decoder_->event(e); }).ok();
  }
}

Decoded AnswerReader::end(bool whole) {
  if (form_ == Form::stream && !broken_) {
    parser_.finish([this](const core::SseEvent& e) { decoder_->event(e); });
  }
  if (form_ != Form::document) {
    Decoded out = decoder_->end();
    out.broken = out.broken || broken_;
    return out;
  }
  auto body = Json::parse(document_, {max_answer_bytes, max_answer_depth});
  if (body.ok()) {
    decoder_->whole(*body);
    return decoder_->end();
  }
  Decoded out;
  out.broken = true;
  out.complete = whole || document_.size() > max_answer_bytes;
  if (out.complete) {
    out.reply.invalid = document_.size() > max_answer_bytes ? fmt::format("the answer is longer than {} bytes", max_answer_bytes)
                                                            : "the answer is " + body.error().message;
    validate_reply(out.reply);
  }
  return out;
}

}  // namespace sluice::agent
