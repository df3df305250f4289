// SPDX-License-Identifier: Apache-2.0
// A JSON value. The parser behind it (nlohmann/json) is included in json.cpp alone.
//
// Output is canonical: object keys sorted bytewise, no spaces (dump) or two-space indentation
// (pretty), so equal values give equal bytes and can be hashed. Strings are bytes; invalid UTF-8 is
// written as U+FFFD, never an exception (compiler logs, paths and commit messages are not always
// UTF-8). Input is hostile: parse caps size and depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/result.h"

namespace sluice::core {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool b) : v_(b) {}
  Json(int i) : v_(std::int64_t{i}) {}
  Json(long i) : v_(std::int64_t{i}) {}
  Json(long long i) : v_(static_cast<std::int64_t>(i)) {}
  Json(unsigned i) : v_(static_cast<std::int64_t>(i)) {}
  Json(unsigned long i) : v_(static_cast<std::int64_t>(i)) {}
  Json(unsigned long long i) : v_(static_cast<std::int64_t>(i)) {}
  Json(double d) : v_(d) {}
  Json(const char* s) : v_(std::string(s)) {}
  Json(std::string s) : v_(std::move(s)) {}
  Json(std::string_view s) : v_(std::string(s)) {}
  Json(Array a) : v_(std::move(a)) {}
  Json(Object o) : v_(std::move(o)) {}

  static Json array() { return Json(Array{}); }
  static Json object() { return Json(Object{}); }
  // Json::object({{"a", 1}, {"b", "x"}})
  static Json object(std::initializer_list<std::pair<std::string, Json>> members);
  template <class Range>
  static Json array_of(const Range& values) {
    Array a;
    for (const auto& v : values) a.emplace_back(v);
    return Json(std::move(a));
  }

  bool is_null() const { return v_.index() == 0; }
  bool is_bool() const { return v_.index() == 1; }
  bool is_int() const { return v_.index() == 2; }
  bool is_number() const { return v_.index() == 2 || v_.index() == 3; }
  bool is_string() const { return v_.index() == 4; }
  bool is_array() const { return v_.index() == 5; }
  bool is_object() const { return v_.index() == 6; }

  // Lenient reads for data we wrote ourselves: the default when the type differs.
  bool as_bool(bool otherwise = false) const;
  std::int64_t as_int(std::int64_t otherwise = 0) const;
  double as_double(double otherwise = 0) const;
  const std::string& as_string() const;  // empty string when not a string
  const Array& items() const;            // empty when not an array
  const Object& members() const;         // empty when not an object
  // Null when absent or when this is not an object.
  const Json& operator[](std::string_view key) const;
  bool has(std::string_view key) const;

  // Turns a null into an object / array first. REQUIRES: null or the right kind.
  Json& set(std::string_view key, Json value);  // returns *this
  Json& push(Json value);                       // returns *this

  std::string dump() const;
  std::string pretty() const;

  struct Limits {
    std::size_t max_bytes = 64u << 20;
    std::size_t max_depth = 64;
  };
  // Errors: invalid, with the byte offset and what was expected.
  static Result<Json> parse(std::string_view text, Limits limits);
  static Result<Json> parse(std::string_view text) { return parse(text, Limits{}); }

  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> v_;
};

}  // namespace sluice::core
