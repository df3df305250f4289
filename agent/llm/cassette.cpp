// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/cassette.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/json_schema.h"
#include "core/fd.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

using core::Json;

constexpr std::size_t max_file_bytes = 400u << 20;
constexpr int number_digits = 6;

bool is_recording(std::string_view name) {
  return name.size() == number_digits + 5 && name.ends_with(".json") &&
         name.substr(0, number_digits).find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::vector<std::string>> recordings_in(const std::string& dir) {
  DIR* open = opendir(dir.c_str());
  if (open == nullptr) return make_error(ErrorKind::not_found, fmt::format("there is no folder of recordings at {}", core::printable(dir, 300)));
  std::vector<std::string> out;
  while (const dirent* entry = readdir(open)) {
    if (is_recording(entry->d_name)) out.emplace_back(entry->d_name);
  }
  closedir(open);
  std::sort(out.begin(), out.end());
  return out;
}

// The next free number, taken at once: recorders of several runs may share a folder.
Result<std::string> claim_file(const std::string& dir) {
  TRY_ASSIGN(const std::vector<std::string> there, recordings_in(dir));
  long number = there.empty() ? 0 : std::stol(there.back().substr(0, number_digits));
  while (++number < 1'000'000) {
    const std::string path = core::join_path(dir, fmt::format("{:0{}}.json", number, number_digits));
    const core::Fd fd(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (fd.get() >= 0) return path;
    if (errno != EEXIST) return make_error(ErrorKind::denied, fmt::format("no recording can be written in {}", core::printable(dir, 300)));
  }
  return make_error(ErrorKind::denied, fmt::format("{} holds as many recordings as it can", core::printable(dir, 300)));
}

std::string as_hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return out;
}

std::string from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) out += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  return out;
}

std::string sealed(const Json& cassette) {
  Json rest = Json::object();
  for (const auto& [key, value] : cassette.members()) {
    if (key != "sha256") rest.set(key, value);
  }
  return core::sha256_hex(rest.dump());
}

// The pieces of a body, from its bytes and their sizes. False when these do not fit.
bool cut(const std::string& body, const Json& sizes, std::vector<std::string>& out) {
  std::size_t at = 0;
  for (const Json& size : sizes.items()) {
    const std::int64_t n = size.as_int(-1);
    if (n < 0 || static_cast<std::size_t>(n) > body.size() - at) return false;
    out.push_back(body.substr(at, static_cast<std::size_t>(n)));
    at += static_cast<std::size_t>(n);
  }
  return at == body.size();
}

Result<Cassette> parsed(const std::string& name, const std::string& text, const model::EndpointConfig& endpoint) {
  const auto bad = [&](std::string_view why) {
    return make_error(ErrorKind::invalid, fmt::format("recording {} cannot be replayed: {}", name, why));
  };
  const auto json = Json::parse(text, {max_file_bytes, 80});
  if (!json.ok()) return bad(json.error().message);
  if ((*json)["v"].as_int() != 1) return bad("its version is not 1");
  if ((*json)["sha256"].as_string() != sealed(*json)) return bad("it was altered since it was written");
  Cassette out{.file = name, .key = (*json)["key"].as_string(), .request = (*json)["request"], .answer = {}};
  if (out.key != cassette_key(endpoint, out.request.dump())) return bad("its key is not that of its request for this dialect and model");
  const std::string body = json->has("body_hex") ? from_hex((*json)["body_hex"].as_string()) : (*json)["body"].as_string();
  if (!cut(body, (*json)["chunks"], out.answer.chunks)) return bad("the sizes of its pieces do not add up");
  out.answer.status = static_cast<int>((*json)["status"].as_int());
  out.answer.trouble = (*json)["trouble"].as_string();
  out.answer.trouble_detail = (*json)["trouble_detail"].as_string();
  for (const Json& pair : (*json)["headers"].items()) {
    if (pair.items().size() == 2) out.answer.headers.emplace_back(pair.items()[0].as_string(), pair.items()[1].as_string());
  }
  return out;
}

}  // namespace

std::string cassette_key(const model::EndpointConfig& endpoint, std::string_view canonical_request) {
  core::Sha256 hash;
  hash.add(Json::array_of(std::vector<std::string>{endpoint.dialect, endpoint.model}).dump());
  hash.add("\n");
  hash.add(canonical_request);
  return hash.hex();
}

Result<void> write_cassette(const std::string& dir, const model::EndpointConfig& endpoint, std::string_view request, const WireAnswer& answer) {
  TRY_ASSIGN(Json asked, Json::parse(core::redact(request), {max_file_bytes, 80}));
  std::string body;
  std::vector<Json> sizes;
  for (const std::string& chunk : answer.chunks) {
    body += chunk;
    sizes.emplace_back(chunk.size());
  }
  if (std::string masked = core::redact(body); masked != body) {  // a secret may lie across two pieces
    body = std::move(masked);
    sizes = {Json(body.size())};
  }
  Json headers = Json::array();
  for (const auto& [name, value] : answer.headers) headers.push(Json::array_of(std::vector<std::string>{name, core::redact(value)}));
  Json out = Json::object({{"v", 1}, {"key", cassette_key(endpoint, asked.dump())}, {"request", asked}, {"status", answer.status},
                           {"headers", std::move(headers)}, {"chunks", Json::array_of(sizes)}, {"trouble", answer.trouble},
                           {"trouble_detail", core::redact(answer.trouble_detail)}});
  if (core::is_utf8(body)) {
    out.set("body", body);
  } else {
    out.set("body_hex", as_hex(body));
  }
  out.set("sha256", sealed(out));
  TRY_ASSIGN(const std::string path, claim_file(dir));
  return core::write_file(path, out.pretty() + "\n");
}

Result<std::vector<Cassette>> read_cassettes(const std::string& dir, const model::EndpointConfig& endpoint) {
  TRY_ASSIGN(const std::vector<std::string> names, recordings_in(dir));
  std::vector<Cassette> out;
  for (const std::string& name : names) {
    TRY_ASSIGN(const std::string text, core::read_file(core::join_path(dir, name), max_file_bytes));
    TRY_ASSIGN(Cassette one, parsed(name, text, endpoint));
    out.push_back(std::move(one));
  }
  if (out.empty()) return make_error(ErrorKind::not_found, fmt::format("{} holds no recording", core::printable(dir, 300)));
  return out;
}

std::string first_difference(const Json& a, const Json& b) {
  if (a.is_object() && b.is_object()) {
    auto x = a.members().begin(), y = b.members().begin();
    for (; x != a.members().end() || y != b.members().end(); ++x, ++y) {
      if (x == a.members().end()) return core::json_pointer_step(y->first);
      if (y == b.members().end() || x->first < y->first) return core::json_pointer_step(x->first);
      if (y->first < x->first) return core::json_pointer_step(y->first);
      if (x->second != y->second) return core::json_pointer_step(x->first) + first_difference(x->second, y->second);
    }
    return {};
  }
  if (a.is_array() && b.is_array()) {
    const std::size_t shared = std::min(a.items().size(), b.items().size());
    for (std::size_t i = 0; i < shared; ++i) {
      if (a.items()[i] != b.items()[i]) return fmt::format("/{}", i) + first_difference(a.items()[i], b.items()[i]);
    }
    return a.items().size() == b.items().size() ? std::string() : fmt::format("/{}", shared);
  }
  return {};
}

}  // namespace sluice::agent
