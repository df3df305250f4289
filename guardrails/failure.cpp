// SPDX-License-Identifier: Apache-2.0
#include "guardrails/failure.h"

#include "core/hash.h"
#include "core/text.h"

namespace sluice::guardrails {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_path(char c) { return is_word(c) || c == '/' || c == '.' || c == '-' || c == '+' || c == '@' || c == '~'; }

// The end of an escape sequence of a terminal that begins at text[i].
std::size_t end_of_escape(std::string_view text, std::size_t i) {
  ++i;
  if (i < text.size() && text[i] == '[') ++i;
  while (i < text.size() && !((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'))) ++i;
  return i < text.size() ? i + 1 : i;
}

}  // namespace

std::string failure_text(std::string_view detail) {
  std::string out;
  for (std::size_t i = 0; i < detail.size();) {
    const char c = detail[i];
    const bool begins = i == 0 || !is_word(detail[i - 1]);
    if (c == '\x1b') {
      i = end_of_escape(detail, i);
    } else if (c == '/' && begins && i + 1 < detail.size() && in_path(detail[i + 1])) {
      // Of a path from the root its last name stays.
      std::size_t end = i, name = i + 1;
      for (; end < detail.size() && in_path(detail[end]); ++end) {
        if (detail[end] == '/') name = end + 1;
      }
      detail.remove_prefix(name);  // the name is read like any other text
      i = 0;
      if (name == end) continue;
    } else if (begins && is_hex(c)) {
      // A number, an address, an id: hexadecimal digits of which one is a digit, and its unit does not matter.
      std::size_t end = i;
      bool digit = false;
      if (detail.substr(i).starts_with("0x")) end += 2;
      for (; end < detail.size() && is_hex(detail[end]); ++end) digit = digit || is_digit(detail[end]);
      const bool whole = end >= detail.size() || !is_word(detail[end]) || is_digit(c);
      if (!digit || !whole) {
        out += c;
        ++i;
      } else {
        if (out.empty() || out.back() != '#') out += '#';
        i = end;
      }
    } else if (is_digit(c)) {
      if (out.empty() || out.back() != '#') out += '#';
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (!out.empty() && out.back() != ' ') out += ' ';
      ++i;
    } else {
      out += c;
      ++i;
    }
  }
  return std::string(core::trim(out));
}

std::string failure_fingerprint(const model::TestRecord& test) {
  const std::string text = failure_text(test.detail);
  if (text.empty()) return {};
  return "f-" + core::sha256_hex(std::string(model::to_string(test.state)) + "\n" + text).substr(0, 12);
}

}  // namespace sluice::guardrails
