// SPDX-License-Identifier: Apache-2.0
// Names that a file may give only once: functions, tests, bindings, registrations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/regex.h"
#include "core/result.h"

namespace sluice::guardrails {

struct NamedThing {
  std::string kind;  // function, test, binding, registration, record
  std::string name;
  std::vector<std::uint32_t> lines;  // 1-based
};

class NamedThings {
 public:
  static Result<NamedThings> create();
  // By a key of kind, scope and name. Scope is what makes equal names legal: the class of a Python
  // method, the bound class of a binding.
  std::map<std::string, NamedThing> find(std::string_view path, std::string_view text) const;

 private:
  NamedThings(core::Regex test, core::Regex bound_class, core::Regex binding, core::Regex registration,
              core::Regex record, core::Regex cmake, core::Regex mlir)
      : test_(std::move(test)),
        bound_class_(std::move(bound_class)),
        binding_(std::move(binding)),
        registration_(std::move(registration)),
        record_(std::move(record)),
        cmake_(std::move(cmake)),
        mlir_(std::move(mlir)) {}

  using Found = std::map<std::string, NamedThing>;
  void find_c(std::string_view text, bool tablegen, Found& out) const;
  void find_python(std::string_view text, Found& out) const;
  void find_cmake(std::string_view text, Found& out) const;
  void find_mlir(std::string_view text, Found& out) const;

  core::Regex test_, bound_class_, binding_, registration_, record_, cmake_, mlir_;
};

}  // namespace sluice::guardrails
