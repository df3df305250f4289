// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or one Error that the caller can act on.
//
// Three kinds of trouble are never mixed: a red build or a refused diff is a *value* (Evidence,
// Verdict); an outside failure is an *Error*; a broken assumption in our own code is a *bug*
// (SLUICE_CHECK, throws). Only Errors travel in a Result.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace sluice::core {

// Closed list. Only `transient` may be retried without a change of input.
enum class ErrorKind { not_found, conflict, invalid, denied, transient, internal };

std::string_view to_string(ErrorKind kind);

// `message` starts lower-case, has no final period, and names the value, the limit and what to do.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
};

inline Error make_error(ErrorKind kind, std::string message) { return {kind, std::move(message)}; }

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return v_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok() for value access, !ok() for error access (std::bad_variant_access otherwise).
  T& value() & { return std::get<0>(v_); }
  const T& value() const& { return std::get<0>(v_); }
  T&& value() && { return std::get<0>(std::move(v_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T other) const { return ok() ? value() : std::move(other); }

  Error& error() { return std::get<1>(v_); }
  const Error& error() const { return std::get<1>(v_); }

 private:
  std::variant<T, Error> v_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() { return error_.value(); }
  const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

// Thrown by SLUICE_CHECK; caught once per job in service/, where the change is parked.
struct Bug : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void throw_bug(const char* file, int line, const char* what);

}  // namespace sluice::core

namespace sluice {
using core::Error;
using core::ErrorKind;
using core::make_error;
using core::Result;
}  // namespace sluice

#define SLUICE_CONCAT_(a, b) a##b
#define SLUICE_CONCAT(a, b) SLUICE_CONCAT_(a, b)

// TRY(expr): leave the function with the error of `expr`, if it has one.
#define TRY(expr)                                                 \
  do {                                                            \
    auto sluice_try_ = (expr);                                    \
    if (!sluice_try_.ok()) return std::move(sluice_try_.error()); \
  } while (false)

// TRY_ASSIGN(auto x, expr): declare or assign x from the value of `expr`, or leave with its error.
#define TRY_ASSIGN(target, expr) TRY_ASSIGN_(SLUICE_CONCAT(sluice_result_, __LINE__), target, expr)
#define TRY_ASSIGN_(tmp, target, expr)          \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return std::move(tmp.error()); \
  target = std::move(tmp).value()

#define SLUICE_CHECK(condition) \
  ((condition) ? void(0) : ::sluice::core::throw_bug(__FILE__, __LINE__, #condition))
