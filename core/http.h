// SPDX-License-Identifier: Apache-2.0
// An HTTP client over libcurl (included in http.cpp alone). TLS is always verified, redirects are never followed,
// a proxy is used only when one is given, and nothing of a request is ever logged.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace sluice::core {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;  // names as they came

struct HttpRequest {
  std::string method = "POST";
  std::string url;  // http and https only
  HttpHeaders headers;
  std::string body;
  std::string ca_file;  // PEM; empty = the system's
  std::string proxy;    // empty = none, whatever the environment says
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t idle_timeout_s = 120;    // no byte for so long = a dead connection; 0 = not watched
  std::int64_t total_timeout_ms = 0;    // 0 = none: a stream may take as long as bytes come
  std::size_t max_bytes = 64u << 20;    // of the answer
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;
  std::string body;  // empty when the bytes went to `on_data`
  // First header of this name, without regard to case; empty when absent.
  std::string_view header(std::string_view name) const;
};

// What became of an exchange that has no complete answer. `response` holds what had come until then.
struct HttpTrouble {
  enum class Kind { resolve, connect, tls, reset, idle, time_out, too_large, cancelled, other } kind = Kind::other;
  std::string detail;  // never holds a header or a credential
};
std::string_view to_string(HttpTrouble::Kind);

struct HttpExchange {
  HttpResponse response;  // status 0 = no status line came
  std::unique_ptr<HttpTrouble> trouble;  // null = the answer is complete
};

// Connections are shared between calls. Calls may come from several threads at once.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // `on_head`: status and headers, once, before the first byte; `on_data`: each piece of the (decoded) body; both may be
  // null, then the body is collected. They run on the calling thread. `cancel` is looked at at least every 100 ms.
  // Errors: invalid for a request that cannot be sent (bad URL, another protocol, a header with a line end).
  Result<HttpExchange> send(const HttpRequest& request, const std::function<void(const HttpResponse&)>& on_head,
                            const std::function<void(std::string_view)>& on_data, const std::atomic<bool>* cancel);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::core
