// SPDX-License-Identifier: Apache-2.0
#include "test/support/model_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "core/text.h"
#include "test/support/model_parts.h"
#include "test/support/vendor_schema.h"

namespace sluice::test {
namespace {

std::string_view find_header(const std::vector<std::pair<std::string, std::string>>& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (core::to_lower(key) == core::to_lower(name)) return value;
  }
  return {};
}

// Error turns name their parts here until the dialect of the request is known.
constexpr std::string_view error_mark = "scripted-error\n";

}  // namespace

std::string_view SeenRequest::header(std::string_view name) const { return find_header(headers, name); }

Turn Turn::say(std::string text) {
  Turn out;
  out.text = std::move(text);
  return out;
}
Turn Turn::call(std::string name, core::Json arguments) {
  return calls_of({{.name = std::move(name), .arguments = std::move(arguments), .id = {}}});
}
Turn Turn::calls_of(std::vector<TurnCall> calls) {
  Turn out;
  out.calls = std::move(calls);
  return out;
}
Turn Turn::error(int status, std::string type, std::string message, std::string code) {
  Turn out;
  out.wire.status = status;
  out.wire.body = std::string(error_mark) + core::Json::array_of(std::vector<std::string>{type, message, code}).dump();
  return out;
}
Turn Turn::raw(int status, std::string body, std::string content_type) {
  Turn out;
  out.wire.status = status;
  out.wire.body = std::move(body);
  out.wire.content_type = std::move(content_type);
  return out;
}
Turn& Turn::with_header(std::string name, std::string value) {
  wire.headers.emplace_back(std::move(name), std::move(value));
  return *this;
}

Script turns(std::vector<Turn> in_order) {
  return [in_order = std::move(in_order), next = std::size_t{0}](const Conversation&) mutable {
    if (next < in_order.size()) return in_order[next++];
    return Turn::error(400, "invalid_request_error", "the script has no further turn");
  };
}

struct ModelServer::State {
  Script script;
  httplib::Server http;
  std::thread thread;
  int port = -1;
  std::atomic<bool> stop{false};
  mutable std::mutex mutex;  // guards what follows, and calls of the script
  std::vector<SeenRequest> seen;
  std::string key;

  void serve(const std::string& dialect, const httplib::Request& request, httplib::Response& response);
  Turn decide(const std::string& dialect, SeenRequest& seen_request, Conversation& asked);
  void write(const Conversation& asked, const Turn& turn, const httplib::Request& request, httplib::Response& response);
};

Turn ModelServer::State::decide(const std::string& dialect, SeenRequest& seen_request, Conversation& asked) {
  const auto body = core::Json::parse(seen_request.body);
  if (!body.ok()) {
    seen_request.refused = body.error().message;
  } else {
    seen_request.refused = vendor_refusal(dialect, *body);
    std::string broken;
    asked = read_conversation(dialect, *body, broken);
    if (seen_request.refused.empty()) seen_request.refused = broken;
  }
  asked.dialect = dialect;
  asked.requests = static_cast<int>(seen.size());
  if (seen_request.header("content-type").substr(0, 16) != "application/json") seen_request.refused = "the content type is not JSON";
  if (dialect == "messages" && seen_request.header("anthropic-version").empty()) {
    seen_request.refused = "header anthropic-version is missing";
  }
  if (!seen_request.refused.empty()) return Turn::error(400, "invalid_request_error", seen_request.refused);
  if (!key.empty() && seen_request.header("x-api-key") != key && seen_request.header("authorization") != "Bearer " + key) {
    return Turn::error(401, "authentication_error", "no such key");
  }
  return script(asked);
}

void ModelServer::State::serve(const std::string& dialect, const httplib::Request& request, httplib::Response& response) {
  SeenRequest seen_request{.path = request.path, .body = request.body, .headers = {}, .refused = {}};
  for (const auto& [name, value] : request.headers) seen_request.headers.emplace_back(name, value);
  Conversation asked;
  Turn turn;
  {
    const std::lock_guard lock(mutex);
    turn = decide(dialect, seen_request, asked);
    seen.push_back(std::move(seen_request));
  }
  write(asked, turn, request, response);
}

