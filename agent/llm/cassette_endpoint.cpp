// SPDX-License-Identifier: Apache-2.0
// The endpoint of a folder of recordings: what shapes a request, and what an answer costs.
#include <fmt/format.h>

#include "agent/llm/cassette.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

using core::Json;

// Calls `f` with the key and the member of everything that is kept, so that what is written is what is read.
template <class Endpoint, class F>
void each_member(Endpoint& e, F f) {
  f("name", e.name);
  f("provider", e.provider);
  f("dialect", e.dialect);
  f("model", e.model);
  f("max_tokens_field", e.max_tokens_field);
  f("effort", e.effort);
  f("can_force_tool", e.can_force_tool);
  f("sends_usage_in_stream", e.sends_usage_in_stream);
  f("strict_tools", e.strict_tools);
  f("parallel_tools", e.parallel_tools);
  f("cache_breakpoints", e.cache_breakpoints);
  f("context_tokens", e.context_tokens);
  f("max_output_tokens", e.max_output_tokens);
  f("price_input", e.price_input);
  f("price_output", e.price_output);
  f("price_cache_read", e.price_cache_read);
  f("price_cache_write", e.price_cache_write);
}

Json described(const model::EndpointConfig& endpoint) {
  Json out = Json::object({{"v", 1}, {"final_codes", Json::array_of(endpoint.final_codes)}});
  each_member(endpoint, [&](const char* key, const auto& value) { out.set(key, value); });
  return out;
}

struct Reader {
  const Json& from;
  void operator()(const char* key, std::string& to) const { to = from[key].as_string(); }
  void operator()(const char* key, bool& to) const { to = from[key].as_bool(); }
  void operator()(const char* key, std::int64_t& to) const { to = from[key].as_int(to); }
};

std::string path_in(const std::string& dir) { return core::join_path(dir, "endpoint.json"); }

}  // namespace

Result<void> write_endpoint(const std::string& dir, const model::EndpointConfig& endpoint) {
  TRY(core::make_directories(dir));
  const std::string text = described(endpoint).pretty() + "\n";
  const std::string path = path_in(dir);
  if (core::exists(path)) {
    TRY_ASSIGN(const std::string there, core::read_file(path, 1u << 20));
    if (there == text) return {};
    return make_error(ErrorKind::invalid,
                      fmt::format("{} holds recordings of another endpoint, or of this one with other settings; record into an empty folder",
                                  core::printable(dir, 300)));
  }
  return core::write_file(path, text);
}

Result<model::EndpointConfig> read_endpoint(const std::string& dir) {
  const std::string path = path_in(dir);
  auto text = core::read_file(path, 1u << 20);
  if (!text.ok()) {
    return make_error(text.error().kind, fmt::format("{} is no folder of recordings: {}", core::printable(dir, 300), text.error().message));
  }
  const auto json = Json::parse(*text);
  const auto bad = [&](std::string_view why) {
    return make_error(ErrorKind::invalid, fmt::format("{} cannot be read: {}", core::printable(path, 300), why));
  };
  if (!json.ok()) return bad(json.error().message);
  if ((*json)["v"].as_int() != 1) return bad("its version is not 1");
  model::EndpointConfig out;
  each_member(out, Reader{*json});
  for (const Json& code : (*json)["final_codes"].items()) out.final_codes.push_back(code.as_string());
  out.auth = "none";
  if (out.dialect != "messages" && out.dialect != "chat") return bad("its dialect is neither messages nor chat");
  return out;
}

}  // namespace sluice::agent
