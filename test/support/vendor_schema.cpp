// SPDX-License-Identifier: Apache-2.0
#include "test/support/vendor_schema.h"

#include <cstdio>
#include <optional>
#include <set>

#include "core/file.h"
#include "core/json_schema.h"

namespace sluice::test {
namespace {

using core::Json;

std::string folder() { return core::absolute_path(std::string(SLUICE_SOURCE_DIR) + "/../shared/data/contracts"); }

Json or_null(Json schema) {
  return Json::object({{"anyOf", Json::array_of(std::vector<Json>{std::move(schema), Json::object({{"type", "null"}})})}});
}

// OpenAPI 3.1 as that document writes it -> draft-07: `nullable`, siblings of `$ref`, and where references point.
Json draft07(const Json& in) {
  if (in.is_array()) {
    Json out = Json::array();
    for (const Json& item : in.items()) out.push(draft07(item));
    return out;
  }
  if (!in.is_object()) return in;
  if (in["$ref"].is_string()) {
    constexpr std::string_view from = "#/components/schemas/";
    std::string target = in["$ref"].as_string();
    if (target.starts_with(from)) target = "#/definitions/" + target.substr(from.size());
    return Json::object({{"$ref", target}});
  }
  Json out = Json::object();
  for (const auto& [key, value] : in.members()) {
    // `properties` may hold one that is called "description"; only there are names not keywords.
    if (key == "properties") {
      Json kept = Json::object();
      for (const auto& [name, schema] : value.members()) kept.set(name, draft07(schema));
      out.set(key, std::move(kept));
    } else if (key != "description" && key != "example" && key != "examples" && key != "default" && key != "nullable" &&
               key != "discriminator" && key != "title" && !key.starts_with("x-")) {
      out.set(key, draft07(value));
    }
  }
  return in["nullable"].as_bool() ? or_null(std::move(out)) : out;
}

struct Rules {
  std::optional<core::JsonSchema> schema;
  std::set<std::string, std::less<>> properties;  // chat: the document leaves its object open, we do not
};

void gather_properties(const Json& schemas, const Json& schema, std::set<std::string, std::less<>>& out) {
  for (const auto& [name, unused] : schema["properties"].members()) out.insert(name);
  for (const Json& part : schema["allOf"].items()) gather_properties(schemas, part, out);
  const std::string& ref = schema["$ref"].as_string();
  if (!ref.empty()) gather_properties(schemas, schemas[ref.substr(ref.rfind('/') + 1)], out);
}

std::optional<Json> document(const std::string& name) {
  const auto text = core::read_file(folder() + "/" + name);
  if (!text.ok()) return std::nullopt;
  auto json = Json::parse(*text);
  if (!json.ok()) return std::nullopt;
  return std::move(json).value();
}

Rules load(std::string_view dialect) {
  Rules out;
  Json schema;
  if (dialect == "messages") {
    const auto found = document("anthropic/1.14.0/MessageCreateParams.schema.json");
    if (!found) return out;
    schema = *found;
  } else {
    const auto found = document("openai/openai.chat-only.openapi.json");
    if (!found) return out;
    const Json& schemas = (*found)["components"]["schemas"];
    gather_properties(schemas, schemas["CreateChatCompletionRequest"], out.properties);
    Json definitions = Json::object();
    for (const auto& [name, value] : schemas.members()) definitions.set(name, draft07(value));
    schema = Json::object({{"$ref", "#/definitions/CreateChatCompletionRequest"}, {"definitions", std::move(definitions)}});
  }
  auto compiled = core::JsonSchema::compile(schema);
  if (compiled.ok()) {
    out.schema = std::move(compiled).value();
  } else {
    std::fprintf(stderr, "the %s schema cannot be used: %s\n", std::string(dialect).c_str(), compiled.error().message.c_str());
  }
  return out;
}

const Rules& rules_of(std::string_view dialect) {
  static const Rules messages = load("messages");
  static const Rules chat = load("chat");
  return dialect == "messages" ? messages : chat;
}

}  // namespace

bool vendor_schemas_here() {
  static const bool here = [] {
    const bool found = core::exists(folder() + "/anthropic/1.14.0") && core::exists(folder() + "/openai");
    if (!found) std::printf("requests are not checked against the vendors' schemas: none at %s\n", folder().c_str());
    return found;
  }();
  return here;
}

std::string vendor_refusal(std::string_view dialect, const Json& body) {
  if (!vendor_schemas_here()) return {};
  const Rules& rules = rules_of(dialect);
  if (!rules.schema) return "the vendor's schema does not compile";
  const auto checked = rules.schema->check(body);
  if (!checked.ok()) return checked.error().message;
  if (dialect == "messages") {
    for (const std::string_view header : {"user_profile_id", "workspace_id"}) {
      if (body.has(header)) return std::string(header) + " is a header, not a field of the body";
    }
    return {};
  }
  for (const auto& [name, unused] : body.members()) {
    if (!rules.properties.contains(name)) return name + " is no field of a chat completion request";
  }
  for (const std::string_view old : {"seed", "n", "logit_bias", "functions", "function_call", "user"}) {
    if (body.has(old)) return std::string(old) + " is deprecated, or never to be sent";
  }
  return {};
}

}  // namespace sluice::test
