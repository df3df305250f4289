// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "agent/llm/llm.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::size_t max_key_bytes = 16u << 10;

// The value itself is in no message: it may be a key after all.
Result<std::string> checked(std::string_view raw, const std::string& where) {
  const std::string_view key = core::trim(raw);
  if (key.empty()) return make_error(ErrorKind::invalid, fmt::format("{} is empty; put the key of the model endpoint there", where));
  if (key.size() > max_key_bytes) {
    return make_error(ErrorKind::invalid, fmt::format("{} holds {} bytes; no key is longer than {}", where, key.size(), max_key_bytes));
  }
  for (const char c : key) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      return make_error(ErrorKind::invalid, fmt::format("{} holds a blank, a line end or a character that no key has; put the key alone there", where));
    }
  }
  core::register_secret(key);
  return std::string(key);
}

}  // namespace

Result<std::string> read_credential(const model::EndpointConfig& endpoint) {
  if (endpoint.auth == "none") return std::string();
  if (!endpoint.key_file.empty()) {
    const std::string where = fmt::format("key_file {}", core::printable(endpoint.key_file, 300));
    auto text = core::read_file(endpoint.key_file, max_key_bytes + 2);
    if (!text.ok()) {
      return make_error(ErrorKind::invalid, fmt::format("model endpoint {}: {} cannot be read: {}", endpoint.name, where, text.error().message));
    }
    return checked(*text, fmt::format("model endpoint {}: {}", endpoint.name, where));
  }
  if (endpoint.key_env.empty()) {
    return make_error(ErrorKind::invalid,
                      fmt::format("model endpoint {}: auth = {} needs a key; name its variable in key_env or its file in key_file",
                                  endpoint.name, endpoint.auth));
  }
  const char* value = std::getenv(endpoint.key_env.c_str());
  const std::string where = fmt::format("model endpoint {}: the environment variable {} (key_env)", endpoint.name, core::printable(endpoint.key_env, 100));
  if (value == nullptr) return make_error(ErrorKind::invalid, where + " is not set; put the key of the endpoint there");
  return checked(value, where);
}

}  // namespace sluice::agent
