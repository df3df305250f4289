// SPDX-License-Identifier: Apache-2.0
// Deterministic mutations for machines without libFuzzer: the same seed gives the same inputs everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::fuzz {

class Random {  // xorshift64*; no library generator promises the same numbers everywhere
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next();
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : next() % limit; }

 private:
  std::uint64_t state_;
};

class Mutator {
 public:
  Mutator(const std::vector<std::string>& entries, const std::vector<std::string>& words, std::uint64_t seed)
      : entries_(entries), words_(words), random_(seed) {}
  // One to four changes, at most `most_bytes` long.
  std::string mutate(std::string_view entry);

  static constexpr std::size_t most_bytes = 1u << 14;

 private:
  void change(std::string& text);
  std::string some_bytes();

  const std::vector<std::string>& entries_;
  const std::vector<std::string>& words_;
  Random random_;
};

// The entry again and again, up to `bytes`: deep nesting, long lines, many of everything.
std::string repeated(std::string_view entry, std::size_t bytes);

// Words of a dictionary in libFuzzer's form: `"text"` or `name="text"` a line, \xNN, \\ and \" inside.
std::vector<std::string> read_dictionary(std::string_view text);

}  // namespace sluice::fuzz
