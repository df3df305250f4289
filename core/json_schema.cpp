// SPDX-License-Identifier: Apache-2.0
// Else a bad schema would end the process.
#define VALIJSON_USE_EXCEPTIONS 1

#include "core/json_schema.h"

#include <fmt/format.h>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <exception>
#include <string>

#include "core/text.h"

namespace sluice::core {
namespace {

// Through text: the value has been within the caps of Json::parse before, or is our own.
nlohmann::json converted(const Json& value) { return nlohmann::json::parse(value.dump()); }

std::string pointer_of(const std::vector<std::string>& context) {
  // valijson writes "<root>", "[name]", "[0]".
  std::string out;
  for (const std::string& step : context) {
    if (step == "<root>") continue;
    std::string_view name = step;
    if (name.size() >= 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
    out += json_pointer_step(name);
  }
  return out.empty() ? "/" : out;
}

}  // namespace

std::string json_pointer_step(std::string_view key) {
  std::string out(1, '/');
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

struct JsonSchema::State {
  nlohmann::json document;  // the compiled schema refers to nothing of it, but errors may
  valijson::Schema schema;
};

JsonSchema::JsonSchema(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema& JsonSchema::operator=(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

Result<JsonSchema> JsonSchema::compile(const Json& schema) {
  auto state = std::make_unique<State>();
  try {
    state->document = converted(schema);
    const valijson::adapters::NlohmannJsonAdapter adapter(state->document);
    valijson::SchemaParser parser;
    parser.populateSchema(adapter, state->schema);
  } catch (const std::exception& e) {
    return make_error(ErrorKind::invalid, fmt::format("this is no JSON schema of draft-07: {}", e.what()));
  }
  return JsonSchema(std::move(state));
}

Result<void> JsonSchema::check(const Json& value) const {
  try {
    const nlohmann::json document = converted(value);
    const valijson::adapters::NlohmannJsonAdapter adapter(document);
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    if (validator.validate(state_->schema, adapter, &results)) return {};
    // The deepest finding says the most: those above only say that something below is wrong.
    std::string where, what = "does not match its schema";
    std::size_t depth = 0;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
      if (error.context.size() < depth) continue;
      if (error.context.size() == depth && !where.empty()) continue;
      depth = error.context.size();
      where = pointer_of(error.context);
      what = error.description;
    }
    return make_error(ErrorKind::invalid, fmt::format("{}: {}", where.empty() ? "/" : where, printable(what, 400)));
  } catch (const std::exception& e) {
    return make_error(ErrorKind::internal, fmt::format("the schema cannot be applied: {}", e.what()));
  }
}

}  // namespace sluice::core
