// SPDX-License-Identifier: Apache-2.0
#include "service/held_secrets.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/file.h"
#include "core/log.h"
#include "core/text.h"

namespace sluice::service {

namespace {

constexpr std::string_view secret_names[] = {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL", "CREDENTIALS", "_PAT"};

bool is_secret_name(std::string_view name) {
  return std::any_of(std::begin(secret_names), std::end(secret_names), [&](std::string_view end) { return name.ends_with(end); });
}

// A path, a number or a word in small letters is no secret that anybody could look for.
bool can_be_looked_for(std::string_view value) {
  constexpr std::size_t shortest = 8;
  if (value.size() < shortest || value.starts_with('/')) return false;
  const bool word = std::all_of(value.begin(), value.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '-'; });
  const bool number = std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  return !word && !number;
}

// What stands behind the colon of `user:secret@` in an address.
std::string_view secret_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::string_view rest = url.substr(scheme + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return {};
  const std::string_view user = authority.substr(0, at);
  const std::size_t colon = user.find(':');
  return colon == std::string_view::npos ? user : user.substr(colon + 1);
}

}  // namespace

std::vector<std::string> held_secrets(const model::Config& config) {
  std::vector<std::string> out;
  const auto hold = [&](std::string_view value) {
    if (!can_be_looked_for(value) || std::find(out.begin(), out.end(), value) != out.end()) return;
    core::register_secret(value);
    out.emplace_back(value);
  };
  hold(secret_of(config.fork.url));
  hold(secret_of(config.upstream.url));
  for (const model::EndpointConfig& endpoint : config.model.endpoints) {
    if (const char* value = endpoint.key_env.empty() ? nullptr : std::getenv(endpoint.key_env.c_str()); value != nullptr) hold(core::trim(value));
    if (endpoint.key_file.empty()) continue;
    if (const auto text = core::read_file(endpoint.key_file, 64u << 10); text.ok()) hold(core::trim(*text));
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && is_secret_name(line.substr(0, equals))) hold(line.substr(equals + 1));
  }
  return out;
}

}  // namespace sluice::service
