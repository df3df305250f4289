// SPDX-License-Identifier: Apache-2.0
// A stand-in for a model service on loopback: both dialects, streamed or plain, behaving as a script says, with every
// way in which such a service is known to misbehave. Link sluice_test_model_server.
//
//   ModelServer server([](const Conversation& c) {
//     if (c.turns == 0) return Turn::call("list_conflicts");
//     return Turn::call("give_up", core::Json::object({{"category", "needs_design"}, {"question", "which?"}}));
//   });
//   auto endpoint = server.endpoint("messages");
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/model/config.h"

namespace sluice::test {

// ---- what the server was asked ----------------------------------------------------------------------------------

struct SeenCall {
  std::string id, name;
  core::Json arguments;  // null where the echo is no JSON
};
struct SeenAnswer {
  std::string call_id, name;  // name: of the tool that was called
  std::string text;
  core::Json body;  // `text` as JSON; null when it is none
  bool is_error = false;  // the chat dialect has no word for it: always false there
};
struct SeenMessage {
  enum class Role { user, assistant, tools } role = Role::user;
  std::string text;
  std::vector<SeenCall> calls;
  std::vector<SeenAnswer> answers;
};

// The request in words of no dialect.
struct Conversation {
  std::string dialect, model, system;
  std::vector<std::string> tools;  // names, as offered
  std::vector<SeenMessage> messages;
  int turns = 0;     // of the model, in `messages`
  int requests = 0;  // that this server has seen before this one, of whatever conversation
  core::Json body;   // as it came

  bool offers(std::string_view tool) const;
  // Of the last turn; empty when the last message is no tool result.
  const std::vector<SeenAnswer>& last_answers() const;
  // Body of the newest answer to a call of that tool; null when there is none.
  const core::Json& answer_of(std::string_view tool) const;
  std::string user_text() const;  // of all user messages, joined with LF
};

struct SeenRequest {
  std::string path, body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string refused;  // why the vendor's schema or the rules of a conversation forbid it; empty = they do not
  std::string_view header(std::string_view name) const;
};

// ---- what it answers --------------------------------------------------------------------------------------------

struct TurnCall {
  std::string name;
  core::Json arguments = core::Json::object();
  std::string id{};                  // empty: a fresh one
  std::optional<std::string> raw{};  // instead of `arguments`: need not be JSON
};

struct TurnUsage {
  std::int64_t input = 100, cache_read = 0, cache_write = 0, output = 20;
};

// How the answer goes over the wire. The default is a well-behaved stream.
struct Wire {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> body;  // sent as it is, instead of an answer; with any status
  std::string content_type;         // empty: that of what is sent
  bool plain = false;               // one JSON document instead of a stream
  // The stream as a whole, cut into pieces of so many bytes (0: one piece an event), or at these offsets.
  std::size_t piece = 0;
  std::vector<std::size_t> cuts;
  std::int64_t drip_ms = 0;         // between pieces
  bool crlf = false, bom = false, comments = false, pings = false, gzip = false;
  bool close_delimited = false;     // HTTP/1.0, no length
  bool no_end = false;              // neither message_stop nor [DONE]
  bool no_usage = false;
  std::size_t pad = 0;              // so many bytes of text before the answer's own
  // Arguments of calls come in pieces of so many bytes, in the middle of a UTF-8 sequence too (0: by characters).
  std::size_t argument_piece = 0;
  // An error object in mid-stream: this value, after the first half of the events; then [DONE] where `then_done`.
  core::Json error;
  bool then_done = false, old_error_line = false;
  enum class Break {
    none, reset_before_head, reset_after_head, reset_mid_event, half, hang_before_head, hang_mid_event
  } broken = Break::none;           // half: closed in an orderly way, between two events
};

struct Turn {
  std::string text;
  std::vector<TurnCall> calls;
  std::string thinking;        // messages: a signed block before everything else
  core::Json extra_block;      // messages: a block of a kind nobody knows, after `text`
  // end_turn tool_use length pause refusal context_exceeded, or a word to be sent as it is. Empty: tool_use when there
  // are calls, else end_turn.
  std::string stop;
  std::string refusal_category, refusal_text;
  TurnUsage usage{};
  Wire wire{};

  static Turn say(std::string text);
  static Turn call(std::string name, core::Json arguments = core::Json::object());
  static Turn calls_of(std::vector<TurnCall> calls);
  // An error status with the dialect's own error object.
  static Turn error(int status, std::string type, std::string message, std::string code = {});
  static Turn raw(int status, std::string body, std::string content_type = "application/json");
  Turn& with_header(std::string name, std::string value);
};

using Script = std::function<Turn(const Conversation&)>;
// These turns in this order; a request past the last one is answered with status 400.
Script turns(std::vector<Turn> in_order);

// ---- the server -------------------------------------------------------------------------------------------------

// Listens on 127.0.0.1 from its construction to its destruction, which frees whoever hangs. The script is called by one
// thread at a time. A request that the vendor's schema or the rules of a conversation forbid (a call without its
// result, a result without its call) is answered with status 400 and never reaches the script.
class ModelServer {
 public:
  explicit ModelServer(Script script);
  ~ModelServer();
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  std::string url() const;  // http://127.0.0.1:PORT
  // Ready for make_http_provider: named "test", model "test-model", no credential, everything the dialect can do.
  model::EndpointConfig endpoint(const std::string& dialect) const;
  // Answers 401 to every request without this key (as x-api-key or Bearer). Empty: takes all.
  void require_key(std::string key);
  std::vector<SeenRequest> requests() const;
  // `refused` of all requests that were.
  std::vector<std::string> refusals() const;
  // False, with the reason printed once, where the vendors' schemas are not on this machine.
  static bool has_schemas();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::test
