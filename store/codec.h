// SPDX-License-Identifier: Apache-2.0
// A small binary encoding for values that are stored by the thousand and read whole: LEB128 integers
// and length-prefixed bytes. JSON would replace bytes that are not UTF-8, and paths need not be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/pick.h"
#include "core/model/upstream_commit.h"
#include "core/result.h"

namespace sluice::store {

class Encoder {
 public:
  void number(std::uint64_t value);
  void integer(std::int64_t value);  // zigzag
  void bytes(std::string_view value);
  // Ids and digests at half their size; anything that is not lower-case hex is kept as it is.
  void hex(std::string_view value);
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads past the end or a bad value set a flag and give empty values: check ok() once, at the end.
class Decoder {
 public:
  explicit Decoder(std::string_view in) : in_(in) {}
  std::uint64_t number();
  std::int64_t integer();
  std::string bytes();
  std::string hex();
  // A count of elements of at least one byte each: never more than there are bytes left.
  std::size_t count();
  template <class Enum>
  Enum one_of(Enum last) {
    const std::uint64_t value = number();
    if (value > static_cast<std::uint64_t>(last)) fail();
    return ok_ ? static_cast<Enum>(value) : Enum{};
  }
  bool boolean() { return one_of(1) == 1; }
  void fail() { ok_ = false; }
  bool ok() const { return ok_ && at_ == in_.size(); }  // everything read, nothing left

 private:
  std::string_view take(std::uint64_t size);

  std::string_view in_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

std::string encode_facts(const model::UpstreamCommit& commit);
// Errors: internal, naming what is damaged.
Result<model::UpstreamCommit> decode_facts(const std::string& oid, std::string_view bytes);
std::string encode_pick(const model::Pick& pick);
Result<model::Pick> decode_pick(const std::string& upstream, std::string_view bytes);

}  // namespace sluice::store
