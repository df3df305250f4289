// SPDX-License-Identifier: Apache-2.0
// An answer of a model service, in each dialect: it says the same wherever it is cut, what comes out keeps the rules
// of calls, and it can be echoed.
#include <set>

#include "agent/llm/chat.h"
#include "agent/llm/decoded.h"
#include "agent/llm/messages.h"
#include "core/text.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

agent::Decoded read(std::string_view text, std::size_t step, bool messages) {
  agent::AnswerReader reader(messages ? agent::messages_decoder() : agent::chat_decoder());
  for (std::size_t at = 0; at < text.size(); at += step) reader.feed(text.substr(at, step));
  return reader.end(true);
}

void check(const agent::Decoded& decoded, bool messages) {
  const agent::LlmReply& reply = decoded.reply;
  FUZZ_CHECK(core::is_utf8(reply.message.text));
  FUZZ_CHECK(reply.invalid.empty() || (reply.message.calls.empty() && reply.message.raw.is_null() && reply.stop == agent::Stop::end_turn));
  std::set<std::string> ids;
  for (const agent::ToolCall& call : reply.message.calls) {
    FUZZ_CHECK(!call.id.empty() && ids.insert(call.id).second);
    FUZZ_CHECK(!call.name.empty() && call.name.size() <= 64);
  }
  const agent::Usage& usage = reply.usage;
  FUZZ_CHECK(usage.input >= 0 && usage.cache_read >= 0 && usage.cache_write >= 0 && usage.output >= 0);
  FUZZ_CHECK(!usage.known || decoded.complete);
  agent::LlmRequest next;
  next.messages.push_back({.role = agent::LlmMessage::Role::user, .text = "x", .calls = {}, .answers = {}, .raw = {}});
  next.messages.push_back(reply.message);
  const model::EndpointConfig endpoint;
  const std::string body = (messages ? agent::render_messages(endpoint, next) : agent::render_chat(endpoint, next)).dump();
  const auto parsed = core::Json::parse(body, {64u << 20, 80});
  FUZZ_CHECK(parsed.ok() && parsed->dump() == body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const bool messages : {true, false}) {
    const agent::Decoded whole = read(text, std::max<std::size_t>(1, size), messages);
    check(whole, messages);
    for (const std::size_t step : {1, 5}) {
      const agent::Decoded cut = read(text, step, messages);
      FUZZ_CHECK(cut.complete == whole.complete && cut.broken == whole.broken && cut.error.has_value() == whole.error.has_value());
      FUZZ_CHECK(cut.reply.message.text == whole.reply.message.text && cut.reply.message.raw == whole.reply.message.raw);
      FUZZ_CHECK(cut.reply.invalid == whole.reply.invalid && cut.reply.usage.output == whole.reply.usage.output);
    }
  }
  return 0;
}
