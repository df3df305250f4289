// SPDX-License-Identifier: Apache-2.0
// SHA-256 (OpenSSL EVP, included in hash.cpp alone), as 64 lower-case hex digits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace sluice::core {

std::string sha256_hex(std::string_view bytes);

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void add(std::string_view bytes);
  std::string hex();  // ends the computation

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::core
