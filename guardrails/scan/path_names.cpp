// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/path_names.h"

#include <algorithm>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

// Base letters of U+00C0..U+017F in order; '.' = no decomposition. Enough for the European file names
// that macOS stores decomposed; other scripts fold by case-exact bytes only.
constexpr std::string_view base_letters =
    "aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y"
    "aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll....nnnnnn...oooooo..rrrrrrsssssssstttt.."
    "uuuuuuuuuuuuwwyyyzzzzzz.";

static_assert(base_letters.size() == 0x180 - 0xC0);

bool two_bytes(std::string_view s, std::size_t i) {
  return i + 1 < s.size() && (static_cast<unsigned char>(s[i]) & 0xE0u) == 0xC0u;
}

}  // namespace

std::string folded_path(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (static_cast<unsigned char>(c) < 0x80) {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    if (!two_bytes(path, i)) {
      out += c;
      continue;
    }
    const unsigned code =
        ((static_cast<unsigned char>(c) & 0x1Fu) << 6) | (static_cast<unsigned char>(path[i + 1]) & 0x3Fu);
    ++i;
    if (code >= 0x300 && code <= 0x36F) {
      out += '\x01';  // a combining mark after its letter
    } else if (code >= 0xC0 && code - 0xC0 < base_letters.size() && base_letters[code - 0xC0] != '.') {
      out += base_letters[code - 0xC0];
      out += '\x01';
    } else {
      out += path.substr(i - 1, 2);
    }
  }
  return out;
}

bool unsafe_path(std::string_view path) {
  const auto parts = core::split(path, '/');
  return path.empty() || std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
           const std::string name = core::to_lower(part);
           return name.empty() || name == "." || name == ".." || name == ".git" || name == "git~1";
         });
}

}  // namespace sluice::guardrails
