// SPDX-License-Identifier: Apache-2.0
// [model], [model.endpoint.NAME] and [budget]: which models there are, what may be sent to them, what they may cost.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "config/draft.h"
#include "config/values.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::config {
namespace {

// What a service of each kind is known to do; every key of it can be set otherwise.
model::EndpointConfig defaults_of(const std::string& provider) {
  model::EndpointConfig e;
  e.provider = provider;
  if (provider == "anthropic") {
    e.dialect = "messages";
    e.base_url = "https://api.anthropic.com";
    e.auth = "x-api-key";
    e.key_env = "ANTHROPIC_API_KEY";
    e.can_force_tool = e.sends_usage_in_stream = e.cache_breakpoints = true;
    return e;
  }
  e.dialect = "chat";
  e.auth = "none";
  e.sends_usage_in_stream = true;
  e.can_force_tool = provider != "ollama";  // it has no tool_choice
  if (provider == "openai") {
    e.base_url = "https://api.openai.com";
    e.auth = "bearer";
    e.key_env = "OPENAI_API_KEY";
    e.max_tokens_field = "max_completion_tokens";
  } else if (provider == "llamacpp") {
    e.base_url = "http://127.0.0.1:8080";
    e.context_tokens = 32'768;
  } else if (provider == "ollama") {
    e.base_url = "http://127.0.0.1:11434";
    e.context_tokens = 32'768;
  }
  return e;
}

using Same = std::pair<std::string_view, std::string>;
const Same providers[] = {{"anthropic", "anthropic"}, {"openai", "openai"}, {"vllm", "vllm"}, {"llamacpp", "llamacpp"}, {"ollama", "ollama"}};
const Same dialects[] = {{"messages", "messages"}, {"chat", "chat"}};
const Same auths[] = {{"x-api-key", "x-api-key"}, {"bearer", "bearer"}, {"none", "none"}};
const Same token_fields[] = {{"max_tokens", "max_tokens"}, {"max_completion_tokens", "max_completion_tokens"}};

std::optional<std::int64_t> millionths(Section& section, std::string_view key) {
  if (!section.has(key)) return std::nullopt;
  double value = -1;
  section.number(key, value, 0);
  if (value < 0) return std::nullopt;
  if (value > 1e6) {
    section.problem(key, fmt::format("{} is more money than this can count; at most 1000000", value));
    return std::nullopt;
  }
  return std::llround(value * 1e6);
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};  // 127.0.0.1.example.com is a name of somebody else's
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

std::string check_endpoint_url(std::string_view url, const std::string& auth) {
  const bool plain = url.starts_with("http://");
  if (!plain && !url.starts_with("https://")) return fmt::format("'{}' is not an http or https address", core::printable(url));
  const std::string_view rest = url.substr(url.find("://") + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.empty()) return fmt::format("'{}' names no host", core::printable(url));
  if (authority.find('@') != std::string_view::npos) return "the address carries a credential, which would reach logs; name its variable in key_env";
  if (rest.find_first_of("?# \\") != std::string_view::npos) return fmt::format("'{}' has a query, a fragment or a blank", core::printable(url));
  const std::string_view host = authority.starts_with('[') ? authority.substr(0, authority.find(']') + 1) : authority.substr(0, authority.find(':'));
  if (plain && auth != "none" && !is_loopback(host)) return "the key would cross the network in clear: use https, or auth = \"none\"";
  return "";
}

void read_price(Section& section, model::EndpointConfig& e, Problems& problems) {
  const toml::node* node = section.node("price");
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    section.problem("price", "write price = { input = 3.0, output = 15.0 }: money for a million tokens");
    return;
  }
  Section price(*table, section.name() + " price", problems);
  for (const auto& [key, to] : {std::pair{"input", &e.price_input}, std::pair{"output", &e.price_output},
                                std::pair{"cache_read", &e.price_cache_read}, std::pair{"cache_write", &e.price_cache_write}})
    if (const auto value = millionths(price, key)) *to = *value;
  price.require("input");
  price.require("output");
  // Not said: as dear as any other input.
  if (e.price_cache_read < 0) e.price_cache_read = e.price_input;
  if (e.price_cache_write < 0) e.price_cache_write = e.price_input;
  price.finish();
}

