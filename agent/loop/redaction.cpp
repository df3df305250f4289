// SPDX-License-Identifier: Apache-2.0
#include "agent/loop/redaction.h"

#include <algorithm>
#include <array>
#include <map>

#include "agent/loop/transcript_line.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

// Where the dialects put text that comes in pieces.
constexpr std::array pieces = {"text", "partial_json", "thinking", "content", "arguments", "reasoning", "reasoning_content"};

bool comes_in_pieces(std::string_view key) { return std::find(pieces.begin(), pieces.end(), key) != pieces.end(); }

void collect(const core::Json& value, std::string_view key, std::map<std::string, std::string, std::less<>>& streams) {
  if (value.is_string()) {
    if (comes_in_pieces(key)) streams[std::string(key)] += value.as_string();
  } else if (value.is_array()) {
    for (const core::Json& item : value.items()) collect(item, key, streams);
  } else {
    for (const auto& [name, item] : value.members()) collect(item, name, streams);
  }
}

core::Json without_pieces(const core::Json& value, std::string_view key) {
  if (value.is_string()) return comes_in_pieces(key) ? core::Json("[redacted:piece]") : value;
  if (value.is_array()) {
    core::Json out = core::Json::array();
    for (const core::Json& item : value.items()) out.push(without_pieces(item, key));
    return out;
  }
  if (!value.is_object()) return value;
  core::Json out = core::Json::object();
  for (const auto& [name, item] : value.members()) out.set(name, without_pieces(item, name));
  return out;
}

// Arguments come as JSON text: their line ends are escapes there.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

bool has_secret(const std::string& text, const Mask& mask) {
  if (mask(text) != text) return true;
  const std::string plain = unescaped(text);
  return plain != text && mask(plain) != plain;
}

}  // namespace

std::string masked_document(std::string_view text, const Mask& mask) {
  if (!mask) return std::string(text);
  std::string out, plain;
  const auto flush = [&] {
    out += mask(plain);
    plain.clear();
  };
  for (const std::string_view line : core::split_lines_keep(text)) {
    Result<core::Json> json = make_error(ErrorKind::invalid, "");
    if (line.starts_with('{') || line.starts_with('[')) json = core::Json::parse(core::trim(line));
    if (!json.ok()) {
      plain += line;
      continue;
    }
    flush();
    const core::Json masked = masked_strings(*json, mask);
    out += masked == *json ? std::string(line) : masked.dump() + (line.ends_with('\n') ? "\n" : "");
  }
  flush();
  return out;
}

std::string masked_body(std::string_view body, const Mask& mask) {
  if (!mask) return std::string(body);
  if (const Result<core::Json> json = core::Json::parse(body); json.ok()) {
    const core::Json masked = masked_strings(*json, mask);
    return masked == *json ? mask(body) : mask(masked.dump());
  }
  std::map<std::string, std::string, std::less<>> streams;
  const auto data_of = [](std::string_view line) -> Result<core::Json> {
    if (!line.starts_with("data:")) return make_error(ErrorKind::invalid, "");
    return core::Json::parse(core::trim(line.substr(5)));
  };
  for (const std::string_view line : core::split_lines(body))
    if (const auto data = data_of(line); data.ok()) collect(*data, "", streams);
  const bool secret = std::any_of(streams.begin(), streams.end(), [&](const auto& stream) { return has_secret(stream.second, mask); });
  if (!secret) return mask(body);
  std::string out;
  for (const std::string_view line : core::split_lines_keep(body)) {
    const auto data = data_of(line);
    out += data.ok() ? "data: " + without_pieces(*data, "").dump() + "\n" : std::string(line);
  }
  return mask(out);
}

LlmMessage masked_echo(LlmMessage message, const Mask& mask) {
  if (!mask) return message;
  const bool clean = mask(message.text) == message.text && masked_strings(message.raw, mask) == message.raw &&
                     std::all_of(message.calls.begin(), message.calls.end(), [&](const ToolCall& c) { return mask(c.raw) == c.raw; });
  if (clean) return message;
  message.raw = core::Json();  // written anew from the parts: blocks of other kinds, signed ones too, are gone
  message.text = mask(message.text);
  for (ToolCall& call : message.calls) {
    if (call.arguments) call.arguments = masked_strings(*call.arguments, mask);
    call.raw = call.arguments ? call.arguments->dump() : mask(call.raw);
  }
  return message;
}

}  // namespace sluice::agent
