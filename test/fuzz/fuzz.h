// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share. Header-only: with libFuzzer nothing but the target and the library under test is linked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sluice::fuzz {

[[noreturn]] inline void broken(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

// For a target that reads two texts: what stands before and after the first line "%%".
inline std::pair<std::string_view, std::string_view> two_parts(std::string_view text) {
  if (text.starts_with("%%\n")) return {text.substr(0, 0), text.substr(3)};
  const std::size_t at = text.find("\n%%\n");
  if (at == std::string_view::npos) return {text, text.substr(text.size())};
  return {text.substr(0, at + 1), text.substr(at + 4)};
}

inline std::size_t line_ends(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Lines as an editor numbers them: a rest without LF is one more.
inline std::size_t lines_of(std::string_view text) {
  return line_ends(text) + (text.empty() || text.back() == '\n' ? 0 : 1);
}

inline bool within(std::string_view part, std::string_view whole) {
  const std::less_equal<const char*> le;
  return le(whole.data(), part.data()) && le(part.data() + part.size(), whole.data() + whole.size());
}

// The text as a checkout on Windows writes it. REQUIRES for comparisons: no CR in `text`.
inline std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

inline std::string without_cr(std::string_view text) {
  std::string out(text);
  std::erase(out, '\r');
  return out;
}

}  // namespace sluice::fuzz

// An invariant of the parser: its failure is a finding, in every build type.
#define FUZZ_CHECK(condition) ((condition) ? void(0) : ::sluice::fuzz::broken(__FILE__, __LINE__, #condition))
