// SPDX-License-Identifier: Apache-2.0
// JSON Schema (draft-07), through valijson and its adapter, which json_schema.cpp alone includes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/json.h"
#include "core/result.h"

namespace sluice::core {

// `/key`, escaped as RFC 6901 wants it.
std::string json_pointer_step(std::string_view key);

// Compiled once, asked often. Calls of check() may come from several threads.
class JsonSchema {
 public:
  // Errors: invalid: what is no schema, or uses what draft-07 does not have.
  static Result<JsonSchema> compile(const Json& schema);
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) noexcept;
  ~JsonSchema();
  // Errors: invalid, naming the JSON pointer of the first value that breaks it, and what was expected.
  Result<void> check(const Json& value) const;

 private:
  struct State;
  explicit JsonSchema(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice::core
