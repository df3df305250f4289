// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "agent/llm/wire_provider.h"
#include "core/file.h"
#include "core/http.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

// base_url may or may not end with /v1: it is never doubled.
std::string url_of(const model::EndpointConfig& endpoint) {
  std::string base = endpoint.base_url;
  while (base.ends_with('/')) base.pop_back();
  if (base.ends_with("/v1")) base.resize(base.size() - 3);
  return base + (endpoint.dialect == "messages" ? "/v1/messages" : "/v1/chat/completions");
}

class HttpProvider final : public WireProvider {
 public:
  HttpProvider(const model::EndpointConfig& config, HttpProviderOptions options)
      : WireProvider(config, {.limiter = std::move(options.limiter), .breakers = options.breakers, .clock = options.clock,
                              .backoff_unit_ms = options.backoff_unit_ms}),
        credential_(std::move(options.credential)) {}

 private:
  WireAnswer exchange(const std::string& body, const CallLimits& limits, const std::function<void(std::string_view)>& sink) override;
  std::string breaker() const override { return breaker_key(endpoint(), credential()); }
  bool renew_credential() override;
  std::string credential() const {
    const std::lock_guard lock(mutex_);
    return credential_;
  }

  mutable std::mutex mutex_;
  std::string credential_;
  core::HttpClient http_;
};

WireAnswer HttpProvider::exchange(const std::string& body, const CallLimits& limits, const std::function<void(std::string_view)>& sink) {
  const model::EndpointConfig& e = endpoint();
  core::HttpRequest request;
  request.url = url_of(e);
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json"}, {"User-Agent", "sluice"}};
  if (e.dialect == "messages") request.headers.emplace_back("anthropic-version", "2023-06-01");
  if (e.auth == "x-api-key") request.headers.emplace_back("x-api-key", credential());
  if (e.auth == "bearer") request.headers.emplace_back("Authorization", "Bearer " + credential());
  request.body = body;
  request.ca_file = e.ca_file;
  request.proxy = e.proxy;
  request.idle_timeout_s = e.idle_timeout_s;
  request.max_bytes = max_stream_bytes;
  // At least a millisecond: 0 would be none at all.
  if (limits.deadline_ms > 0) request.total_timeout_ms = std::max<std::int64_t>(1, limits.deadline_ms - core::steady_ms());

  WireAnswer out;
  const auto take = [&](std::string_view bytes) {
    out.chunks.emplace_back(bytes);
    sink(bytes);
  };
  auto sent = http_.send(request, nullptr, take, limits.cancel);
  if (!sent.ok()) {
    out.trouble = "invalid";
    out.trouble_detail = sent.error().message;
    return out;
  }
  out.status = sent->response.status;
  out.headers = telling_headers(sent->response.headers);
  if (sent->trouble != nullptr) {
    out.trouble = core::to_string(sent->trouble->kind);
    out.trouble_detail = sent->trouble->detail;
  }
  return out;
}

bool HttpProvider::renew_credential() {
  // A file may have been rotated under a running process; the environment cannot.
  if (endpoint().key_file.empty()) return false;
  auto fresh = read_credential(endpoint());
  if (!fresh.ok()) return false;
  const std::lock_guard lock(mutex_);
  if (*fresh == credential_) return false;
  credential_ = std::move(fresh).value();
  return true;
}

Error bad(const model::EndpointConfig& endpoint, std::string_view key, std::string_view why) {
  return make_error(ErrorKind::invalid, fmt::format("model endpoint {}: {}: {}", endpoint.name, key, why));
}

}  // namespace

Result<std::unique_ptr<Provider>> make_http_provider(const model::EndpointConfig& endpoint, HttpProviderOptions options) {
  if (endpoint.dialect != "messages" && endpoint.dialect != "chat") {
    return bad(endpoint, "dialect", fmt::format("'{}' is none; it is messages or chat", core::printable(endpoint.dialect, 40)));
  }
  if (!endpoint.base_url.starts_with("http://") && !endpoint.base_url.starts_with("https://")) {
    return bad(endpoint, "base_url", "it must begin with https:// or http://");
  }
  if (endpoint.model.empty()) return bad(endpoint, "model", "it is empty; name the model");
  if (endpoint.auth != "none" && endpoint.auth != "x-api-key" && endpoint.auth != "bearer") {
    return bad(endpoint, "auth", fmt::format("'{}' is none; it is x-api-key, bearer or none", core::printable(endpoint.auth, 40)));
  }
  if (endpoint.auth != "none" && options.credential.empty()) {
    return bad(endpoint, "key_env", fmt::format("there is no key, but auth = {} sends one", endpoint.auth));
  }
  if (endpoint.max_tokens_field != "max_tokens" && endpoint.max_tokens_field != "max_completion_tokens") {
    return bad(endpoint, "max_tokens_field", "it is max_tokens or max_completion_tokens");
  }
  if (endpoint.max_output_tokens <= 0) return bad(endpoint, "max_output_tokens", "it must be more than 0");
  if (!endpoint.ca_file.empty() && !core::exists(endpoint.ca_file)) {
    return bad(endpoint, "ca_file", fmt::format("there is no file {}", core::printable(endpoint.ca_file, 300)));
  }
  return std::unique_ptr<Provider>(std::make_unique<HttpProvider>(endpoint, std::move(options)));
}

}  // namespace sluice::agent
