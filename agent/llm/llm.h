// SPDX-License-Identifier: Apache-2.0
// Second door of agent/: one turn of a conversation with a model, in words that no vendor owns. The dialects
// (Anthropic Messages, OpenAI chat completions) are codecs of it; `replay` answers from a recording.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/json.h"
#include "core/model/config.h"
#include "core/result.h"

namespace sluice::agent {

struct LlmTool {
  std::string name;         // letters, digits, _ and -, at most 64
  std::string description;
  core::Json schema;        // of the arguments, an object
};

struct ToolCall {
  std::string id, name;
  std::string raw;                      // the arguments as they came
  std::optional<core::Json> arguments;  // nullopt: `raw` is not one JSON value within the caps
};
struct ToolAnswer {
  std::string call_id;
  std::string text;       // JSON
  bool is_error = false;
};

struct LlmMessage {
  enum class Role { user, assistant, tools } role = Role::user;
  std::string text;                 // user; assistant's own words
  std::vector<ToolCall> calls;      // assistant
  std::vector<ToolAnswer> answers;  // tools: one for every call of the turn before
  core::Json raw;  // assistant: content blocks / message exactly as the service sent them, to be echoed unchanged
};

// Where text of a request comes from: the paths whose lines it holds. For what may leave (outgate.h).
struct Source {
  std::string path;  // empty: free text (a message, a subject)
  std::string what;  // "region", "upstream patch", "message of <sha>": for errors and the preview
};

struct LlmRequest {
  std::string system;
  std::vector<LlmTool> tools;
  std::vector<LlmMessage> messages;
  std::int64_t max_output_tokens = 8192;
  bool force_tool = true;            // where the endpoint can
  std::vector<Source> sources;       // of everything in it; not sent
};

// Normalised over the dialects: `input` is without what was read from or written to a cache.
// A sum is known only when all its parts are: begin one with Usage{.known = true}.
struct Usage {
  std::int64_t input = 0, cache_read = 0, cache_write = 0, output = 0;
  bool known = false;  // false: the service said nothing usable; the reservation is charged in full
  std::int64_t all_input() const { return input + cache_read + cache_write; }
  Usage& operator+=(const Usage& o);
};

// end_turn: finished without a call. other: a word that we do not know, kept in `stop_raw`.
enum class Stop { end_turn, tool_use, length, pause, refusal, context_exceeded, other };
std::string_view to_string(Stop);

struct LlmReply {
  LlmMessage message;  // role assistant
  Stop stop = Stop::other;
  std::string stop_raw, stop_detail;  // the service's word; category and explanation of a refusal
  Usage usage;
  std::string model, request_id;
  // Not empty: a complete (and billed) answer that breaks the protocol, and how; one sentence for the model. It counts
  // as a schema error. `message` then has no calls and no raw, and stop is end_turn: a text-only turn.
  std::string invalid;
};

// What became of a call, after its retries (the classifier of wire troubles, classify.h).
struct LlmOutcome {
  // shrink: the prompt is too long. busy: the service said to come back later than we wait. failed: final for this
  // call. denied: final for the endpoint, its breaker is open now (or was). cancelled: by us.
  enum class Kind { ok, refused, shrink, busy, failed, denied, cancelled } kind = Kind::failed;
  LlmReply reply;      // ok, refused
  std::string reason;  // not ok: one sentence, without secrets
  std::int64_t retry_after_s = 0;  // busy
  int attempts = 0;
  Usage spent;         // over all attempts; known = false when one of them said nothing
};
std::string_view to_string(LlmOutcome::Kind);

// One attempt as it came over the wire, for a recording. `headers`: those that say something of the call, no more.
struct WireAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> chunks;
  std::string trouble;         // kind of core::HttpTrouble; empty = complete
  std::string trouble_detail;
};

// What a transcript hears of one call. Bytes are as they go over the wire, without headers.
struct CallObserver {
  std::function<void(std::string_view body)> request;                       // each attempt
  std::function<void(int status, std::string_view body, const std::string& trouble)> response;
  std::function<void(const std::string& why, std::int64_t wait_ms)> retry;  // before each wait
  // Asked before each further attempt, which may cost as much again: empty = go on, else why not. Null = go on.
  std::function<std::string()> may_retry{};
  std::function<void(const WireAnswer&)> wire = {};                         // before `response`
};

struct CallLimits {
  std::int64_t deadline_ms = 0;  // core::steady_ms() at which the run ends; 0 = none. Waits end there
  const std::atomic<bool>* cancel = nullptr;
};

// May be called from several threads at once. The request has passed the outgate of its caller.
class Provider {
 public:
  virtual ~Provider() = default;
  virtual LlmOutcome call(const LlmRequest& request, const CallLimits& limits, const CallObserver& observer) = 0;
  // The exact bytes of the body that call() would send.
  virtual std::string render(const LlmRequest& request) const = 0;
  virtual const model::EndpointConfig& endpoint() const = 0;
};

// Breakers outlive the process: `service` keeps them in the store. Calls come from several threads.
struct BreakerState {
  bool open = false;
  std::string reason;
  std::int64_t opened_at = 0, until = 0;  // unix seconds; until 0 = a person closes it
};
class BreakerStore {
 public:
  virtual ~BreakerStore() = default;
  virtual Result<BreakerState> get(const std::string& key) = 0;
  // True when it was not open before: the operator is told once.
  virtual Result<bool> open(const std::string& key, const BreakerState& state) = 0;
};
// Endpoint name and a digest of the credential: never the credential.
std::string breaker_key(const model::EndpointConfig& endpoint, std::string_view credential);

// One bucket for all runs of a process: requests and tokens a minute, from the endpoint's configuration.
class RateLimiter;
std::shared_ptr<RateLimiter> make_rate_limiter(const model::EndpointConfig& endpoint);  // shared: by every run's provider

struct HttpProviderOptions {
  std::string credential;  // empty = none; the caller has registered it as a secret
  std::shared_ptr<RateLimiter> limiter;    // may be null
  BreakerStore* breakers = nullptr;        // not owned; may be null
  const core::Clock* clock = nullptr;      // not owned; for breakers and dates of Retry-After
  std::int64_t backoff_unit_ms = 500;      // the 0.5 s of the retry rule; tests take less
};
// Errors: invalid (a dialect, URL or capability that cannot work: names the key).
Result<std::unique_ptr<Provider>> make_http_provider(const model::EndpointConfig& endpoint, HttpProviderOptions options);

// The key of an endpoint from its environment variable or file, registered as a secret. Empty where auth = none.
// Errors: invalid, naming key_env or key_file and what to do; never the value.
Result<std::string> read_credential(const model::EndpointConfig& endpoint);

// `inner`, with every exchange written to `dir` as a cassette (cassette.h). Errors: denied, transient (disk full).
Result<std::unique_ptr<Provider>> make_recorder(std::unique_ptr<Provider> inner, const std::string& dir);
// Answers from the cassettes of `dir`. strict: in the recorded order and by equal canonical requests, a miss names the
// first JSON pointer that differs. by_request: by equal requests in any order, for runs side by side. frozen: in the
// recorded order, whatever is asked. Errors: not_found, invalid (a cassette that cannot be read: names the file).
enum class Replaying { strict, by_request, frozen };
Result<std::unique_ptr<Provider>> make_replay(const std::string& dir, Replaying how);

}  // namespace sluice::agent
