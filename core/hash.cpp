// SPDX-License-Identifier: Apache-2.0
#include "core/hash.h"

#include <openssl/evp.h>

#include <array>

#include "core/result.h"

namespace sluice::core {

struct Sha256::State {
  struct Free {
    void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

// A failing EVP call means a broken OpenSSL installation: nothing a caller could act on.
Sha256::Sha256() : state_(std::make_unique<State>()) {
  SLUICE_CHECK(state_->context && EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
  SLUICE_CHECK(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  SLUICE_CHECK(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length) == 1);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(length * 2);
  for (unsigned i = 0; i < length; ++i) {
    out += digits[digest[i] >> 4];
    out += digits[digest[i] & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

}  // namespace sluice::core