// The keys that both [model] and [model.endpoint.NAME] take.
model::EndpointConfig read_endpoint(Section& section, Draft& draft) {
  std::string provider;
  section.word<std::string>("provider", provider, providers);
  model::EndpointConfig e = defaults_of(provider);
  section.word<std::string>("dialect", e.dialect, dialects);
  section.text("base_url", e.base_url);
  section.text("model", e.model);
  section.text("key_env", e.key_env);
  section.text("key_file", e.key_file);
  const bool name = std::all_of(e.key_env.begin(), e.key_env.end(), [](char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
  if (!name) section.problem("key_env", "this is no name of an environment variable; put the key into one, and name it here");  // perhaps the key itself: not repeated
  if (!e.key_file.empty()) {
    if (!e.key_file.starts_with('/')) e.key_file = core::join_path(draft.directory, e.key_file);
    if (!section.has("key_env")) e.key_env.clear();
    if (!e.key_env.empty()) section.problem("key_file", "the key comes from key_env or from key_file, not from both");
  }
  const bool has_key = section.has("key_env") || section.has("key_file");
  if (e.auth == "none" && has_key) e.auth = e.dialect == "messages" ? "x-api-key" : "bearer";
  section.word<std::string>("auth", e.auth, auths);
  if (e.auth == "none") e.key_env.clear();
  section.text("ca_file", e.ca_file);
  if (!e.ca_file.empty() && !e.ca_file.starts_with('/')) e.ca_file = core::join_path(draft.directory, e.ca_file);
  section.text("proxy", e.proxy);
  section.word<std::string>("max_tokens_field", e.max_tokens_field, token_fields);
  section.text("effort", e.effort);
  section.boolean("can_force_tool", e.can_force_tool);
  section.boolean("sends_usage_in_stream", e.sends_usage_in_stream);
  section.boolean("strict_tools", e.strict_tools);
  section.boolean("parallel_tools", e.parallel_tools);
  section.boolean("cache_breakpoints", e.cache_breakpoints);
  section.integer("context_tokens", e.context_tokens, 2048, 100'000'000);
  section.integer("max_output_tokens", e.max_output_tokens, 256, 1'000'000);
  section.seconds("idle_timeout", e.idle_timeout_s, 3600);
  section.integer("requests_per_minute", e.requests_per_minute, 0, 1'000'000);
  section.integer("tokens_per_minute", e.tokens_per_minute, 0, 1'000'000'000);
  section.texts("final_codes", e.final_codes);
  read_price(section, e, draft.problems);
  if (provider.empty()) {
    section.problem("provider", "provider is missing; one of anthropic, openai, vllm, llamacpp, ollama");
    return e;
  }
  section.require("model");
  if (e.base_url.empty()) {
    section.problem("base_url", fmt::format("base_url is missing: where the {} server listens", provider));
  } else if (const std::string wrong = check_endpoint_url(e.base_url, e.auth); !wrong.empty()) {
    section.problem("base_url", wrong);
  }
  if (e.auth != "none" && e.key_env.empty() && e.key_file.empty())
    section.problem("auth", fmt::format("auth = \"{}\" needs key_env or key_file", e.auth));
  if (e.max_output_tokens >= e.context_tokens)
    section.problem("max_output_tokens", fmt::format("{} leaves nothing of the {} context_tokens for the question", e.max_output_tokens, e.context_tokens));
  return e;
}

void read_globs(Section& section, std::string_view key, std::vector<std::string>& out) {
  section.texts(key, out);
  for (const std::string& glob : out)
    if (const std::string wrong = check_glob(glob); !wrong.empty()) section.problem(key, wrong);
}

void read_further(Section& section, Draft& draft) {
  const toml::node* node = section.node("endpoint");
  if (node == nullptr) return;
  const toml::table* endpoints = node->as_table();
  if (endpoints == nullptr) {
    section.problem("endpoint", "write [model.endpoint.NAME], one section an endpoint");
    return;
  }
  for (const auto& [name, value] : *endpoints) {
    const int line = static_cast<int>(name.source().begin.line);
    const std::string wrong = check_id(name.str());
    if (!wrong.empty() || name.str() == "none" || name.str() == "default") {
      draft.problems.add(line, fmt::format("[model.endpoint]: {}", wrong.empty() ? fmt::format("'{}' has a meaning of its own", name.str()) : wrong));
      continue;
    }
    const toml::table* table = value.as_table();
    if (table == nullptr) {
      draft.problems.add(line, fmt::format("[model.endpoint]: {0} must be a section: write [model.endpoint.{0}]", name.str()));
      continue;
    }
    Section endpoint(*table, fmt::format("[model.endpoint.{}]", name.str()), draft.problems);
    model::EndpointConfig read = read_endpoint(endpoint, draft);
    read.name = name.str();
    endpoint.finish();
    draft.config.model.endpoints.push_back(std::move(read));
  }
}

}  // namespace

void read_model(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "model", draft.problems);
  if (table == nullptr) return;
  model::ModelConfig& to = draft.config.model;
  Section section(*table, "[model]", draft.problems);
  section.text("use", to.use);
  read_globs(section, "send", to.send);
  read_globs(section, "never_send", to.never_send);
  section.boolean("repair", to.repair);
  section.boolean("parked_text", to.parked_text);
  read_further(section, draft);
  const toml::node* provider = section.node("provider");
  if (provider != nullptr && provider->value_or(std::string_view()) == "none") {
    to.use = "none";  // written out: there is no model
  } else if (section.has("provider") || section.has("model") || section.has("base_url")) {
    to.endpoints.insert(to.endpoints.begin(), read_endpoint(section, draft));
  }
  section.finish();
  std::vector<std::string> names = {"none"};
  for (const model::EndpointConfig& e : to.endpoints) names.push_back(e.name);
  if (to.use.empty() && to.endpoints.size() == 1) to.use = to.endpoints.front().name;
  if (to.use.empty() && to.endpoints.size() > 1)
    section.problem("use", fmt::format("use is missing: which of {} answers", core::join({names.begin() + 1, names.end()}, ", ")));
  if (!to.use.empty() && std::find(names.begin(), names.end(), to.use) == names.end())
    section.problem("use", fmt::format("there is no endpoint '{}'{}", core::printable(to.use), suggest(to.use, names)));
  if (to.use == "none") to.use.clear();
}

void read_budget(const toml::table& root, Draft& draft) {
  const toml::table* table = table_of(root, "budget", draft.problems);
  if (table == nullptr) return;
  model::BudgetConfig& to = draft.config.model.budget;
  Section section(*table, "[budget]", draft.problems);
  section.text("currency", to.currency);
  const std::pair<std::string, model::BudgetCap*> scopes[] = {
      {"call", &to.call}, {"run", &to.run}, {"unit", &to.unit}, {"night", &to.night}, {"fork", &to.fork}};
  const std::pair<std::string, model::BudgetCap*>* wider = nullptr;
  bool money = false;
  for (const auto& scope : scopes) {
    const auto& [name, cap] = scope;
    if (const auto value = millionths(section, name)) cap->money = *value;
    section.integer(name + "_tokens", cap->tokens, 0, 1'000'000'000'000);
    money = money || cap->money > 0;
    // A cap that a smaller one can pass on its own never lets anything through but by halves.
    if (wider != nullptr && cap->money > 0 && wider->second->money > cap->money)
      section.problem(name, fmt::format("{} is below the cap of one {}", name, wider->first));
    if (cap->money > 0) wider = &scope;
  }
  section.finish();
  for (const model::EndpointConfig& e : draft.config.model.endpoints) {
    if (money && e.price_input < 0)
      draft.problems.add(section.line(), fmt::format("[budget]: a cap in money needs the price of endpoint '{}': price = {{ input = ..., output = ... }}", e.name),
                         Problems::Kind::missing);
  }
}

}  // namespace sluice::config
