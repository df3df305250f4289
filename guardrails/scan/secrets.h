// SPDX-License-Identifier: Apache-2.0
// Secrets in a text: known forms of tokens, long random text beside a word for a secret, and the exact values that
// the process holds, however they are written. Linear, on any bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::guardrails {

struct SecretFound {
  std::string_view kind;  // "github token", "held secret", ...
  std::size_t at = 0, length = 0;
};

class SecretScanner {
 public:
  explicit SecretScanner(std::span<const std::string> held);
  // In order, none overlapping.
  std::vector<SecretFound> find(std::string_view text) const;
  // Each found one replaced by [redacted:kind].
  std::string redact(std::string_view text) const;

 private:
  std::vector<std::string> forms_;  // of the held values, longest first
};

inline constexpr std::string_view held_secret = "held secret";

// For one text. REQUIRES nothing of it.
std::vector<SecretFound> find_secrets(std::string_view text, std::span<const std::string> held);
std::string redact(std::string_view text, std::span<const std::string> held = {});

}  // namespace sluice::guardrails