void ModelServer::State::write(const Conversation& asked, const Turn& turn, const httplib::Request& request,
                               httplib::Response& response) {
  const Wire& wire = turn.wire;
  std::string type = "application/json";
  std::vector<std::string> pieces;
  if (wire.body && wire.body->starts_with(error_mark)) {
    const auto parts = core::Json::parse(std::string_view(*wire.body).substr(error_mark.size()));
    const auto& words = parts.value().items();
    pieces.push_back(error_body(asked.dialect, words[0].as_string(), words[1].as_string(), words[2].as_string()).dump());
  } else if (wire.body) {
    pieces.push_back(*wire.body);
  } else if (wire.plain || !asked.body["stream"].as_bool()) {
    pieces.push_back(plain_answer(asked, turn).dump());
  } else {
    type = "text/event-stream";
    pieces = pieces_of(stream_events(asked, turn), wire);
  }
  if (!wire.content_type.empty()) type = wire.content_type;
  if (wire.gzip) {
    std::string all;
    for (const std::string& piece : pieces) all += piece;
    pieces = {gzip_stored(all)};
  }
  if (wire.gzip || wire.close_delimited || wire.broken != Wire::Break::none) {
    const int fd = socket_of(request.local_port, request.remote_port);
    if (fd >= 0) answer_raw(fd, type, pieces, wire, stop);
    return;  // what the library writes now finds the connection closed
  }
  response.status = wire.status;
  for (const auto& [name, value] : wire.headers) response.set_header(name, value);
  if (pieces.size() <= 1) {
    response.set_content(pieces.empty() ? std::string() : pieces.front(), type);
    return;
  }
  response.set_chunked_content_provider(type, [pieces, drip = wire.drip_ms](std::size_t, httplib::DataSink& sink) {
    for (const std::string& piece : pieces) {
      if (!sink.write(piece.data(), piece.size())) return false;
      if (drip > 0) std::this_thread::sleep_for(std::chrono::milliseconds(drip));
    }
    sink.done();
    return true;
  });
}

ModelServer::ModelServer(Script script) : state_(std::make_unique<State>()) {
  state_->script = std::move(script);
  (void)has_schemas();
  state_->http.set_tcp_nodelay(true);
  state_->http.Post("/v1/messages", [s = state_.get()](const httplib::Request& q, httplib::Response& r) { s->serve("messages", q, r); });
  state_->http.Post("/v1/chat/completions", [s = state_.get()](const httplib::Request& q, httplib::Response& r) { s->serve("chat", q, r); });
  state_->port = state_->http.bind_to_any_port("127.0.0.1");
  state_->thread = std::thread([s = state_.get()] { s->http.listen_after_bind(); });
  // stop() is lost on a server that does not listen yet.
  while (!state_->http.is_running()) std::this_thread::yield();
}

ModelServer::~ModelServer() {
  state_->stop = true;
  state_->http.stop();
  state_->thread.join();
}

std::string ModelServer::url() const { return fmt::format("http://127.0.0.1:{}", state_->port); }

model::EndpointConfig ModelServer::endpoint(const std::string& dialect) const {
  model::EndpointConfig out;
  out.name = "test";
  out.provider = dialect == "messages" ? "anthropic" : "openai";
  out.dialect = dialect;
  out.base_url = url();
  out.model = "test-model";
  out.auth = "none";
  out.max_tokens_field = dialect == "messages" ? "max_tokens" : "max_completion_tokens";
  out.can_force_tool = out.sends_usage_in_stream = out.strict_tools = true;
  out.cache_breakpoints = dialect == "messages";
  out.idle_timeout_s = 20;
  return out;
}

void ModelServer::require_key(std::string key) {
  const std::lock_guard lock(state_->mutex);
  state_->key = std::move(key);
}

std::vector<SeenRequest> ModelServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->seen;
}

std::vector<std::string> ModelServer::refusals() const {
  std::vector<std::string> out;
  for (const SeenRequest& request : requests()) {
    if (!request.refused.empty()) out.push_back(request.refused);
  }
  return out;
}

bool ModelServer::has_schemas() { return vendor_schemas_here(); }

}  // namespace sluice::test
