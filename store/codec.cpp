// SPDX-License-Identifier: Apache-2.0
#include "store/codec.h"

namespace sluice::store {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool packable(std::string_view value) {
  if (value.size() % 2 != 0) return false;
  for (const char c : value)
    if (digit(c) < 0) return false;
  return true;
}

}  // namespace

void Encoder::number(std::uint64_t value) {
  while (value >= 0x80) {
    out_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out_.push_back(static_cast<char>(value));
}

void Encoder::integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  number((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void Encoder::bytes(std::string_view value) {
  number(value.size());
  out_.append(value);
}

void Encoder::hex(std::string_view value) {
  if (!packable(value)) {
    number(value.size() * 2);
    out_.append(value);
    return;
  }
  number(value.size() + 1);  // even sizes only: half the size, times two, plus one
  for (std::size_t i = 0; i < value.size(); i += 2)
    out_.push_back(static_cast<char>(digit(value[i]) * 16 + digit(value[i + 1])));
}

std::uint64_t Decoder::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (!ok_ || at_ >= in_.size()) break;
    const auto byte = static_cast<unsigned char>(in_[at_++]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::int64_t Decoder::integer() {
  const std::uint64_t bits = number();
  return static_cast<std::int64_t>((bits >> 1) ^ ((bits & 1) != 0 ? ~std::uint64_t{0} : 0));
}

std::string_view Decoder::take(std::uint64_t size) {
  if (!ok_ || size > in_.size() - at_) {
    fail();
    return {};
  }
  const std::string_view part = in_.substr(at_, static_cast<std::size_t>(size));
  at_ += static_cast<std::size_t>(size);
  return part;
}

std::string Decoder::bytes() { return std::string(take(number())); }

std::string Decoder::hex() {
  const std::uint64_t head = number();
  const std::string_view raw = take(head / 2);
  if (head % 2 == 0) return std::string(raw);
  std::string out(raw.size() * 2, '0');
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const auto byte = static_cast<unsigned char>(raw[i]);
    out[2 * i] = "0123456789abcdef"[byte >> 4];
    out[2 * i + 1] = "0123456789abcdef"[byte & 15];
  }
  return out;
}

std::size_t Decoder::count() {
  const std::uint64_t value = number();
  if (value > in_.size() - at_) fail();
  return ok_ ? static_cast<std::size_t>(value) : 0;
}

}  // namespace sluice::store
