// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <fmt/format.h>

namespace sluice::core {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view blanks = " \t\r\n\f\v";

bool continues(std::string_view s, std::size_t i, unsigned char low = 0x80, unsigned char high = 0xBF) {
  if (i >= s.size()) return false;
  const auto c = static_cast<unsigned char>(s[i]);
  return c >= low && c <= high;
}

// Length of the well-formed UTF-8 sequence at s[i] (Unicode table 3-7), 0 when there is none.
std::size_t sequence_length(std::string_view s, std::size_t i) {
  const auto c = static_cast<unsigned char>(s[i]);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return continues(s, i + 1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    const unsigned char low = c == 0xE0 ? 0xA0 : 0x80;
    const unsigned char high = c == 0xED ? 0x9F : 0xBF;  // no surrogates
    return continues(s, i + 1, low, high) && continues(s, i + 2) ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    const unsigned char low = c == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = c == 0xF4 ? 0x8F : 0xBF;
    return continues(s, i + 1, low, high) && continues(s, i + 2) && continues(s, i + 3) ? 4 : 0;
  }
  return 0;
}

std::vector<std::string_view> lines_of(std::string_view text, std::size_t keep) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t lf = text.find('\n');
    if (lf == std::string_view::npos) {
      out.push_back(text);
      break;
    }
    out.push_back(text.substr(0, lf + keep));
    text.remove_prefix(lf + 1);
  }
  return out;
}

bool starts_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) { return lines_of(text, 0); }
std::vector<std::string_view> split_lines_keep(std::string_view text) { return lines_of(text, 1); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t n = sequence_length(bytes, i);
    if (n == 0) return false;
    i += n;
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t n = sequence_length(bytes, i);
    out += n == 0 ? replacement : bytes.substr(i, n);
    i += n == 0 ? 1 : n;
  }
  return out;
}

std::string printable(std::string_view bytes, std::size_t max_bytes) {
  constexpr std::string_view ellipsis = "...";
  std::string out;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t n = sequence_length(bytes, i);
    const auto c = static_cast<unsigned char>(bytes[i]);
    std::string piece;
    if (n == 0) {
      piece = replacement;
    } else if (c < 0x20 || c == 0x7F) {
      piece = fmt::format("\\x{:02X}", c);
    } else if (n == 2 && c == 0xC2 && static_cast<unsigned char>(bytes[i + 1]) < 0xA0) {
      piece = fmt::format("\\x{:02X}", static_cast<unsigned char>(bytes[i + 1]));  // C1 controls
    } else {
      piece = bytes.substr(i, n);
    }
    if (out.size() + piece.size() > max_bytes) {
      while (!out.empty() && out.size() + ellipsis.size() > max_bytes) {
        // Never cut a sequence in two: drop its continuation bytes together with its first byte.
        while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
        if (!out.empty()) out.pop_back();
      }
      return out + std::string(ellipsis);
    }
    out += piece;
    i += n == 0 ? 1 : n;
  }
  return out;
}

bool is_hex(std::string_view text, std::size_t digits) {
  if (text.size() != digits) return false;
  for (const char c : text) {
    if (!is_digit(c) && !(c >= 'a' && c <= 'f')) return false;
  }
  return true;
}

std::string strip_space(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (const char c : line) {
    if (blanks.find(c) == std::string_view::npos) out += c;
  }
  return out;
}

std::vector<std::string_view> identifiers(std::string_view text, std::size_t min_length) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    if (!starts_identifier(text[i]) && !is_digit(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && (starts_identifier(text[end]) || is_digit(text[end]))) ++end;
    // A run that begins with a digit is a number such as 0x1F, no identifier.
    if (starts_identifier(text[i]) && end - i >= min_length) out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace sluice::core
